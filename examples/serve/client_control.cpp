#include "client_control.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <heeler/text/json_writer.hpp>

#include "../common/json_object.hpp"

namespace serve {
namespace {

using heeler::ActionDone;
using heeler::Elapsed;
using heeler::ErrorCode;
using heeler::fail;
using heeler::Result;
using heeler::text::JsonLine;

constexpr std::chrono::seconds longest_question{2};

/// Of actions that nobody asks about any more, so many are kept.
constexpr std::size_t most_asks = 10'000;

Elapsed now() { return heeler::SystemClock{}.now().elapsed; }

/// What a client may answer, and how the engine has it.
struct Outcome {
    std::string_view name;
    ErrorCode code;
};
constexpr auto outcomes = std::to_array<Outcome>({{"done", ErrorCode::failed},  // no error
                                                  {"rejected", ErrorCode::rejected},
                                                  {"unsupported", ErrorCode::unsupported},
                                                  {"failed", ErrorCode::failed},
                                                  {"ended", ErrorCode::ended},
                                                  {"unknown", ErrorCode::timed_out}});
constexpr auto findings = std::to_array<std::string_view>({"found", "absent", "stopped", "running", "unknown"});

const Outcome* outcome_named(std::string_view name) {
    const auto found =
        std::find_if(outcomes.begin(), outcomes.end(), [&](const auto& each) { return each.name == name; });
    return found == outcomes.end() ? nullptr : &*found;
}

bool is_question(std::string_view asked) { return asked.find(' ') != std::string_view::npos; }

tl::unexpected<heeler::Error> not_asked(std::string_view asked) {
    return fail(ErrorCode::invalid_argument, common::in_quotes(asked) + " was not asked of you, or is answered");
}

std::string line_of(std::string_view verb, const heeler::ActionRequest& request) {
    JsonLine line;
    line.begin_object().key("ask").string(request.key).key("verb").string(verb).key("run").string(request.run);
    line.key("text").string(request.text).key("message").string(name_of(request.message));
    line.key("boundary").string(name_of(request.boundary)).key("attempt").number(request.attempt);
    line.key("repeated").boolean(request.repeated).key("silent_s").number(heeler::in_seconds(request.silent));
    // The attempt of a spawn is the run's: that of the agent which is to be replaced.
    if (verb == "spawn") line.key("incarnation").number(request.attempt + 1);
    return std::move(line.end_object()).text();
}

}  // namespace

Result<ActionDone> ClientControl::ask(std::string_view verb, const heeler::ActionRequest& request) {
    std::unique_lock one{lock_};
    if (asks_.size() > most_asks) asks_.erase(asks_.begin());
    const std::string key{request.key};
    Ask& ask = asks_.try_emplace(key, Ask{std::string{request.run}, {}, now()}).first->second;
    if (!ask.answer && !ask.gone && !ask.to) {
        const bool waits = !owes_answer(holders_.of(request.run).value_or(Holders::Held{}).client);
        if (auto sent = send(verb, request, ask); !sent) {
            if (sent.error().code != ErrorCode::busy) asks_.erase(key);
            return tl::unexpected<heeler::Error>(sent.error());
        }
        if (waits) answered_.wait_for(one, moment_, [&] { return ask.answer || ask.gone; });
    }
    if (const std::optional<Answer> said = ask.answer) {
        asks_.erase(key);
        if (said->outcome == "done") return ActionDone{.note = said->note};
        return fail(outcome_named(said->outcome)->code, said->note);
    }
    if (ask.gone) {
        asks_.erase(key);
        return fail(ErrorCode::timed_out, "the client was gone before it answered");
    }
    if (now() - ask.since < patience_) return fail(ErrorCode::busy, "the client has not answered yet");
    ask.to.reset();  // an answer that comes late is found
    return fail(ErrorCode::timed_out, "the client did not answer in time");
}

Result<void> ClientControl::send(std::string_view verb, const heeler::ActionRequest& request, Ask& ask) {
    const auto held = holders_.of(request.run);
    if (!held && now() - ask.since < patience_) return fail(ErrorCode::busy, "no client has the run");
    if (!held) return fail(ErrorCode::failed, "no client has the run");
    if (!held->client->can(verb))
        return fail(ErrorCode::unsupported, "the client cannot be asked to " + std::string{verb});
    ask.to = held->client;
    ask.since = now();
    ask.to->put(line_of(verb, request));
    return {};
}

bool ClientControl::owes_answer(const Client& client) const {
    return client && std::any_of(asks_.begin(), asks_.end(),
                                 [&](const auto& each) { return each.second.to == client && !each.second.answer; });
}

std::vector<std::string> ClientControl::question(const std::vector<Client>& clients, std::string_view verb,
                                                 std::string_view key, std::string_view value) {
    const std::string name = std::string{verb} + ' ' + std::string{value};
    JsonLine line;
    line.begin_object().key("ask").string(name).key("verb").string(verb).key(key).string(value).end_object();
    std::unique_lock one{lock_};
    Said& said = questions_[name];
    for (const Client& client : clients) said[client] = {};
    for (const Client& client : clients) client->put(line.text());
    const auto is_enough = [&] {
        const auto is = [&](std::string_view word) { return [word](const auto& each) { return each.second == word; }; };
        return std::any_of(said.begin(), said.end(), is("found")) || std::none_of(said.begin(), said.end(), is(""));
    };
    answered_.wait_for(one, std::min<heeler::Duration>(patience_, longest_question), is_enough);
    std::vector<std::string> words;
    for (const auto& each : said) words.push_back(each.second);
    questions_.erase(name);
    return words;
}

Result<heeler::Found> ClientControl::find(std::string_view key) {
    {
        const std::lock_guard one{lock_};
        const auto late = asks_.find(key);
        if (late != asks_.end() && late->second.answer) {
            const std::string outcome = late->second.answer->outcome;
            asks_.erase(late);
            if (outcome != "unknown") return outcome == "done" ? heeler::Found::found : heeler::Found::absent;
        }
    }
    std::vector<Client> clients = holders_.all();
    std::erase_if(clients, [](const Client& client) { return !client->can("find"); });
    if (clients.empty()) return fail(ErrorCode::unsupported, "no client can be asked what has become of it");
    const std::vector<std::string> said = question(clients, "find", "key", key);
    if (std::find(said.begin(), said.end(), "found") != said.end()) return heeler::Found::found;
    const auto sure = static_cast<std::size_t>(std::count(said.begin(), said.end(), "absent"));
    return sure == said.size() ? heeler::Found::absent : heeler::Found::unknown;
}

Result<heeler::StopProof> ClientControl::prove_stopped(std::string_view run) {
    const auto held = holders_.of(run);
    if (!held || !held->client->can("prove_stopped"))
        return fail(ErrorCode::unsupported, "no client can be asked whether it has stopped");
    const std::string said = question({held->client}, "prove_stopped", "run", run).front();
    if (said == "stopped") return heeler::StopProof::stopped;
    return said == "running" ? heeler::StopProof::running : heeler::StopProof::unknown;
}

Result<void> ClientControl::answer(const Client& from, std::string_view asked, std::string_view outcome,
                                   std::string note) {
    const bool known = is_question(asked) ? std::find(findings.begin(), findings.end(), outcome) != findings.end()
                                          : outcome_named(outcome) != nullptr;
    if (!known)
        return fail(ErrorCode::invalid_argument,
                    "there is no outcome " + common::in_quotes(outcome) +
                        "; of an action: done, rejected, unsupported, failed, ended, unknown; of find: found, absent, "
                        "unknown; of prove_stopped: stopped, running, unknown");
    const std::lock_guard one{lock_};
    if (const auto question = questions_.find(asked); question != questions_.end()) {
        const auto place = question->second.find(from);
        if (place == question->second.end() || !place->second.empty()) return not_asked(asked);
        place->second = outcome;
        answered_.notify_all();
        return {};
    }
    const auto found = asks_.find(asked);
    const auto its_run = [&] {
        const auto held = holders_.of(found->second.run);
        return held && held->client == from;
    };
    if (found == asks_.end() || (found->second.to != from && !its_run())) return not_asked(asked);
    found->second.answer = Answer{std::string{outcome}, std::move(note)};
    answered_.notify_all();
    return {};
}

void ClientControl::left(const Client& client) {
    const std::lock_guard one{lock_};
    for (auto& [key, ask] : asks_)
        if (ask.to == client && !ask.answer) {
            ask.gone = true;
            ask.to.reset();
        }
    for (auto& [name, said] : questions_)
        if (const auto place = said.find(client); place != said.end() && place->second.empty())
            place->second = "unknown";
    answered_.notify_all();
}

}  // namespace serve

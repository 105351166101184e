#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <heeler/core/observation.hpp>

#include "supervisor.hpp"

namespace supervise {

namespace {

/// After the end of a turn, so that what the agent begins by itself is not cut off.
constexpr std::chrono::seconds until_input_ends{2};

/// Other programs print a line of their own before an agent begins.
constexpr std::size_t most_before_stream = 3;

constexpr std::pair<std::string_view, std::string_view> streaming_options[] = {
    {"claude", "-p --output-format stream-json --verbose"},
    {"codex", "exec --json"},
    {"gemini", "--output-format stream-json"},
};

}  // namespace

void Supervisor::hear_agent(std::string_view chunk) {
    report(heeler::Output{{}, true}, last_output_);  // it lives, whatever the lines say
    agent_->hear(
        chunk,
        [this](const heeler::Reported& told) {
            const auto take = [this](const auto& what) {
                using What = std::decay_t<decltype(what)>;
                if constexpr (!std::is_same_v<What, heeler::CheckpointNote>)
                    report(what, last_output_);  // no agent writes one
            };
            std::visit(take, told);
        },
        [this](const std::string& line) {
            report(heeler::Output{line, false}, last_output_);
        });
    say_that_agent_is_unknown(most_before_stream + 1);
    if (told_.key.empty()) return;
    const auto word = words_.left_for(run_id_);
    if (word.key != told_.key) return;
    if (agent_->was_told() == word.text)
        words_.heard(run_id_, "its acknowledgement");
    else if (!shows_messages(options_) && agent_->steps() > told_.steps)
        words_.heard(run_id_, "its next step");
    else if (agent_->turns() > told_.turns)  // it does not show all that it reads
        words_.heard(run_id_, "its turn");
}

/// Once, after so many lines of something else.
void Supervisor::say_that_agent_is_unknown(std::size_t lines) {
    if (!agent_ || said_that_unknown_ || agent_->unknown_lines() < lines) return;
    said_that_unknown_ = true;
    std::string needs;
    for (const auto& [name, options] : streaming_options)
        if (options_.agent == name) needs = "; does it run with " + std::string{options} + "?";
    display_.say("--agent " + options_.agent +
                 ": the command tells nothing of its work that can be read, so only its output is watched" + needs);
}

/// What is left for the agent is said to it, in the way in which it hears.
void Supervisor::move_words() {
    if (goes_on_with_) return go_on_with_words();
    if (messages_) messages_->move();
    const auto word = words_.left_for(run_id_);
    if (!word.key.empty() && word.key != told_.key && signal_ == 0 && !control_.ended()) {
        if (messages_ && !messages_->ended()) {
            messages_->say(word.text);
            told_ = {word.key, agent_->steps(), agent_->turns()};
        } else if (!options_.resume.empty() && !agent_->session().empty() && process_->alive()) {
            interrupt(word);
        }
    }
    const bool quiet = dog_.clock().now().elapsed - last_output_.elapsed >= until_input_ends;
    if (messages_ && !messages_->ended() && messages_->idle() && agent_->turn_is_over() && quiet && word.key.empty())
        messages_->end();
}

/// It keeps its session, and all that it has written.
void Supervisor::interrupt(const common::Words::Left& word) {
    goes_on_with_ = word;
    display_.say("interrupting the command: it goes on with what it is told");
    interruption_.emplace([this] { static_cast<void>(process_->terminate_session()); });
    interruption_->request();
}

/// Once nothing of the command is left.
void Supervisor::go_on_with_words() {
    if (interruption_->busy() || delivery_->busy() || process_->alive()) return;
    const common::Words::Left word = *std::exchange(goes_on_with_, std::nullopt);
    if (signal_ != 0 || control_.ended()) return;
    constexpr std::size_t rest = std::size_t{1} << 20;
    read_streams(rest, rest);
    auto spec = fenced_spec();
    if (!spec) return display_.say("--resume: " + spec.error().message);
    spec->argv = {"/bin/sh", "-c", options_.resume};
    spec->environment.emplace_back("HEELER_SESSION", agent_->session());
    spec->environment.emplace_back("HEELER_WORDS", word.text);
    spec->input = heeler::ProcessInput::none;
    spec->on_prepared = [this](const heeler::ProcessIdentity& identity) { return prepared(identity); };
    auto process = heeler::ProcessControl::start(*std::move(spec));
    if (!process) return display_.say("--resume: " + process.error().message);
    interruption_.reset();
    process_.emplace(std::move(*process));
    control_.attach(*process_, run_id_);
    agent_.emplace();
    output_closed_.reset();
    output_lost_ = false;
    told_ = {word.key};
}

}  // namespace supervise

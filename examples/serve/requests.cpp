#include "requests.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/config.hpp>
#include <heeler/engine/advice.hpp>
#include <heeler/explain/observed_error.hpp>
#include <heeler/explain/report.hpp>
#include <heeler/text/sanitise.hpp>

#include "../common/event_lines.hpp"
#include "../common/nearest.hpp"
#include "../common/presets.hpp"
#include "../common/run_spec.hpp"
#include "../common/told.hpp"
#include "protocol.hpp"

namespace serve {
namespace {

using common::BadLine;
using heeler::ErrorCode;
using heeler::text::JsonLine;

/// Numbers that stand for times count from 1970.
constexpr heeler::WallTime epoch{};

/// What an operation was answered with. Caught where lines are answered.
struct Refused : std::exception {
    explicit Refused(heeler::Error what) : error{std::move(what)} {}
    heeler::Error error;
};

template <class T>
T taken(heeler::Result<T> answer) {
    if (!answer) throw Refused{std::move(answer.error())};
    if constexpr (!std::is_void_v<T>) return *std::move(answer);
}

/// As it was written; `null` if there is none.
std::string id_of(const common::JsonObject& request) {
    simdjson::dom::element id;
    if (request.fields().at_key("id").get(id) != simdjson::SUCCESS) return "null";
    if (!id.is_string() && !id.is<std::int64_t>())
        common::JsonObject::wrong_type("id", id, "a string or a whole number");
    return simdjson::minify(id);
}

std::vector<std::string> all_verbs() {
    std::vector<std::string> verbs(heeler::control_verb_names.begin(), heeler::control_verb_names.end());
    verbs.insert(verbs.end(), {"find", "prove_stopped"});
    return verbs;
}

/// Of the cycle that is asked for; none: only time passes.
std::optional<heeler::TickCause> cause_of(const common::JsonObject& request) {
    const auto name = request.text("cycle");
    if (!name) return std::nullopt;
    for (const auto cause : {heeler::TickCause::period, heeler::TickCause::startup, heeler::TickCause::on_demand})
        if (name_of(cause) == *name) return cause;
    throw BadLine{"'cycle' is " + common::in_quotes(*name) + ", but must be period, startup or on_demand"};
}

}  // namespace

std::string greeting() {
    JsonLine line;
    line.begin_object().key("protocol").string(protocol_name).key("version").number(protocol_version);
    line.key("program").string("heeler-serve " + std::to_string(HEELER_VERSION_MAJOR) + "." +
                               std::to_string(HEELER_VERSION_MINOR) + "." + std::to_string(HEELER_VERSION_PATCH));
    return common::ended(line);
}

std::string error_line(const std::string& id, ErrorCode code, std::string_view message) {
    JsonLine line;
    line.begin_object().key("id").raw(id).key("error").begin_object();
    line.key("code").string(name_of(code)).key("message").string(message).end_object();
    return common::ended(line);
}

Requests::Handler Requests::handler_of(std::string_view operation) {
    static constexpr std::pair<std::string_view, Handler> handlers[]{
        {"hello", &Requests::hello},      {"start", &Requests::start},           {"attach", &Requests::attach},
        {"state", &Requests::state},      {"checkpoint", &Requests::checkpoint}, {"finish", &Requests::finish},
        {"decide", &Requests::decide},    {"status", &Requests::status},         {"explain", &Requests::explain},
        {"report", &Requests::report},    {"describe", &Requests::describe},     {"answer", &Requests::answer},
        {"clock", &Requests::move_clock}, {"expect", &Requests::expect},         {"heartbeat", &Requests::heartbeat},
    };
    for (const auto& [name, handler] : handlers)
        if (name == operation) return handler;
    return &Requests::observe;
}

void Requests::obey(const Client& client, const Line& line) {
    if (line.text.find_first_not_of(" \t\r") == std::string_view::npos && !line.too_long && !line.half) return;
    std::string id = "null";
    const auto refuse = [&](ErrorCode code, std::string_view why) { client->put(error_line(id, code, why)); };
    try {
        if (line.too_long)
            throw BadLine{"the line is longer than " + std::to_string(longest_line) + " bytes; it was skipped"};
        if (line.half) throw BadLine{"the last line has no end; it was not obeyed"};
        const Request request = parser_.parse(line.text);
        id = id_of(request);
        JsonLine answer;
        answer.begin_object().key("id").raw(id).key("ok").begin_object();
        carry_out(client, request, answer);
        if (id != "null" && !std::exchange(answers_later_, false)) client->put(common::ended(answer.end_object()));
    } catch (const BadLine& wrong) {
        refuse(ErrorCode::invalid_argument, wrong.what());
    } catch (const Refused& refused) {
        refuse(refused.error.code, refused.error.message);
    } catch (const std::exception& error) {
        refuse(ErrorCode::failed, std::string{"it was not obeyed: "} + error.what());
    }
}

void Requests::carry_out(const Client& client, const Request& request, JsonLine& answer) {
    const auto name = request.text("op");
    if (!name) throw BadLine{"'op' is missing: what is to be done"};
    const Operation* const operation = operation_named(*name);
    if (operation == nullptr) refuse_operation(*name);
    if (!client->greeted && *name != "hello")
        throw BadLine{R"(say {"op":"hello","protocol":"heeler","version":1} first)"};
    check_keys(*operation, request);
    (this->*handler_of(*name))(client, request, answer);
}

void Requests::hello(const Client& client, const Request& request, JsonLine& answer) {
    const auto protocol = *request.text("protocol");
    const auto version = *request.integer("version");
    if (client->greeted) throw BadLine{"'hello' was said before"};
    if (protocol != protocol_name || version != protocol_version)
        throw Refused{{ErrorCode::unsupported,
                       "this is " + std::string{protocol_name} + " " + std::to_string(protocol_version) +
                           ", and you speak " + heeler::text::sanitise(protocol, 60) + " " + std::to_string(version) +
                           "; update the " + (version < protocol_version ? "client" : "server")}};
    std::vector<std::string> verbs = request.texts("verbs");
    const std::vector<std::string> known = all_verbs();
    for (const std::string& verb : verbs)
        if (std::find(known.begin(), known.end(), verb) == known.end())
            throw BadLine{"there is no verb " + common::in_quotes(verb) + common::did_you_mean_or_known(verb, known)};
    client->verbs = std::move(verbs);
    client->greeted = true;
    holders_.joined(client);
    common::put_texts(answer, "presets", common::preset_names());
}

void Requests::take_run(const Client& client, const Request& request, JsonLine& answer, bool anew) {
    const heeler::RunSpec spec = common::spec_of(request, epoch);
    const auto preset = request.text_or("preset", preset_);
    if (!common::preset_named(preset))
        throw BadLine{"the preset " + common::in_quotes(preset) + " is not known" +
                      common::did_you_mean_or_known(preset, common::preset_names())};
    const auto held = holders_.of(spec.id);
    if (held && held->client != client)
        throw Refused{{ErrorCode::conflict, "another client has the run " + common::in_quotes(spec.id) +
                                                "; it is free when that one has gone, or finished it"}};
    auto run = anew ? dog_.start(spec, preset) : dog_.attach(spec, preset);
    if (!run) throw Refused{std::move(run.error())};
    holders_.take(spec.id, {client, *run});
    answer.key("run").string(spec.id).key("found").boolean(run->found).key("not_stored");
    run->not_stored ? answer.string(run->not_stored->message) : answer.null();
}

void Requests::start(const Client& client, const Request& request, JsonLine& answer) {
    take_run(client, request, answer, true);
}

void Requests::attach(const Client& client, const Request& request, JsonLine& answer) {
    take_run(client, request, answer, false);
}

heeler::RunHandle Requests::run_of(const Client& client, const Request& request) const {
    const auto run = request.text_or("run", "");
    const auto held = holders_.of(run);
    if (!held)
        throw Refused{
            {ErrorCode::unknown_run, "you have no run " + common::in_quotes(run) + "; start or attach it first"}};
    if (held->client != client)
        throw Refused{{ErrorCode::conflict, "another client has the run " + common::in_quotes(run)}};
    return held->handle;
}

template <class What>
void Requests::tell(heeler::RunHandle run, const Request& request, const What& what) {
    const auto incarnation = common::incarnation_of(request);
    const auto now = dog_.clock().now();
    const heeler::Observed answer =
        incarnation != 0 ? dog_.observe_as(run, incarnation, what, now) : dog_.observe(run, what, now);
    if (answer != heeler::Observed::ok) throw Refused{heeler::error_of(answer, request.text_or("run", ""))};
}

void Requests::observe(const Client& client, const Request& request, JsonLine&) {
    const auto run = run_of(client, request);
    std::string kept;
    const auto told = common::told_of(*request.text("op"), request, kept);
    std::visit([&](const auto& what) { tell(run, request, what); }, *told);
}

void Requests::heartbeat(const Client& client, const Request& request, JsonLine& answer) {
    observe(client, request, answer);
    if (!request.has("id")) return;  // nobody hears it
    const heeler::Advice advice = heeler::advice_for(dog_, run_of(client, request), dog_.clock().now());
    answer.key("advice").string(name_of(advice.course)).key("because");
    advice.because.empty() ? answer.null() : answer.string(advice.because);
    if (advice.tokens_left) answer.key("tokens_left").number(*advice.tokens_left);
    if (advice.usd_left) answer.key("usd_left").number(*advice.usd_left);
    if (advice.time_left) answer.key("time_left_s").number(heeler::in_seconds(*advice.time_left));
}

void Requests::state(const Client& client, const Request& request, JsonLine&) {
    tell(run_of(client, request), request, common::state_of(request, heeler::RunState::running, epoch));
}

void Requests::checkpoint(const Client& client, const Request& request, JsonLine&) {
    taken(dog_.checkpoint(run_of(client, request), common::checkpoint_of(request)));
}

void Requests::expect(const Client& client, const Request& request, JsonLine&) {
    auto given = dog_.expect(run_of(client, request), common::expect_of(request));
    if (!given && given.error().code == ErrorCode::fenced)
        throw Refused{heeler::error_of(heeler::Observed::fenced, request.text_or("run", ""))};
    taken(std::move(given));
}

void Requests::finish(const Client& client, const Request& request, JsonLine&) {
    const auto run = run_of(client, request);
    const auto how = request.text_or("how", "completed");
    const auto state = heeler::run_state_named(how);
    const auto end = state ? heeler::run_end_of(*state) : std::nullopt;
    if (!end) throw BadLine{"'how' is " + common::in_quotes(how) + ", but must be completed, failed or cancelled"};
    auto finished = dog_.finish(run, *end);
    if (finished || finished.error().code == ErrorCode::ended) holders_.release(request.text_or("run", ""));
    taken(std::move(finished));
}

void Requests::decide(const Client&, const Request& request, JsonLine&) {
    heeler::DecisionRow decision = common::decision_of(request, "", epoch);
    decision.at = dog_.clock().now().wall;
    taken(dog_.decide(std::move(decision)));
}

void Requests::status(const Client&, const Request& request, JsonLine& answer) {
    const auto run = taken(dog_.find(*request.text("run")));
    answer.key("status").string(name_of(taken(dog_.status(run))));
}

void Requests::explain(const Client&, const Request& request, JsonLine& answer) {
    answer.key("text").string(taken(dog_.explain(*request.text("run"))));
}

void Requests::report(const Client&, const Request& request, JsonLine& answer) {
    heeler::write_report(answer, taken(dog_.report(*request.text("run"))), epoch);
}

void Requests::describe(const Client&, const Request&, JsonLine& answer) { answer.key("text").string(dog_.describe()); }

void Requests::move_clock(const Client& client, const Request& request, JsonLine& answer) {
    if (!clock_.stands()) throw Refused{{ErrorCode::unsupported, "the clock is the machine's; see --clock manual"}};
    if (is_judging_) throw Refused{{ErrorCode::busy, "the last 'clock' is not answered yet"}};
    const auto cause = cause_of(request);
    const auto by = *request.length("t") - clock_.now().elapsed.time_since_epoch();
    if (by < heeler::Duration{}) throw BadLine{"'t' lies before the last one; time does not go back"};
    clock_.move(by);
    if (!cause) return put_next(answer);
    answers_later_ = is_judging_ = true;
    judging_ = std::jthread{[this, client, cause, id = id_of(request)] {
        tell_(dog_.cycle(*cause));
        JsonLine later;
        put_next(later.begin_object().key("id").raw(id).key("ok").begin_object());
        is_judging_ = false;
        if (id != "null") client->put(common::ended(later.end_object()));
    }};
}

void Requests::put_next(JsonLine& answer) {
    answer.key("next");
    const auto next = dog_.next_deadline();
    next ? answer.number(heeler::in_seconds(next->time_since_epoch())) : answer.null();
}

void Requests::answer(const Client& client, const Request& request, JsonLine&) {
    taken(control_.answer(client, *request.text("ask"), *request.text("outcome"),
                          std::string{request.text_or("note", "")}));
}

}  // namespace serve

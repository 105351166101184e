#include "said.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include <heeler/core/action.hpp>
#include <heeler/core/agent_control.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/incident.hpp>
#include <heeler/core/result.hpp>
#include <heeler/detect/recency_bands.hpp>
#include <heeler/engine/advice.hpp>

#include "protocol.hpp"

namespace serve {
namespace {

using Words = std::span<const std::string_view>;

/// All names of an enumeration that ends with this value.
template <auto Last>
constexpr auto names_up_to = [] {
    std::array<std::string_view, static_cast<std::size_t>(Last) + 1> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = name_of(static_cast<decltype(Last)>(i));
    return names;
}();

constexpr Words codes = names_up_to<static_cast<heeler::ErrorCode>(heeler::error_code_count - 1)>;
constexpr Words statuses = names_up_to<last_value(heeler::Status{})>;
constexpr Words severities = names_up_to<last_value(heeler::Severity{})>;
constexpr Words actions = names_up_to<heeler::ActionKind::block>;
constexpr Words ends_of_rungs = names_up_to<heeler::InterventionOutcome::skipped>;

constexpr std::array spawn{std::string_view{"spawn"}};
constexpr std::array find{std::string_view{"find"}};
constexpr std::array prove_stopped{std::string_view{"prove_stopped"}};
constexpr std::array protocol{protocol_name};
static_assert(heeler::control_verb_names.back() == spawn.front());
constexpr Words other_verbs = Words{heeler::control_verb_names}.first(heeler::control_verb_names.size() - 1);

constexpr Field word(std::string_view name, Words words, There there = There::always) {
    return {name, Is::text, there, words};
}
constexpr Field object(std::string_view name, Form form) { return {name, Is::object, There::always, {}, form}; }
constexpr Field objects(std::string_view name, Form form) { return {name, Is::objects, There::always, {}, form}; }

template <std::size_t Count, std::size_t More>
constexpr auto joined(const std::array<Field, Count>& fields, const std::array<Field, More>& more) {
    std::array<Field, Count + More> all{};
    std::copy(more.begin(), more.end(), std::copy(fields.begin(), fields.end(), all.begin()));
    return all;
}

namespace parts {

constexpr auto error = std::to_array<Field>({word("code", codes), {"message"}});
/// Of the worst finding, with the numbers that were judged by; all are absent where nothing was found.
constexpr auto evidence = std::to_array<Field>({{"rule", Is::text, There::sometimes},
                                                {"detector", Is::text, There::sometimes},
                                                {"subject", Is::text, There::sometimes},
                                                {"first", Is::whole, There::sometimes},
                                                {"last", Is::whole, There::sometimes}});
/// With the details that alerts of this kind have.
constexpr auto payload = std::to_array<Field>({{"summary"}, {"suggestions", Is::texts, There::sometimes}});
constexpr auto intervention = std::to_array<Field>({{"timestamp", Is::number},
                                                    {"run_id"},
                                                    {"condition"},
                                                    word("action_taken", actions),
                                                    word("outcome", ends_of_rungs)});
constexpr auto heartbeat = std::to_array<Field>({{"interval", Is::whole},
                                                 {"value", Is::whole, There::or_null},
                                                 {"delta", Is::whole},
                                                 {"timestamp", Is::number, There::or_null}});

}  // namespace parts

namespace lines {

constexpr auto greeting = std::to_array<Field>({word("protocol", protocol), {"version", Is::whole}, {"program"}});
constexpr auto client = std::to_array<Field>({{"client"}});
/// Its id is null where none was given, or can be read.
constexpr auto refusal = std::to_array<Field>({{"id", Is::id, There::or_null}, object("error", {parts::error})});

constexpr auto of_any_ask = std::to_array<Field>({{"ask"},
                                                  {"run"},
                                                  {"text"},
                                                  word("message", names_up_to<heeler::MessageKind::brief>),
                                                  word("boundary", names_up_to<heeler::Boundary::next_turn>),
                                                  {"attempt", Is::whole},
                                                  {"repeated", Is::truth},
                                                  {"silent_s", Is::number}});
constexpr auto ask = joined(of_any_ask, std::to_array<Field>({word("verb", other_verbs)}));
constexpr auto ask_spawn = joined(of_any_ask, std::to_array<Field>({word("verb", spawn), {"incarnation", Is::whole}}));
constexpr auto ask_find = std::to_array<Field>({{"ask"}, word("verb", find), {"key"}});
constexpr auto ask_prove_stopped = std::to_array<Field>({{"ask"}, word("verb", prove_stopped), {"run"}});

constexpr Field t{"t", Is::number};
constexpr Field run{"run", Is::text, There::or_null};  ///< null: it is about none
constexpr auto status = std::to_array<Field>({word("status", statuses),
                                              t,
                                              run,
                                              {"findings", Is::texts},
                                              word("level", names_up_to<last_value(heeler::Level{})>),
                                              word("severity", severities),
                                              object("evidence", {parts::evidence, Rest::numbers})});
constexpr auto outcome =
    std::to_array<Field>({word("outcome", ends_of_rungs), t, run, {"incident", Is::whole}, word("of", actions)});
constexpr auto action = std::to_array<Field>({word("action", actions),
                                              t,
                                              run,
                                              {"incident", Is::whole},
                                              {"attempt", Is::whole},
                                              word("outcome", names_up_to<heeler::ActionOutcome::blocked>),
                                              {"key"},
                                              {"text", Is::text, There::sometimes}});
constexpr auto alert = std::to_array<Field>({{"alert"},
                                             t,
                                             run,
                                             {"to"},
                                             word("severity", severities),
                                             {"issues", Is::texts},
                                             object("payload", {parts::payload, Rest::anything}),
                                             {"attempts", Is::whole},
                                             {"delivered", Is::truth},
                                             {"skipped", Is::text, There::sometimes},
                                             {"key"}});
/// What else it holds goes with its kind.
constexpr auto audit = std::to_array<Field>({{"audit"}, t, run});
constexpr auto band = std::to_array<Field>(
    {word("band", names_up_to<last_value(heeler::Band{})>), t, run, {"age_s", Is::number, There::or_null}});
constexpr auto error =
    std::to_array<Field>({word("error", codes), t, {"where"}, {"run", Is::text, There::sometimes}, {"message"}});

}  // namespace lines

constexpr auto kinds = std::to_array<Kind>({{"greeting", {lines::greeting}},
                                            {"client", {lines::client}},
                                            {"refusal", {lines::refusal}},
                                            {"ask", {lines::ask}},
                                            {"ask_spawn", {lines::ask_spawn}},
                                            {"ask_find", {lines::ask_find}},
                                            {"ask_prove_stopped", {lines::ask_prove_stopped}},
                                            {"status", {lines::status}},
                                            {"outcome", {lines::outcome}},
                                            {"action", {lines::action}},
                                            {"alert", {lines::alert}},
                                            {"audit", {lines::audit, Rest::anything}},
                                            {"band", {lines::band}},
                                            {"error", {lines::error}}});

namespace answers {

constexpr auto hello = std::to_array<Field>({{"presets", Is::texts}});
constexpr auto taken = std::to_array<Field>({{"run"}, {"found", Is::truth}, {"not_stored", Is::text, There::or_null}});
constexpr auto status = std::to_array<Field>({word("status", statuses)});
/// What is left is there where something limits it.
constexpr auto heartbeat = std::to_array<Field>({word("advice", heeler::course_names),
                                                 {"because", Is::text, There::or_null},
                                                 {"tokens_left", Is::whole, There::sometimes},
                                                 {"usd_left", Is::number, There::sometimes},
                                                 {"time_left_s", Is::number, There::sometimes}});
constexpr auto text = std::to_array<Field>({{"text"}});
constexpr auto report =
    std::to_array<Field>({{"run"},
                          {"total_s", Is::number},
                          {"metric"},
                          {"interval_s", Is::number},
                          {"intervals", Is::whole},
                          {"conditions", Is::texts},
                          {"actions", Is::texts},
                          objects("interventions", {parts::intervention}),
                          objects("heartbeats", {parts::heartbeat}),
                          {"final_status"},
                          word("completed_by", names_up_to<heeler::CompletedBy::continuation>, There::or_null),
                          {"escalated", Is::truth},
                          {"recommendation"}});
constexpr auto clock = std::to_array<Field>({{"next", Is::number, There::or_null}});

/// The others are answered by nothing but that it was done.
constexpr auto all = std::to_array<Kind>({{"hello", {hello}},
                                          {"start", {taken}},
                                          {"attach", {taken}},
                                          {"heartbeat", {heartbeat}},
                                          {"status", {status}},
                                          {"explain", {text}},
                                          {"report", {report}},
                                          {"describe", {text}},
                                          {"clock", {clock}}});

}  // namespace answers

void put_schema(heeler::text::JsonLine& line, const Field& field) {
    constexpr auto types =
        std::to_array<std::string_view>({R"("string")", R"("integer")", R"("number")", R"("boolean")", R"("array")",
                                         R"("string","integer")", R"("object")", R"("array")"});
    if (field.is == Is::object) return put_schema(line, field.form);
    const bool or_null = field.there == There::or_null;
    line.begin_object().key("type").begin_array().raw(types[static_cast<std::size_t>(field.is)]);
    if (or_null) line.string("null");
    line.end_array();
    if (field.is == Is::texts) line.key("items").raw(R"({"type":["string"]})");
    if (field.is == Is::objects) put_schema(line.key("items"), field.form);
    if (!field.words.empty()) {
        line.key("enum").begin_array();
        for (const std::string_view each : field.words) line.string(each);
        if (or_null) line.null();
        line.end_array();
    }
    line.end_object();
}

}  // namespace

std::span<const Kind> kinds_of_lines() { return kinds; }

Form answer_to(std::string_view operation) {
    const auto* const found = std::find_if(answers::all.begin(), answers::all.end(),
                                           [&](const Kind& each) { return each.name == operation; });
    return found == answers::all.end() ? Form{} : found->form;
}

void put_schema(heeler::text::JsonLine& line, const Form& form) {
    line.begin_object().key("type").string("object").key("properties").begin_object();
    for (const Field& field : form.fields) put_schema(line.key(field.name), field);
    line.end_object().key("required").begin_array();
    for (const Field& field : form.fields)
        if (field.there != There::sometimes) line.string(field.name);
    line.end_array().key("additionalProperties");
    form.rest == Rest::numbers ? line.raw(R"({"type":["number"]})") : line.boolean(form.rest == Rest::anything);
    line.end_object();
}

}  // namespace serve

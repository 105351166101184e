#include "protocol.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <heeler/text/json_writer.hpp>

#include "../common/nearest.hpp"
#include "said.hpp"

namespace serve {
namespace {

namespace keys_of {

constexpr Key run_key{"run", Type::text, true};

constexpr auto hello = std::to_array<Key>(
    {{"protocol", Type::text, true}, {"version", Type::whole, true}, {"verbs", Type::texts}, {"client"}});
constexpr auto run_spec = std::to_array<Key>({run_key,
                                              {"preset"},
                                              {"name"},
                                              {"task"},
                                              {"work_item", Type::any},
                                              {"expected_s", Type::seconds},
                                              {"timeout_s", Type::seconds},
                                              {"metric"},
                                              {"plan", Type::wholes},
                                              {"tags", Type::texts},
                                              {"shared_run", Type::others},
                                              {"parent"},
                                              {"continues"},
                                              {"project"},
                                              {"origin"},
                                              {"owner"},
                                              {"interactive", Type::truth},
                                              {"single_prompt", Type::truth},
                                              {"created_at", Type::time},
                                              {"started_at", Type::time}});
constexpr Key incarnation{"incarnation", Type::whole};
constexpr auto heartbeat = std::to_array<Key>({run_key, incarnation, {"seq", Type::whole}});
constexpr auto progress = std::to_array<Key>({run_key, incarnation, {"value", Type::whole, true}});
constexpr auto output =
    std::to_array<Key>({run_key, incarnation, {"text", Type::text, true}, {"partial", Type::truth}});
constexpr auto tool_call = std::to_array<Key>({run_key,
                                               incarnation,
                                               {"name"},
                                               {"args", Type::any},
                                               {"call_id"},
                                               {"turn", Type::whole},
                                               {"timeout_s", Type::seconds}});
constexpr auto tool_result =
    std::to_array<Key>({run_key, incarnation, {"ok", Type::truth}, {"output", Type::any}, {"output_sha"}, {"call_id"}});
constexpr auto message = std::to_array<Key>({run_key, incarnation, {"role"}, {"text"}, {"automatic", Type::truth}});
constexpr auto usage = std::to_array<Key>({run_key,
                                           incarnation,
                                           {"tokens_in", Type::whole},
                                           {"tokens_out", Type::whole},
                                           {"api_calls", Type::whole},
                                           {"bytes_written", Type::whole},
                                           {"cost_usd", Type::number}});
constexpr auto state = std::to_array<Key>(
    {run_key, incarnation, {"state", Type::text, true}, {"reported"}, {"until", Type::time}, {"prompt"}, {"outcome"}});
constexpr auto compaction =
    std::to_array<Key>({run_key, incarnation, {"tokens_before", Type::whole}, {"tokens_after", Type::whole}});
constexpr auto resource = std::to_array<Key>(
    {run_key, incarnation, {"name", Type::text, true}, {"used", Type::whole, true}, {"limit", Type::whole, true}});
constexpr auto output_access = std::to_array<Key>({run_key, incarnation, {"ok", Type::truth}});
constexpr auto liveness = std::to_array<Key>({run_key, incarnation, {"source"}, {"progress", Type::whole}});
constexpr auto checkpoint = std::to_array<Key>({run_key, incarnation, {"step", Type::whole}, {"text"}, {"reason"}});
constexpr auto expect =
    std::to_array<Key>({run_key, incarnation, {"takes_s", Type::seconds}, {"what"}, {"over", Type::truth}});
constexpr auto finish = std::to_array<Key>({run_key, {"how"}});
constexpr auto decide = std::to_array<Key>({{"verb", Type::text, true},
                                            {"run"},
                                            {"until", Type::time},
                                            {"by"},
                                            {"because"},
                                            {"class"},
                                            {"tag"},
                                            {"kind"},
                                            {"at_most"},
                                            {"timeout_s", Type::seconds},
                                            {"tokens", Type::whole},
                                            {"usd", Type::number}});
constexpr auto of_run = std::to_array<Key>({run_key});
constexpr auto clock = std::to_array<Key>({{"t", Type::seconds, true}, {"cycle"}});
constexpr auto answer = std::to_array<Key>({{"ask", Type::text, true}, {"outcome", Type::text, true}, {"note"}});

}  // namespace keys_of

constexpr auto operations = std::to_array<Operation>({{"hello", keys_of::hello},
                                                      {"start", keys_of::run_spec},
                                                      {"attach", keys_of::run_spec},
                                                      {"heartbeat", keys_of::heartbeat},
                                                      {"progress", keys_of::progress},
                                                      {"output", keys_of::output},
                                                      {"tool_call", keys_of::tool_call},
                                                      {"tool_result", keys_of::tool_result},
                                                      {"message", keys_of::message},
                                                      {"usage", keys_of::usage},
                                                      {"state", keys_of::state},
                                                      {"compaction", keys_of::compaction},
                                                      {"resource", keys_of::resource},
                                                      {"liveness", keys_of::liveness},
                                                      {"output_access", keys_of::output_access},
                                                      {"checkpoint", keys_of::checkpoint},
                                                      {"expect", keys_of::expect},
                                                      {"finish", keys_of::finish},
                                                      {"decide", keys_of::decide},
                                                      {"status", keys_of::of_run},
                                                      {"explain", keys_of::of_run},
                                                      {"report", keys_of::of_run},
                                                      {"describe", {}},
                                                      {"answer", keys_of::answer},
                                                      {"clock", keys_of::clock}});

/// A JSON Schema of one value: its types, and what else there is to say.
std::string schema_of(const Key& key) {
    struct Shape {
        std::string_view types, rest;
    };
    constexpr std::array<Shape, 10> shapes{{{R"("string")", ""},
                                            {R"("integer")", ""},
                                            {R"("number")", ""},
                                            {R"("boolean")", ""},
                                            {R"("number")", R"(,"minimum":0,"maximum":10000000000)"},
                                            {R"("number","string")", ""},
                                            {R"("array")", R"(,"items":{"type":"string"})"},
                                            {R"("array")", R"(,"items":{"type":"integer"})"},
                                            {R"("boolean","string","array")", ""},
                                            {R"("string","number","boolean","object","array")", ""}}};
    const Shape& shape = shapes[static_cast<std::size_t>(key.type)];
    std::string text = R"({"type":[)";
    text += shape.types;
    if (!key.required) text += R"(,"null")";
    return (text += ']').append(shape.rest) + '}';
}

std::string schema_of(const Operation& operation) {
    heeler::text::JsonLine line;
    line.begin_object().key("type").string("object").key("properties").begin_object();
    line.key("op").begin_object().key("const").string(operation.name).end_object();
    line.key("id").raw(R"({"type":["string","integer"]})");
    for (const Key& key : operation.keys) line.key(key.name).raw(schema_of(key));
    line.end_object().key("required").begin_array().string("op");
    for (const Key& key : operation.keys)
        if (key.required) line.string(key.name);
    line.end_array().key("additionalProperties").boolean(false).end_object();
    return std::move(line).text();
}

bool is_missing(const common::JsonObject& line, std::string_view key) {
    simdjson::dom::element value;
    return line.fields().at_key(key).get(value) != simdjson::SUCCESS || value.is_null();
}

}  // namespace

const Operation* operation_named(std::string_view name) {
    const auto found = std::find_if(operations.begin(), operations.end(),
                                    [&](const Operation& operation) { return operation.name == name; });
    return found == operations.end() ? nullptr : &*found;
}

void check_keys(const Operation& operation, const common::JsonObject& line) {
    for (const Key& key : operation.keys)
        if (key.required && is_missing(line, key.name))
            throw common::BadLine{common::in_quotes(key.name) + " is missing; " + common::in_quotes(operation.name) +
                                  " needs it"};
    for (const auto field : line.fields()) {
        if (field.key == "op" || field.key == "id") continue;
        const auto known = [&](const Key& key) { return key.name == field.key; };
        if (std::any_of(operation.keys.begin(), operation.keys.end(), known)) continue;
        std::vector<std::string> names;
        for (const Key& key : operation.keys) names.emplace_back(key.name);
        throw common::BadLine{common::in_quotes(operation.name) + " has no key " + common::in_quotes(field.key) +
                              common::did_you_mean_or_known(field.key, names)};
    }
}

void refuse_operation(std::string_view name) {
    std::vector<std::string> names;
    for (const Operation& operation : operations) names.emplace_back(operation.name);
    throw common::BadLine{"there is no operation " + common::in_quotes(name) +
                          common::did_you_mean_or_known(name, names)};
}

std::string protocol_schema() {
    std::string operations_said, lines_said, definitions;
    const auto define = [&](const std::string& name, const Form& form) {
        heeler::text::JsonLine line;
        put_schema(line, form);
        lines_said += (lines_said.empty() ? R"({"$ref":"#/$defs/)" : R"(,{"$ref":"#/$defs/)") + name + "\"}";
        definitions += ",\n\"" + name + "\":" + line.text();
    };
    for (const Kind& kind : kinds_of_lines()) define(std::string{kind.name}, kind.form);
    for (const Operation& operation : operations) {
        operations_said += (operations_said.empty() ? "\n" : ",\n") + schema_of(operation);
        const std::array<Field, 2> answer{
            {{"id", Is::id}, {"ok", Is::object, There::always, {}, answer_to(operation.name)}}};
        define("answer_to_" + std::string{operation.name}, {answer});
    }
    return R"({"$schema":"https://json-schema.org/draft/2020-12/schema",)"
           R"("title":"What is said to heeler-serve, and by it: a line each, version )" +
           std::to_string(protocol_version) +
           "\",\n"
           R"("anyOf":[{"$ref":"#/$defs/said_by_client"},{"$ref":"#/$defs/said_by_server"}],"$defs":{)"
           "\n\"said_by_client\":{\"anyOf\":[" +
           operations_said + "\n]},\n\"said_by_server\":{\"anyOf\":[" + lines_said + "]}" + definitions + "\n}}\n";
}

}  // namespace serve

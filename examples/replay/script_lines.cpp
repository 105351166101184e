#include "script_lines.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/text/sanitise.hpp>

namespace replay {
namespace {

using heeler::ErrorCode;
using heeler::fail;
using heeler::Found;
using heeler::Result;
using heeler::StopProof;

template <std::size_t N>
std::optional<std::size_t> place_of(const std::array<std::string_view, N>& names, std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names.begin());
}

[[noreturn]] void not_known(std::string_view what, std::string_view name) {
    throw common::BadLine{"the " + std::string{what} + " '" + heeler::text::sanitise(name, 60) + "' is not known"};
}

Result<Found> found_named(std::string_view answer) {
    if (answer == "found") return Found::found;
    if (answer == "absent") return Found::absent;
    if (answer == "fail") return fail(ErrorCode::failed, "find: failed, as scripted");
    if (answer == "unsupported") return fail(ErrorCode::unsupported, "find: unsupported, as scripted");
    not_known("answer of find", answer);
}

Result<StopProof> proof_named(std::string_view answer) {
    if (answer == "stopped") return StopProof::stopped;
    if (answer == "running") return StopProof::running;
    if (answer == "unknown") return StopProof::unknown;
    if (answer == "unsupported") return fail(ErrorCode::unsupported, "prove_stopped: unsupported, as scripted");
    not_known("answer of prove_stopped", answer);
}

/// In the order of `heeler::StoreOperation`. `claim` happens only where watchdogs lease, which no replay does.
constexpr std::array<std::string_view, 5> store_operations{"load", "list", "commit", "history", "claim"};

/// What a `host` line says, read as a whole before anything changes.
struct ControlScript {
    std::vector<std::pair<heeler::ControlVerb, heeler::ControlAnswer>> answers;
    std::vector<std::pair<heeler::TreeVerb, heeler::ControlAnswer>> tree_answers;
    std::optional<Result<Found>> find;
    std::optional<Result<StopProof>> prove_stopped;

    void add(std::string_view verb, std::string_view answer) {
        if (verb == "find") {
            find = found_named(answer);
        } else if (verb == "prove_stopped") {
            prove_stopped = proof_named(answer);
        } else {
            const auto place = place_of(heeler::control_answer_names, answer);
            if (!place) not_known("answer of " + heeler::text::sanitise(verb, 60), answer);
            const auto with = static_cast<heeler::ControlAnswer>(*place);
            if (const auto of_tree = place_of(heeler::tree_verb_names, verb))
                return static_cast<void>(tree_answers.emplace_back(static_cast<heeler::TreeVerb>(*of_tree), with));
            const auto known = place_of(heeler::control_verb_names, verb);
            if (!known) not_known("verb", verb);
            answers.emplace_back(static_cast<heeler::ControlVerb>(*known), with);
        }
    }
};

heeler::Delivery delivery_named(std::string_view name) {
    constexpr std::array<std::string_view, 5> names{"ok", "fail", "throw", "no_recipient", "permanent"};
    const auto place = place_of(names, name);
    if (!place) not_known("result", name);
    return static_cast<heeler::Delivery>(*place);
}

struct StoreFault {
    std::string op;
    std::string run;
    ErrorCode error = ErrorCode::io;
};

StoreFault fault_of(simdjson::dom::element written) {
    StoreFault fault;
    std::string_view op;
    if (written.get(op) == simdjson::SUCCESS) {
        fault.op = op;
    } else {
        simdjson::dom::object object;
        if (written.get(object) != simdjson::SUCCESS)
            common::JsonObject::wrong_type("fail", written, "a list of operations or of {op, run, error}");
        const common::JsonObject fields{object};
        fault.op = fields.text_or("op", "");
        fault.run = fields.text_or("run", "");
        constexpr std::array<std::string_view, 5> names{"busy", "full", "io", "conflict", "lost"};
        constexpr std::array codes{ErrorCode::busy, ErrorCode::full, ErrorCode::io, ErrorCode::conflict,
                                   ErrorCode::lost};
        const auto error = place_of(names, fields.text_or("error", "io"));
        if (!error) not_known("error", fields.text_or("error", ""));
        fault.error = codes[*error];
    }
    if (fault.op != "claim" && !place_of(store_operations, fault.op)) not_known("operation of the store", fault.op);
    return fault;
}

}  // namespace

void script_control(const common::JsonObject& line, heeler::ScriptedControl& control, heeler::ScriptedTree& tree) {
    ControlScript script;
    if (const auto verbs = line.object("verbs"))
        for (const auto field : verbs->fields()) {
            std::string_view answer;
            if (field.value.get(answer) != simdjson::SUCCESS)
                common::JsonObject::wrong_type(field.key, field.value, "a string");
            script.add(field.key, answer);
        }
    const bool idempotent = line.boolean_or("idempotent", control.idempotent());
    for (const auto& [verb, answer] : script.answers) control.answer(verb, answer);
    for (const auto& [verb, answer] : script.tree_answers) tree.answer(verb, answer);
    if (script.find) control.answer_find(*script.find);
    if (script.find) tree.answer_find(*script.find);
    if (script.prove_stopped) control.answer_prove_stopped(*script.prove_stopped);
    control.set_idempotent(idempotent);
    tree.set_idempotent(idempotent);
}

void script_notifier(const common::JsonObject& line, heeler::RecordingNotifier& notifier) {
    std::vector<heeler::Delivery> answers;
    for (const std::string& name : line.texts("results")) answers.push_back(delivery_named(name));
    notifier.answer_with(std::move(answers));
}

void script_store(const common::JsonObject& line, ReplayStore& store) {
    std::vector<StoreFault> faults;
    if (const auto written = line.array("fail"))
        for (const simdjson::dom::element each : *written) faults.push_back(fault_of(each));
    store.faults().heal();
    for (const StoreFault& fault : faults) {
        const auto op = place_of(store_operations, fault.op);
        if (!op) continue;
        const auto operation = static_cast<heeler::StoreOperation>(*op);
        if (operation == heeler::StoreOperation::commit && !fault.run.empty())
            store.faults().fail_run(fault.run, fault.error);
        else
            store.faults().fail(operation, fault.error);
    }
}

void script_context(const common::JsonObject& line, MortalContext& context) {
    const auto clear = line.text_or("clear", context.fails ? "fail" : "ok");
    if (clear != "ok" && clear != "fail") not_known("answer of clear", clear);
    if (const auto size = line.integer("size")) {
        if (*size < 0) throw common::BadLine{"'size' is " + std::to_string(*size) + ", but cannot be negative"};
        context.told_size = static_cast<std::uint64_t>(*size);
    }
    context.fails = clear == "fail";
}

}  // namespace replay

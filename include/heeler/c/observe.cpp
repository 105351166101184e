// What is reported of runs.
#include <cstddef>
#include <cstdint>
#include <optional>

#include <heeler/c/watchdog.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/explain/observed_error.hpp>

namespace heeler::inline HEELER_ABI::c {
namespace {

template <class What>
void tell(heeler_watchdog& watchdog, const char* run, const What& what) {
    const Observed answer = watchdog.dog.observe(text(run), what, watchdog.clock.now());
    if (answer != Observed::ok) throw Refused{error_of(answer, text(run))};
}

template <class What>
int told(heeler_watchdog* watchdog, const char* run, const What& what) noexcept {
    return with(watchdog, [&](heeler_watchdog& it) { tell(it, run, what); });
}

/// Of what can be wrong itself.
template <class Make>
int told_of(heeler_watchdog* watchdog, const char* run, Make&& make) noexcept {
    return with(watchdog, [&](heeler_watchdog& it) { tell(it, run, make()); });
}

std::optional<bool> success_of(int given) {
    enum class Success { unsaid, worked, did_not_work };
    const auto success = choice(given, Success::did_not_work, "success");
    return success == Success::unsaid ? std::nullopt : std::optional{success == Success::worked};
}

Message message_of(const heeler_message& given) {
    const auto channel = choice(given.role, MessageChannel::user, "role");
    return {channel != MessageChannel::user, text(given.text), channel, given.automatic != 0};
}

StateChange state_of(const heeler_state& given) {
    return {named<RunState>(text(given.state), run_state_names, "state"), text(given.reported),
            moment(given.until_us, "until_us"), text(given.prompt), text(given.outcome)};
}

static_assert(HEELER_USER == static_cast<int>(MessageChannel::user));

}  // namespace
}  // namespace heeler::inline HEELER_ABI::c

using namespace heeler::c;

int heeler_observe_incarnation(heeler_watchdog* watchdog, const char* run, uint32_t incarnation) {
    return with(watchdog, [&](heeler_watchdog& it) {
        const auto handle = run_of(it, run);
        if (heeler::detail::Above::engine_of(it.dog).fence_off(handle, incarnation, it.clock.now()))
            throw Refused{heeler::error_of(heeler::Observed::fenced, text(run))};
    });
}

int heeler_observe_heartbeat(heeler_watchdog* watchdog, const char* run, uint64_t seq) {
    return told(watchdog, run, heeler::Heartbeat{seq});
}

int heeler_observe_progress(heeler_watchdog* watchdog, const char* run, int64_t value) {
    return told(watchdog, run, heeler::Progress{value});
}

int heeler_observe_output(heeler_watchdog* watchdog, const char* run, const char* text, size_t size, int partial) {
    return told_of(watchdog, run, [&] { return heeler::Output{bytes(text, size, "text"), partial != 0}; });
}

int heeler_observe_tool_call(heeler_watchdog* watchdog, const char* run, const heeler_tool_call* call) {
    return told_of(watchdog, run, [&] {
        const auto given = struct_of(call, "heeler_tool_call");
        heeler::ToolCall made{text(given.name), text(given.args), text(given.call_id)};
        made.timeout = length(given.timeout_us, "timeout_us");
        if (given.turn > 0) made.turn = given.turn;
        return made;
    });
}

int heeler_observe_tool_result(heeler_watchdog* watchdog, const char* run, const heeler_tool_result* result) {
    return told_of(watchdog, run, [&] {
        const auto given = struct_of(result, "heeler_tool_result");
        return heeler::ToolResult{success_of(given.success), bytes(given.output, given.output_size, "output"),
                                  text(given.call_id), text(given.output_hash)};
    });
}

int heeler_observe_message(heeler_watchdog* watchdog, const char* run, const heeler_message* message) {
    return told_of(watchdog, run, [&] { return message_of(struct_of(message, "heeler_message")); });
}

int heeler_observe_usage(heeler_watchdog* watchdog, const char* run, const heeler_usage* usage) {
    return told_of(watchdog, run, [&] {
        const auto given = struct_of(usage, "heeler_usage");
        return heeler::Usage{given.tokens_in, given.tokens_out, given.api_calls, given.bytes_written, given.cost_usd};
    });
}

int heeler_observe_state(heeler_watchdog* watchdog, const char* run, const heeler_state* state) {
    return told_of(watchdog, run, [&] { return state_of(struct_of(state, "heeler_state")); });
}

int heeler_observe_compaction(heeler_watchdog* watchdog, const char* run, int64_t tokens_before, int64_t tokens_after) {
    return told(watchdog, run, heeler::Compaction{tokens_before, tokens_after});
}

int heeler_observe_resource(heeler_watchdog* watchdog, const char* run, const char* name, int64_t used, int64_t limit) {
    return told(watchdog, run, heeler::Resource{text(name), used, limit});
}

int heeler_observe_output_access(heeler_watchdog* watchdog, const char* run, int readable) {
    return told(watchdog, run, heeler::OutputAccess{readable != 0});
}

int heeler_observe_liveness(heeler_watchdog* watchdog, const char* run, const char* source) {
    return told(watchdog, run, heeler::SignOfLife{text(source)});
}

int heeler_observe_child_progress(heeler_watchdog* watchdog, const char* run, const char* source, uint64_t progress) {
    return told(watchdog, run, heeler::SignOfLife{text(source), progress});
}

#include "previous.hpp"

#include <poll.h>

#include <heeler/agent/process_control.hpp>

#include "outlet.hpp"
#include "signals.hpp"

namespace supervise {

namespace {

std::string described(const Options& options, const ChildRecord& record) {
    return "the command of an earlier run \"" + options.name + "\" is still alive (" +
           heeler::detail::listed_pids(heeler::family_of(record.identity).members) + ": " + record.command + ")";
}

Quit end_it(const Options& options, const ChildRecord& record) {
    heeler::ProcessSpec spec;
    spec.term_grace = options.grace;
    auto control = heeler::ProcessControl::adopt(record.identity, spec);
    if (!control) return {exit_ok, {}};  // it has just ended
    const auto ended = control->terminate({});
    if (ended) say_at_once("heeler: the command of an earlier run \"" + options.name + "\": " + ended->note);
    if (ended || ended.error().code == heeler::ErrorCode::ended) return {exit_ok, {}};
    return {exit_previous, described(options, record) + " and " + ended.error().message};
}

Quit wait_for_it(const ChildRecord& record) {
    while (record.alive()) {
        pollfd noted{signal_fd(), POLLIN, 0};
        ::poll(&noted, 1, 200);
        if (const int signal = take_signal(); signal != 0) return {128 + signal, "stopped waiting"};
    }
    return {exit_ok, {}};
}

}  // namespace

std::variant<GoOn, Quit> settle_previous(const Options& options, const RunDirectory& directory) {
    auto record = directory.read_child();
    if (!record) return Quit{exit_state, record.error().message};
    const bool alive = *record && (*record)->alive();
    if (!alive && options.previous == Previous::adopt)
        return Quit{exit_usage, "--adopt: no command of an earlier run \"" + options.name + "\" is alive"};
    // Who left its session may have outlived it.
    if (!alive && options.previous == Previous::kill && *record && (*record)->boot == boot_id())
        if (Quit ended = end_it(options, **record); ended.status != exit_ok) return ended;
    if (!alive && options.command.empty()) return Quit{exit_ok, {}};
    if (!alive) return GoOn{};
    switch (options.previous) {
        case Previous::adopt:
            return GoOn{**record};
        case Previous::refuse:
            return Quit{exit_previous, described(options, **record) +
                                           ". Use --adopt to go on watching it, --kill to end it first, or --wait"};
        case Previous::kill:
        case Previous::wait:
            break;
    }
    Quit settled = options.previous == Previous::kill ? end_it(options, **record) : wait_for_it(**record);
    if (settled.status != exit_ok || options.command.empty()) return settled;
    return GoOn{};
}

}  // namespace supervise

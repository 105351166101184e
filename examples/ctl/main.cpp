// heeler-ctl --store sqlite:PATH VERB ...: shows what a watchdog has stored, and takes an operator's decisions.
#include <cstdio>
#include <exception>

#include <heeler/clock/system_clock.hpp>
#include <heeler/text/one_line.hpp>

#include "../common/any_store.hpp"
#include "../common/own_environment.hpp"
#include "decide.hpp"
#include "deliver.hpp"
#include "history.hpp"
#include "holders.hpp"
#include "options.hpp"
#include "print.hpp"
#include "serve.hpp"
#include "silence.hpp"
#include "status.hpp"
#include "test_alert.hpp"
#include "watch.hpp"

namespace {

using ctl::Quit;

Quit carry_out(const ctl::Options& options) {
    if (options.command == ctl::Command::test_alert) return ctl::send_test_alert(options);
    auto store = common::AnyStore::existing(options.store);
    if (!store) return ctl::store_failed(store.error());
    const heeler::Instant now = heeler::SystemClock{}.now();
    switch (options.command) {
        case ctl::Command::status:
            return ctl::show_status(options, *store, now);
        case ctl::Command::watch:
            return ctl::watch_status(options, *store);
        case ctl::Command::serve:
            return ctl::serve(options, *store);
        case ctl::Command::explain:
            return ctl::show_explanation(options, *store);
        case ctl::Command::report:
            return ctl::show_report(options, *store, now);
        case ctl::Command::outbox:
            return ctl::show_outbox(options, *store, now);
        case ctl::Command::holders:
            return ctl::show_holders(options, *store);
        case ctl::Command::silences:
            return ctl::show_silences(options, *store, now);
        case ctl::Command::unsilence:
            return ctl::unsilence(options, *store, now);
        case ctl::Command::deliver:
            return ctl::deliver_alerts(options, *store, now);
        case ctl::Command::test_alert:
        case ctl::Command::decide:
            break;
    }
    return ctl::decide(options, *store, now);
}

}  // namespace

int main(int argc, char** argv) {
    common::take_environment();
    Quit quit;
    try {
        auto parsed = ctl::parse_options(argc, argv);
        if (auto* const early = std::get_if<Quit>(&parsed)) {
            quit = *early;
            if (quit.status == ctl::exit_ok) {
                ctl::print(quit.message);
                return quit.status;
            }
        } else {
            quit = carry_out(std::get<ctl::Options>(parsed));
        }
    } catch (const std::exception& error) {
        quit = {ctl::exit_store, error.what()};
    }
    if (!quit.message.empty())
        std::fprintf(stderr, "heeler-ctl: %s\n", heeler::text::one_line(quit.message, 4096).c_str());
    return quit.status;
}

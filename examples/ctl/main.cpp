// heeler-ctl --store sqlite:PATH VERB ...: shows what a watchdog has stored, and takes an operator's decisions.
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/clock/system_clock.hpp>
#include <heeler/text/one_line.hpp>

#include "../common/any_store.hpp"
#include "../common/own_environment.hpp"
#include "class_diff.hpp"
#include "decide.hpp"
#include "deliver.hpp"
#include "find_run.hpp"
#include "history.hpp"
#include "holders.hpp"
#include "home_stores.hpp"
#include "options.hpp"
#include "print.hpp"
#include "prune.hpp"
#include "serve.hpp"
#include "silence.hpp"
#include "status.hpp"
#include "test_alert.hpp"
#include "watch.hpp"

namespace {

using ctl::Quit;

Quit carry_out_on(const ctl::Options& options, ctl::Store& store) {
    const heeler::Instant now = heeler::SystemClock{}.now();
    switch (options.command) {
        case ctl::Command::status:
            return ctl::show_status(options, {&store, 1}, now);
        case ctl::Command::watch:
            return ctl::watch_status(options, {&store, 1});
        case ctl::Command::serve:
            return ctl::serve(options, {&store, 1});
        case ctl::Command::explain:
            return ctl::show_explanation(options, store, now);
        case ctl::Command::report:
            return ctl::show_report(options, store, now);
        case ctl::Command::outbox:
            return ctl::show_outbox(options, store, now);
        case ctl::Command::holders:
            return ctl::show_holders(options, store);
        case ctl::Command::silences:
            return ctl::show_silences(options, store, now);
        case ctl::Command::unsilence:
            return ctl::unsilence(options, store, now);
        case ctl::Command::deliver:
            return ctl::deliver_alerts(options, store, now);
        case ctl::Command::prune:
            return ctl::prune(options, store, now);
        case ctl::Command::test_alert:
        case ctl::Command::class_diff:
        case ctl::Command::decide:
            break;
    }
    return ctl::decide(options, store, now);
}

/// What is about no run, and not about all: somebody has to say which store.
Quit which_one(const std::vector<ctl::Store>& stores) {
    std::string all;
    for (const ctl::Store& store : stores) all += (all.empty() ? "" : ", ") + store.place();
    return {ctl::exit_usage, "--store is missing, and there are several: " + all};
}

Quit carry_out_on_each(const ctl::Options& options, std::vector<ctl::Store>& stores) {
    Quit worst;
    for (ctl::Store& store : stores) {
        if (!options.json && stores.size() > 1) ctl::print(store.place() + "\n");
        if (Quit quit = carry_out_on(options, store); quit.status != ctl::exit_ok) worst = std::move(quit);
    }
    return worst;
}

Quit carry_out_at_home(const ctl::Options& options, ctl::HomeStores& home) {
    const std::string& silenced = options.about.run;
    if (options.run || !silenced.empty()) {
        auto found = ctl::store_of(home.stores, options.run ? *options.run : silenced);
        if (auto* const quit = std::get_if<Quit>(&found)) return std::move(*quit);
        return carry_out_on(options, std::get<ctl::Store>(found));
    }
    switch (options.command) {
        case ctl::Command::status:
            return ctl::show_status(options, home.stores, heeler::SystemClock{}.now());
        case ctl::Command::watch:
            return ctl::watch_status(options, home.stores);
        case ctl::Command::serve:
            return ctl::serve(options, home.stores);
        case ctl::Command::outbox:
        case ctl::Command::holders:
        case ctl::Command::silences:
        case ctl::Command::deliver:
        case ctl::Command::prune:
            return carry_out_on_each(options, home.stores);
        default:
            return home.stores.size() == 1 ? carry_out_on(options, home.stores.front()) : which_one(home.stores);
    }
}

void complain(const std::string& message) {
    std::fprintf(stderr, "heeler-ctl: %s\n", heeler::text::one_line(message, 4096).c_str());
}

/// Who names a run by its name hears which one is meant.
void take_names(ctl::Options& options, std::span<ctl::Store> stores) {
    const auto take = [&](std::string& run) {
        const std::string id = ctl::id_of(stores, run);
        if (id != run) complain(run + " is the run " + id);
        run = id;
    };
    if (options.run) take(*options.run);
    if (!options.about.run.empty()) take(options.about.run);
}

Quit carry_out(ctl::Options options) {
    if (options.command == ctl::Command::test_alert) return ctl::send_test_alert(options);
    if (options.command == ctl::Command::class_diff) return ctl::show_class_diff(options);
    if (!options.at_home) {
        auto store = common::AnyStore::existing(options.store);
        if (!store) return ctl::store_failed(store.error());
        take_names(options, {&*store, 1});
        return carry_out_on(options, *store);
    }
    ctl::HomeStores home = ctl::open_home_stores();
    for (const std::string& why : home.broken) complain(why);
    if (home.stores.empty())
        return {home.broken.empty() ? ctl::exit_usage : ctl::exit_store,
                "--store is missing: where does the watchdog keep its runs? sqlite:PATH or postgres:URL; nothing is "
                "kept in " +
                    home.folder};
    take_names(options, home.stores);
    Quit quit = carry_out_at_home(options, home);
    if (quit.status == ctl::exit_ok && !home.broken.empty()) quit.status = ctl::exit_store;
    return quit;
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
            quit = carry_out(std::get<ctl::Options>(std::move(parsed)));
        }
    } catch (const std::exception& error) {
        quit = {ctl::exit_store, error.what()};
    }
    if (!quit.message.empty()) complain(quit.message);
    return quit.status;
}

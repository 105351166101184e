#include "options.hpp"

#include <cstdlib>
#include <memory>

#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include <heeler/core/spend.hpp>
#include <heeler/store/stored_names.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/rfc3339.hpp>
#include <heeler/text/sanitise.hpp>

#include "../common/channels.hpp"
#include "../common/command_line.hpp"
#include "../common/own_environment.hpp"
#include "../common/parse_duration.hpp"

namespace ctl {

namespace {

using heeler::Verb;

constexpr const char* about =
    R"(Shows what a watchdog has stored about its runs, and takes an operator's decisions. It works on the store alone: a
decision is noted there, and the next cycle of whichever watchdog runs, or runs next, carries it out and records it.)";

constexpr const char* statuses = R"(Exit status:
    0  done
    1  the store cannot be read or written
    2  bad arguments
    3  no such run or silence, or it has ended
    4  the test alert did not arrive)";

struct DecisionCommand {
    const char* name;
    Verb verb;
    bool of_all;  // without RUN it is about all runs
    const char* help;
};

constexpr DecisionCommand decisions[] = {
    {"ack", Verb::ack, false, "Somebody is on it: the open incident is not said again"},
    {"snooze", Verb::snooze, false, "Do and say nothing about the run until a moment"},
    {"continue", Verb::resume_watch, false, "It goes on as it is: quiet for half an hour, then watched as before"},
    {"dismiss", Verb::dismiss, false, "Do and say nothing about the run any more"},
    {"resume", Verb::resume, false, "Let an agent that the watchdog paused go on"},
    {"pause", Verb::pause, false, "Have its watchdog pause the agent; it stays so until resume"},
    {"step", Verb::step, false, "Take the next rung of the ladder now, without waiting for what the last one came to"},
    {"limit", Verb::limit, false, "Change the run's own limit of time, or its budget of tokens or money"},
    {"freeze", Verb::freeze, true, "Do nothing to the run, or to any run; go on watching"},
    {"unfreeze", Verb::unfreeze, true, "End a freeze"},
    {"mark-stopped", Verb::mark_stopped, false, "Somebody saw that the agent is stopped: its run is over"},
    {"silence", Verb::silence, false, "Tell nobody of certain alerts until a moment: they are on record instead"},
    {"mark-wrong", Verb::mark_wrong, false, "The newest finding is wrong: it is none any more, and counts as wrong"},
};

/// "" or what is wrong.
std::string check_store(const std::string& store, Options& options) {
    if (options.at_home || common::read_store(store, options.store)) return {};
    return "--store is '" + heeler::text::redact(store) + "', but must be 'sqlite:PATH' or 'postgres:URL'";
}

std::string check_run(const Options& options) {
    if (!options.run) return {};
    const auto named = heeler::check_run_id(*options.run);
    return named ? std::string{} : named.error().message;
}

std::string check_by(const Options& options) {
    if (heeler::valid_run_id(options.by)) return {};
    return "--by is '" + options.by + "', but must be a name: 1 to 128 bytes of UTF-8 without control characters";
}

std::string check_until(const std::string& until, Options& options) {
    if (until.empty()) return {};
    options.lasts_until = heeler::text::parse_rfc3339(until);
    if (options.lasts_until) return {};
    return "--until is '" + until + "', but must be a moment such as 2026-01-31T09:05:00Z";
}

std::string user_name() {
    if (const char* const name = std::getenv("USER"); name != nullptr && *name != '\0') return name;
    const passwd* const known = ::getpwuid(::geteuid());
    return known != nullptr ? known->pw_name : "uid " + std::to_string(::geteuid());
}

/// The subcommands, which note in `options` that they were given.
class CommandLine {
public:
    CommandLine() {
        common::prepare(app_);
        app_.footer(statuses);
        app_.require_subcommand(1);
        app_.fallthrough();
        given_store_ =
            app_.add_option("--store", store_,
                            "The watchdog's store: sqlite:PATH, or postgres:URL; also $HEELER_STORE (default: what "
                            "heeler-supervise and heeler-watch keep in $XDG_STATE_HOME/heeler)");
        app_.add_option("--schema", options_.store.schema, "Schema of the PostgreSQL store")->capture_default_str();
        app_.add_option("--by", options_.by, "Who decides (default: $USER)");
        add_views();
        for (const DecisionCommand& decision : decisions) add_decision(decision);
        add("deliver", "Send what waits and no watchdog is there to send", Command::deliver)
            ->add_option("--notify", options_.notify, common::notify_help)
            ->type_name("CHANNEL")
            ->required();
        add_prune();
        add_class_diff();
        add("test-alert", "Send an alert that is only a test; needs no store", Command::test_alert)
            ->add_option("--notify", options_.notify, common::notify_help)
            ->type_name("CHANNEL")
            ->required();
    }

    std::variant<Options, Quit> parse(int argc, const char* const* argv) {
        options_.by = user_name();
        try {
            app_.parse(argc, argv);
        } catch (const CLI::CallForHelp&) {
            return Quit{exit_ok, help()};
        } catch (const CLI::CallForAllHelp&) {
            return Quit{exit_ok, app_.help("", CLI::AppFormatMode::All)};
        } catch (const CLI::CallForVersion&) {
            return Quit{exit_ok, app_.version() + "\n"};
        } catch (const CLI::ParseError& error) {
            return Quit{exit_usage, common::complaint(app_, error)};
        }
        options_.at_home = store_.empty() && given_store_->count() == 0;
        for (std::string wrong :
             {check_store(store_, options_), check_run(options_), check_by(options_), check_until(until_, options_)})
            if (!wrong.empty()) return Quit{exit_usage, std::move(wrong)};
        return options_;
    }

private:
    CLI::App* add(const char* name, const char* help, Command command) {
        CLI::App* const made = app_.add_subcommand(name, help);
        made->callback([this, command] { options_.command = command; });
        return made;
    }

    void add_views() {
        auto* const status = add("status", "Runs that have not ended, or one run", Command::status);
        status->add_option("RUN", options_.run, "Its id");
        auto* const watch = add("watch", "The same table, drawn anew until it is interrupted", Command::watch);
        watch
            ->add_option_function<std::string>(
                "--every", [this](const std::string& text) { options_.every = length_of("--every", text); },
                "How often, for example 10s (default: 2s)")
            ->type_name("DURATION");
        auto* const serve = add("serve", "The same table in a browser, with a page about each run", Command::serve);
        serve->add_option("--port", options_.port, "On this machine alone; 0: any that is free")
            ->check(CLI::Range(0, 65535))
            ->capture_default_str();
        serve->add_flag("--operate", options_.operate, "Whoever has the token that is printed may decide as well");
        for (CLI::App* const view : {status, watch, serve}) view->add_flag("--all", options_.all, "Ended runs too");
        add("explain", "Why a run was judged as it was", Command::explain)
            ->add_option("RUN", options_.run, "Its id")
            ->required();
        add("unsilence", "End a silence", Command::unsilence)
            ->add_option("NUMBER", options_.silence, "Its number")
            ->required();
        auto* const silences = add("silences", "What is silenced, by whom and why", Command::silences);
        auto* const report = add("report", "What became of a run", Command::report);
        report->add_option("RUN", options_.run, "Its id")->required();
        report->add_flag("--html", options_.html, "A page that shows what happened and when: > run.html");
        auto* const outbox = add("outbox", "Alerts that wait, or were given up", Command::outbox);
        auto* const holders = add("holders", "Watchdogs that share the store", Command::holders);
        for (CLI::App* const view : {status, report, outbox, holders, silences})
            view->add_flag("--json", options_.json, "One JSON object a line");
    }

    void add_class_diff() {
        auto* const diff =
            add("diff-class", "The settings in which two classes differ; needs no store", Command::class_diff);
        diff->add_option("CLASS", options_.classes, "Two presets; with the settings of a file: PRESET:FILE.json")
            ->required()
            ->expected(2);
        diff->add_flag("--all", options_.all, "Also the settings of a detector that one of them has not on");
        diff->add_flag("--json", options_.json, "One JSON object a line");
    }

    void add_prune() {
        auto* const prune = add("prune", "Forget what is long over; whatever waits for somebody stays", Command::prune);
        add_age(*prune, "--ended", options_.ages.ended,
                "Runs that ended so long ago, with what was done (default: 14d)");
        add_age(*prune, "--alerts", options_.ages.alerts, "Their alerts, as old as that (default: 30d)");
        add_age(*prune, "--audit", options_.ages.audit, "Their audit, and that about no run, likewise (default: 90d)");
        prune->add_flag("--compact", options_.compact,
                        "Make an SQLite file smaller afterwards: nobody can write meanwhile");
        prune->add_flag("--json", options_.json, "One JSON object a line");
    }

    static void add_age(CLI::App& prune, const std::string& option, heeler::Duration& age, const std::string& help) {
        prune
            .add_option_function<std::string>(
                option,
                [option, &age](const std::string& text) {
                    age = length_of(option, text);
                    if (age < std::chrono::hours{1})
                        throw CLI::ValidationError(option + " is '" + text +
                                                   "', but must be at least 1h: what has just ended may be asked for");
                },
                help)
            ->type_name("DURATION");
    }

    void add_decision(const DecisionCommand& decision) {
        CLI::App* const made = app_.add_subcommand(decision.name, decision.help);
        made->callback([this, verb = decision.verb] {
            options_.command = Command::decide;
            options_.verb = verb;
        });
        if (decision.verb == Verb::silence) return add_silence(*made);
        auto* const run =
            made->add_option("RUN", options_.run, decision.of_all ? "Its id; all runs without" : "Its id");
        run->required(!decision.of_all);
        if (decision.verb == Verb::snooze) add_end(*made);
        if (decision.verb == Verb::pause)
            made->add_option("--because", options_.because, "Why, for those who read that it is paused");
        if (decision.verb == Verb::limit) add_limit(*made);
    }

    void add_limit(CLI::App& made) {
        made.add_option_function<std::vector<std::string>>(
                "LIMIT",
                [this](const std::vector<std::string>& given) {
                    for (const std::string& each : given) take_limit(each);
                },
                "timeout=DURATION: how long it may work, from its start; tokens=NUMBER: how many it may use, in and "
                "out together; money=USD: how much it may spend. For example timeout=3h tokens=2000000")
            ->required();
    }

    void take_limit(const std::string& given) {
        const std::size_t equals = given.find('=');
        const std::string name = given.substr(0, equals);
        const std::string value = equals == std::string::npos ? std::string{} : given.substr(equals + 1);
        if (name == "timeout") {
            options_.limit = length_of("timeout", value);
            if (options_.limit < std::chrono::seconds{1})
                throw CLI::ValidationError("timeout is '" + value + "', but must be at least 1s");
        } else if (name == "tokens") {
            const bool good = CLI::detail::lexical_cast(value, options_.tokens);
            if (!good || options_.tokens < 1 || options_.tokens > heeler::RunSpend::most_tokens)
                throw CLI::ValidationError("tokens is '" + value + "', but must be a whole number from 1 to " +
                                           std::to_string(heeler::RunSpend::most_tokens));
        } else if (name == "money") {
            double usd = 0;
            const bool good = CLI::detail::lexical_cast(value, usd);
            if (!good || !(usd >= 0.01) || usd > 1e9)
                throw CLI::ValidationError("money is '" + value +
                                           "', but must be an amount of USD from 0.01 to 1000000000");
            options_.micro_usd = heeler::detail::micros_of(usd);
        } else {
            throw CLI::ValidationError("LIMIT is '" + given +
                                       "', but must be timeout=DURATION, tokens=NUMBER or money=USD, for example "
                                       "timeout=3h");
        }
    }

    void add_silence(CLI::App& made) {
        auto* const what = made.add_option_group("What", "Alerts that fit all of what is given, one at least");
        what->add_option("--run", options_.about.run, "Of this run");
        what->add_option("--class", options_.about.class_name, "Of runs of this class");
        what->add_option("--tag", options_.about.tag, "Of runs with this tag");
        what->add_option("--kind", options_.about.kind, "Of this kind, for example run.unhealthy");
        what->add_option_function<std::string>(
                "--at-most",
                [this](const std::string& text) {
                    options_.about.at_most = heeler::detail::value_named<heeler::Severity>(text);
                    if (!options_.about.at_most)
                        throw CLI::ValidationError("--at-most is '" + text +
                                                   "', but must be 'none', 'warning' or 'critical'");
                },
                "Of no higher severity")
            ->type_name("SEVERITY");
        made.add_option("--because", options_.because, "Why, for those who read what they were not told")->required();
        add_end(made);
    }

    [[nodiscard]] static heeler::Duration length_of(const std::string& option, const std::string& text) {
        const auto length = common::parse_duration(text);
        if (!length) throw CLI::ValidationError(option + ": " + length.error().message);
        return *length;
    }

    void add_end(CLI::App& made) {
        auto* const moment = made.add_option_group("When", "Until when");
        moment
            ->add_option_function<std::string>(
                "--for", [this](const std::string& text) { options_.lasts_for = length_of("--for", text); },
                "How long, for example 2h")
            ->type_name("DURATION");
        moment->add_option("--until", until_, "Until when, for example 2026-01-31T09:05:00Z")->type_name("RFC3339");
        moment->require_option(1);
    }

    [[nodiscard]] std::string help() const {
        const auto given = app_.get_subcommands();
        return given.empty() ? app_.help() : given.front()->help(app_.get_name());
    }

    CLI::App app_{about, "heeler-ctl"};
    Options options_;
    std::string store_ = common::from_environment("HEELER_STORE");
    CLI::Option* given_store_ = nullptr;
    std::string until_;
};

}  // namespace

std::variant<Options, Quit> parse_options(int argc, const char* const* argv) { return CommandLine{}.parse(argc, argv); }

}  // namespace ctl

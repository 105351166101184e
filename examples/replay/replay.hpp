// Feeds the lines of a scenario to a watchdog, in their time, and prints what it does.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/events.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/settings.hpp>

#include "../common/json_object.hpp"
#include "../common/truths.hpp"
#include "host.hpp"
#include "input.hpp"
#include "limit_lister.hpp"
#include "loop_watch.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pages.hpp"
#include "timers.hpp"

namespace replay {

/// Settings of one origin: the file, the environment.
using Settings = std::vector<heeler::NamedSetting>;

class Replay {
public:
    /// Each of the `settings` is laid over the preset and those before it. With somebody who looks on, nothing is
    /// printed; with pages it is.
    Replay(const Options& options, std::vector<Settings> settings, std::shared_ptr<StoreBackend> backend,
           std::vector<InputLine> lines, LoopWatch* watch = nullptr, Pages* pages = nullptr,
           LimitLister* limits = nullptr);

    /// Answers how many lines were understood.
    std::uint64_t run();
    /// How many were not.
    [[nodiscard]] std::uint64_t skipped() const { return summary_.skipped; }

private:
    using Handler = void (Replay::*)(const common::JsonObject&);

    struct PendingTick {
        heeler::TickCause cause;
        std::string label;
        std::optional<heeler::NodeRef> node{};  // of a mutation
    };

    // replay.cpp
    void read(const InputLine& line);
    void complain(const std::string& message);
    void print_line(std::string line) const;
    void move_to(const common::JsonObject& line);
    void run_before(heeler::Duration t);
    [[nodiscard]] std::optional<heeler::Duration> next_cycle();
    void fire_timers_before(heeler::Duration t);
    void run_pending_tick();
    void cycle(const PendingTick& tick);
    void print_trees();
    void print_records();
    void print_allowed(std::string_view op, std::string_view target, const heeler::ScopeAnswer& answer);
    void print(const heeler::Event& event);
    /// Of what a run did, those are told who look on.
    template <class What>
    void heard(const std::string& run, const What& what) {
        if (pages_ != nullptr) pages_->heard(run, what, host_.wall());
        if (limits_ == nullptr) return;
        const auto truth = truths_.runs().find(run);
        if (truth != truths_.runs().end() && truth->second.stalled_at && host_.t() >= *truth->second.stalled_at)
            limits_->stalled(run);
        limits_->saw(run, what, host_.wall());
    }
    void print(const std::vector<TimerEvent>& events);
    void print_doubt(const heeler::AuditRow& row);
    void print_warning(const heeler::SettingFault& fault);
    void print_until_lost(const heeler::List<heeler::Event>& events);
    void start_again(bool keep_store);
    void finish();
    void keep_page(const heeler::Report& report);
    [[nodiscard]] Moment now() const { return {host_.epoch(), host_.t()}; }

    // lines.cpp
    [[nodiscard]] static Handler handler_of(std::string_view type);
    [[nodiscard]] static bool is_told(std::string_view type);
    [[nodiscard]] std::string run_of(const common::JsonObject& line) const;
    [[nodiscard]] heeler::RunClass rules_named(std::string_view preset);
    void check(std::string_view where, std::string_view run, const heeler::Result<void>& result);
    void refuse_if_over(std::string_view run);
    /// Answers whether it was heard; says why not, if that is part of the story.
    template <class What>
    bool observe(const common::JsonObject& line, const What& what);

    void run_line(const common::JsonObject& line);
    void tell_truth(const common::JsonObject& line, std::string_view run);
    void told_line(const common::JsonObject& line);
    void checkpoint_line(const common::JsonObject& line);
    void expect_line(const common::JsonObject& line);
    void state_line(const common::JsonObject& line);
    void host_line(const common::JsonObject& line);
    void notifier_line(const common::JsonObject& line);
    void source_line(const common::JsonObject& line);
    void store_line(const common::JsonObject& line);
    void context_line(const common::JsonObject& line);
    void timer_line(const common::JsonObject& line);
    void decide_line(const common::JsonObject& line);
    void mail_line(const common::JsonObject& line);
    [[nodiscard]] heeler::TreeWatch& trees();
    [[nodiscard]] heeler::NodeRef node_ref_of(const common::JsonObject& line, std::string_view key);
    void snapshot_line(const common::JsonObject& line);
    void arm_line(const common::JsonObject& line);
    void review_line(const common::JsonObject& line);
    void mutate_line(const common::JsonObject& line);
    void batch_line(const common::JsonObject& line);
    void tick_line(const common::JsonObject& line);
    void crash_line(const common::JsonObject& line);
    void restart_line(const common::JsonObject& line);
    void end_line(const common::JsonObject& line);

    std::string file_;
    std::string preset_;
    LoopWatch* watch_ = nullptr;  // the pages too look on
    Pages* pages_ = nullptr;
    LimitLister* limits_ = nullptr;
    bool only_listens_ = false;  // the watchdog is told what happens, and asked nothing
    std::vector<Settings> settings_;
    common::JsonParser parser_;
    std::vector<InputLine> lines_;
    bool explicit_ticks_ = false;
    bool timeless_ = false;  ///< no line has a time: what came is judged line by line
    Host host_;
    Timers timers_;

    std::size_t line_number_ = 0;
    std::string last_run_;
    std::optional<PendingTick> pending_tick_;
    std::vector<std::string> early_arms_;  // lines that came before anything was known of the tree
    std::size_t tree_requests_ = 0;        // of the tree's host that were looked at
    std::optional<heeler::Duration> last_cycle_;
    std::set<std::string, std::less<>> unknown_types_;
    std::set<std::string, std::less<>> warned_;
    std::map<std::string, std::string, std::less<>> last_status_;  // by run, as printed
    common::Truths truths_;
    Summary summary_;
};

}  // namespace replay

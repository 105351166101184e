// The main loop: passes output on, reports to the watchdog, shows what it does, and ends everything in order.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include <heeler/agent/process_control.hpp>
#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/report/daily_digest.hpp>
#include <heeler/spend.hpp>

#include "../common/any_store.hpp"
#include "../common/background.hpp"
#include "../common/channels.hpp"
#include "../common/life_signs.hpp"
#include "../common/words.hpp"
#include "agent_stream.hpp"
#include "display.hpp"
#include "end_notes.hpp"
#include "keeper.hpp"
#include "message_input.hpp"
#include "metric.hpp"
#include "narrate.hpp"
#include "options.hpp"
#include "page.hpp"
#include "postbox.hpp"
#include "previous.hpp"
#include "run_directory.hpp"
#include "standard_streams.hpp"
#include "supervised_control.hpp"
#include "waiter.hpp"
#include "whole_lines.hpp"

namespace supervise {

using Notifier = common::WithChannels<PostboxNotifier>;
using Dog = heeler::Watchdog<heeler::SystemClock, common::AnyStore, Notifier>;

/// What arrives of one stream of the command, cut into lines.
struct Heard {
    WholeLines lines;
    LineCutter cutter;
};

/// The newest word that was said to an agent, and how far that had come by then.
struct Told {
    std::string key{};  ///< of the action; empty: nothing was said yet
    std::size_t steps = 0;
    std::size_t turns = 0;
};

/// Supervises one command from its start (or adoption) to the report. One use each.
class Supervisor {
public:
    Supervisor(Options options, RunDirectory directory, std::unique_ptr<Metric> metric, std::optional<Keeper> keeper,
               common::Channels channels, std::shared_ptr<Postbox> postbox, common::LifeSigns& signs, int log);

    /// How heeler-supervise ends; the report has been written by then.
    [[nodiscard]] Quit run(const GoOn& how);

private:
    // supervisor.cpp: the loop
    void loop();
    void wait();
    void read_streams(std::size_t output, std::size_t errors);
    void hear(std::string_view chunk, Outlet& to, Heard& heard);
    void pass_on(std::string_view chunk, Outlet& to);
    void watch_reader();
    void note_closed();
    [[nodiscard]] std::size_t readable() const;
    [[nodiscard]] std::string unread() const;
    void take_signals();
    template <class What>
    void report(const What& what, heeler::Instant now) {
        dog_.observe(handle_, what, now);
        page_.heard(what, now.wall);
    }
    void report_to_watchdog();
    void cycle();
    void tell(const heeler::CycleReport& report);
    void note_day(const heeler::CycleReport& report);
    void show();
    [[nodiscard]] bool over();

    // supervisor_agent.cpp: a coding agent as the command
    void hear_agent(std::string_view chunk);
    void say_that_agent_is_unknown(std::size_t lines);
    void move_words();
    void interrupt(const common::Words::Left& word);
    void go_on_with_words();

    // supervisor_begin.cpp
    [[nodiscard]] std::optional<Quit> begin(const GoOn& how);
    [[nodiscard]] std::optional<Quit> take_over(const ChildRecord& record);
    [[nodiscard]] std::optional<Quit> start_command();
    [[nodiscard]] heeler::Result<void> prepared(const heeler::ProcessIdentity& identity);
    void close_old_runs(const heeler::Snapshot& stored, const std::optional<WaitedEnd>& earlier);
    void tell_lost_ends(const heeler::Snapshot& stored);
    [[nodiscard]] heeler::Result<heeler::RunClass> run_class();
    [[nodiscard]] heeler::RunSpec run_spec() const;
    [[nodiscard]] heeler::ProcessSpec process_spec() const;
    [[nodiscard]] heeler::Result<heeler::ProcessSpec> fenced_spec() const;
    [[nodiscard]] heeler::Result<void> take_input_of(heeler::ProcessSpec& spec, CommandInput& input);

    // supervisor_end.cpp
    [[nodiscard]] Quit end();
    [[nodiscard]] Quit conclude();
    void tell_the_rest();
    [[nodiscard]] std::uint64_t untold();
    void settle();
    [[nodiscard]] std::optional<int> command_status();
    [[nodiscard]] heeler::RunState end_state();
    void record_end();
    [[nodiscard]] std::string why_unrecorded();
    [[nodiscard]] Quit troubled(int status, const std::string& why);
    [[nodiscard]] std::string fate_of_command();
    void pass_rest();
    [[nodiscard]] Ending ending(const heeler::Report& report);
    [[nodiscard]] heeler::Result<void> write_report(const heeler::Report& report, const Ending& ending);

    Options options_;
    RunDirectory directory_;
    EndNotes end_notes_;
    std::unique_ptr<Metric> metric_;
    std::optional<Keeper> keeper_;
    Display display_;
    std::shared_ptr<Postbox> postbox_;
    common::LifeSigns& signs_;
    SupervisedControl control_;
    Dog dog_;
    heeler::SpendLedger spend_{dog_.store()};
    std::optional<heeler::DailyDigest> digest_;
    std::string day_told_;  ///< as it is kept in the run directory; of the thread that delivers
    std::string run_id_;
    heeler::RunHandle handle_{};
    std::optional<heeler::ProcessControl> process_;
    std::optional<AgentStream> agent_;
    bool said_that_unknown_ = false;
    std::optional<MessageInput> messages_;  ///< if the agent reads some
    common::Words words_{"the agent has not shown that it heard it"};
    Told told_;
    std::optional<common::Words::Left> goes_on_with_;  ///< the agent was interrupted, to be told that
    Page page_;
    Heard output_;
    Heard errors_;
    StatusView view_;
    heeler::Duration interval_{};
    heeler::Instant began_{};
    heeler::Instant last_output_{};
    std::optional<heeler::Elapsed> next_sample_;
    std::optional<heeler::Elapsed> next_beat_;
    std::atomic<bool> delivered_{false};  ///< what was carried out may decide what follows
    int signal_ = 0;
    heeler::Elapsed asked_{};  ///< when the first one came
    int own_status_ = exit_ok;
    bool left_running_ = false;
    std::optional<heeler::Elapsed> output_closed_;
    bool from_file_ = false;  ///< the command writes to a file, and never waits
    bool more_output_ = false;
    std::uint64_t not_shown_ = 0;                  ///< bytes that nobody read in time; the file has them
    std::optional<heeler::Elapsed> reader_still_;  ///< since when there is no room for output
    bool reader_told_ = false;
    bool closed_told_ = false;
    bool output_lost_ = false;
    bool not_recorded_ = false;
    std::string unrecorded_;  ///< why the end of the run is not in the store
    Narrator narrator_;
    // Last: their threads use what stands above.
    std::optional<Sampler> sampler_;
    std::optional<common::Background> delivery_;
    std::optional<common::Background> interruption_;
};

}  // namespace supervise

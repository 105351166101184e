// What a transcript tells, whoever wrote it: calls, results, messages, usage, and whose turn it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/observation.hpp>
#include <heeler/core/source.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// One thing that a transcript tells. Views stay valid until `Conversation::clear`.
struct TranscriptEvent {
    std::string_view run{};        ///< empty: the session itself; else one of its sub-agents
    std::optional<WallTime> at{};  ///< absent: the transcript has no clock
    Reported what{};
};

/// What readers of transcripts write into. It knows what all agents have in common: an agent that has spoken and has no
/// call open has ended its turn, and waits for a person until it is spoken to; an identified message is billed once,
/// however often its usage is repeated. One thread at a time.
class Conversation {
public:
    /// Names the speaker and the moment of what follows.
    void at(std::optional<WallTime> when, std::string_view run = {}) {
        const bool same = !talks_.empty() && run == run_;
        if (!same) run_ = talks_.try_emplace(std::string{run}).first->first;
        if (moment_) when = moment_;
        if (when) last_ = when;
        when_ = when ? when : last_;
        if (when_ && (!begin_ || *when_ < *begin_)) begin_ = when_;
    }

    void call(std::string_view name, std::string_view args, std::string_view id) {
        Talk& talk = talk_here();
        go_on(talk);
        talk.open.insert(std::string{id});
        tell(ToolCall{keep(name), keep(args), keep(id)});
    }

    /// A call that asks a person something: its answer ends the wait.
    void asks(std::string_view prompt) {
        Talk& talk = talk_here();
        talk.waits = true;
        tell(StateChange{RunState::waiting_human, {}, {}, keep(prompt)});
    }

    void result(std::optional<bool> ok, std::string_view output, std::string_view id) {
        Talk& talk = talk_here();
        const auto open = talk.open.find(std::string{id});
        if (open != talk.open.end()) talk.open.erase(open);
        go_on(talk);
        tell(ToolResult{ok, keep(output), keep(id)});
    }

    /// What the agent says. Its turn is over if nothing follows but a person's word.
    void says(std::string_view text) {
        Talk& talk = talk_here();
        go_on(talk);
        tell(Message{true, keep(text)});
        if (talk.open.empty()) talk.said_at = Moment{when_};
    }

    /// What the agent thinks aloud: its turn goes on.
    void thinks(std::string_view text) {
        go_on(talk_here());
        tell(Message{true, keep(text)});
    }

    /// The agent says that its turn is over.
    void ends_turn() {
        Talk& talk = talk_here();
        if (!talk.waits) wait(talk, when_);
    }

    /// A person's word, or the prompt of whoever started a sub-agent. Calls that nobody answered are over.
    void is_told(std::string_view text) {
        Talk& talk = talk_here();
        if (!talk.waits && talk.said_at) wait(talk, talk.said_at->at);
        talk.open.clear();
        go_on(talk);
        tell(Message{false, keep(text)});
        if (task_.empty()) task_ = text;
    }

    /// What was consumed by the message `id`; what is repeated of it counts once, and as far as it has grown.
    void usage(std::string_view id, Usage total) {
        Talk& talk = talk_here();
        if (id.empty() || talk.billed_id != id) talk.billed = {};
        talk.billed_id = id;
        Usage& known = talk.billed;
        const Usage more{grown(total.tokens_in, known.tokens_in), grown(total.tokens_out, known.tokens_out),
                         grown(total.api_calls, known.api_calls), 0,
                         total.cost_usd > known.cost_usd ? total.cost_usd - known.cost_usd : 0};
        known = total;
        if (more.tokens_in > 0 || more.tokens_out > 0 || more.api_calls > 0 || more.cost_usd > 0) tell(more);
    }

    /// A provider's limit, or its retries, hold it up until then.
    void is_held_until(std::optional<WallTime> until) {
        talk_here().waits = true;
        tell(StateChange{RunState::rate_limited, {}, until});
    }

    void compacts(std::int64_t before, std::int64_t after) { tell(Compaction{before, after}); }

    /// The session is over, and no one goes on with it.
    void finishes(RunState how) { tell(StateChange{how}); }

    /// It lives; nothing more is to be told of this line. Who was told nothing so far waits for the first word.
    void lives() {
        tell(Heartbeat{});
        Talk& talk = talk_here();
        if (!std::exchange(talk.begun, true)) wait(talk, when_);
    }

    /// All that follows happens then, whatever it says of itself.
    void set_moment(WallTime when) { moment_ = when; }

    /// It was given something to do before it wrote its first line.
    void has_its_task() { talk_here().begun = true; }

    /// A type of line that the reader does not know. Each is named once, by `unknown`.
    void does_not_know(std::string_view type) { ++unknown_[std::string{type.substr(0, 60)}]; }

    /// To be called where the transcript ends for now: who has spoken last waits.
    void pause() {
        for (auto& [run, talk] : talks_) {
            if (talk.waits || !talk.said_at || !talk.open.empty()) continue;
            run_ = run;
            wait(talk, talk.said_at->at);
        }
    }

    [[nodiscard]] const std::vector<TranscriptEvent>& events() const noexcept { return events_; }
    /// Lines that no reader understands, by type.
    [[nodiscard]] const std::map<std::string, std::size_t>& unknown() const noexcept { return unknown_; }
    [[nodiscard]] std::string_view task() const noexcept { return task_; }
    [[nodiscard]] std::optional<WallTime> began() const noexcept { return begin_; }

    void set_session(std::string_view id) {
        if (session_.empty()) session_ = id;
    }
    [[nodiscard]] std::string_view session() const noexcept { return session_; }

    /// The directory that the agent works in.
    void set_directory(std::string_view path) {
        if (directory_.empty()) directory_ = path;
    }
    [[nodiscard]] std::string_view directory() const noexcept { return directory_; }

    /// Forgets the events, and keeps what it knows of the conversation.
    void clear() {
        events_.clear();
        texts_.clear();
    }

    /// A text that outlives the line it was read from.
    [[nodiscard]] std::string_view keep(std::string_view text) {
        return text.empty() ? std::string_view{} : std::string_view{texts_.emplace_back(text)};
    }

private:
    struct Moment {
        std::optional<WallTime> at{};
    };
    struct Talk {
        std::multiset<std::string> open{};  ///< ids of calls without a result
        std::optional<Moment> said_at{};    ///< the agent has spoken, and nothing followed so far
        bool begun = false;
        bool waits = false;
        std::string billed_id{};  ///< the last message whose usage was told, and how much of it
        Usage billed{};
    };

    [[nodiscard]] static std::int64_t grown(std::int64_t now, std::int64_t before) noexcept {
        return now > before ? now - before : 0;
    }

    Talk& talk_here() { return talks_[std::string{run_}]; }

    void wait(Talk& talk, std::optional<WallTime> since) {
        talk.waits = true;
        talk.said_at.reset();
        events_.push_back({run_, since, StateChange{RunState::waiting_human}});
    }

    void go_on(Talk& talk) {
        talk.begun = true;
        talk.said_at.reset();
        if (!std::exchange(talk.waits, false)) return;
        tell(StateChange{RunState::running});
    }

    void tell(Reported what) { events_.push_back({run_, when_, std::move(what)}); }

    std::vector<TranscriptEvent> events_;
    std::deque<std::string> texts_;  ///< nothing in it moves until it is cleared
    std::map<std::string, Talk, std::less<>> talks_;
    std::map<std::string, std::size_t> unknown_;
    std::string session_;
    std::string directory_;
    std::string task_;
    std::string_view run_;
    std::optional<WallTime> when_, last_, begin_, moment_;
};

}  // namespace heeler::inline HEELER_ABI

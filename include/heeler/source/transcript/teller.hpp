// What the sources that follow an agent's session have in common. Needs simdjson (heeler::json).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/core/source.hpp>
#include <heeler/source/transcript.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

/// What a session came to, as far as it was read.
struct TranscriptTotals {
    std::uint64_t calls = 0;
    UsageTotals usage{};
    std::string doing{};             ///< name of the newest call that has no result; empty: none
    bool waits = false;              ///< for a person
    std::optional<WallTime> last{};  ///< when something happened; absent: nothing says when
};

namespace detail {

/// Takes what a session says, in whichever format, and tells it as events of a source. One thread at a time.
class TranscriptTeller {
public:
    /// `shown`: the session's file, as people are told of it.
    explicit TranscriptTeller(std::string shown) : shown_{std::move(shown)} {}

    void forget() {
        transcript_ = Transcript{};
        totals_ = {};
        open_.clear();
        unread_.clear();
        known_as_unknown_.clear();
    }

    /// Lines before the first one that shows the format may be part of the conversation, and wait for it.
    [[nodiscard]] bool take(std::string_view line, std::vector<Error>& problems) {
        if (!format().empty()) return transcript_.read(line).has_value();
        if (unread_.size() >= lines_to_recognise) return true;
        unread_.emplace_back(line);
        if (transcript_.recognise(line)) {
            bool read = true;
            for (const std::string& each : std::exchange(unread_, {})) read &= transcript_.read(each).has_value();
            return read;
        }
        if (unread_.size() == lines_to_recognise)
            problems.push_back({ErrorCode::unsupported, shown_ + ": it is in no format of a session that is known"});
        return true;
    }

    /// Types that the format's reader does not know become problems, each once.
    void say_unknown(std::vector<Error>& problems) {
        for (const auto& [type, count] : transcript_.conversation().unknown())
            if (known_as_unknown_.insert(type).second)
                problems.push_back({ErrorCode::unsupported,
                                    shown_ + ": '" + text::sanitise(type, 60) + "' is not known in the format " +
                                        std::string{format()} + "; such lines are passed over"});
    }

    /// Tells what was taken since. `settled`: what an agent said before then ends its turn, if nothing follows.
    void tell(Polled& polled, WallTime now, Duration settles) {
        Conversation& told = transcript_.conversation();
        for (const TranscriptEvent& event : told.events()) note(event);
        const std::size_t noted = told.events().size();
        if (!polled.more && totals_.last.value_or(now) + settles <= now) told.pause();
        for (std::size_t i = noted; i < told.events().size(); ++i) note(told.events()[i]);
        for (const TranscriptEvent& event : told.events())
            polled.events.push_back({event.run.empty() ? event.what : Reported{SignOfLife{"sub-agent"}}, event.at});
        polled.began = told.began();
        if (!polled.cursor.empty()) polled.calls = totals_.calls;
    }

    void set_moment(WallTime when) { transcript_.conversation().set_moment(when); }
    void clear() { transcript_.conversation().clear(); }

    [[nodiscard]] const Conversation& conversation() const noexcept { return transcript_.conversation(); }
    [[nodiscard]] const TranscriptTotals& totals() const noexcept { return totals_; }
    [[nodiscard]] std::string_view format() const { return transcript_.format(); }

private:
    /// A format shows itself early, or it is none.
    static constexpr std::size_t lines_to_recognise = 50;

    void note(const TranscriptEvent& event) {
        if (event.at && (!totals_.last || *event.at > *totals_.last)) totals_.last = event.at;
        if (!event.run.empty()) return;
        if (const auto* call = std::get_if<ToolCall>(&event.what)) {
            ++totals_.calls;
            open_.emplace_back(call->call_id, call->name);
        } else if (const auto* result = std::get_if<ToolResult>(&event.what)) {
            const auto answered = [&](const auto& each) { return each.first == result->call_id; };
            const auto at = std::find_if(open_.begin(), open_.end(), answered);
            if (at != open_.end()) open_.erase(at);
        } else if (const auto* usage = std::get_if<Usage>(&event.what)) {
            totals_.usage.tokens_in += usage->tokens_in;
            totals_.usage.tokens_out += usage->tokens_out;
            totals_.usage.api_calls += usage->api_calls;
            totals_.usage.cost_usd += usage->cost_usd;
        } else if (const auto* change = std::get_if<StateChange>(&event.what)) {
            totals_.waits = change->state == RunState::waiting_human;
        }
        // Whoever is spoken to begins anew: calls that nobody answered are over.
        if (const auto* message = std::get_if<Message>(&event.what); message && !message->from_assistant) open_.clear();
        totals_.doing = open_.empty() ? std::string{} : open_.back().second;
    }

    std::string shown_;
    Transcript transcript_;
    TranscriptTotals totals_;
    std::vector<std::pair<std::string, std::string>> open_;  ///< calls without a result: id and name
    std::vector<std::string> unread_;                        ///< lines before the format was recognised
    std::set<std::string> known_as_unknown_;                 ///< types of lines, each named once
};

}  // namespace detail

}  // namespace heeler::inline HEELER_ABI

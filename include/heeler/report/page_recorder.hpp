// Collects what happens to a run while it happens, for its page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/core/events.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/report/page_marks.hpp>
#include <heeler/report/run_page.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/canonical_args.hpp>
#include <heeler/text/combine.hpp>
#include <heeler/text/fingerprint.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>

namespace heeler::inline HEELER_ABI {

/// Of one run: tell it what you report (`heard`) and what cycles say (`happened`), and ask for the page at any time.
/// Secrets are taken out as alerts take them out. One thread at a time.
class PageRecorder {
public:
    static constexpr std::size_t most_marks = 20'000;  ///< of calls and messages no more are kept, and that is said

    PageRecorder(std::string run, WallTime begin) : run_{std::move(run)}, begin_{begin}, newest_{begin} {
        enter(std::string{name_of(RunState::running)}, begin);
    }

    void heard(const Heartbeat&, WallTime at) { beat(at); }
    void heard(const SignOfLife&, WallTime at) { beat(at); }
    void heard(const Output&, WallTime at) { beat(at); }

    /// Its result is looked for by `call_id`; without one it is that of the oldest open call.
    void heard(const ToolCall& call, WallTime at) {
        PageMark mark{.at = at, .lane = PageLane::call};
        mark.label = shown(text::concat(call.name, " ", call.args.substr(0, 2 * longest)), longest);
        if (!keep(std::move(mark))) return;
        const std::uint64_t unit = text::fingerprint_call(call.name, call.args).exact;
        open_.push_back({std::string{call.call_id}, marks_.size() - 1, unit});
        if (open_.size() > most_open) open_.erase(open_.begin());
    }
    void heard(const ToolResult& result, WallTime at) {
        newest_ = at;
        for (auto call = open_.begin(); call != open_.end(); ++call) {
            if (!result.call_id.empty() && call->id != result.call_id) continue;
            PageMark& mark = marks_[call->mark];
            mark.lasts = at - mark.at;
            mark.unit = text::combine(call->unit, text::fingerprint_line(result.output).normal) | 1u;
            if (result.ok == false) mark.severity = Severity::warning;
            text::append(mark.label, " \u2192 ", shown(result.output.substr(0, 2 * longest), longest / 2));
            open_.erase(call);
            return;
        }
    }
    void heard(const Message& message, WallTime at) {
        const bool thinks = message.channel == MessageChannel::thinking;
        PageMark mark{.at = at, .lane = PageLane::message};
        mark.label = text::concat(!message.is_own() ? "told: "
                                  : thinks          ? "thinks: "
                                                    : "says: ",
                                  shown(message.text.substr(0, 2 * longest), longest));
        (void)keep(std::move(mark));
    }
    void heard(const Progress& progress, WallTime at) {
        beat(at);
        progress_.points.push_back({at, static_cast<double>(progress.value)});
    }
    void heard(const Usage& usage, WallTime at) {
        tokens_ += static_cast<double>(usage.tokens_in) + static_cast<double>(usage.tokens_out);
        cost_ += usage.cost_usd;
        add(spent_, tokens_, at);
        add(paid_, cost_, at);
    }
    void heard(const StateChange& change, WallTime at) {
        std::string label{name_of(change.state)};
        for (const std::string_view more : {change.reported, change.prompt, change.outcome})
            if (!more.empty()) text::append(label, ": ", shown(more.substr(0, 2 * longest), longest));
        enter(std::move(label), at);
    }
    void heard(const Compaction& compaction, WallTime at) {
        PageMark mark{.at = at, .lane = PageLane::message};
        mark.label = text::concat("condensed its context from ", std::to_string(compaction.tokens_before), " to ",
                                  std::to_string(compaction.tokens_after), " tokens");
        (void)keep(std::move(mark));
    }
    void heard(const CheckpointNote& note, WallTime at) {
        put(detail::page_mark(CheckpointRow{
            .at = at, .step = note.step, .text = text::redacted(note.text, 4'096), .reason = note.reason}));
    }
    /// What has no place on the page.
    template <class Other>
    void heard(const Other&, WallTime at) {
        newest_ = at;
    }

    /// Events of other runs are passed over. `more`: what else there is to read of it.
    void happened(const Event& event, WallTime at, std::string_view more = {}) {
        const std::size_t before = marks_.size();
        std::visit([&](const auto& each) { note(each, at); }, event);
        if (marks_.size() > before) marks_.back().text += more;
    }

    [[nodiscard]] RunPage page(const Report& report, WallTime now) const {
        RunPage page{.title = report.name.empty() ? report.run : report.name, .begin = begin_, .marks = marks_};
        page.facts = detail::page_facts(report);
        page.end = now > newest_ ? now : newest_;
        page.marks[state_].lasts = page.end - page.marks[state_].at;
        page.left_out = left_out_;
        for (const auto& [name, curve] : {std::pair{report.metric, &progress_}, {"tokens", &spent_}, {"USD", &paid_}})
            if (!curve->points.empty()) page.curves.push_back({std::string{name}, curve->points});
        return page;
    }

private:
    static constexpr std::size_t longest = 160, most_open = 256;

    struct OpenCall {
        std::string id;
        std::size_t mark;
        std::uint64_t unit;
    };

    [[nodiscard]] static std::string shown(std::string_view text, std::size_t most) {
        return text::one_line(text::redact(text), most);
    }

    /// More often than once in two thousand parts of the time so far nobody could see.
    void beat(WallTime at) {
        newest_ = at;
        if (last_beat_ != WallTime{} && (at - last_beat_) * 2'000 < at - begin_) return;
        last_beat_ = at;
        put({.at = at, .lane = PageLane::beat});
    }
    static void add(PageCurve& curve, double value, WallTime at) {
        if (value == (curve.points.empty() ? 0 : curve.points.back().value)) return;
        curve.points.push_back({at, value});
    }
    void enter(std::string label, WallTime at) {
        if (!marks_.empty()) marks_[state_].lasts = at - marks_[state_].at;
        put({.at = at, .lane = PageLane::state, .label = std::move(label)});
        state_ = marks_.size() - 1;
    }

    void put(PageMark mark) {
        newest_ = mark.at;
        marks_.push_back(std::move(mark));
    }
    /// False: there is no room.
    bool keep(PageMark mark) {
        if (marks_.size() >= most_marks) {
            ++left_out_;
            return false;
        }
        put(std::move(mark));
        return true;
    }

    template <class What>
    void note(const What& event, WallTime at) {
        if (event.run == run_) put(detail::page_mark(event, at));
    }
    void note(const ActionEvent& event, WallTime at) {
        if (event.run == run_) put(detail::page_mark(event.action, at));
    }
    void note(const AlertEvent& event, WallTime at) {
        if (event.row.alert.run.id == run_) put(detail::page_mark(event.row, event.received_by, at));
    }
    void note(const AuditEvent& event, WallTime) {
        if (event.row.run == run_) put(detail::page_mark(event.row));
    }
    void note(const SightingEvent&, WallTime) {}

    std::string run_;
    WallTime begin_{}, newest_{}, last_beat_{};
    std::vector<PageMark> marks_;
    std::size_t state_ = 0;  ///< mark of the current one
    std::vector<OpenCall> open_;
    PageCurve progress_{}, spent_{}, paid_{};
    double tokens_ = 0, cost_ = 0;
    std::size_t left_out_ = 0;
};

}  // namespace heeler::inline HEELER_ABI

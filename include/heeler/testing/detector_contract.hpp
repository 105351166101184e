// What a detector of a repetition promises, checked on any of them: a host's own, too. Needs no test framework.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <heeler/core/archive.hpp>
#include <heeler/core/detector.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/canonical_args.hpp>
#include <heeler/text/fingerprint.hpp>

namespace heeler::inline HEELER_ABI {

/// One detector and what it remembers of one run, to which things are told as the engine tells them: a second apart,
/// with their fingerprints, and only what it listens to.
template <DetectorLike D>
class DetectorTrial {
public:
    using Event = decltype(Observation::event);

    explicit DetectorTrial(typename D::Settings settings = {}) : settings_{std::move(settings)} { run_.id = "trial"; }

    /// What is observed of the run, or `Watermark{}`: the watchdog has intervened.
    void operator()(const Event& event) {
        now_.elapsed += std::chrono::seconds{1};
        now_.wall += std::chrono::seconds{1};
        const text::Fingerprint print = print_of(event);
        count(event);
        if ((detector_ops<D>.listens >> event.index() & 1u) != 0)
            D{}.learn(memory_, settings_, {run_.working(now_.elapsed), told_, print.exact, print.normal, event});
        ++told_;
        if (!first_found_ && finding()) first_found_ = told_;
    }

    [[nodiscard]] std::optional<Finding> finding() const { return D{}.check(memory_, settings_, run_, now_); }

    /// After how many observations it first found something, since the trial began or `recount` was called.
    [[nodiscard]] std::optional<std::uint64_t> first_found() const noexcept { return first_found_; }
    void recount() noexcept {
        told_ = 0;
        first_found_.reset();
    }

    /// False if what it saves cannot be read.
    [[nodiscard]] bool restart() {
        ArchiveWriter to{now_};
        to(memory_);
        const std::string bytes = to.take();
        memory_ = {};
        ArchiveReader from{bytes, now_};
        from(memory_);
        return from.ok() && from.at_end();
    }

    /// Absent if the detector does not count.
    [[nodiscard]] std::optional<std::uint64_t> new_items() const {
        if constexpr (detail::HasNewItems<D>) return D{}.new_items(memory_, settings_);
        return std::nullopt;
    }

private:
    [[nodiscard]] static text::Fingerprint print_of(const Event& event) noexcept {
        const auto of_text = [](std::string_view text) {
            const std::uint64_t print = text::fingerprint_text(text);
            return text::Fingerprint{print, static_cast<std::uint32_t>(print)};
        };
        if (const auto* line = std::get_if<OutputLine>(&event)) return text::fingerprint_line(line->text);
        if (const auto* call = std::get_if<ToolCall>(&event)) return text::fingerprint_call(call->name, call->args);
        if (const auto* message = std::get_if<Message>(&event)) return of_text(message->text);
        if (const auto* result = std::get_if<ToolResult>(&event))
            return of_text(result->output_sha.empty() ? result->output : result->output_sha);
        return {};
    }

    void count(const Event& event) noexcept {
        run_.last_alive = run_.last_activity = run_.working(now_.elapsed);
        if (std::holds_alternative<OutputLine>(event)) ++run_.lines;
        if (std::holds_alternative<ToolCall>(event)) ++run_.calls;
        ++run_.observations;
    }

    typename D::Settings settings_;
    typename D::Memory memory_{};
    Run run_{};
    Instant now_{};
    std::uint64_t told_ = 0;
    std::optional<std::uint64_t> first_found_;
};

/// Checks a detector of a repetition: `story(tell)` tells what it must find, `tell(ToolCall{"ls"})` and so on. It finds
/// that, and again after a restart. An intervention makes what was seen before void, so that a run which obeys is let
/// alone, also after a restart; if the repetition goes on, it is found as late as the first time. The error says which
/// of these does not hold.
template <DetectorLike D, class Story>
[[nodiscard]] Result<void> detector_contract(const Story& story, const typename D::Settings& settings = {}) {
    const auto broken = [](std::string what) {
        return fail(ErrorCode::invalid_argument, std::string{D::kind} + ": " + std::move(what));
    };
    DetectorTrial<D> trial{settings};
    const auto tell = [&](const typename DetectorTrial<D>::Event& event) { trial(event); };
    if (trial.finding()) return broken("finds something in a run of which it has seen nothing");
    story(tell);
    const auto first = trial.first_found();
    if (!first || !trial.finding()) return broken("does not find what the story tells");
    if (!trial.restart()) return broken("cannot read what it saves");
    if (!trial.finding()) return broken("forgets with a restart what it has found");
    trial(Watermark{});
    if (trial.finding())
        return broken(
            "holds against a run what it did before an intervention; let it listen to Watermark, and begin anew");
    if (trial.new_items().value_or(0) != 0) return broken("counts as new what came before an intervention");
    if (!trial.restart() || trial.finding()) return broken("remembers with a restart what an intervention made void");
    trial.recount();
    story(tell);
    if (!trial.finding()) return broken("does not find again after an intervention what goes on");
    if (trial.first_found() < first)
        return broken("needs less after an intervention, so something from before still counts");
    return {};
}

}  // namespace heeler::inline HEELER_ABI

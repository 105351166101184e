// The state of a watchdog as text that Prometheus reads (exposition format 0.0.4). No metric bears the id of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <heeler/core/context_reset.hpp>
#include <heeler/core/observed.hpp>
#include <heeler/core/vitals.hpp>
#include <heeler/report/telemetry.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

/// What an answer of this text is served as.
inline constexpr std::string_view prometheus_content_type = "text/plain; version=0.0.4; charset=utf-8";

namespace detail {

/// Writes families one after the other, each with what it means and its type.
class PrometheusWriter {
public:
    using Label = std::pair<std::string_view, std::string_view>;
    using Labels = std::initializer_list<Label>;

    PrometheusWriter& family(std::string_view name, std::string_view type, std::string_view help) {
        name_ = "heeler_";
        name_ += name;
        text::append(text_, "# HELP ", name_, " ", help, "\n# TYPE ", name_, " ", type, "\n");
        return *this;
    }
    PrometheusWriter& sample(std::uint64_t value, Labels labels = {}) {
        return line({}, labels, fmt::format("{}", value));
    }
    PrometheusWriter& sample(double value, Labels labels = {}, std::string_view suffix = {}) {
        return line(suffix, labels, fmt::format("{}", value));
    }
    PrometheusWriter& total(std::string_view suffix, std::uint64_t value, Labels labels = {}) {
        return line(suffix, labels, fmt::format("{}", value));
    }

    /// A family with one sample.
    template <class Number>
    void one(std::string_view name, std::string_view type, std::string_view help, Number value) {
        family(name, type, help).sample(value);
    }
    void labelled(std::string_view first, std::string_view second, const TelemetryCounts::Labelled& values) {
        for (const auto& [labels, value] : values) {
            if (second.empty())
                sample(value, {{first, labels.first}});
            else
                sample(value, {{first, labels.first}, {second, labels.second}});
        }
    }
    void histogram(const DurationCounts& seen) {
        for (std::size_t i = 0; i < seen.at_most.size(); ++i)
            total("_bucket", seen.at_most[i], {{"le", fmt::format("{}", DurationCounts::bounds_s[i])}});
        total("_bucket", seen.count, {{"le", "+Inf"}});
        sample(seen.sum_s, {}, "_sum").total("_count", seen.count);
    }

    [[nodiscard]] std::string take() && { return std::move(text_); }

private:
    PrometheusWriter& line(std::string_view suffix, Labels labels, const std::string& value) {
        text::append(text_, name_, suffix);
        char before = '{';
        for (const auto& [name, content] : labels) {
            text_ += before;
            text::append(text_, name, "=\"");
            escape(content);
            text_ += '"';
            before = ',';
        }
        if (before == ',') text_ += '}';
        text::append(text_, " ", value, "\n");
        return *this;
    }

    void escape(std::string_view content) {
        for (const char c : text::sanitise(content, 128)) {
            if (c == '\\' || c == '"') text_ += '\\';
            if (c == '\n')
                text_ += "\\n";
            else
                text_ += c;
        }
    }

    std::string text_;
    std::string name_;
};

inline void write_runs(PrometheusWriter& to, const Vitals& seen) {
    to.family("runs", "gauge", "Runs that are watched here, by state.");
    for (std::size_t i = 0; i < seen.runs.size(); ++i) to.sample(seen.runs[i], {{"state", run_state_names[i]}});
    to.family("progress_age_seconds", "gauge", "Of the running run that has gone longest without progress.");
    if (seen.progress_age) to.sample(in_seconds(*seen.progress_age));
    to.one("episodes_open", "gauge", "Incidents that are open.", seen.open_incidents);
    to.one("unobservable_runs", "gauge", "Runs of which nothing can be read, so that nothing is known of them.",
           seen.unobservable);
    to.one("poisoned_runs", "gauge", "Runs for which no fresh agent is started any more.", seen.poisoned);
    to.family("observer_grace", "gauge", "Runs that are not judged yet, because the watchdog itself saw nothing.")
        .sample(seen.held_by_clock, {{"cause", "clock"}})
        .sample(seen.held_by_start, {{"cause", "start"}})
        .sample(seen.held_by_gap, {{"cause", "gap"}})
        .sample(seen.held_by_source, {{"cause", "source"}});
    to.one("source_ahead_seconds", "gauge", "How far what a source told lay in the future, at most since the start.",
           in_seconds(seen.source_ahead));
    to.one("called_every_seconds", "gauge", "Median of the host's calls; 0: whenever it is to.",
           in_seconds(seen.called_every));
    to.one("runs_left", "gauge", "Runs that were due and were left for the next cycle.", seen.left);
    to.one("slow_host_classes", "gauge", "Classes that ask to be looked at more often than that.", seen.slow_classes);
}

inline void write_reports(PrometheusWriter& to, const TelemetryCounts& counts) {
    if (!counts.heard) return;
    to.one("heartbeats_total", "counter", "Heartbeats that were taken.", counts.heartbeats);
    to.family("heartbeats_rejected_total", "counter", "Reports of runs that were not taken.");
    for (std::size_t i = 1; i < counts.refused.size(); ++i)
        to.sample(counts.refused[i], {{"reason", observed_names[i]}});
    to.one("spend_tokens_total", "counter", "Tokens that runs were reported to have used.", counts.tokens);
}

inline void write_judgements(PrometheusWriter& to, const TelemetryCounts& counts) {
    to.family("detections_total", "counter", "Findings, each time that what is found of a run changed.")
        .labelled("detector", "verdict", counts.detections);
    const Suppressed& why = counts.suppressed;
    to.family("suppressed_total", "counter", "Judgements, actions and alerts that were held back.")
        .sample(why.debounce, {{"reason", "debounce"}})
        .sample(why.budget, {{"reason", "budget"}})
        .sample(why.cooldown, {{"reason", "cooldown"}})
        .sample(why.grace, {{"reason", "grace"}})
        .sample(why.silence, {{"reason", "silence"}})
        .sample(why.snooze, {{"reason", "snooze"}})
        .sample(why.flapping, {{"reason", "flapping"}})
        .sample(why.inhibit, {{"reason", "inhibit"}})
        .sample(why.unstored, {{"reason", "unstored"}})
        .sample(counts.frozen, {{"reason", "freeze"}})
        .sample(counts.shadow, {{"reason", "shadow"}});
}

inline void write_actions(PrometheusWriter& to, const TelemetryCounts& counts) {
    to.family("interventions_total", "counter",
              "Actions by what came of them; one that was done counts again as recovered or persisted.")
        .labelled("step", "outcome", counts.interventions);
    to.family("intervention_seconds", "summary", "From an action until it was known whether it helped.");
    for (const auto& [step, spent] : counts.verified)
        to.sample(spent.sum_s, {{"step", step}}, "_sum").total("_count", spent.count, {{"step", step}});
    to.family("continuations_total", "counter", "Fresh agents that were asked for, by what came of it.")
        .labelled("outcome", {}, counts.continuations);
    to.family("alerts_total", "counter", "Alerts that left the outbox.")
        .sample(counts.alerts_delivered, {{"outcome", "delivered"}})
        .sample(counts.alerts_dead, {{"outcome", "dead"}})
        .sample(counts.alerts_together, {{"outcome", "together"}});
    to.one("outbox_dead_total", "counter", "Alerts that were given up.", counts.alerts_dead);
}

inline void write_outbox(PrometheusWriter& to, const Vitals& seen) {
    to.one("outbox_pending", "gauge", "Alerts that nobody has yet.", seen.alerts_pending);
    to.one("outbox_oldest_seconds", "gauge", "Since the oldest of them was to be told; 0: there is none.",
           in_seconds(seen.oldest_alert.value_or(Duration{})));
}

inline void write_ticks(PrometheusWriter& to, const TelemetryCounts& counts) {
    to.family("tick_seconds", "histogram", "How long cycles took that somebody measured.").histogram(counts.ticks);
    to.family("tick_lateness_seconds", "histogram", "How long after their moment cycles began.")
        .histogram(counts.lateness);
    to.family("clock_jumps_total", "counter",
              "Times that the wall clock and the monotonic one went apart; forward also after a suspend.")
        .sample(counts.jumps_forward, {{"clock", "wall"}, {"direction", "forward"}})
        .sample(counts.jumps_backward, {{"clock", "wall"}, {"direction", "backward"}});
    to.family("last_healthy_tick_timestamp_seconds", "gauge", "When every stage last ran and all was stored.");
    if (counts.healthy_at) to.sample(in_seconds(counts.healthy_at->time_since_epoch()));
}

inline void write_store(PrometheusWriter& to, const Vitals& seen) {
    to.family("store_op_seconds", "summary", "Calls of the store.");
    for (std::size_t i = 0; i < seen.store.size(); ++i)
        to.sample(in_seconds(seen.store[i].spent), {{"op", store_op_names[i]}}, "_sum")
            .total("_count", seen.store[i].count, {{"op", store_op_names[i]}});
    to.family("store_errors_total", "counter", "Calls of the store that failed.");
    std::uint64_t fenced = 0;
    for (std::size_t i = 0; i < seen.store.size(); ++i)
        for (std::size_t code = 0; code < error_code_count; ++code) {
            const std::uint64_t count = seen.store[i].errors[code];
            if (count == 0) continue;
            const auto kind = static_cast<ErrorCode>(code);
            to.sample(count, {{"op", store_op_names[i]}, {"kind", name_of(kind)}});
            fenced += kind == ErrorCode::fenced ? count : 0;
        }
    to.one("fenced_writes_total", "counter", "Writes that were refused, because the lease was lost.", fenced);
    if (!seen.shares) return;
    to.one("lease_held", "gauge", "1: this watchdog may act; 0: it has no lease.", std::uint64_t{seen.may_act});
    to.one("lease_epoch", "gauge", "Of its newest lease.", seen.epoch);
}

}  // namespace detail

/// All metrics; what is not known is left out. The counters begin with the process. Pure; any thread.
[[nodiscard]] inline std::string prometheus_text(const Vitals& seen, const TelemetryCounts& counts) {
    detail::PrometheusWriter to;
    detail::write_runs(to, seen);
    detail::write_reports(to, counts);
    detail::write_judgements(to, counts);
    detail::write_actions(to, counts);
    detail::write_outbox(to, seen);
    detail::write_ticks(to, counts);
    detail::write_store(to, seen);
    return std::move(to).take();
}

/// What a watchdog that clears a context of its own adds to them (`context_clears()`).
[[nodiscard]] inline std::string prometheus_text(const ContextClears& clears) {
    detail::PrometheusWriter to;
    to.family("context_clears_total", "counter", "Clears of the monitor's own context.")
        .sample(clears.done, {{"outcome", "done"}})
        .sample(clears.failed, {{"outcome", "failed"}});
    to.family("context_cleared_size", "gauge", "Of that context just before it was cleared last, in its own unit.");
    if (clears.last_size) to.sample(*clears.last_size);
    return std::move(to).take();
}

}  // namespace heeler::inline HEELER_ABI

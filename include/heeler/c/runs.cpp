// How runs are taken in and ended, and what is asked of them; and a cycle over all of them.
#include <atomic>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <heeler/c/watchdog.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>
#include <heeler/engine/advice.hpp>
#include <heeler/explain/event_json.hpp>
#include <heeler/explain/report.hpp>

namespace heeler::inline HEELER_ABI::c {
namespace {

static_assert(HEELER_UNDEFINED == static_cast<int>(MetricKind::undefined));

RunSpec spec_of(const heeler_run_spec& given) {
    RunSpec spec;
    spec.id = text(given.id);
    spec.name = text(given.name);
    spec.task = text(given.task);
    spec.work_item = text(given.work_item);
    spec.expected = length(given.expected_us, "expected_us");
    spec.timeout = length(given.timeout_us, "timeout_us");
    spec.metric = choice(given.metric, MetricKind::undefined, "metric");
    spec.metric_name = text(given.metric_name);
    check_list(given.plan, given.plan_count, "plan", "plan_count");
    spec.plan.assign(given.plan, given.plan + given.plan_count);
    spec.tags = texts(given.tags, given.tag_count, "tags", "tag_count");
    spec.shared_run = texts(given.shared_run, given.shared_run_count, "shared_run", "shared_run_count");
    spec.parent = text(given.parent);
    spec.continues = text(given.continues);
    spec.project = text(given.project);
    spec.origin = text(given.origin);
    spec.owner = text(given.owner);
    spec.interactive = given.interactive != 0;
    spec.single_prompt = given.single_prompt != 0;
    spec.started_at = moment(given.started_at_us, "started_at_us");
    return spec;
}

enum class Anew : bool { no, yes };

int take_in(heeler_watchdog* watchdog, const heeler_run_spec* spec, heeler_started* started, Anew anew) noexcept {
    return with(watchdog, [&](heeler_watchdog& it) {
        const auto given = struct_of(spec, "heeler_run_spec");
        check_answer(started, "heeler_started");
        const std::string preset{text(given.preset).empty() ? it.preset : std::string{text(given.preset)}};
        auto run = anew == Anew::yes ? it.dog.start(spec_of(given), preset) : it.dog.attach(spec_of(given), preset);
        if (!run) throw Refused{std::move(run.error())};
        if (run->not_stored) say(HEELER_OK, run->not_stored->message);
        fill(started, {0, run->found ? 1 : 0, run->not_stored ? 0 : 1});
    });
}

CheckpointNote note_of(const heeler_checkpoint_note& given) {
    CheckpointNote note;
    if (given.has_step != 0) note.step = given.step;
    note.text = text(given.text);
    if (!text(given.reason).empty())
        note.reason = named<CheckpointReason>(text(given.reason), checkpoint_reason_names, "reason");
    note.incarnation = given.incarnation;
    return note;
}

RunEnd end_named(std::string_view how) {
    const auto state = run_state_named(how);
    const auto end = state ? run_end_of(*state) : std::nullopt;
    if (!end)
        refuse(ErrorCode::invalid_argument,
               "`how` is " + in_quotes(how) + "; it must be completed, failed or cancelled");
    return *end;
}

DecisionRow decision_of(const heeler_decision& given, WallTime now) {
    DecisionRow decision;
    decision.verb = named<Verb>(text(given.verb), verb_names, "verb");
    decision.at = now;
    decision.by = text(given.by);
    decision.until = moment(given.until_us, "until_us");
    decision.because = text(given.because);
    decision.length = Duration{given.timeout_us};
    decision.tokens = given.tokens;
    decision.micro_usd = given.micro_usd;
    if (decision.verb == Verb::silence) {
        decision.about = {std::string{text(given.run)},
                          std::string{text(given.preset)},
                          std::string{text(given.tag)},
                          std::string{text(given.kind)},
                          {}};
    } else {
        decision.run = text(given.run);
    }
    return decision;
}

/// What an agent has not answered yet is asked again; that is no error of the cycle's, and no news.
bool waits_for_agent(const Event& event) {
    const auto* const error = std::get_if<ErrorEvent>(&event);
    return error != nullptr && error->where == "control" && error->error.code == ErrorCode::busy;
}

const ErrorEvent* first_error(const CycleReport& report) {
    for (const Event& event : report.events)
        if (const auto* const error = std::get_if<ErrorEvent>(&event); error != nullptr && !waits_for_agent(event))
            return error;
    return nullptr;
}

void tell(const heeler_watchdog& watchdog, const CycleReport& report) {
    if (watchdog.tell == nullptr) return;
    const Duration now = watchdog.clock.now().wall.time_since_epoch();
    for (const Event& event : report.events)
        if (!waits_for_agent(event)) watchdog.tell(watchdog.context, to_json(event, now).c_str());
}

/// One cycle at a time, whoever asks.
class Turn {
public:
    explicit Turn(heeler_watchdog& watchdog) : in_cycle_{watchdog.in_cycle} {
        if (in_cycle_.exchange(true)) refuse(ErrorCode::busy, "a cycle is under way; the next one comes after it");
    }
    ~Turn() { in_cycle_.store(false); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    std::atomic<bool>& in_cycle_;
};

int cycle(heeler_watchdog* watchdog, heeler_cycle_report* report, TickCause cause) noexcept {
    return with(watchdog, [&](heeler_watchdog& it) {
        check_answer(report, "heeler_cycle_report");
        const Turn turn{it};
        const CycleReport all = it.dog.cycle(cause);
        fill(report, {0, all.checked, all.healthy, all.acted, all.suppressed, all.errors});
        tell(it, all);
        if (const auto* const error = first_error(all))
            refuse(error->error.code, error->where + ": " + error->error.message);
    });
}

}  // namespace
}  // namespace heeler::inline HEELER_ABI::c

using namespace heeler::c;

int heeler_start(heeler_watchdog* watchdog, const heeler_run_spec* spec, heeler_started* started) {
    return take_in(watchdog, spec, started, Anew::yes);
}

int heeler_attach(heeler_watchdog* watchdog, const heeler_run_spec* spec, heeler_started* started) {
    return take_in(watchdog, spec, started, Anew::no);
}

int heeler_checkpoint(heeler_watchdog* watchdog, const char* run, const heeler_checkpoint_note* note) {
    return with(watchdog, [&](heeler_watchdog& it) {
        const auto given = note_of(struct_of(note, "heeler_checkpoint_note"));
        taken(it.dog.checkpoint(run_of(it, run), given));
    });
}

int heeler_expect(heeler_watchdog* watchdog, const char* run, int64_t takes_us, const char* what) {
    return with(watchdog, [&](heeler_watchdog& it) {
        const heeler::Expect expect{length(takes_us, "takes_us").value_or(heeler::Duration{}), text(what)};
        taken(it.dog.expect(run_of(it, run), expect));
    });
}

int heeler_expect_over(heeler_watchdog* watchdog, const char* run, const char* what) {
    return with(watchdog, [&](heeler_watchdog& it) {
        taken(it.dog.expect(run_of(it, run), {.what = text(what), .over = true}));
    });
}

int heeler_finish(heeler_watchdog* watchdog, const char* run, const char* how) {
    return with(watchdog, [&](heeler_watchdog& it) {
        const auto end = end_named(text(how));
        taken(it.dog.finish(run_of(it, run), end));
    });
}

int heeler_decide(heeler_watchdog* watchdog, const heeler_decision* decision) {
    return with(watchdog, [&](heeler_watchdog& it) {
        taken(it.dog.decide(decision_of(struct_of(decision, "heeler_decision"), it.clock.now().wall)));
    });
}

int heeler_status(heeler_watchdog* watchdog, const char* run, const char** status) {
    return with(watchdog, [&](heeler_watchdog& it) {
        check_pointer(status, "status");
        *status = name_of(taken(it.dog.status(run_of(it, run)))).data();  // of a literal, which ends with 0
    });
}

int heeler_advice(heeler_watchdog* watchdog, const char* run, const char** advice) {
    return with(watchdog, [&](heeler_watchdog& it) {
        check_pointer(advice, "advice");
        const heeler::RunHandle of = run_of(it, run);
        *advice = name_of(heeler::advice_for(it.dog, of, it.clock.now()).course).data();  // of a literal
    });
}

int heeler_explain(heeler_watchdog* watchdog, const char* run, char** explanation) {
    return with(watchdog, [&](heeler_watchdog& it) {
        check_pointer(explanation, "text");
        *explanation = handed_out(taken(it.dog.explain(text(run))));
    });
}

int heeler_report(heeler_watchdog* watchdog, const char* run, char** json) {
    return with(watchdog, [&](heeler_watchdog& it) {
        check_pointer(json, "json");
        *json = handed_out(heeler::to_json(taken(it.dog.report(text(run)))));
    });
}

int heeler_cycle(heeler_watchdog* watchdog, heeler_cycle_report* report) {
    return cycle(watchdog, report, heeler::TickCause::period);
}

int heeler_cycle_all(heeler_watchdog* watchdog, heeler_cycle_report* report) {
    return cycle(watchdog, report, heeler::TickCause::on_demand);
}

int heeler_next_deadline(heeler_watchdog* watchdog, int64_t* in_us) {
    return with(watchdog, [&](heeler_watchdog& it) {
        check_pointer(in_us, "in_us");
        const auto next = it.dog.next_deadline();
        const auto wait = next ? *next - it.clock.now().elapsed : heeler::Duration{-1};
        *in_us = next && wait < heeler::Duration{} ? 0 : wait.count();
    });
}

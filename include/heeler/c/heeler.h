// The watchdog for C, and for whatever can call C: the engine of the C++ library behind functions. Plain C99;
// `heeler::c` (libheeler_c) has it. README.md beside this file says how it is used.
//
// Answers: a function answers `HEELER_OK` or another `heeler_code`; `heeler_error_text()` has the sentence to it. What
// it gives is written through its last pointers, and only if it answers `HEELER_OK`. No exception leaves it.
//
// Texts are UTF-8 and end with 0; a null pointer stands for an empty one. What is given is only read during the call.
// What is handed out belongs to the library, but for a `char *`, which is freed by `heeler_string_free`.
//
// Structs begin with `size`, which is `sizeof` of it: so a program goes on with a library that is newer or older. All
// else may be 0, which stands for the default. `HEELER_INIT(type)` is such a struct. Lists have at most
// 1,000,000 members.
//
// Times are microseconds; moments of the day count from 1970 in UTC.
//
// Threads: all but the cycles and `heeler_close` may be called from any thread at any time. Observations wait for no
// store and no callback; `heeler_status` only of a run that is not watched here; all others wait for the store, within
// its time limit. A second cycle meanwhile answers `HEELER_BUSY`.
//
// Fork: a watchdog is the process's that opened it. In a child made by `fork` every function answers
// `HEELER_INVALID_ARGUMENT` about it, and it cannot be closed there; the child may open others.
#ifndef HEELER_C_HEELER_H
#define HEELER_C_HEELER_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HEELER_API __attribute__((visibility("default")))
#else
#define HEELER_API
#endif

/// `heeler_options options = HEELER_INIT(heeler_options);`
#define HEELER_INIT(type) \
    { .size = sizeof(type) }

#if defined(__cplusplus)
extern "C" {
#endif

/// What functions answer, and callbacks. Numbers stay; new ones may be added.
enum heeler_code {
    HEELER_OK = 0,
    HEELER_INVALID_ARGUMENT,  ///< a value outside its limits; nothing was changed
    HEELER_UNKNOWN_RUN,       ///< no run has this id; of an observation: it is not watched here, or over
    HEELER_ENDED,             ///< the run is over; nothing was changed
    HEELER_FENCED,            ///< sent by an agent that was replaced
    HEELER_DUPLICATE,         ///< a run with this id is registered already
    HEELER_UNSUPPORTED,       ///< there is no such verb, or no such store in this library
    HEELER_REJECTED,          ///< the agent refused the action
    HEELER_FAILED,            ///< the action was tried and did not work
    HEELER_TIMED_OUT,         ///< no answer in time: whether it happened is unknown
    HEELER_BUSY,              ///< someone else holds the store, or a cycle is under way; try again
    HEELER_FULL,              ///< no space left for the store
    HEELER_READ_ONLY,         ///< the store cannot be written
    HEELER_CORRUPT,           ///< the store's content is damaged
    HEELER_NOT_A_STORE,       ///< the file or database is something else and was left alone
    HEELER_NEWER_SCHEMA,      ///< written by a newer heeler that this one must not touch
    HEELER_OLDER_SCHEMA,      ///< written by an older heeler, in a layout that this one does not read
    HEELER_IO,                ///< the environment failed in another way
    HEELER_CONFLICT,          ///< somebody else changed it, or has the run
    HEELER_LOST,              ///< the connection to the store is gone
    HEELER_NO_RECIPIENT,      ///< nobody listens on this route
    HEELER_DELIVERY_FAILED,   ///< the alert did not go out; trying again may help
    HEELER_PERMANENT,         ///< the alert can never go out this way
    HEELER_UNSTORABLE,        ///< the store refuses a row of it
    HEELER_UNDER_WAY,         ///< the alert is being sent: ask again with the same key what became of it
    HEELER_INTERNAL = 100     ///< no memory, or a callback threw what no function expects
};

/// "0.1.0".
HEELER_API const char* heeler_version(void);

/// What the last function that failed in this thread has to say, as one sentence; until the next call in this thread.
HEELER_API const char* heeler_error_text(void);

/// Frees what a function handed out as `char *`; null is nothing.
HEELER_API void heeler_string_free(char* text);

// --- the callbacks of a host -----------------------------------------------------------------------------------------
//
// `notify`, `act`, `find`, `prove_stopped` and `tell` are called by the thread that is in a cycle, which waits for
// them; observations of other threads do not. They may call all but cycles and `heeler_close`, which answer
// `HEELER_BUSY`. `now` and `wake` are called by any thread and must not block; what they call here answers
// `HEELER_BUSY`. What a callback throws goes no further: of `act` it counts as `HEELER_TIMED_OUT`, of `notify` as
// `HEELER_DELIVERY_FAILED`, of `find` and `prove_stopped` as unknown; of `now`, `wake` and `tell` it makes the function
// that called it fail. What a callback is given stays valid for the call.

/// What can be done to an agent, a bit each.
enum heeler_verb {
    HEELER_INJECT = 1,
    HEELER_PAUSE = 2,
    HEELER_RESUME = 4,
    HEELER_ISOLATE = 8,
    HEELER_SNAPSHOT = 16,
    HEELER_TERMINATE = 32,
    HEELER_SPAWN = 64
};

/// What is asked of `act`.
typedef struct heeler_action {
    size_t size;
    int verb;              ///< one `heeler_verb`
    uint32_t attempt;      ///< of the incident, from 1
    const char* run;       ///< its id
    const char* key;       ///< stable: the same action, asked again, has the same
    const char* text;      ///< what to tell the agent, or why it is asked
    const char* message;   ///< what the text is: "reason", "nudge", "break_pattern", "steer" or "brief"
    const char* boundary;  ///< when it may reach the agent: "now" or "next_turn"
    const char* asker;     ///< this watchdog among several; "alone" otherwise
    uint64_t fence;        ///< grows: a resource that was asked under a higher one refuses a lower one
    int64_t silent_us;     ///< for so long the agent has shown no work
    int repeated;          ///< asked before without an answer: that request may take effect yet
} heeler_action;

/// Three kinds of trouble.
enum heeler_severity { HEELER_NO_TROUBLE, HEELER_WARNING, HEELER_CRITICAL };

/// What people are to be told.
typedef struct heeler_alert {
    size_t size;
    const char* key;      ///< stable: a repeated delivery has the same
    const char* kind;     ///< "run.unhealthy", "run.recovered", "escalation", ...
    const char* to;       ///< route; empty: the default
    const char* run;      ///< its id; empty: about the watchdog itself
    const char* summary;  ///< one line
    const char* json;     ///< all of it, as webhooks get it
    int severity;
    uint32_t attempt;  ///< of the delivery, from 1
} heeler_alert;

/// What `find` answers of an action: whether it took effect.
enum heeler_found { HEELER_FOUND_UNKNOWN, HEELER_FOUND, HEELER_ABSENT };

/// What `prove_stopped` answers of a run's agent. Stopped only if that was seen.
enum heeler_proof { HEELER_PROOF_UNKNOWN, HEELER_STOPPED, HEELER_RUNNING };

// --- a watchdog ------------------------------------------------------------------------------------------------------

typedef struct heeler_watchdog heeler_watchdog;

typedef struct heeler_options {
    size_t size;
    const char* store;     ///< "memory", "sqlite:PATH" or "postgres:URL"
    const char* preset;    ///< of runs that name none; empty: "recommended"
    const char* settings;  ///< one JSON object, laid over the preset; empty: as it is
    const char* holder;    ///< the name of this watchdog, if several share the store; the same after a restart
    void* context;         ///< what the callbacks are called with
    /// Tells people. `HEELER_OK`: somebody has it. Null: a line on standard error. `note`, of `note_size` bytes, takes
    /// who has it, or why nobody has.
    int (*notify)(void* context, const heeler_alert* alert, char* note, size_t note_size);
    /// Does something to an agent, and is asked for the `verbs` alone. `HEELER_OK`: it was done. `HEELER_REJECTED`,
    /// `HEELER_UNSUPPORTED`, `HEELER_FAILED`, `HEELER_ENDED`: certainly nothing happened. `HEELER_BUSY`: not yet, ask
    /// again. Anything else: it may have happened. Null: people are told instead.
    int (*act)(void* context, const heeler_action* action, char* note, size_t note_size);
    unsigned verbs;
    int idempotent;  ///< not 0: `act` does the same thing once, however often it is asked under one key
    /// Whether the action of this key took effect (`heeler_found`). Null: nobody can tell.
    int (*find)(void* context, const char* key);
    /// Whether the run's agent has stopped (`heeler_proof`). Null: nobody can tell.
    int (*prove_stopped)(void* context, const char* run);
    /// Tells the time: one clock that never goes back, and the time of day. Null: those of the machine.
    void (*now)(void* context, int64_t* elapsed_us, int64_t* wall_us);
    /// Something must be looked at before the moment that `heeler_next_deadline` answered last. Null: nobody sleeps.
    void (*wake)(void* context);
    /// Is told at the end of each cycle what it found and did, one JSON object a call, in the form of heeler-serve:
    /// `status`, `outcome`, `action`, `alert`, `audit`, `error`, with `t` in seconds since 1970. Null: nobody listens.
    void (*tell)(void* context, const char* line);
} heeler_options;

/// Opens the store and reads it; does nothing to any run. Error: what is wrong with the options, the settings (each of
/// them is named) or the store; nothing is open then.
HEELER_API int heeler_open(const heeler_options* options, heeler_watchdog** opened);

/// Makes another preset known, for runs that name it, or changes the settings of one. Those that the store holds runs
/// of are made known before the first cycle.
HEELER_API int heeler_define(heeler_watchdog* watchdog, const char* preset, const char* settings);

/// Stores the rest and frees the watchdog; null is nothing. Runs go on in the store. No other call may be under way or
/// follow. Error: what could not be stored, it is freed all the same; but `HEELER_BUSY`: it was called by a callback,
/// or while a cycle is under way, and is still open.
HEELER_API int heeler_close(heeler_watchdog* watchdog);

typedef struct heeler_cycle_report {
    size_t size;
    uint64_t checked;     ///< runs that were judged
    uint64_t healthy;     ///< of these
    uint64_t acted;       ///< rungs that were decided
    uint64_t suppressed;  ///< what was held back
    uint64_t errors;
} heeler_cycle_report;

/// Judges what is due, acts, and tells people, until nothing follows. `report` may be null, and is filled in any case.
/// Error: the first one of the cycle; the next cycle tries again.
HEELER_API int heeler_cycle(heeler_watchdog* watchdog, heeler_cycle_report* report);

/// The same with every run, whether it is due or not: because somebody asks.
HEELER_API int heeler_cycle_all(heeler_watchdog* watchdog, heeler_cycle_report* report);

/// How long the host may sleep until the next cycle: 0 not at all, -1 until something is reported (`wake`).
HEELER_API int heeler_next_deadline(heeler_watchdog* watchdog, int64_t* in_us);

/// The presets that are known here, with all their settings.
HEELER_API int heeler_describe(heeler_watchdog* watchdog, char** text);

// --- runs ------------------------------------------------------------------------------------------------------------

/// What counts as progress of a run.
enum heeler_metric { HEELER_OUTPUT_LINES, HEELER_REPORTED, HEELER_UNDEFINED };

typedef struct heeler_run_spec {
    size_t size;
    const char* id;         ///< 1 to 128 bytes without control characters; empty: `name`
    const char* name;       ///< for people; empty: `id`
    const char* task;       ///< the goal, as a nudge restates it
    const char* work_item;  ///< at most 256 KiB
    const char* preset;     ///< empty: that of `heeler_open`
    int64_t expected_us;    ///< how long it should take; 0: nobody knows
    int64_t timeout_us;     ///< a hard limit; 0: none
    int metric;             ///< a `heeler_metric`
    const char* metric_name;
    const int64_t* plan;  ///< step numbers
    size_t plan_count;
    const char* const* tags;
    size_t tag_count;
    const char* const* shared_run;  ///< other agents in the same run
    size_t shared_run_count;
    const char* parent;
    const char* project;
    const char* origin;     ///< the route that its alerts go to
    const char* owner;      ///< who alone may snooze it; empty: anybody
    int interactive;        ///< a person guides each step: not watched
    int single_prompt;      ///< one prompt, one answer: not watched
    int64_t started_at_us;  ///< 0: now
    const char* continues;  ///< the run whose work it takes up under an id of its own; empty: none
} heeler_run_spec;

typedef struct heeler_started {
    size_t size;
    int found;   ///< it was known before: its agent may be at work
    int stored;  ///< 0: it is watched in memory, and `heeler_error_text` says why
} heeler_started;

/// Registers a run that must be new (`HEELER_DUPLICATE`). `started` may be null.
HEELER_API int heeler_start(heeler_watchdog* watchdog, const heeler_run_spec* spec, heeler_started* started);

/// Takes up the run of this id, or starts it: for each run that a host knows of, after a restart or not.
HEELER_API int heeler_attach(heeler_watchdog* watchdog, const heeler_run_spec* spec, heeler_started* started);

typedef struct heeler_checkpoint_note {
    size_t size;
    const char* text;
    const char* reason;  ///< empty: "scheduled"
    int64_t step;
    int has_step;
    uint32_t incarnation;  ///< of the agent that wrote it; 0: the current one
} heeler_checkpoint_note;

/// Records durable progress.
HEELER_API int heeler_checkpoint(heeler_watchdog* watchdog, const char* run, const heeler_checkpoint_note* note);

/// Something takes long from now on: `what`, for people. Until it is over, and at most so long, silence of the run is
/// no stall, and none of that time counts as silence afterwards. Error: `HEELER_INVALID_ARGUMENT`, and no time is
/// given: the preset gives it so often, and so much, from progress to progress (`expect.most`, `expect.total_s`).
HEELER_API int heeler_expect(heeler_watchdog* watchdog, const char* run, int64_t takes_us, const char* what);

/// The newest of this text is over; of an empty one the newest of all.
HEELER_API int heeler_expect_over(heeler_watchdog* watchdog, const char* run, const char* what);

/// Ends a run durably: `how` is "completed", "failed" or "cancelled".
HEELER_API int heeler_finish(heeler_watchdog* watchdog, const char* run, const char* how);

typedef struct heeler_decision {
    size_t size;
    const char* verb;  ///< "snooze", "continue", "dismiss", "ack", "resume", "mark_wrong", "freeze", "silence", ...
    const char* run;
    const char* by;
    int64_t until_us;     ///< 0: without an end
    const char* because;  ///< why; a silence needs it. What follows says which alerts one is about
    const char* preset;
    const char* tag;
    const char* kind;
    int64_t timeout_us;  ///< of a "limit": what the run's own time limit becomes; 0: it stays
    int64_t tokens;      ///< of a "limit": likewise its own budget of tokens
    int64_t micro_usd;   ///< of a "limit": and of money, in millionths of a dollar
} heeler_decision;

/// Writes an operator's decision durably; the next cycle applies it.
HEELER_API int heeler_decide(heeler_watchdog* watchdog, const heeler_decision* decision);

/// "HEALTHY", "STALLED", "RUNAWAY", "LOOP_DETECTED", "TIMEOUT" or "RECOVERED"; valid for ever.
HEELER_API int heeler_status(heeler_watchdog* watchdog, const char* run, const char** status);

/// What the agent of the run is to do: "continue", "wind_down", "pause" or "stop"; valid for ever. Of a run that is
/// over it is an error, as of `heeler_status`.
HEELER_API int heeler_advice(heeler_watchdog* watchdog, const char* run, const char** advice);

/// Why the run was judged as it was, for people; from stored data.
HEELER_API int heeler_explain(heeler_watchdog* watchdog, const char* run, char** text);

/// What became of the run, as one JSON object.
HEELER_API int heeler_report(heeler_watchdog* watchdog, const char* run, char** json);

// --- observations: what a run does; none waits for anything ----------------------------------------------------------

/// Whether an agent of the run is still heard, before what it says is reported: each `HEELER_SPAWN` begins the next
/// incarnation, counted from 1. `HEELER_FENCED`: this one was replaced; it should stop, and is not reported of.
HEELER_API int heeler_observe_incarnation(heeler_watchdog* watchdog, const char* run, uint32_t incarnation);

/// It is alive. `seq` counts those of the sender; 0: they are not counted.
HEELER_API int heeler_observe_heartbeat(heeler_watchdog* watchdog, const char* run, uint64_t seq);

/// The value of its metric now.
HEELER_API int heeler_observe_progress(heeler_watchdog* watchdog, const char* run, int64_t value);

/// What it printed, split anywhere: `size` bytes, any bytes. `partial`: the last line is not finished.
HEELER_API int heeler_observe_output(heeler_watchdog* watchdog, const char* run, const char* text, size_t size,
                                     int partial);

typedef struct heeler_tool_call {
    size_t size;
    const char* name;
    const char* args;  ///< JSON, or plain text
    const char* call_id;
    int64_t timeout_us;  ///< how long it may take, as its caller declared it; 0: it did not
    uint32_t turn;       ///< of the model, from 1; 0: nobody knows
} heeler_tool_call;

HEELER_API int heeler_observe_tool_call(heeler_watchdog* watchdog, const char* run, const heeler_tool_call* call);

/// Whether a call worked.
enum heeler_success { HEELER_UNSAID, HEELER_WORKED, HEELER_DID_NOT_WORK };

typedef struct heeler_tool_result {
    size_t size;
    int success;  ///< a `heeler_success`
    const char* output;
    size_t output_size;       ///< bytes, any bytes
    const char* call_id;      ///< empty: of the oldest open call
    const char* output_hash;  ///< digest of the whole output, where `output` is cut
} heeler_tool_result;

HEELER_API int heeler_observe_tool_result(heeler_watchdog* watchdog, const char* run, const heeler_tool_result* result);

enum heeler_role { HEELER_ASSISTANT, HEELER_THINKING, HEELER_USER };

typedef struct heeler_message {
    size_t size;
    int role;  ///< a `heeler_role`
    const char* text;
    int automatic;  ///< not 0: no person wrote it
} heeler_message;

HEELER_API int heeler_observe_message(heeler_watchdog* watchdog, const char* run, const heeler_message* message);

/// Consumed since the last such report.
typedef struct heeler_usage {
    size_t size;
    int64_t tokens_in;
    int64_t tokens_out;
    int64_t api_calls;
    int64_t bytes_written;
    double cost_usd;
} heeler_usage;

HEELER_API int heeler_observe_usage(heeler_watchdog* watchdog, const char* run, const heeler_usage* usage);

typedef struct heeler_state {
    size_t size;
    const char* state;     ///< "running", "waiting_human", "waiting_child", "rate_limited", "paused", "queued", ...
    const char* reported;  ///< in its own words
    int64_t until_us;      ///< when a rate limit ends; 0: nobody knows
    const char* prompt;    ///< what it waits for
    const char* outcome;
} heeler_state;

HEELER_API int heeler_observe_state(heeler_watchdog* watchdog, const char* run, const heeler_state* state);

/// Its context was condensed.
HEELER_API int heeler_observe_compaction(heeler_watchdog* watchdog, const char* run, int64_t tokens_before,
                                         int64_t tokens_after);

/// How much is used of what it needs: a quota, a disk, its context window.
HEELER_API int heeler_observe_resource(heeler_watchdog* watchdog, const char* run, const char* name, int64_t used,
                                       int64_t limit);

/// Whether its output can be read from now on.
HEELER_API int heeler_observe_output_access(heeler_watchdog* watchdog, const char* run, int readable);

/// Something else shows that it lives: a file's time, a child.
HEELER_API int heeler_observe_liveness(heeler_watchdog* watchdog, const char* run, const char* source);

/// The same of children that are no runs here. `progress` is counted over all of them: more than ever before, and one
/// has made progress, which is credited to the run.
HEELER_API int heeler_observe_child_progress(heeler_watchdog* watchdog, const char* run, const char* source,
                                             uint64_t progress);

#if defined(__cplusplus)
}
#endif

#endif

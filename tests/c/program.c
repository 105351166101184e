// A C program that has its runs watched: what a host does from the first call to the next process, and what it does
// wrong. Its argument is a folder of its own.
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

/// A call and its result, and a second later a cycle.
static void call_tool(struct host* host, heeler_watchdog* watchdog, const char* run, const char* args,
                      const char* output) {
    report_call(watchdog, run, args, output);
    pass_time(host, 1000000);
    CHECK_OK(heeler_cycle(watchdog, NULL));
}

static void go_round_in_circles(struct host* host, heeler_watchdog* watchdog, const char* run) {
    int i;
    for (i = 0; i < 6; ++i) call_tool(host, watchdog, run, "{\"command\":\"make test\"}", "2 tests failed");
}

static const char* status_of(heeler_watchdog* watchdog, const char* run) {
    const char* status = "";
    const char* advice = "";
    CHECK_OK(heeler_advice(watchdog, run, &advice));
    CHECK(strcmp(advice, "continue") == 0 || strcmp(advice, "pause") == 0);
    CHECK_OK(heeler_status(watchdog, run, &status));
    return status;
}

static heeler_watchdog* opened(struct host* host, const char* store) {
    const heeler_options options = options_of(host, store);
    heeler_watchdog* watchdog = NULL;
    CHECK_OK(heeler_open(&options, &watchdog));
    if (watchdog == NULL) exit(1);
    return watchdog;
}

/// Its work goes on: each time something else comes of it.
static void recover(struct host* host, heeler_watchdog* watchdog, const char* run) {
    heeler_checkpoint_note note = HEELER_INIT(heeler_checkpoint_note);
    int i;
    note.text = "parser ported";
    note.step = 1;
    note.has_step = 1;
    CHECK_OK(heeler_checkpoint(watchdog, run, &note));
    for (i = 0; i < 200; ++i) {
        char args[64], output[64];
        snprintf(args, sizeof args, "{\"command\":\"edit file_%d.c\"}", i);
        snprintf(output, sizeof output, "wrote function number %d of %d", i, i * i);
        call_tool(host, watchdog, run, args, output);
    }
}

static void check_texts(heeler_watchdog* watchdog, const char* run) {
    char* text = NULL;
    CHECK_OK(heeler_explain(watchdog, run, &text));
    CHECK(text != NULL && strstr(text, "LOOP_DETECTED") != NULL);
    heeler_string_free(text);
    CHECK_OK(heeler_report(watchdog, run, &text));
    CHECK(text != NULL && text[0] == '{' && strstr(text, "\"run\":\"nightly\"") != NULL);
    heeler_string_free(text);
    CHECK_OK(heeler_describe(watchdog, &text));
    CHECK(text != NULL && strstr(text, "recommended") != NULL);
    heeler_string_free(text);
    heeler_string_free(NULL);
}

static void a_run_loops_and_recovers(const char* store) {
    struct host host = {0};
    heeler_watchdog* watchdog = opened(&host, store);
    heeler_cycle_report report = HEELER_INIT(heeler_cycle_report);
    int64_t in_us = 0;
    CHECK_OK(heeler_next_deadline(watchdog, &in_us));
    CHECK(in_us == -1);
    start_run(watchdog, "nightly");
    CHECK_OK(heeler_next_deadline(watchdog, &in_us));
    CHECK(in_us >= 0 && in_us <= 60000000);
    CHECK_OK(heeler_observe_heartbeat(watchdog, "nightly", 1));
    CHECK(strcmp(status_of(watchdog, "nightly"), "HEALTHY") == 0);
    go_round_in_circles(&host, watchdog, "nightly");
    CHECK(strcmp(status_of(watchdog, "nightly"), "LOOP_DETECTED") == 0);
    CHECK(strcmp(host.last_message, "1 nudge") == 0);
    CHECK(strcmp(host.last_run, "nightly") == 0);
    CHECK(strcmp(host.kinds, "run.unhealthy ") == 0);
    CHECK(strstr(host.last_json, "\"id\":\"nightly\"") != NULL);
    recover(&host, watchdog, "nightly");
    CHECK(strcmp(status_of(watchdog, "nightly"), "HEALTHY") == 0);
    CHECK(strcmp(host.kinds, "run.unhealthy run.recovered ") == 0);
    CHECK(host.actions == 1);
    pass_time(&host, 1000000);
    CHECK_OK(heeler_cycle(watchdog, &report));
    CHECK(report.checked == 1 && report.healthy == 1 && report.errors == 0);
    check_texts(watchdog, "nightly");
    CHECK_OK(heeler_close(watchdog));
}

static void the_next_process_finds_it(const char* store) {
    struct host host = {0};
    heeler_watchdog* watchdog;
    heeler_run_spec spec = HEELER_INIT(heeler_run_spec);
    heeler_started started = HEELER_INIT(heeler_started);
    host.now_us = 3600000000;
    watchdog = opened(&host, store);
    spec.id = "nightly";
    CHECK_REFUSED(HEELER_DUPLICATE, "nightly", heeler_start(watchdog, &spec, NULL));
    CHECK_OK(heeler_attach(watchdog, &spec, &started));
    CHECK(started.found == 1 && started.stored == 1);
    check_texts(watchdog, "nightly");
    CHECK_OK(heeler_finish(watchdog, "nightly", "completed"));
    CHECK_REFUSED(HEELER_UNKNOWN_RUN, "it is over", heeler_observe_heartbeat(watchdog, "nightly", 0));
    CHECK_REFUSED(HEELER_ENDED, "nightly", heeler_finish(watchdog, "nightly", "completed"));
    CHECK_OK(heeler_cycle(watchdog, NULL));
    CHECK_OK(heeler_close(watchdog));
}

static void every_kind_is_taken(void) {
    struct host host = {0};
    heeler_watchdog* watchdog = opened(&host, "memory");
    heeler_message message = HEELER_INIT(heeler_message);
    heeler_usage usage = HEELER_INIT(heeler_usage);
    heeler_state state = HEELER_INIT(heeler_state);
    heeler_decision decision = HEELER_INIT(heeler_decision);
    start_run(watchdog, "r");
    message.text = "Now the parser";
    usage.tokens_in = 100;
    state.state = "waiting_human";
    state.prompt = "Which branch?";
    decision.verb = "freeze";
    decision.by = "ann";
    CHECK_OK(heeler_observe_progress(watchdog, "r", 3));
    CHECK_OK(heeler_observe_output(watchdog, "r", "a\0b\n", 4, 0));
    CHECK_OK(heeler_observe_output(watchdog, "r", NULL, 0, 0));
    CHECK_OK(heeler_observe_message(watchdog, "r", &message));
    CHECK_OK(heeler_observe_usage(watchdog, "r", &usage));
    CHECK_OK(heeler_observe_compaction(watchdog, "r", 1000, 100));
    CHECK_OK(heeler_observe_resource(watchdog, "r", "context", 10, 100));
    CHECK_OK(heeler_observe_output_access(watchdog, "r", 1));
    CHECK_OK(heeler_observe_liveness(watchdog, "r", "child"));
    CHECK_OK(heeler_observe_child_progress(watchdog, "r", "child", 1));
    CHECK_OK(heeler_expect(watchdog, "r", INT64_C(1200000000), "cargo build"));
    CHECK_OK(heeler_expect_over(watchdog, "r", "cargo build"));
    CHECK_OK(heeler_observe_state(watchdog, "r", &state));
    CHECK_OK(heeler_observe_incarnation(watchdog, "r", 1));
    CHECK_OK(heeler_decide(watchdog, &decision));
    CHECK_OK(heeler_define(watchdog, "long_run", "{\"mode\":\"shadow\"}"));
    CHECK_OK(heeler_cycle(watchdog, NULL));
    CHECK_OK(heeler_close(watchdog));
}

static int has_stopped(void* context, const char* run) {
    (void)context;
    return strcmp(run, "r") == 0 ? HEELER_STOPPED : HEELER_PROOF_UNKNOWN;
}

/// It writes no checkpoint any more.
static void a_fresh_agent_goes_on(void) {
    struct host host = {0};
    heeler_options options = options_of(&host, "memory");
    heeler_watchdog* watchdog = NULL;
    int i;
    options.preset = "checkpoint_continuation";
    options.verbs = HEELER_SPAWN;
    options.prove_stopped = has_stopped;
    CHECK_OK(heeler_open(&options, &watchdog));
    start_run(watchdog, "r");
    for (i = 0; i < 90 && host.actions == 0; ++i) {
        pass_time(&host, 60000000);
        CHECK_OK(heeler_cycle(watchdog, NULL));
    }
    CHECK(strcmp(host.last_message, "64 brief") == 0);
    CHECK_OK(heeler_observe_incarnation(watchdog, "r", 2));
    CHECK_REFUSED(HEELER_FENCED, "another agent", heeler_observe_incarnation(watchdog, "r", 1));
    CHECK_OK(heeler_close(watchdog));
}

static void open_refuses(heeler_options options, int code, const char* sentence) {
    heeler_watchdog* watchdog = NULL;
    CHECK_REFUSED(code, sentence, heeler_open(&options, &watchdog));
    CHECK(watchdog == NULL);
}

static void what_cannot_be_opened_is_said(const char* folder) {
    struct host host = {0};
    heeler_watchdog* watchdog = NULL;
    const heeler_options good = options_of(&host, "memory");
    struct {
        heeler_options known;
        int more;
    } newer;
    char path[512];
    heeler_options bad = good;
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "`heeler_options` is null", heeler_open(NULL, &watchdog));
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "`opened` is null", heeler_open(&good, NULL));
    bad.size = 0;
    open_refuses(bad, HEELER_INVALID_ARGUMENT, "set it to sizeof(heeler_options)");
    bad.size = SIZE_MAX;  // which somebody forgot to set: nothing is read that may not be there
    open_refuses(bad, HEELER_INVALID_ARGUMENT, "set it to sizeof(heeler_options)");
    bad = good;
    bad.store = "mysql:x";
    open_refuses(bad, HEELER_INVALID_ARGUMENT, "'mysql:x'; it must be memory, sqlite:PATH or postgres:URL");
    bad.store = NULL;
    open_refuses(bad, HEELER_INVALID_ARGUMENT, "it must be memory");
    snprintf(path, sizeof path, "sqlite:%s/none/store.db", folder);
    bad.store = path;
    open_refuses(bad, HEELER_IO, "none/store.db");
    bad = good;
    bad.preset = "recomended";
    open_refuses(bad, HEELER_INVALID_ARGUMENT, "no preset 'recomended'; known are recommended");
    bad = good;
    bad.settings = "{\"interval_s\":60";
    open_refuses(bad, HEELER_INVALID_ARGUMENT, "settings: not JSON");
    bad.settings = "{\"interval_s\":-1,\"intervall\":1}";
    open_refuses(bad, HEELER_INVALID_ARGUMENT, "interval_s");
    CHECK(strstr(heeler_error_text(), "intervall") != NULL);
    bad.settings = "{\"name_regex\":\"code-(7\"}";
    open_refuses(bad, HEELER_INVALID_ARGUMENT, "'name_regex' is 'code-(7', but must be an extended regular expression");
    bad = good;
    bad.verbs = 0;
    open_refuses(bad, HEELER_INVALID_ARGUMENT, "`verbs` is 0");
    bad.verbs = 1024;
    open_refuses(bad, HEELER_INVALID_ARGUMENT, "1024");
    memset(&newer, 0, sizeof newer);
    newer.known = good;
    newer.known.size = sizeof newer;
    newer.more = 1;
    CHECK_REFUSED(HEELER_UNSUPPORTED, "does not know", heeler_open(&newer.known, &watchdog));
    newer.more = 0;
    CHECK_OK(heeler_open(&newer.known, &watchdog));
    CHECK_OK(heeler_close(watchdog));
}

static void what_cannot_be_taken_is_said(void) {
    struct host host = {0};
    heeler_watchdog* watchdog = opened(&host, "memory");
    heeler_run_spec spec = HEELER_INIT(heeler_run_spec);
    heeler_state state = HEELER_INIT(heeler_state);
    heeler_tool_result result = HEELER_INIT(heeler_tool_result);
    heeler_usage usage = HEELER_INIT(heeler_usage);
    heeler_decision decision = HEELER_INIT(heeler_decision);
    const char* status = NULL;
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "`watchdog` is null", heeler_cycle(NULL, NULL));
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "id", heeler_start(watchdog, &spec, NULL));
    spec.id = "r";
    spec.metric = 7;
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "`metric` is 7; it must be 0 to 2", heeler_start(watchdog, &spec, NULL));
    spec.metric = 0;
    spec.timeout_us = -5;
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "`timeout_us` is -5", heeler_start(watchdog, &spec, NULL));
    spec.timeout_us = 0;
    spec.tag_count = 1;
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "`tags` is null", heeler_start(watchdog, &spec, NULL));
    spec.tags = &spec.id;
    spec.tag_count = SIZE_MAX;
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "`tag_count` is ", heeler_start(watchdog, &spec, NULL));
    spec.tag_count = 0;
    spec.plan = &spec.expected_us;
    spec.plan_count = SIZE_MAX;
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "`plan_count` is ", heeler_start(watchdog, &spec, NULL));
    spec.plan_count = 0;
    spec.preset = "long_run";
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "long_run", heeler_start(watchdog, &spec, NULL));
    CHECK_REFUSED(HEELER_UNKNOWN_RUN, "'r' is not watched here", heeler_observe_progress(watchdog, "r", 1));
    CHECK_REFUSED(HEELER_UNKNOWN_RUN, "r", heeler_status(watchdog, "r", &status));
    start_run(watchdog, "r");
    CHECK_REFUSED(HEELER_UNKNOWN_RUN, "''", heeler_observe_progress(watchdog, NULL, 1));
    state.state = "sleeping";
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "no state 'sleeping'; known are queued, running",
                  heeler_observe_state(watchdog, "r", &state));
    result.output_size = 3;
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "`output` is null", heeler_observe_tool_result(watchdog, "r", &result));
    result.output_size = 0;
    result.success = 3;
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "`success` is 3", heeler_observe_tool_result(watchdog, "r", &result));
    usage.tokens_in = -1;
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "outside its limits", heeler_observe_usage(watchdog, "r", &usage));
    decision.verb = "forget";
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "no verb 'forget'", heeler_decide(watchdog, &decision));
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "completed, failed or cancelled", heeler_finish(watchdog, "r", "done"));
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "`takes_us` is -1", heeler_expect(watchdog, "r", -1, "make"));
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "`make` must take some time", heeler_expect(watchdog, "r", 0, "make"));
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "`make` has not begun", heeler_expect_over(watchdog, "r", "make"));
    CHECK_REFUSED(HEELER_UNKNOWN_RUN, "nobody", heeler_expect(watchdog, "nobody", 1, "make"));
    CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "`text` is null", heeler_explain(watchdog, "r", NULL));
    CHECK_OK(heeler_close(watchdog));
    CHECK_OK(heeler_close(NULL));
}

// --- callbacks that call back, and that block ---

static int act_and_call_back(void* context, const heeler_action* action, char* note, size_t note_size) {
    struct host* host = (struct host*)context;
    char* text = NULL;
    CHECK_OK(heeler_observe_heartbeat(host->watchdog, action->run, 0));
    CHECK_OK(heeler_explain(host->watchdog, action->run, &text));
    heeler_string_free(text);
    start_run(host->watchdog, "started by a callback");
    CHECK_REFUSED(HEELER_BUSY, "a cycle is under way", heeler_cycle(host->watchdog, NULL));
    CHECK_REFUSED(HEELER_BUSY, "close the watchdog after it", heeler_close(host->watchdog));
    memset(note, 'x', note_size);  // without an end
    ++host->actions;
    return HEELER_OK;
}

static void now_that_calls_back(void* context, int64_t* elapsed_us, int64_t* wall_us) {
    struct host* host = (struct host*)context;
    if (host->watchdog != NULL)
        CHECK_REFUSED(HEELER_BUSY, "may not call heeler", heeler_observe_heartbeat(host->watchdog, "r", 0));
    host_now(context, elapsed_us, wall_us);
}

static void wake_that_calls_back(void* context) {
    struct host* host = (struct host*)context;
    ++host->alerts;
    CHECK_REFUSED(HEELER_BUSY, "may not call heeler", heeler_cycle(host->watchdog, NULL));
}

static void callbacks_may_call_back(void) {
    struct host host = {0};
    heeler_options options = options_of(&host, "memory");
    int64_t in_us = 0;
    options.act = act_and_call_back;
    CHECK_OK(heeler_open(&options, &host.watchdog));
    start_run(host.watchdog, "r");
    go_round_in_circles(&host, host.watchdog, "r");
    CHECK(host.actions == 1);
    CHECK(strcmp(status_of(host.watchdog, "started by a callback"), "HEALTHY") == 0);
    CHECK_OK(heeler_close(host.watchdog));

    memset(&host, 0, sizeof host);
    options = options_of(&host, "memory");
    options.now = now_that_calls_back;
    options.wake = wake_that_calls_back;
    CHECK_OK(heeler_open(&options, &host.watchdog));
    CHECK_OK(heeler_next_deadline(host.watchdog, &in_us));
    start_run(host.watchdog, "r");
    CHECK(host.alerts == 1);
    CHECK_OK(heeler_close(host.watchdog));
}

struct gate {
    struct host host;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int reached, open;
};

static int act_and_block(void* context, const heeler_action* action, char* note, size_t note_size) {
    struct gate* gate = (struct gate*)context;
    (void)action, (void)note, (void)note_size;
    pthread_mutex_lock(&gate->lock);
    gate->reached = 1;
    pthread_cond_broadcast(&gate->moved);
    while (!gate->open) pthread_cond_wait(&gate->moved, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
    return HEELER_OK;
}

static void* loop_in_thread(void* context) {
    struct gate* gate = (struct gate*)context;
    go_round_in_circles(&gate->host, gate->host.watchdog, "r");
    return NULL;
}

static void who_blocks_holds_up_the_cycle_alone(void) {
    struct gate gate = {{0}, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
    heeler_options options = options_of(&gate.host, "memory");
    pthread_t thread;
    int i;
    options.act = act_and_block;
    options.context = &gate;  // whose first member is the host
    CHECK_OK(heeler_open(&options, &gate.host.watchdog));
    start_run(gate.host.watchdog, "r");
    start_run(gate.host.watchdog, "other");
    pthread_create(&thread, NULL, loop_in_thread, &gate);
    pthread_mutex_lock(&gate.lock);
    while (!gate.reached) pthread_cond_wait(&gate.moved, &gate.lock);
    pthread_mutex_unlock(&gate.lock);
    for (i = 0; i < 1000; ++i) CHECK_OK(heeler_observe_heartbeat(gate.host.watchdog, "other", 0));
    CHECK(strcmp(status_of(gate.host.watchdog, "r"), "LOOP_DETECTED") == 0);
    start_run(gate.host.watchdog, "new");
    CHECK_REFUSED(HEELER_BUSY, "a cycle is under way", heeler_cycle(gate.host.watchdog, NULL));
    CHECK_REFUSED(HEELER_BUSY, "a cycle is under way", heeler_close(gate.host.watchdog));
    pthread_mutex_lock(&gate.lock);
    gate.open = 1;
    pthread_cond_broadcast(&gate.moved);
    pthread_mutex_unlock(&gate.lock);
    pthread_join(thread, NULL);
    CHECK_OK(heeler_close(gate.host.watchdog));
}

static void* work_in_thread(void* context) {
    struct host* host = (struct host*)context;
    recover(host, host->watchdog, "cycles");
    return NULL;
}

static void one_thread_cycles_while_another_reports(void) {
    struct host host = {0};
    heeler_checkpoint_note note = HEELER_INIT(heeler_checkpoint_note);
    pthread_t thread;
    int i;
    host.watchdog = opened(&host, "memory");
    start_run(host.watchdog, "cycles");
    start_run(host.watchdog, "reports");
    pthread_create(&thread, NULL, work_in_thread, &host);
    for (i = 0; i < 500; ++i) {
        report_call(host.watchdog, "reports", "{\"command\":\"make\"}", i % 2 ? "1 test failed" : "2 tests failed");
        CHECK(status_of(host.watchdog, "cycles")[0] != '\0');
        if (i % 100 == 0) CHECK_OK(heeler_checkpoint(host.watchdog, "reports", &note));
    }
    pthread_join(thread, NULL);
    CHECK_OK(heeler_finish(host.watchdog, "reports", "completed"));
    CHECK_OK(heeler_close(host.watchdog));
}

static void an_answer_that_is_no_code_may_have_happened(void) {
    struct host host = {0};
    heeler_watchdog* watchdog = opened(&host, "memory");
    char* text = NULL;
    host.answer = 4711;
    start_run(watchdog, "r");
    go_round_in_circles(&host, watchdog, "r");
    CHECK_OK(heeler_explain(watchdog, "r", &text));
    CHECK(strstr(text, "unknown") != NULL);
    heeler_string_free(text);
    CHECK_OK(heeler_close(watchdog));
}

static void a_child_opens_its_own(void) {
    struct host host = {0};
    heeler_watchdog* watchdog = opened(&host, "memory");
    pid_t child;
    int status = -1;
    start_run(watchdog, "r");
    child = fork();
    if (child == 0) {
        failures = 0;
        CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "forked", heeler_observe_heartbeat(watchdog, "r", 0));
        CHECK_REFUSED(HEELER_INVALID_ARGUMENT, "forked", heeler_close(watchdog));
        CHECK_OK(heeler_close(opened(&host, "memory")));
        _exit(failures == 0 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_OK(heeler_observe_heartbeat(watchdog, "r", 0));
    CHECK_OK(heeler_close(watchdog));
}

static int ended(void) {
    puts(failures == 0 ? "all passed" : "failed");
    return failures == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
    char store[512];
    if (argc < 2 || argc > 3) return 2;
    snprintf(store, sizeof store, argc == 3 ? "%s" : "sqlite:%s/store.db", argv[1]);
    a_run_loops_and_recovers(store);
    the_next_process_finds_it(store);
    if (argc == 3) return ended();
    every_kind_is_taken();
    a_fresh_agent_goes_on();
    what_cannot_be_opened_is_said(argv[1]);
    what_cannot_be_taken_is_said();
    callbacks_may_call_back();
    who_blocks_holds_up_the_cycle_alone();
    one_thread_cycles_while_another_reports();
    an_answer_that_is_no_code_may_have_happened();
    a_child_opens_its_own();
    return ended();
}

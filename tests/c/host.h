// What the test programs of the C interface have in common: checks, and a host with a clock of its own that keeps what
// it is told and asked. For C and C++.
#ifndef HEELER_TESTS_C_HOST_H
#define HEELER_TESTS_C_HOST_H

#include <stdio.h>
#include <string.h>

#include <heeler/c/heeler.h>

static int failures;

static void failed(const char* file, int line, const char* what) {
    ++failures;
    fprintf(stderr, "%s:%d: FAILED: %s; the last error: %s\n", file, line, what, heeler_error_text());
}

#define CHECK(condition) ((condition) ? (void)0 : failed(__FILE__, __LINE__, #condition))
#define CHECK_OK(call) CHECK((call) == HEELER_OK)

/// The call fails with this code, and a sentence that holds this.
#define CHECK_REFUSED(code, sentence, call)                     \
    do {                                                        \
        CHECK((call) == (code));                                \
        CHECK(strstr(heeler_error_text(), (sentence)) != NULL); \
    } while (0)

struct host {
    int64_t now_us;
    int alerts;
    char kinds[1024];  // of all alerts, each followed by a blank
    char last_json[4096];
    int actions;
    char last_message[64];
    char last_run[64];
    int answer;  // of `act`
    heeler_watchdog* watchdog;
};

static void host_now(void* context, int64_t* elapsed_us, int64_t* wall_us) {
    const struct host* host = (const struct host*)context;
    *elapsed_us = __atomic_load_n(&host->now_us, __ATOMIC_RELAXED);
    *wall_us = 1750000000000000 + *elapsed_us;
}

static int host_notify(void* context, const heeler_alert* alert, char* note, size_t note_size) {
    struct host* host = (struct host*)context;
    CHECK(alert->size == sizeof *alert && alert->key[0] != '\0');
    ++host->alerts;
    strncat(host->kinds, alert->kind, sizeof host->kinds - strlen(host->kinds) - 2);
    strcat(host->kinds, " ");
    snprintf(host->last_json, sizeof host->last_json, "%s", alert->json);
    snprintf(note, note_size, "%s", "the one on call");
    return HEELER_OK;
}

static int host_act(void* context, const heeler_action* action, char* note, size_t note_size) {
    struct host* host = (struct host*)context;
    CHECK(action->size == sizeof *action && action->key[0] != '\0');
    ++host->actions;
    snprintf(host->last_message, sizeof host->last_message, "%d %s", action->verb, action->message);
    snprintf(host->last_run, sizeof host->last_run, "%s", action->run);
    snprintf(note, note_size, "%s", "queued");
    return host->answer;
}

static void pass_time(struct host* host, int64_t us) { __atomic_add_fetch(&host->now_us, us, __ATOMIC_RELAXED); }

static heeler_options options_of(struct host* host, const char* store) {
    heeler_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.store = store;
    options.context = host;
    options.notify = host_notify;
    options.act = host_act;
    options.verbs = HEELER_INJECT;
    options.now = host_now;
    return options;
}

static void start_run(heeler_watchdog* watchdog, const char* id) {
    heeler_run_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.size = sizeof spec;
    spec.id = id;
    spec.task = "Make the tests pass";
    CHECK_OK(heeler_start(watchdog, &spec, NULL));
}

static void report_call(heeler_watchdog* watchdog, const char* run, const char* args, const char* output) {
    heeler_tool_call call;
    heeler_tool_result result;
    memset(&call, 0, sizeof call);
    memset(&result, 0, sizeof result);
    call.size = sizeof call;
    call.name = "bash";
    call.args = args;
    result.size = sizeof result;
    result.success = HEELER_WORKED;
    result.output = output;
    result.output_size = strlen(output);
    CHECK_OK(heeler_observe_tool_call(watchdog, run, &call));
    CHECK_OK(heeler_observe_tool_result(watchdog, run, &result));
}

#endif

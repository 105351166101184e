// A C++ host of the C interface whose callbacks throw, and which includes both languages' headers.
#include <heeler/heeler.hpp>

#include <cstring>
#include <stdexcept>
#include <string>

#include <heeler/c/host.hpp>

#include "host.h"

namespace {

struct Thrown {};

int act_and_throw(void* context, const heeler_action* action, char*, std::size_t) {
    ++static_cast<host*>(context)->actions;
    CHECK(action->verb == HEELER_INJECT);
    throw std::runtime_error{"the agent's socket is gone"};
}

int notify_and_throw(void* context, const heeler_alert*, char*, std::size_t) {
    ++static_cast<host*>(context)->alerts;
    throw Thrown{};
}

void now_and_throw(void*, std::int64_t*, std::int64_t*) { throw Thrown{}; }
void wake_and_throw(void*) { throw std::runtime_error{"no loop"}; }
void tell_and_throw(void*, const char*) { throw std::runtime_error{"no listener"}; }

void what_act_and_notify_throw_is_on_record() {
    host h{};
    heeler_options options = options_of(&h, "memory");
    heeler_watchdog* watchdog = nullptr;
    options.act = act_and_throw;
    options.notify = notify_and_throw;
    CHECK_OK(heeler_open(&options, &watchdog));
    start_run(watchdog, "r");
    int refused = 0;
    for (int i = 0; i < 6; ++i) {
        report_call(watchdog, "r", "{}", "2 tests failed");
        pass_time(&h, 1'000'000);
        if (heeler_cycle(watchdog, nullptr) != HEELER_OK) {
            ++refused;
            CHECK(std::string{heeler_error_text()}.find("threw") != std::string::npos);
        }
    }
    CHECK(h.actions >= 1);
    CHECK(h.alerts >= 1);
    CHECK(refused >= 1);
    char* text = nullptr;
    CHECK_OK(heeler_explain(watchdog, "r", &text));
    CHECK(std::string{text}.find("unknown") != std::string::npos);
    heeler_string_free(text);
    CHECK_OK(heeler_close(watchdog));
}

void what_now_and_wake_throw_fails_the_call() {
    host h{};
    heeler_options options = options_of(&h, "memory");
    heeler_watchdog* watchdog = nullptr;
    options.now = now_and_throw;
    CHECK_REFUSED(HEELER_INTERNAL, "a callback threw", heeler_open(&options, &watchdog));
    CHECK(watchdog == nullptr);

    options.now = host_now;
    options.wake = wake_and_throw;
    CHECK_OK(heeler_open(&options, &watchdog));
    std::int64_t in_us = 0;
    CHECK_OK(heeler_next_deadline(watchdog, &in_us));
    heeler_run_spec spec{};
    spec.size = sizeof spec;
    spec.id = "r";
    CHECK_REFUSED(HEELER_INTERNAL, "no loop", heeler_start(watchdog, &spec, nullptr));
    CHECK_OK(heeler_attach(watchdog, &spec, nullptr));
    CHECK_OK(heeler_cycle(watchdog, nullptr));
    CHECK_OK(heeler_close(watchdog));
}

void what_tell_throws_fails_the_cycle_alone() {
    host h{};
    heeler_options options = options_of(&h, "memory");
    heeler_watchdog* watchdog = nullptr;
    options.tell = tell_and_throw;
    CHECK_OK(heeler_open(&options, &watchdog));
    start_run(watchdog, "r");
    CHECK_REFUSED(HEELER_INTERNAL, "no listener", heeler_cycle_all(watchdog, nullptr));
    CHECK_OK(heeler_cycle(watchdog, nullptr));  // nothing is new, and nobody told
    CHECK_OK(heeler_close(watchdog));
}

void a_note_without_an_end_has_one() {
    const auto note = heeler::c::noted(heeler::ErrorCode::failed, [](char* text, std::size_t size) {
        std::memset(text, 'x', size);
        return HEELER_OK;
    });
    CHECK(note && *note == std::string(511, 'x'));
}

}  // namespace

int main() {
    a_note_without_an_end_has_one();
    what_act_and_notify_throw_is_on_record();
    what_now_and_wake_throw_fails_the_call();
    what_tell_throws_fails_the_cycle_alone();
    std::puts(failures == 0 ? "all passed" : "failed");
    return failures == 0 ? 0 : 1;
}

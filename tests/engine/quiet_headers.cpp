// Including heeler does nothing: no file, no thread, no output.
#include <dirent.h>

#include <heeler/heeler.hpp>
#include <heeler/testing/fault_store.hpp>
#include <heeler/testing/manual_clock.hpp>
#include <heeler/testing/recording_notifier.hpp>

#include "support/catch.hpp"

#if defined(__SANITIZE_THREAD__)
#define HEELER_OTHER_THREADS true
#elif defined(__has_feature)
#define HEELER_OTHER_THREADS __has_feature(thread_sanitizer)
#else
#define HEELER_OTHER_THREADS false
#endif

namespace {

int entries_of(const char* directory) {
    DIR* open = opendir(directory);
    if (open == nullptr) return -1;
    int count = 0;
    while (readdir(open) != nullptr) ++count;
    closedir(open);
    return count;
}

/// Looked at before main, after the constants of the headers, which this program includes twice over.
const int threads_at_start = entries_of("/proc/self/task");

}  // namespace

TEST_CASE("including every header starts no thread [A-115] [L-41]") {
    if (threads_at_start < 0) HEELER_SKIP("no /proc here");
    if (HEELER_OTHER_THREADS) HEELER_SKIP("the sanitizer has a thread of its own");
    CHECK(threads_at_start == 3);  // ".", ".." and this one
}

TEST_CASE("a watchdog that is only made does nothing either [L-41]") {
    const auto before = entries_of("/proc/self/task");
    heeler::FaultStore<heeler::MemoryStore> store;
    {
        heeler::Watchdog dog{heeler::SystemClock{}, store, heeler::RecordingNotifier{}};
        (void)dog.describe();
    }
    CHECK(entries_of("/proc/self/task") == before);
    CHECK(store.calls(heeler::StoreOperation::load) + store.calls(heeler::StoreOperation::commit) == 0);
}

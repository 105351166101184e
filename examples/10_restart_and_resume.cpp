// A watchdog ends and another one goes on: the runs, their checkpoints and what was known of them are in the store. The
// same lines serve the first start of a host and every later one.
#include <cstdio>
#include <filesystem>

#include <unistd.h>

#include <heeler/heeler.hpp>
#include <heeler/store/sqlite_store.hpp>

namespace {

bool host(const std::string& file, std::int64_t step) {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::SqliteStore{file}, heeler::LogNotifier{}};
    const auto run = dog.attach({.name = "port-parser", .plan = {1, 2, 3}}, heeler::presets::recommended());
    if (!run) return false;
    std::printf("%s\n", run->found ? "found: its agent may be at work" : "new: its agent is to be started");
    return dog.checkpoint(*run, {.step = step, .text = "done"}) && dog.flush();
}

}  // namespace

int main() {
    const auto folder = std::filesystem::temp_directory_path() / ("heeler-example-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    const std::string file = folder / "watchdog.db";
    const bool good = host(file, 1) && host(file, 2);
    if (good) {
        heeler::SqliteStore store{file};
        const auto kept = store.history("port-parser");
        if (!kept) return 1;
        for (const auto& row : kept->checkpoints)
            std::printf("step %lld: %s\n", static_cast<long long>(row.step.value_or(0)), row.text.c_str());
    }
    std::filesystem::remove_all(folder);
    return good ? 0 : 1;
}

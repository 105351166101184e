// Two watchdogs, of two processes mostly, share one store. Each run belongs to one of them; when that one ends, in good
// order or not, the other takes its runs over.
#include <cstdio>
#include <filesystem>

#include <unistd.h>

#include <heeler/heeler.hpp>
#include <heeler/store/sqlite_store.hpp>

namespace {

using Dog = heeler::Watchdog<heeler::SystemClock, heeler::SqliteStore, heeler::LogNotifier>;

heeler::EngineSettings named(std::string holder) {
    heeler::EngineSettings settings;
    settings.holder = std::move(holder);
    return settings;
}

const char* seen_by(Dog& dog) { return dog.find("port-parser") ? "watches it" : "does not"; }

}  // namespace

int main() {
    const auto folder = std::filesystem::temp_directory_path() / ("heeler-example-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    bool good = false;
    {
        const std::string file = folder / "watchdog.db";
        Dog a{heeler::SystemClock{}, heeler::SqliteStore{file}, heeler::LogNotifier{}, named("a")};
        Dog b{heeler::SystemClock{}, heeler::SqliteStore{file}, heeler::LogNotifier{}, named("b")};
        good = a.define(heeler::presets::recommended()) && b.define(heeler::presets::recommended()) &&
               a.start({.name = "port-parser"}, "recommended") && b.cycle().ok();
        std::printf("a has started it: a %s", seen_by(a));
        std::printf(", b %s\n", seen_by(b));
        good = good && a.leave().has_value();
        good = b.cycle().ok() && good;
        std::printf("a has left: b %s\n", seen_by(b));
    }
    std::filesystem::remove_all(folder);
    return good ? 0 : 1;
}

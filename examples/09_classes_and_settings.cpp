// Several classes of runs in one watchdog, and settings from a file: what differs in amount is no matter for a
// compiler. A setting that is misspelt or out of range is answered in words, and the default is kept.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <heeler/heeler.hpp>
#include <heeler/settings/overlay.hpp>
#include <heeler/source/json_settings.hpp>

int main() {
    // Yours lies beside your program.
    const auto file =
        std::filesystem::temp_directory_path() / ("heeler-example-" + std::to_string(::getpid()) + ".json");
    std::ofstream{file} << R"({"interval_s": 60, "duration_limt_s": 3600})";

    heeler::RunClass quick = heeler::presets::recommended();
    quick.name = "quick";
    const auto settings = heeler::settings_from_file(file);
    std::filesystem::remove(file);
    if (!settings) return 1;
    for (const heeler::SettingFault& fault : heeler::overlay(quick, *settings))
        std::printf("%s\n", fault.message.c_str());

    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    if (!dog.define(quick) || !dog.define(heeler::presets::long_run())) return 1;
    const auto one = dog.start({.name = "lint"}, "quick");
    const auto two = dog.start({.name = "port-parser"}, "long_run");
    const auto none = dog.start({.name = "fix-login"}, "slow");
    if (!one || !two || none) return 1;
    std::printf(
        "lint is looked at every %lld s\n",
        static_cast<long long>(std::chrono::duration_cast<std::chrono::seconds>(*quick.interval.fixed).count()));
    std::printf("fix-login: %s\n", none.error().message.c_str());
}

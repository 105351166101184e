#include "class_diff.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/settings/class_differences.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/table.hpp>

#include "../common/given_settings.hpp"
#include "../common/nearest.hpp"
#include "../common/presets.hpp"
#include "print.hpp"

namespace ctl {

namespace {

/// `PRESET` or `PRESET:FILE.json`. The environment is that of whoever asks, not of the watchdog: it is left alone.
std::variant<heeler::RunClass, Quit> class_of(const std::string& given) {
    const std::size_t colon = given.find(':');
    const std::string name = given.substr(0, colon);
    auto rules = common::preset_named(name);
    if (!rules)
        return Quit{exit_usage, "'" + heeler::text::one_line(name, 80) + "' is no preset" +
                                    common::did_you_mean(name, common::preset_names())};
    if (colon == std::string::npos) return *std::move(rules);
    const auto settings = heeler::settings_from_file(given.substr(colon + 1));
    if (!settings) return Quit{exit_usage, settings.error().message};
    for (const heeler::SettingFault& fault : heeler::overlay(*rules, *settings))
        return Quit{exit_usage, heeler::text::one_line(given, 160) + ": " + fault.message};
    return *std::move(rules);
}

}  // namespace

Quit show_class_diff(const Options& options) {
    std::vector<heeler::RunClass> both;
    for (const std::string& given : options.classes) {
        auto rules = class_of(given);
        if (auto* const quit = std::get_if<Quit>(&rules)) return std::move(*quit);
        both.push_back(std::get<heeler::RunClass>(std::move(rules)));
    }
    std::vector<heeler::text::TableRow> rows;
    for (const heeler::SettingDifference& each : differences(both.at(0), both.at(1))) {
        const bool is_off = each.first == "off" || each.second == "off";
        if (is_off && !each.name.starts_with("detector ") && !options.all) continue;
        if (options.json) {
            heeler::text::JsonLine line;
            line.begin_object().key("type").string("setting").key("name").string(each.name);
            line.key("first").string(each.first).key("second").string(each.second).end_object();
            print(line);
        }
        rows.push_back({each.name, each.first, each.second});
    }
    if (options.json) return {};
    print(rows.empty() ? std::string{"they do not differ\n"}
                       : heeler::text::to_table({"Setting", options.classes[0], options.classes[1]}, rows));
    return {};
}

}  // namespace ctl

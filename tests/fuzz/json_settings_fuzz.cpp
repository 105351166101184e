// Whatever a settings file holds, it is read or refused with clean text, and the class stays one that can be defined.
#include <heeler/settings/overlay.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/settings/ready_class.hpp>
#include <heeler/source/json_settings.hpp>

#include "support/fuzz.hpp"

using namespace heeler;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = as_text(data, size);
    const auto settings = settings_from_json(text);
    if (!settings) {
        require(settings.error().code == ErrorCode::invalid_argument, "bad text is a bad argument");
        require(is_clean(settings.error().message), "an error is clean text");
        return 0;
    }
    RunClass rules = presets::recommended();
    for (const SettingFault& fault : overlay(rules, *settings)) {
        require(is_clean(fault.setting) && is_clean(fault.message), "a fault is clean text");
        require(fault.setting.size() <= 400 && fault.message.size() <= 4000, "a fault is short");
        require(!fault.message.empty(), "a fault says what is wrong");
    }
    require(detail::ReadyClass::check(rules).has_value(), "the class can still be defined");

    RunClass again = rules;
    for (const SettingFault& fault : overlay(again, *settings))
        require(fault.kind != SettingFault::Kind::contradiction || !fault.message.empty(), "the same faults again");
    require(again.interval.fixed == rules.interval.fixed && again.limits.debounce == rules.limits.debounce,
            "laying the same settings over twice changes nothing");
    return 0;
}

// How named settings are laid over a class, and what is said of those that do not take.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/callback.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/recover/recovery_ladder.hpp>
#include <heeler/recover/watch_ladder.hpp>
#include <heeler/settings/contradictions.hpp>
#include <heeler/settings/known_settings.hpp>
#include <heeler/settings/overlay.hpp>
#include <heeler/settings/ready_class.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/setting_name.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail::setting {

/// What is wrong with a class, if anything.
[[nodiscard]] inline std::optional<std::string> fault_of(const RunClass& rules) {
    if (auto good = ReadyClass::check(rules); !good) return std::move(good.error().message);
    return std::nullopt;
}

/// The part of the name before the dot.
[[nodiscard]] inline std::string_view object_of(std::string_view name) {
    const auto dot = name.find('.');
    return dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
}

[[nodiscard]] inline std::string listed(const std::vector<std::string_view>& names) {
    std::string list;
    for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string{name};
    return list;
}

/// The names of a detector's settings.
class NameList final : public NamedSettings {
public:
    std::vector<std::string_view> names{};

private:
    void see(const SettingField& field) override { names.push_back(field.name); }
};

/// A name that can be set in one class, and what sets it.
struct Nameable {
    std::string name;
    std::string object;  ///< what it is a part of; empty: of nothing
    Callback<Refused(const SettingValue&, RunClass&)> apply;
};

[[nodiscard]] inline std::vector<Nameable> nameables(const RunClass& rules) {
    std::vector<Nameable> all;
    for (const Known& each : known) all.push_back({std::string{each.name}, std::string{object_of(each.name)}, each});
    MoreSettings::each([&](const Known& each) {
        for (Nameable& known_already : all)
            if (known_already.name == each.name) {
                known_already.apply = [first = known_already.apply, second = each](const SettingValue& value,
                                                                                   RunClass& changed) {
                    const Refused refused = first(value, changed);
                    return refused ? refused : second(value, changed);
                };
                return;
            }
        all.push_back({std::string{each.name}, std::string{object_of(each.name)}, each});
    });
    DetectorSettings detectors = rules.detectors;
    for (const std::string_view kind : detectors.kinds()) {
        if (has_names_above(kind)) continue;
        NameList list;
        detectors.by_name(kind, list);
        for (const std::string_view part : list.names)
            all.push_back({std::string{kind}.append(".").append(part), std::string{kind},
                           [kind, part](const SettingValue& value, RunClass& changed) {
                               SetByName set{part, value};
                               changed.detectors.by_name(kind, set);
                               return set.refused;
                           }});
    }
    return all;
}

/// One overlay: the class that is changed, and what was wrong so far.
class Overlay {
public:
    explicit Overlay(RunClass& rules) : rules_{rules}, nameables_{nameables(rules)} {}

    /// `object` is what the settings are parts of, with its dot; empty at the top.
    void apply_all(const std::vector<NamedSetting>& settings, const std::string& object) {
        for (const NamedSetting& each : settings) apply_one(each, object + each.name);
    }

    [[nodiscard]] std::vector<SettingFault> finish() && {
        for (const Waiting& each : waiting_) apply_last(*each.entry, *each.given);
        check_endings();
        check_levels();
        for (Detail& doubt : doubts_of(rules_))
            add(SettingFault::Kind::contradiction, std::move(doubt.name), std::move(doubt.value));
        if (steers_ && rules_.ladder.as<WatchLadder>() == nullptr)
            add(SettingFault::Kind::contradiction, "auto_steer",
                "runs are steered only by a class that only watches; this one nudges them, so 'auto_steer' does "
                "nothing: leave it out");
        return std::move(faults_);
    }

private:
    void apply_one(const NamedSetting& given, const std::string& name) {
        std::vector<std::string_view> parts;
        for (const Nameable& each : nameables_) {
            if (each.name == name) return apply_known(each, given);
            if (each.object == name && name[0]) parts.push_back(std::string_view{each.name}.substr(name.size() + 1));
        }
        if (parts.empty()) return add(SettingFault::Kind::unknown, label_of(given, name), unknown(given, name));
        if (const auto* inner = given.value.get<SettingValue::Object>()) return apply_all(*inner, name + ".");
        if (!given.value.is_null())
            add(SettingFault::Kind::wrong_type, label_of(given, name),
                "'" + label_of(given, name) + "' is " + shown(given.value) + ", but must be an object with " +
                    listed(parts) + "; the default is kept");
    }

    void apply_known(const Nameable& entry, const NamedSetting& given) {
        const std::string label = label_of(given, entry.name);
        if (std::find(given_.begin(), given_.end(), entry.name) != given_.end())
            add(SettingFault::Kind::contradiction, label,
                "'" + label + "' is given twice; the last value counts: remove the other");
        given_.push_back(entry.name);
        std::erase_if(waiting_, [&](const Waiting& each) { return each.entry == &entry; });
        if (given.value.is_null()) return;
        RunClass changed = rules_;
        if (const auto refused = entry.apply(given.value, changed))
            return add(refused->kind, label, "'" + label + "' is " + refused->message + "; the default is kept");
        if (fault_of(changed)) return waiting_.push_back({&entry, &given});
        accept(entry, given, std::move(changed));
    }

    /// What the rest of the class contradicted may fit now, in whichever order the settings came.
    void apply_last(const Nameable& entry, const NamedSetting& given) {
        RunClass changed = rules_;
        static_cast<void>(entry.apply(given.value, changed));
        const std::string label = label_of(given, entry.name);
        if (const auto fault = fault_of(changed))
            return add(SettingFault::Kind::out_of_range, label,
                       "'" + label + "' cannot be " + shown(given.value) + ": " + *fault + "; the default is kept");
        accept(entry, given, std::move(changed));
    }

    void accept(const Nameable& entry, const NamedSetting& given, RunClass changed) {
        if (entry.name == "auto_steer") steers_ = yes_or_no(given.value).value_or(false);
        if (entry.name == "silence_s") stalls_ = true;
        if (entry.object == "silence_levels") levels_ = true;
        rules_ = std::move(changed);
    }

    /// As its author spells it.
    [[nodiscard]] static std::string label_of(const NamedSetting& given, std::string_view name) {
        return text::sanitise(given.written.empty() ? name : std::string_view{given.written}, 80);
    }

    [[nodiscard]] std::string unknown(const NamedSetting& given, const std::string& name) const {
        std::vector<std::string_view> names;
        for (const Nameable& each : nameables_) names.push_back(each.name);
        const std::string all = listed(names);
        for (const Nameable& each : nameables_)
            if (!each.object.empty()) names.push_back(each.object);
        const auto nearest = text::nearest_name(name, names);
        const std::string none = "'" + label_of(given, name) + "' is no setting; ";
        if (!nearest) return none + "known are " + all;
        const std::string spelt = text::variable_of("", name);
        const bool variable = given.written.ends_with(spelt);
        const auto prefix = std::string_view{given.written}.substr(0, given.written.size() - spelt.size());
        return none + "did you mean '" + (variable ? text::variable_of(prefix, *nearest) : std::string{*nearest}) +
               "'?";
    }

    [[nodiscard]] std::string_view silence_label() const {
        constexpr std::string_view level = "silence_levels.critical_s";
        return std::find(given_.begin(), given_.end(), level) == given_.end() ? "silence_s" : level;
    }

    /// An ending needs a finding: then the first one of silence is the end.
    void check_endings() {
        const auto* silence = rules_.detectors.find<HeartbeatContract<ActivityAge>>();
        const auto* ladder = rules_.ladder.as<WatchLadder>();
        if (ladder == nullptr) return;
        for (const Ending& ending : ladder->endings)
            if (silence != nullptr && !silence->informs && ending.silent_longer &&
                silence->act_after >= *ending.silent_longer)
                add(SettingFault::Kind::contradiction, std::string{silence_label()},
                    "a run that is silent is given up after " + written(in_seconds(*ending.silent_longer)) +
                        " s, but silence is noticed only after " + written(in_seconds(silence->act_after)) +
                        " s, so that no alert comes before: make '" + std::string{silence_label()} + "' shorter");
    }

    /// People are either told of silence, or something is done about it.
    void check_levels() {
        if (!stalls_ || !levels_) return;
        add(SettingFault::Kind::contradiction, "silence_s",
            "'silence_s' makes silence a stall that is acted on, and 'silence_levels' one that people are only told "
            "of; the last one counts: leave one out");
    }

    void add(SettingFault::Kind kind, std::string setting, std::string message) {
        faults_.push_back({kind, std::move(setting), std::move(message)});
    }

    /// A setting that contradicts the class as it is now.
    struct Waiting {
        const Nameable* entry;
        const NamedSetting* given;
    };

    RunClass& rules_;
    const std::vector<Nameable> nameables_;
    std::vector<Waiting> waiting_{};
    std::vector<SettingFault> faults_{};
    std::vector<std::string_view> given_{};
    bool steers_ = false;  ///< runs are to be steered
    bool stalls_ = false;  ///< silence is to be a stall
    bool levels_ = false;  ///< people are to be told of it
};

}  // namespace detail::setting

HEELER_INLINE std::vector<SettingFault> overlay(RunClass& rules, const std::vector<NamedSetting>& settings) {
    detail::setting::Overlay overlay{rules};
    overlay.apply_all(settings, {});
    return std::move(overlay).finish();
}

HEELER_INLINE std::vector<std::string_view> setting_names() {
    std::vector<std::string_view> names;
    for (const detail::setting::Known& each : detail::setting::known) names.push_back(each.name);
    detail::setting::MoreSettings::each([&](const detail::setting::Known& each) {
        if (std::find(names.begin(), names.end(), each.name) == names.end()) names.push_back(each.name);
    });
    return names;
}

HEELER_INLINE std::vector<std::string> setting_names(const RunClass& rules) {
    std::vector<std::string> names;
    for (detail::setting::Nameable& each : detail::setting::nameables(rules)) names.push_back(std::move(each.name));
    return names;
}

}  // namespace heeler::inline HEELER_ABI

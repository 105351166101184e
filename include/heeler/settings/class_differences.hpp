// In what two run classes differ, setting by setting: for an operator who asks why one run is judged otherwise than
// another.
#pragma once

#include <string>
#include <vector>

#include <heeler/core/settings.hpp>

namespace heeler::inline HEELER_ABI {

/// A setting that is not the same in two classes. Clean text.
struct SettingDifference {
    /// As it is set by name (`setting_names`), where it has one; else as it is called in code: `schedule.period_s`.
    std::string name{};
    /// Lengths in seconds. `none`: it is not set. `off`: what it is a setting of is off. Of a detector that names no
    /// settings, and of a ladder's responses: in words.
    std::string first{}, second{};
};

/// What is compared is what has a name, or words: not functions (prompts), nor settings of a host's detector without
/// `by_name`. Their order is that of the classes.
[[nodiscard]] std::vector<SettingDifference> differences(const RunClass& first, const RunClass& second);

}  // namespace heeler::inline HEELER_ABI

#ifndef HEELER_COMPILED
#include <heeler/settings/class_differences-inl.hpp>
#endif

// Lays settings from a file or the environment over a preset. Nothing is fatal: what cannot be taken is named, and the
// default is kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/named_setting.hpp>
#include <heeler/core/settings.hpp>

namespace heeler::inline HEELER_ABI {

/// Sets what the settings name, in their order, and answers what was wrong. `rules` is a class that can be defined
/// (every preset is), and stays one: a setting that would spoil it is not taken. Lay the file over the preset first,
/// then the environment over both.
[[nodiscard]] std::vector<SettingFault> overlay(RunClass& rules, const std::vector<NamedSetting>& settings);

/// The names of all settings, parts of objects with a dot; those of trees where `heeler/tree.hpp` is included.
[[nodiscard]] std::vector<std::string_view> setting_names();

/// These, and those of the class's detectors that name their own (`by_name`): `KIND.NAME`.
[[nodiscard]] std::vector<std::string> setting_names(const RunClass& rules);

}  // namespace heeler::inline HEELER_ABI

#ifndef HEELER_COMPILED
#include <heeler/settings/overlay-inl.hpp>
#endif

// Settings by name, as a file or the environment holds them, and what can be wrong with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

struct NamedSetting;

/// What a setting is set to. Null leaves it as it is. A text stands for a number or a yes or no where one is wanted.
struct SettingValue {
    using Object = std::vector<NamedSetting>;

    std::variant<std::monostate, bool, std::int64_t, double, std::string, Object> is;

    template <class T>
    [[nodiscard]] const T* get() const noexcept {
        return std::get_if<T>(&is);
    }
    [[nodiscard]] bool is_null() const noexcept { return std::holds_alternative<std::monostate>(is); }
};

/// A part of an object may also be named with a dot: `action_budget.per_tick`.
struct NamedSetting {
    std::string name{};
    SettingValue value{};
    std::string written{};  ///< how its author spells the name where that differs: `HEELER_INTERVAL_S`
};

/// A setting that did not take, or that takes and helps nothing.
struct SettingFault {
    enum class Kind : std::uint8_t {
        unknown,        ///< no setting has this name
        wrong_type,     ///< cannot be read as what the setting takes; the default is kept
        out_of_range,   ///< outside its limits, or impossible together with the rest; the default is kept
        contradiction,  ///< taken, but another setting makes it pointless
    };

    Kind kind = Kind::unknown;
    std::string setting{};  ///< clean text
    std::string message{};  ///< clean text: the value, the limit and what became of it
};

[[nodiscard]] constexpr std::string_view name_of(SettingFault::Kind kind) noexcept {
    constexpr std::string_view names[] = {"unknown", "wrong_type", "out_of_range", "contradiction"};
    return names[static_cast<std::size_t>(kind)];
}

/// Is told what the settings of a detector are called, and may change them. See `by_name` of a detector. A name is a
/// literal; values outside the limits, both included, are refused.
class NamedSettings {
public:
    virtual void count(std::string_view name, std::uint32_t& value, std::uint32_t least, std::uint32_t most) = 0;
    virtual void number(std::string_view name, double& value, double least, double most) = 0;
    virtual void length(std::string_view name, Duration& value, Duration least, Duration most) = 0;  ///< in seconds
    virtual void flag(std::string_view name, bool& value) = 0;
    virtual void text(std::string_view name, std::string& value, std::size_t most_bytes) = 0;

protected:
    ~NamedSettings() = default;
};

}  // namespace heeler::inline HEELER_ABI

// Settings by name, as a file or the environment holds them, and what can be wrong with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// One of the settings of a detector: its name, its limits, both included, and where its value lies: one of the
/// pointers is set.
struct SettingField {
    std::string_view name{};
    double least = 0;  ///< of a length in microseconds, of a text in bytes
    double most = 0;
    std::uint32_t* count = nullptr;
    std::int64_t* large_count = nullptr;
    double* number = nullptr;
    Duration* length = nullptr;
    std::optional<Duration>* limit = nullptr;
    bool* flag = nullptr;
    std::string* text = nullptr;
};

/// Is told what the settings of a detector are called and which values they take, and may change them: the detector's
/// `by_name` says it once, for all. A name is a literal.
class NamedSettings {
public:
    void count(std::string_view name, std::uint32_t& value, std::uint32_t least, std::uint32_t most) {
        see({.name = name, .least = double(least), .most = double(most), .count = &value});
    }
    void count(std::string_view name, std::int64_t& value, std::int64_t least, std::int64_t most) {
        see({.name = name, .least = double(least), .most = double(most), .large_count = &value});
    }
    void number(std::string_view name, double& value, double least, double most) {
        see({.name = name, .least = least, .most = most, .number = &value});
    }
    /// In seconds, where it is set by its name.
    void length(std::string_view name, Duration& value, Duration least, Duration most) {
        see({.name = name, .least = double(least.count()), .most = double(most.count()), .length = &value});
    }
    /// Absent, it is within its limits.
    void length(std::string_view name, std::optional<Duration>& value, Duration least, Duration most) {
        see({.name = name, .least = double(least.count()), .most = double(most.count()), .limit = &value});
    }
    void flag(std::string_view name, bool& value) { see({.name = name, .most = 1, .flag = &value}); }
    void text(std::string_view name, std::string& value, std::size_t most_bytes) {
        see({.name = name, .most = double(most_bytes), .text = &value});
    }

protected:
    ~NamedSettings() = default;

private:
    virtual void see(const SettingField& field) = 0;
};

namespace detail {

inline constexpr Duration longest_setting = std::chrono::hours{24 * 3650};

/// Finds the first setting that lies outside its limits.
class SettingLimits final : public NamedSettings {
public:
    /// Of a detector of this kind; of a class itself, where it is empty.
    explicit SettingLimits(std::string_view kind) : kind_{kind} {}

    /// In one sentence; empty: all are within.
    std::string wrong{};

    /// What the value is shown in: a length is one of microseconds, and shown in seconds.
    [[nodiscard]] static double unit_of(const SettingField& field) {
        return field.length != nullptr || field.limit != nullptr ? 1'000'000 : 1;
    }
    [[nodiscard]] static double value_of(const SettingField& field) {
        if (field.flag != nullptr) return *field.flag;
        if (field.count != nullptr) return *field.count;
        if (field.large_count != nullptr) return static_cast<double>(*field.large_count);
        if (field.number != nullptr) return *field.number;
        if (field.length != nullptr) return static_cast<double>(field.length->count());
        if (field.text != nullptr) return static_cast<double>(field.text->size());
        return field.limit != nullptr && *field.limit ? static_cast<double>((*field.limit)->count()) : field.least;
    }

private:
    void see(const SettingField& field) override {
        const double scale = unit_of(field), value = value_of(field);
        if (!wrong.empty() || (value >= field.least && value <= field.most)) return;  // not a number is outside
        if (!kind_.empty()) wrong.append(kind_).append(": ");
        wrong.append(field.name).append(" is ").append(shown(value / scale)).append("; it must be ");
        wrong.append(shown(field.least / scale)).append(" to ").append(shown(field.most / scale));
    }

    [[nodiscard]] static std::string shown(double value) {
        const bool whole =
            value > -1e15 && value < 1e15 && value == static_cast<double>(static_cast<std::int64_t>(value));
        return whole ? std::to_string(static_cast<std::int64_t>(value)) : std::to_string(value);
    }

    std::string_view kind_;
};

}  // namespace detail

}  // namespace heeler::inline HEELER_ABI

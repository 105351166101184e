// What callers of the C interface give and take: texts, lists and structs of any version.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <heeler/c/answer.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::c {

[[nodiscard]] inline std::string_view text(const char* given) noexcept {
    return given == nullptr ? std::string_view{} : std::string_view{given};
}

[[nodiscard]] inline std::string in_quotes(std::string_view text) {
    return "'" + heeler::text::shown_name(text, 160) + "'";
}

inline void check_pointer(const void* given, std::string_view name) {
    if (given == nullptr) refuse(ErrorCode::invalid_argument, "`" + std::string{name} + "` is null");
}

/// Bytes that may hold a 0.
[[nodiscard]] inline std::string_view bytes(const char* given, std::size_t size, std::string_view name) {
    if (size > 0) check_pointer(given, name);
    return {given, size};
}

/// A list of `name`s, whose length is `count`. What was computed as less than none, or never set, is refused instead of
/// read.
template <class T>
void check_list(const T* given, std::size_t count, std::string_view name, std::string_view count_name) {
    constexpr std::size_t most = 1'000'000;
    if (count > most)
        refuse(ErrorCode::invalid_argument, "`" + std::string{count_name} + "` is " + std::to_string(count) +
                                                "; it must be 0 to " + std::to_string(most));
    if (count > 0) check_pointer(given, name);
}

[[nodiscard]] inline std::vector<std::string> texts(const char* const* given, std::size_t count, std::string_view name,
                                                    std::string_view count_name) {
    check_list(given, count, name, count_name);
    std::vector<std::string> all;
    for (std::size_t i = 0; i < count; ++i) {
        check_pointer(given[i], std::string{name} + "[" + std::to_string(i) + "]");
        all.emplace_back(given[i]);
    }
    return all;
}

/// How long a struct was in the first version that had it.
template <class T>
inline constexpr std::size_t first_size = sizeof(T);
template <>
inline constexpr std::size_t first_size<heeler_options> = offsetof(heeler_options, tell);

/// A struct as this version knows it. What an older one does not have is 0; of a newer one the rest must be: else more
/// is asked than is known here.
template <class T>
[[nodiscard]] T struct_of(const T* given, std::string_view type) {
    static_assert(std::is_trivially_copyable_v<T> && offsetof(T, size) == 0);
    check_pointer(given, type);
    const std::size_t size = given->size;
    constexpr std::size_t longest = 4096;  // no version comes near it: nobody has set it
    if (size < first_size<T> || size > longest)
        refuse(ErrorCode::invalid_argument, "`size` of " + std::string{type} + " is " + std::to_string(size) +
                                                "; set it to sizeof(" + std::string{type} + "), which is " +
                                                std::to_string(sizeof(T)));
    const auto* const all = reinterpret_cast<const unsigned char*>(given);
    const std::size_t known = std::min(size, sizeof(T));
    if (std::any_of(all + known, all + size, [](unsigned char byte) { return byte != 0; }))
        refuse(ErrorCode::unsupported, std::string{type} + " has members that this version of heeler does not know; " +
                                           "leave them 0, or update it");
    T whole{};
    std::memcpy(&whole, given, known);
    return whole;
}

/// A struct that a function fills, which nobody may want (null). It is looked at before anything is done.
template <class T>
void check_answer(const T* answer, std::string_view type) {
    if (answer != nullptr) static_cast<void>(struct_of(answer, type));
}

/// Fills as much of the caller's version as this one knows.
template <class T>
void fill(T* answer, T full) {
    if (answer == nullptr) return;
    full.size = answer->size;
    *answer = full;
}

/// 0 stands for none.
[[nodiscard]] inline std::optional<Duration> length(std::int64_t given, std::string_view name) {
    constexpr std::int64_t longest = 10'000'000'000'000'000;
    if (given < 0 || given > longest)
        refuse(ErrorCode::invalid_argument, "`" + std::string{name} + "` is " + std::to_string(given) +
                                                "; it must be 0 to " + std::to_string(longest) + " us");
    return given == 0 ? std::nullopt : std::optional{Duration{given}};
}

/// 0 stands for none.
[[nodiscard]] inline std::optional<WallTime> moment(std::int64_t given, std::string_view name) {
    const auto since_1970 = length(given, name);
    return since_1970 ? std::optional{in_calendar(WallTime{*since_1970})} : std::nullopt;
}

/// One of the numbers of an enum of the header, 0 to `last`, as the enum that it mirrors.
template <class Enum>
[[nodiscard]] Enum choice(int given, Enum last, std::string_view name) {
    if (given < 0 || given > static_cast<int>(last))
        refuse(ErrorCode::invalid_argument, "`" + std::string{name} + "` is " + std::to_string(given) +
                                                "; it must be 0 to " + std::to_string(static_cast<int>(last)));
    return static_cast<Enum>(given);
}

/// The value of this name.
template <class Enum, class Names>
[[nodiscard]] Enum named(std::string_view given, const Names& names, std::string_view what) {
    const auto found = std::find(names.begin(), names.end(), given);
    if (found != names.end()) return static_cast<Enum>(found - names.begin());
    std::string known;
    for (const auto& name : names) (known += known.empty() ? "; known are " : ", ") += name;
    refuse(ErrorCode::invalid_argument, "there is no " + std::string{what} + " " + in_quotes(given) + known);
}

/// A copy for the caller, who frees it with `heeler_string_free`.
[[nodiscard]] inline char* handed_out(const std::string& text) {
    char* const copy = new char[text.size() + 1];
    std::memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
}

}  // namespace heeler::inline HEELER_ABI::c

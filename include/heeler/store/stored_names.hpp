// The words by which stores write enumerations, so that people can read the tables; for adapters of databases.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

#include <heeler/core/action.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/incident.hpp>
#include <heeler/core/observation.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What is stored as a word.
template <class T>
concept Named = std::is_enum_v<T> || std::is_same_v<T, Condition>;

/// The stored word of a value, unique within its type. `E` is an enumeration, or `Condition`.
template <class E>
[[nodiscard]] constexpr std::string_view stored_name(const E& value) noexcept {
    if constexpr (std::is_same_v<E, Verb>) {
        return verb_names[static_cast<std::size_t>(value)];
    } else if constexpr (std::is_same_v<E, AlertRow::State>) {
        constexpr std::string_view names[] = {"pending", "delivered", "dead", "skipped"};
        return names[static_cast<std::size_t>(value)];
    } else if constexpr (std::is_same_v<E, AlertRow::How>) {
        constexpr std::string_view names[] = {"plain", "alone", "together", "inhibited", "silenced"};
        return names[static_cast<std::size_t>(value)];
    } else if constexpr (std::is_same_v<E, Condition>) {
        return value.key();
    } else {
        return name_of(value);
    }
}

/// How many values have a name, found by asking: a name outside its table is no constant expression.
template <class E, std::size_t Count = 0>
[[nodiscard]] consteval std::size_t count_names() {
    if constexpr (requires { typename std::integral_constant<std::size_t, stored_name(static_cast<E>(Count)).size()>; })
        return count_names<E, Count + 1>();
    else
        return Count;
}

template <class E>
[[nodiscard]] constexpr std::optional<E> value_named(std::string_view name) noexcept {
    if constexpr (std::is_same_v<E, Condition>) {
        // A host's own has a name of its making; what cannot be one is damage.
        if (Condition::is_key(name)) return Condition::named(name);
    } else {
        for (std::size_t i = 0; i < count_names<E>(); ++i)
            if (stored_name(static_cast<E>(i)) == name) return static_cast<E>(i);
    }
    return std::nullopt;
}

}  // namespace heeler::inline HEELER_ABI::detail

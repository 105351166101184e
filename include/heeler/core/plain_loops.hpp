// What others take from <algorithm>, as plain loops: that header is 4,500 lines for whoever includes it, and up to
// thirty functions for each question that is asked.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

template <class Range, class Is>
[[nodiscard]] constexpr bool any_of(const Range& range, Is&& is) {
    for (const auto& each : range)
        if (is(each)) return true;
    return false;
}

template <class Range, class Value>
[[nodiscard]] constexpr bool contains(const Range& range, const Value& value) {
    for (const auto& each : range)
        if (each == value) return true;
    return false;
}

/// In place, by a heap. Elements of which none is before the other end up in any order.
template <class Range, class Before>
constexpr void sort(Range&& all, Before&& before) {
    using std::swap;
    const auto sink = [&](std::size_t at, std::size_t end) {
        for (std::size_t below = 2 * at + 1; below < end; below = 2 * at + 1) {
            if (below + 1 < end && before(all[below], all[below + 1])) ++below;
            if (!before(all[at], all[below])) return;
            swap(all[at], all[below]);
            at = below;
        }
    };
    for (std::size_t i = all.size() / 2; i > 0; --i) sink(i - 1, all.size());
    for (std::size_t end = all.size(); end > 1; --end) {
        swap(all[0], all[end - 1]);
        sink(0, end - 1);
    }
}
template <class Range>
constexpr void sort(Range&& all) {
    sort(all, [](const auto& a, const auto& b) { return a < b; });
}

/// Where `value` is, or would come: before it stands what is smaller.
template <class Range, class Value, class Before>
[[nodiscard]] constexpr std::size_t place_in_sorted(const Range& all, const Value& value, Before&& before) {
    std::size_t first = 0;
    for (std::size_t count = all.size(); count > 0;) {
        const std::size_t half = count / 2;
        if (before(all[first + half], value)) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}
template <class Range, class Value>
[[nodiscard]] constexpr std::size_t place_in_sorted(const Range& all, const Value& value) {
    return place_in_sorted(all, value, [](const auto& each, const Value& other) { return each < other; });
}
template <class Range, class Value>
[[nodiscard]] constexpr bool is_in_sorted(const Range& all, const Value& value) {
    const std::size_t at = place_in_sorted(all, value);
    return at < all.size() && all[at] == value;
}

/// Takes the first of the words that stand in `list`, with a mark between each and the next, off it.
[[nodiscard]] constexpr std::string_view take_word(std::string_view& list, char mark = ' ') noexcept {
    std::size_t size = 0;
    while (size < list.size() && list[size] != mark) ++size;
    const std::string_view word = list.substr(0, size);
    list.remove_prefix(size < list.size() ? size + 1 : size);
    return word;
}

template <class Vector, class Range>
void append_all(Vector& all, const Range& more) {
    for (const auto& each : more) all.push_back(each);
}

/// Of neighbours that are the same the first is left.
template <class Vector, class Same>
void drop_repeated(Vector& all, Same&& same) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (kept > 0 && same(all[kept - 1], all[i])) continue;
        if (kept != i) all[kept] = std::move(all[i]);
        ++kept;
    }
    while (all.size() > kept) all.pop_back();
}
template <class Vector>
void drop_repeated(Vector& all) {
    drop_repeated(all, [](const auto& a, const auto& b) { return a == b; });
}

/// What is left keeps its order.
template <class Vector, class Is>
void drop_if(Vector& all, Is&& is) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (is(all[i])) continue;
        if (kept != i) all[kept] = std::move(all[i]);
        ++kept;
    }
    while (all.size() > kept) all.pop_back();
}

}  // namespace heeler::inline HEELER_ABI::detail

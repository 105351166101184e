// How a function of the C interface ends: with a code, and a sentence that its thread can ask for.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <heeler/c/heeler.h>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI::c {

/// What a function refuses. Caught in `answered`.
struct Refused : std::exception {
    explicit Refused(Error what) : error{std::move(what)} {}
    Error error;
};

[[noreturn]] inline void refuse(ErrorCode code, std::string message) { throw Refused{{code, std::move(message)}}; }

template <class T>
T taken(Result<T> answer) {
    if (!answer) throw Refused{std::move(answer.error())};
    if constexpr (!std::is_void_v<T>) return *std::move(answer);
}

static_assert(HEELER_INVALID_ARGUMENT == 1 + static_cast<int>(ErrorCode::invalid_argument));
static_assert(HEELER_BUSY == 1 + static_cast<int>(ErrorCode::busy));
static_assert(HEELER_UNDER_WAY == static_cast<int>(error_code_count));

[[nodiscard]] constexpr int number_of(ErrorCode code) noexcept { return 1 + static_cast<int>(code); }

/// Absent: no error, or no code at all.
[[nodiscard]] constexpr std::optional<ErrorCode> code_of(int number) noexcept {
    if (number < 1 || number > static_cast<int>(error_code_count)) return std::nullopt;
    return static_cast<ErrorCode>(number - 1);
}

/// The sentence of this thread. It is kept without memory that could be out; a longer one is cut between two
/// characters.
inline std::array<char, 4096>& last_words() noexcept {
    static thread_local std::array<char, 4096> words{};
    return words;
}

inline int say(int code, std::string_view sentence) noexcept {
    auto& words = last_words();
    std::size_t length = std::min(sentence.size(), words.size() - 1);
    if (length < sentence.size())
        while (length > 0 && (static_cast<unsigned char>(sentence[length]) & 0xC0U) == 0x80U) --length;
    std::memcpy(words.data(), sentence.data(), length);
    words[length] = '\0';
    return code;
}

/// How deep this thread is in callbacks that may not call the library.
inline int& in_strict_callback() noexcept {
    static thread_local int depth = 0;
    return depth;
}

class StrictCallback {
public:
    StrictCallback() noexcept { ++in_strict_callback(); }
    ~StrictCallback() { --in_strict_callback(); }
    StrictCallback(const StrictCallback&) = delete;
    StrictCallback& operator=(const StrictCallback&) = delete;
};

/// Nothing but a code leaves a function.
template <class Call>
int answered(Call&& call) noexcept {
    try {
        if (in_strict_callback() > 0)
            refuse(ErrorCode::busy, "`now` and `wake` may not call heeler: set a flag, and call it afterwards");
        call();
        return HEELER_OK;
    } catch (const Refused& refused) {
        return say(number_of(refused.error.code), refused.error.message);
    } catch (const std::bad_alloc&) {
        return say(HEELER_INTERNAL, "there is no memory left");
    } catch (const std::exception& error) {
        return say(HEELER_INTERNAL, error.what());
    } catch (...) {
        return say(HEELER_INTERNAL, "a callback threw something that is no std::exception");
    }
}

}  // namespace heeler::inline HEELER_ABI::c

// Whether the tests run under a sanitizer, several times as slow: large counts are smaller there.
#pragma once

namespace heeler_test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_slowed = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool is_slowed = true;
#else
inline constexpr bool is_slowed = false;
#endif
#else
inline constexpr bool is_slowed = false;
#endif

}  // namespace heeler_test

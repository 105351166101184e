// Includes all that a user gets from heeler::heeler, and runs.
#if __has_include(<heeler/heeler.hpp>)
#include <heeler/heeler.hpp>
#else
#include <heeler/core/concepts.hpp>
#endif

#include <heeler/config.hpp>

int main() {
    const auto failure = tl::expected<int, heeler::Error>(heeler::fail(heeler::ErrorCode::busy, "try again"));
    return failure.error().code == heeler::ErrorCode::busy ? 0 : 1;
}

// Calls what a host wrote: nothing that it throws leaves the library.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The answer of `call`, a `Result`; what it throws is an error that names `who`.
template <class Call>
auto guarded(ErrorCode code, std::string_view who, Call&& call) -> decltype(call()) {
#if defined(__cpp_exceptions)
    try {
        return call();
    } catch (const std::exception& error) {
        return fail(code, std::string{who} + " threw: " + error.what());
    } catch (...) {
        return fail(code, std::string{who} + " threw something that is no std::exception");
    }
#else
    static_cast<void>(code);
    static_cast<void>(who);
    return call();
#endif
}

/// Throws, where there are exceptions.
inline void raise([[maybe_unused]] const char* why) {
#if defined(__cpp_exceptions)
    throw std::runtime_error{why};
#endif
}

/// Whether `call` came to its end.
template <class Call>
bool survives(Call&& call) {
#if defined(__cpp_exceptions)
    try {
        call();
    } catch (...) {
        return false;
    }
#else
    call();
#endif
    return true;
}

}  // namespace heeler::inline HEELER_ABI::detail

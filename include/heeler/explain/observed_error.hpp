// What was wrong with something that was reported, for those who are answered in errors.
#pragma once

#include <string>
#include <string_view>

#include <heeler/core/observed.hpp>
#include <heeler/core/result.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI {

/// Of any answer but `ok`.
[[nodiscard]] inline Error error_of(Observed answer, std::string_view run) {
    const std::string name = "the run '" + text::shown_name(run, 160) + "'";
    switch (answer) {
        case Observed::fenced:
            return {ErrorCode::fenced, name + " was taken up by another agent; this one is not heard"};
        case Observed::refused:
            return {ErrorCode::invalid_argument, name + " cannot take this value; it is outside its limits"};
        case Observed::elsewhere:
            return {ErrorCode::conflict, name + " is with another watchdog now"};
        case Observed::unknown:
            return {ErrorCode::unknown_run, name + " is not watched here: it is over, or was not started or attached"};
        case Observed::ok:
        case Observed::ended:
            break;
    }
    return {ErrorCode::ended, name + " is over; nothing was changed"};
}

}  // namespace heeler::inline HEELER_ABI

// The one page that shows it all, in one piece: nothing else is fetched.
#pragma once

#include <string>

namespace tracker {

/// HTML with its style and its script, which alone may run: it bears the nonce.
[[nodiscard]] std::string page(const std::string& nonce);

/// The Content-Security-Policy of the page.
[[nodiscard]] std::string page_policy(const std::string& nonce);

/// Another one each time.
[[nodiscard]] std::string new_nonce();

}  // namespace tracker

// Whether an address leads to this machine: what is sent there in clear is read by nobody else.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <curl/curl.h>

namespace common {

/// By the host that libcurl will ask, and not by how the address begins: that may be a user's name, or the beginning of
/// a longer host. False for what is no URL.
[[nodiscard]] inline bool is_on_own_machine(const std::string& url) {
    const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed{curl_url(), &curl_url_cleanup};
    if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
        return false;
    char* found = nullptr;
    if (curl_url_get(parsed.get(), CURLUPART_HOST, &found, 0) != CURLUE_OK) return false;
    const std::unique_ptr<char, decltype(&curl_free)> host{found, &curl_free};
    return std::string_view{found} == "127.0.0.1" || std::string_view{found} == "[::1]";
}

}  // namespace common

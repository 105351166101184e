// Asks an HTTP server something once, with a limit on everything that it may do. libcurl.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <curl/curl.h>

#include <heeler/config.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/one_line.hpp>

namespace heeler::inline HEELER_ABI {

struct TransferSettings {
    Duration connect_timeout = std::chrono::seconds{5};
    Duration timeout = std::chrono::seconds{10};  ///< of the whole exchange, its connection included
    std::string ca_file{};                        ///< certificates to trust, PEM; empty: those of the system
};

struct HttpRequest {
    std::string method = "POST";
    std::string url{};
    std::vector<std::string> headers{};  ///< "Name: value", without line ends
    std::string body{};
    std::size_t most = 64 * 1024;  ///< bytes of the answer that are read
};

struct HttpAnswer {
    int status = 0;
    std::string body{};      ///< its start, as much as was to be read
    Duration retry_after{};  ///< what the server asked for; 0: nothing
};

namespace detail {

struct CurlEnd {
    void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};

using CurlHandle = std::unique_ptr<CURL, CurlEnd>;
using CurlList = std::unique_ptr<curl_slist, CurlEnd>;

/// A handle with what every exchange needs: no signals, a time limit, no exchange in clear where it was to be secret.
[[nodiscard]] inline CurlHandle curl_handle(const TransferSettings& settings) {
    static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (ready != CURLE_OK) return nullptr;
    CurlHandle handle{curl_easy_init()};
    if (!handle) return nullptr;
    const auto milliseconds = [](Duration length) {
        return static_cast<long>(
            std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::milliseconds>(length).count()));
    };
    curl_easy_setopt(handle.get(), CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle.get(), CURLOPT_CONNECTTIMEOUT_MS, milliseconds(settings.connect_timeout));
    curl_easy_setopt(handle.get(), CURLOPT_TIMEOUT_MS, milliseconds(settings.timeout));
    curl_easy_setopt(handle.get(), CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (!settings.ca_file.empty()) curl_easy_setopt(handle.get(), CURLOPT_CAINFO, settings.ca_file.c_str());
    return handle;
}

/// The list with one more line; empty if there is no memory.
[[nodiscard]] inline CurlList with_line(CurlList list, const std::string& line) {
    curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
    if (longer != nullptr) static_cast<void>(list.release());
    return CurlList{longer};
}

[[nodiscard]] inline tl::unexpected<Error> curl_failure(CURLcode code, const char* more) {
    std::string message = *more != '\0' ? more : curl_easy_strerror(code);
    if (code == CURLE_OPERATION_TIMEDOUT) return fail(ErrorCode::timed_out, std::move(message));
    return fail(ErrorCode::delivery_failed, std::move(message));
}

}  // namespace detail

/// Keeps the connection to its server between questions. Follows no redirection, speaks only HTTP, checks certificates
/// and names, honours the proxies of the environment. One thread at a time.
class HttpClient {
public:
    explicit HttpClient(TransferSettings settings = {}) : settings_{std::move(settings)} {}

    /// The answer, whatever its status. Errors: `invalid_argument` for a URL that is none; `timed_out`;
    /// `delivery_failed`: no server, no name, another certificate, no HTTP, half an answer. Their text never has the
    /// URL, which may hold a secret, only its host.
    [[nodiscard]] Result<HttpAnswer> ask(const HttpRequest& request) {
        if (!is_http(request.url))
            return fail(ErrorCode::invalid_argument, "the URL must begin with https:// or http://");
        if (!handle_) handle_ = detail::curl_handle(settings_);
        if (!handle_) return fail(ErrorCode::delivery_failed, "libcurl cannot be used here");
        detail::CurlList headers = detail::with_line(nullptr, "Expect:");
        for (const std::string& line : request.headers)
            if (headers) headers = detail::with_line(std::move(headers), line);
        if (!headers) return fail(ErrorCode::delivery_failed, "no memory");
        return exchange(request, headers.get());
    }

private:
    [[nodiscard]] static bool is_http(std::string_view url) {
        return (url.starts_with("https://") && url.size() > 8) || (url.starts_with("http://") && url.size() > 7);
    }

    [[nodiscard]] Result<HttpAnswer> exchange(const HttpRequest& request, curl_slist* headers) {
        CURL* const curl = handle_.get();
        HttpAnswer answer;
        Reader reader{answer.body, request.most};
        char more[CURL_ERROR_SIZE] = "";
        curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, more);
        curl_easy_setopt(curl, CURLOPT_USERAGENT, "heeler");
#if LIBCURL_VERSION_NUM >= 0x075500
        curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
        curl_easy_setopt(curl, CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
        curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
        curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
        if (request.method == "GET") {
            curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
        } else {
            curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
            curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        }
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
        curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &HttpClient::keep);
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reader);
        const CURLcode code = curl_easy_perform(curl);
        curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, nullptr);
        if (code != CURLE_OK && !reader.full) return detail::curl_failure(code, more);
        long status = 0;
        curl_off_t seconds = 0;
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds);
        answer.status = static_cast<int>(status);
        answer.retry_after = std::chrono::seconds{std::clamp<std::int64_t>(seconds, 0, 86'400)};
        return answer;
    }

    struct Reader {
        std::string& body;
        std::size_t most;
        bool full = false;
    };

    /// More than was to be read ends the exchange. Nothing may be thrown through libcurl: without memory, all ends.
    static std::size_t keep(char* data, std::size_t, std::size_t bytes, void* into) noexcept {
        auto& reader = *static_cast<Reader*>(into);
        const std::size_t room = reader.most - reader.body.size();
        reader.body.append(data, std::min(bytes, room));
        reader.full = bytes > room;
        return reader.full ? 0 : bytes;
    }

    TransferSettings settings_;
    detail::CurlHandle handle_;
};

}  // namespace heeler::inline HEELER_ABI

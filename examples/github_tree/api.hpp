// GitHub's REST API: one question at a time, an answer or a sentence that says what is wrong.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include <heeler/clock/system_clock.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/notify/http/http_client.hpp>
#include <heeler/notify/http/json_answer.hpp>

namespace github_tree {

using heeler::Result;
using Json = heeler::detail::JsonAnswer;

struct ApiSettings {
    std::string url = "https://api.github.com";
    std::string token{};
};

/// Any thread, one at a time. Where GitHub says that there were too many questions, none is asked before it allows it.
///
/// The error of what was to be changed says how certain it is that nothing was: `rejected` and `busy` (certainly
/// nothing; `busy`: later), `timed_out` (it may have been).
class Api {
public:
    explicit Api(ApiSettings settings) : settings_{std::move(settings)} {}

    /// `path` begins with a slash. An answer of 200 to 299, or 404 where that is one (`asks_whether`).
    Result<heeler::HttpAnswer> get(const std::string& path, bool asks_whether = false);
    Result<heeler::HttpAnswer> post(const std::string& path, std::string body);
    Result<heeler::HttpAnswer> patch(const std::string& path, std::string body);

    /// All pages of a list: `take(json, place)` for each element, until it answers false. A place is a JSON pointer.
    Result<void> each(const std::string& path, const std::function<bool(const Json&, const std::string&)>& take);

private:
    Result<heeler::HttpAnswer> ask(const char* method, const std::string& path, std::string body, bool asks_whether);
    Result<heeler::HttpAnswer> exchange(const char* method, const std::string& path, std::string body);
    tl::unexpected<heeler::Error> refused(const char* method, const std::string& path,
                                          const heeler::HttpAnswer& answer);
    tl::unexpected<heeler::Error> too_many(heeler::Duration pause);
    [[nodiscard]] heeler::Duration until_reset();

    ApiSettings settings_;
    heeler::SystemClock clock_;
    std::mutex lock_;
    heeler::HttpClient client_;
    heeler::Elapsed not_before_{};
};

}  // namespace github_tree

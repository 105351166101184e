#include "api.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/one_line.hpp>

namespace github_tree {
namespace {

using heeler::ErrorCode;
using heeler::HttpAnswer;
using heeler::text::concat;
using namespace std::chrono_literals;

constexpr std::size_t per_page = 100;  ///< GitHub gives no more
constexpr std::size_t most_pages = 50;
constexpr std::size_t longest_answer = 16 * 1024 * 1024;

bool is_good(const HttpAnswer& answer) { return answer.status >= 200 && answer.status < 300; }

/// GitHub says that there were too many questions with 429, or with 403 and these words.
bool is_too_many(const HttpAnswer& answer) {
    if (answer.status == 429) return true;
    if (answer.status != 403) return false;
    return answer.retry_after > heeler::Duration{} || answer.body.find("rate limit") != std::string::npos;
}

/// What a person can do about it.
std::string_view advice(int status) {
    switch (status) {
        case 401:
            return "the token in GITHUB_TOKEN is wrong, or has expired";
        case 403:
            return "the token may not do that: it needs 'Issues: read and write' for the repository";
        case 404:
        case 410:
            return "there is no such thing, or the token may not see it";
        case 301:
        case 307:
        case 308:
            return "it has moved; give the repository by its name of today";
        default:
            return status >= 500 ? "GitHub has trouble; it is asked again" : "GitHub refuses it";
    }
}

}  // namespace

Result<HttpAnswer> Api::get(const std::string& path, bool asks_whether) { return ask("GET", path, {}, asks_whether); }
Result<HttpAnswer> Api::post(const std::string& path, std::string body) {
    return ask("POST", path, std::move(body), false);
}
Result<HttpAnswer> Api::patch(const std::string& path, std::string body) {
    return ask("PATCH", path, std::move(body), false);
}

Result<void> Api::each(const std::string& path, const std::function<bool(const Json&, const std::string&)>& take) {
    const char joint = path.find('?') == std::string::npos ? '?' : '&';
    for (std::size_t page = 1; page <= most_pages; ++page) {
        const auto answer = get(
            concat(path, std::string(1, joint), "per_page=", std::to_string(per_page), "&page=", std::to_string(page)));
        if (!answer) return tl::unexpected<heeler::Error>(answer.error());
        const Json list{answer->body};
        const auto size = list.size();
        if (!size) return heeler::fail(ErrorCode::failed, concat("GET ", path, ": GitHub's answer is no list"));
        for (std::size_t i = 0; i < *size; ++i)
            if (!take(list, "/" + std::to_string(i))) return {};
        if (*size < per_page) return {};
    }
    return heeler::fail(ErrorCode::failed, concat("GET ", path, ": more than ", std::to_string(most_pages), " pages"));
}

Result<HttpAnswer> Api::ask(const char* method, const std::string& path, std::string body, bool asks_whether) {
    const std::lock_guard guard{lock_};
    if (const auto left = not_before_ - clock_.now().elapsed; left > heeler::Duration{}) return too_many(left);
    auto answer = exchange(method, path, std::move(body));
    if (!answer) return answer;
    if (is_good(*answer) || (asks_whether && answer->status == 404)) return answer;
    if (!is_too_many(*answer)) return refused(method, path, *answer);
    return too_many(answer->retry_after > heeler::Duration{} ? answer->retry_after : until_reset());
}

Result<HttpAnswer> Api::exchange(const char* method, const std::string& path, std::string body) {
    heeler::HttpRequest request;
    request.method = method;
    request.url = settings_.url + path;
    request.headers = {"Accept: application/vnd.github+json", "Content-Type: application/json",
                       "X-GitHub-Api-Version: 2022-11-28", "Authorization: Bearer " + settings_.token};
    request.body = std::move(body);
    request.most = longest_answer;
    auto answer = client_.ask(request);
    if (answer) return answer;
    return heeler::fail(ErrorCode::timed_out, concat(method, " ", path, ": no answer: ", answer.error().message));
}

tl::unexpected<heeler::Error> Api::refused(const char* method, const std::string& path, const HttpAnswer& answer) {
    const Json words{answer.body};
    std::string why = concat(method, " ", path, ": ", std::to_string(answer.status), ", ", advice(answer.status));
    if (const auto said = words.text("/message"); !said.empty())
        why += concat(" (", heeler::text::one_line(said, 200), ")");
    return heeler::fail(answer.status >= 500 ? ErrorCode::timed_out : ErrorCode::rejected, std::move(why));
}

tl::unexpected<heeler::Error> Api::too_many(heeler::Duration pause) {
    not_before_ = clock_.now().elapsed + pause;
    return heeler::fail(ErrorCode::busy, concat("GitHub was asked too much: nothing is asked for the next ",
                                                heeler::text::spoken(std::max<heeler::Duration>(pause, 1s))));
}

/// The limit of an hour says elsewhere when it ends, and asking for it costs nothing. A minute if that is not known.
heeler::Duration Api::until_reset() {
    const auto answer = exchange("GET", "/rate_limit", {});
    const Json limits{answer ? answer->body : std::string{}};
    if (limits.number("/resources/core/reset") == 0 || limits.number("/resources/core/remaining") > 0) return 1min;
    const auto reset = heeler::WallTime{std::chrono::seconds{limits.number("/resources/core/reset")}};
    return std::clamp<heeler::Duration>(reset - clock_.now().wall, 1s, 1h);
}

}  // namespace github_tree

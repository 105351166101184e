// The few questions to a GitHub repository that filing needs. Needs libcurl and simdjson.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/result.hpp>
#include <heeler/notify/http/http_client.hpp>
#include <heeler/notify/http/json_answer.hpp>
#include <heeler/notify/http/receipt_for.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/sha256.hpp>
#include <heeler/text/url_encoded.hpp>

namespace heeler::inline HEELER_ABI {

struct GithubSettings {
    std::string repository{};  ///< "owner/name"
    std::string token{};       ///< that may write issues there: keep it out of files
    std::string label = "heeler";
    bool close_on_recovery = false;  ///< of `GithubNotifier`
    std::string api = "https://api.github.com";
    TransferSettings transfer{};
};

namespace detail {

struct GithubIssue {
    std::int64_t number = 0;  ///< 0: there is none
    std::string url{};
    std::string body{};
};

/// What is written unseen into an issue or a comment to find it again.
[[nodiscard]] inline std::string hidden_mark(std::string_view what, std::string_view key) {
    return text::concat("<!-- heeler ", what, " ", text::sha256_hex(key).substr(0, 32), " -->");
}

/// Text in a block that it cannot end, in which nobody is mentioned and nothing is linked.
[[nodiscard]] inline std::string fenced(std::string_view text) {
    std::size_t longest = 2, run = 0;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    const std::string fence(longest + 1, '`');
    return text::concat(fence, "text\n", text, "\n", fence, "\n");
}

class GithubRepository {
public:
    explicit GithubRepository(GithubSettings settings) : settings_{std::move(settings)}, client_{settings_.transfer} {
        static_cast<void>(secrets_.add(settings_.token));
    }

    [[nodiscard]] const GithubSettings& settings() const noexcept { return settings_; }

    /// The newest issue of this label that has the mark. `state`: "open", "all".
    [[nodiscard]] Result<GithubIssue> find(std::string_view state, std::string_view mark) {
        for (int page = 1; page <= most_pages; ++page) {
            const auto answer =
                ask("GET", text::concat("/issues?state=", state, "&labels=", text::url_encoded(settings_.label),
                                        "&per_page=", std::to_string(per_page), "&page=", std::to_string(page)));
            if (!answer) return tl::unexpected<Error>(answer.error());
            const JsonAnswer list{answer->body};
            const auto size = list.size();
            if (!size) return unreadable("a list of issues");
            for (std::size_t i = 0; i < *size; ++i) {
                auto issue = issue_at(list, text::concat("/", std::to_string(i)));
                if (issue.number <= 0) return unreadable("a list of issues");
                if (issue.body.find(mark) != std::string::npos) return issue;
            }
            if (*size < per_page) break;
        }
        return GithubIssue{};
    }

    [[nodiscard]] Result<bool> is_open(std::int64_t number) {
        const auto answer = ask("GET", text::concat("/issues/", std::to_string(number)));
        if (!answer) return tl::unexpected<Error>(answer.error());
        const JsonAnswer issue{answer->body};
        const std::string_view state = issue.text("/state");
        if (state != "open" && state != "closed") return unreadable("an issue");
        return state == "open";
    }

    [[nodiscard]] Result<GithubIssue> create(std::string_view title, std::string_view body) {
        text::JsonLine line;
        line.begin_object().key("title").string(title).key("body").string(body);
        line.key("labels").begin_array().string(settings_.label).end_array().end_object();
        const auto answer = ask("POST", "/issues", std::move(line).text());
        if (!answer) return tl::unexpected<Error>(answer.error());
        auto made = issue_at(JsonAnswer{answer->body}, "");
        if (made.number > 0) return made;
        return unreadable("the new issue");
    }

    [[nodiscard]] Result<bool> has_comment(std::int64_t number, std::string_view mark) {
        for (int page = 1; page <= most_pages; ++page) {
            const auto answer = ask("GET", text::concat("/issues/", std::to_string(number), "/comments?per_page=",
                                                        std::to_string(per_page), "&page=", std::to_string(page)));
            if (!answer) return tl::unexpected<Error>(answer.error());
            const JsonAnswer list{answer->body};
            const auto size = list.size();
            if (!size) return unreadable("a list of comments");
            for (std::size_t i = 0; i < *size; ++i) {
                const std::string place = text::concat("/", std::to_string(i));
                if (list.number(place + "/id") <= 0) return unreadable("a list of comments");
                if (list.text(place + "/body").find(mark) != std::string_view::npos) return true;
            }
            if (*size < per_page) break;
        }
        return false;
    }

    [[nodiscard]] Result<void> comment(std::int64_t number, std::string_view body) {
        text::JsonLine line;
        line.begin_object().key("body").string(body).end_object();
        const auto answer =
            ask("POST", text::concat("/issues/", std::to_string(number), "/comments"), std::move(line).text());
        if (!answer) return tl::unexpected<Error>(answer.error());
        if (JsonAnswer{answer->body}.number("/id") <= 0) return unreadable("the new comment");
        return {};
    }

    [[nodiscard]] Result<void> close(std::int64_t number) {
        const auto answer = ask("PATCH", text::concat("/issues/", std::to_string(number)),
                                R"({"state":"closed","state_reason":"completed"})");
        if (!answer) return tl::unexpected<Error>(answer.error());
        if (JsonAnswer{answer->body}.text("/state") != "closed") return unreadable("the closed issue");
        return {};
    }

private:
    static constexpr int most_pages = 10;
    static constexpr std::size_t per_page = 50;
    static constexpr std::size_t longest_list = 8 * 1024 * 1024;

    [[nodiscard]] static GithubIssue issue_at(const JsonAnswer& answer, const std::string& place) {
        return {answer.number(place + "/number"), std::string{answer.text(place + "/html_url")},
                std::string{answer.text(place + "/body")}};
    }

    /// Somebody answered, a proxy perhaps: nothing is known of what is there, nor of what was done.
    [[nodiscard]] static tl::unexpected<Error> unreadable(std::string_view wanted) {
        return fail(ErrorCode::delivery_failed, text::concat("github: the answer is not ", wanted));
    }

    [[nodiscard]] Result<HttpAnswer> ask(std::string method, std::string_view path, std::string body = {}) {
        if (settings_.repository.find('/') == std::string::npos || settings_.token.empty())
            return fail(ErrorCode::permanent, "github: it has no repository (owner/name) or no token; set both");
        HttpRequest request;
        request.method = std::move(method);
        request.url = text::concat(settings_.api, "/repos/", settings_.repository, path);
        request.headers = {"Accept: application/vnd.github+json", "Content-Type: application/json",
                           "X-GitHub-Api-Version: 2022-11-28", "Authorization: Bearer " + settings_.token};
        request.body = std::move(body);
        request.most = longest_list;
        auto answer = client_.ask(request);
        if (!answer) return unreached("github", answer.error(), secrets_);
        if (answer->status >= 200 && answer->status < 300) return answer;
        const JsonAnswer words{answer->body};
        const std::string_view why = words.text("/message");
        // That there were too many questions is said with 403 as well, and not always for how long.
        if (answer->status == 403 && why.find("rate limit") != std::string_view::npos &&
            answer->retry_after == Duration{})
            answer->retry_after = std::chrono::minutes{1};
        return refused("github", *answer, why, secrets_);
    }

    GithubSettings settings_;
    text::Redactor secrets_;
    HttpClient client_;
};

}  // namespace detail

}  // namespace heeler::inline HEELER_ABI

// Alerts and issues in a GitHub repository. Needs libcurl (heeler::http) and simdjson (heeler::json).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/alert/text.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/issue.hpp>
#include <heeler/core/result.hpp>
#include <heeler/notify/http/github_repository.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

/// The most that an issue or a comment holds, less what is put around the text (GitHub: 65,536 characters).
inline constexpr std::size_t github_text_cap = 60'000;
inline constexpr std::size_t github_title_cap = 200;

[[nodiscard]] inline std::string github_text(std::string_view text) {
    return fenced(fit_text(text::sanitise(text, 1 << 20), github_text_cap, TextUnit::character));
}

}  // namespace detail

/// One issue for each run that is in trouble: its first alert opens it, what follows is a comment, and the all-clear is
/// too, which closes it if that is set. An issue that people closed is left closed: the next alert opens a new one. It
/// is found again after a restart by a mark that nobody sees, and so is an alert that is repeated: what GitHub took is
/// not said twice. Text of an agent stands in blocks, so that nobody is mentioned. Up to 500 open issues of the label.
///
/// Statuses as with `WebhookNotifier`; "rate limit" is tried again. One thread at a time.
class GithubNotifier {
public:
    static constexpr std::string_view name = "github";

    explicit GithubNotifier(GithubSettings settings) : github_{std::move(settings)} {}

    [[nodiscard]] Result<Receipt> send(const Alert& alert) {
        const std::string about = alert.run.id.empty() ? "the watchdog" : alert.run.id;
        const std::string mark = detail::hidden_mark("run", about);
        const std::string once = detail::hidden_mark("alert", alert.key);
        const bool all_clear = alert.severity == Severity::none;
        auto known = issue_of(about, mark);
        if (!known) return tl::unexpected<Error>(std::move(known.error()));
        const std::string body = text::concat(detail::github_text(format_alert(alert)), "\n", once, "\n");
        Result<void> said{};
        if (known->number == 0) {
            if (all_clear) return Receipt{1, {"github: no issue was open"}};  // nobody was told that anything was wrong
            auto made = github_.create(text::one_line(title_of(alert), detail::github_title_cap),
                                       text::concat(body, mark, "\n"));
            if (!made) return tl::unexpected<Error>(std::move(made.error()));
            open_.insert_or_assign(about, made->number);
            return receipt_of(made->number);
        }
        auto repeated = was_said(*known, alert, once);
        if (!repeated) return tl::unexpected<Error>(std::move(repeated.error()));
        if (!*repeated) said = github_.comment(known->number, body);
        if (said && all_clear && github_.settings().close_on_recovery) {
            said = github_.close(known->number);
            if (said) open_.erase(about);
        }
        if (!said) return tl::unexpected<Error>(std::move(said.error()));
        return receipt_of(known->number);
    }

private:
    static constexpr std::size_t most_known = 4096;

    [[nodiscard]] Receipt receipt_of(std::int64_t number) const {
        return {1, {text::concat("github ", github_.settings().repository, "#", std::to_string(number))}};
    }

    [[nodiscard]] static std::string title_of(const Alert& alert) {
        return text::concat("[heeler] ", alert.summary.empty() ? alert.kind : alert.summary);
    }

    /// The open issue; its body is only there if it had to be looked for.
    [[nodiscard]] Result<detail::GithubIssue> issue_of(const std::string& about, std::string_view mark) {
        if (const auto found = open_.find(about); found != open_.end()) {
            const auto open = github_.is_open(found->second);
            const bool gone = !open && open.error().code == ErrorCode::permanent;  // deleted, or moved elsewhere
            if (!open && !gone) return tl::unexpected<Error>(open.error());
            if (open && *open) return detail::GithubIssue{found->second, {}, {}};
            open_.erase(found);
        }
        auto found = github_.find("open", mark);
        if (found && found->number > 0) {
            if (open_.size() >= most_known) open_.clear();  // they are found again
            open_.insert_or_assign(about, found->number);
        }
        return found;
    }

    /// Only what was tried before, or by a process before this one, can have been said.
    [[nodiscard]] Result<bool> was_said(const detail::GithubIssue& issue, const Alert& alert, std::string_view once) {
        if (alert.attempt <= 1 && issue.body.empty()) return false;
        if (issue.body.find(once) != std::string::npos) return true;
        return github_.has_comment(issue.number, once);
    }

    detail::GithubRepository github_;
    std::map<std::string, std::int64_t, std::less<>> open_;
};

/// Files issues for runs that nobody could mend; an issue that is there already, open or closed, is found by its key.
/// `note` of the answer is its address. One thread at a time.
class GithubIssues {
public:
    static constexpr bool idempotent = true;

    explicit GithubIssues(GithubSettings settings) : github_{std::move(settings)} {}

    [[nodiscard]] Result<ActionDone> file(const Issue& issue) {
        if (issue.key.empty())
            return fail(ErrorCode::invalid_argument, "the issue has no key: give every issue a key of its own");
        const std::string mark = detail::hidden_mark("issue", issue.key);
        auto there = github_.find("all", mark);
        if (there && there->number == 0)
            there = github_.create(text::one_line(issue.title, detail::github_title_cap),
                                   text::concat(detail::github_text(issue.body), "\n", mark, "\n"));
        if (!there) return tl::unexpected<Error>(std::move(there.error()));
        return ActionDone{std::move(there->url)};
    }

private:
    detail::GithubRepository github_;
};

}  // namespace heeler::inline HEELER_ABI

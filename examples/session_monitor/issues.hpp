// Issues about sessions that nobody could mend: in a repository if one is named, else as files in a folder.
#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <heeler/core/issue.hpp>
#include <heeler/core/result.hpp>
#include <heeler/notify/github_notifier.hpp>
#include <heeler/report/issue_folder.hpp>

#include "../common/own_environment.hpp"
#include "options.hpp"

namespace monitor {

/// A repository is asked in a thread for each issue: one that hangs holds up neither alerts nor other issues.
class Issues {
public:
    static constexpr bool idempotent = true;

    explicit Issues(const Options& options) : folder_{folder_of(options)} {
        constexpr std::string_view github = "github:";
        if (!options.issues.starts_with(github)) return;
        heeler::GithubSettings settings;
        settings.repository = options.issues.substr(github.size());
        settings.token = common::from_environment("HEELER_GITHUB_TOKEN");
        if (const std::string api = common::from_environment("HEELER_GITHUB_API"); !api.empty()) settings.api = api;
        github_ = std::move(settings);
    }

    /// `busy` until the repository has answered: to be asked again.
    [[nodiscard]] heeler::Result<heeler::ActionDone> file(const heeler::Issue& issue) {
        if (!github_) return folder_.file(issue);
        std::unique_lock guard{lock_};
        auto at = asked_.find(issue.key);
        if (at == asked_.end()) at = asked_.emplace(issue.key, begin(*github_, issue)).first;
        guard.unlock();  // only this thread removes any
        if (at->second.answer.wait_until(at->second.began + patience) != std::future_status::ready)
            return heeler::fail(heeler::ErrorCode::busy, "github: it is being asked");
        guard.lock();
        auto answer = at->second.answer.get();
        asked_.erase(at);
        return answer;
    }

    /// Whether the repository has not answered yet. Any thread.
    [[nodiscard]] bool any() const {
        const std::lock_guard guard{lock_};
        return std::any_of(asked_.begin(), asked_.end(), [](const auto& each) {
            return each.second.answer.wait_for(std::chrono::seconds{0}) != std::future_status::ready;
        });
    }

private:
    using Answer = heeler::Result<heeler::ActionDone>;

    struct Asked {
        std::chrono::steady_clock::time_point began;
        std::future<Answer> answer;
    };

    static constexpr std::chrono::seconds patience{1};

    /// The thread refers to nothing of this process's: whoever ends does not wait for it.
    [[nodiscard]] static Asked begin(const heeler::GithubSettings& settings, const heeler::Issue& issue) {
        std::packaged_task<Answer()> ask{[settings, issue] { return heeler::GithubIssues{settings}.file(issue); }};
        Asked asked{std::chrono::steady_clock::now(), ask.get_future()};
        std::thread{std::move(ask)}.detach();
        return asked;
    }

    /// Below the directory of the sessions, where agents may have made it, it may not be a link.
    [[nodiscard]] static heeler::IssueFolder folder_of(const Options& options) {
        if (options.issues.starts_with("github:")) return heeler::IssueFolder{""};
        const bool chosen = !options.issues.empty();
        std::error_code ignored;  // whoever files an issue says what is wrong
        const std::filesystem::path folder =
            chosen ? std::filesystem::path{options.issues} : options.directory / "issues";
        if (std::filesystem::create_directories(folder, ignored))
            std::filesystem::permissions(folder, std::filesystem::perms::owner_all, ignored);
        return chosen ? heeler::IssueFolder{options.issues} : heeler::IssueFolder{options.directory.string(), "issues"};
    }

    heeler::IssueFolder folder_;
    std::optional<heeler::GithubSettings> github_;
    mutable std::mutex lock_;
    std::map<std::string, Asked, std::less<>> asked_;
};

}  // namespace monitor

// An agent that reviews stopped trees, without a model: done is what has evidence.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client.hpp"

namespace tracker {

/// One thread.
class Reviewer {
public:
    /// `tell` is called with what it does, a line each time.
    Reviewer(Client& client, std::string token, std::function<void(const std::string&)> tell);

    /// Takes up the oldest wake, if there is one: false: there is none. What it finds is said in comments; what is done
    /// without evidence is reopened, three at once.
    bool review_one();

private:
    struct Wake {
        std::string task{};     ///< the review task
        std::string tree{};     ///< the issue that is watched
        std::string request{};  ///< names what is asked for in this review
        std::vector<std::string> leaves{};
    };

    [[nodiscard]] std::optional<Wake> oldest_wake();
    [[nodiscard]] bool start(const Wake& wake);
    [[nodiscard]] bool has_proof(const std::string& leaf);
    void note(const std::string& issue, const std::string& text);
    [[nodiscard]] std::vector<std::string> unproven(const Wake& wake);
    [[nodiscard]] bool reopen(const Wake& wake, const std::vector<std::string>& leaves);
    void finish(const Wake& wake, const std::string& status, const std::string& disposition);

    Client& client_;
    std::string token_;
    std::function<void(const std::string&)> tell_;
    std::string run_;
};

/// Reviews until a signal comes, or, `once`, one review. The status of the program.
int run_reviewer(const std::string& url, const std::string& token, bool once);

}  // namespace tracker

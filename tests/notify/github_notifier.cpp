#include <heeler/notify/github_notifier.hpp>

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <simdjson.h>

#include <heeler/text/json_writer.hpp>

#include "contract/channel_contract.hpp"
#include "support/catch.hpp"
#include "support/loopback.hpp"

using heeler::ErrorCode;
using heeler::GithubIssues;
using heeler::GithubNotifier;
using heeler::GithubSettings;
using heeler_test::channel_secret;
using heeler_test::http_answer;
using heeler_test::HttpSeen;

namespace {

/// As much of GitHub as is asked for. Thread-safe.
class FakeGithub {
public:
    struct Issue {
        std::string title{}, body{};
        bool open = true;
        std::vector<std::string> comments{};
    };

    [[nodiscard]] std::string url() const { return server_.url(); }
    [[nodiscard]] std::vector<Issue> issues() const {
        const std::lock_guard guard{lock_};
        return issues_;
    }
    void close(std::size_t number) {
        const std::lock_guard guard{lock_};
        issues_[number - 1].open = false;
    }
    /// It answers as if it had never been.
    void remove(std::size_t number) {
        const std::lock_guard guard{lock_};
        removed_.insert(number);
    }
    void open(std::size_t number) {
        const std::lock_guard guard{lock_};
        issues_[number - 1].open = true;
    }
    /// From now on these requests take effect, but somebody else answers with this; of no method: none.
    void speak_over(const std::string& method, const std::string& answer = {}) {
        const std::lock_guard guard{lock_};
        spoken_over_ = method;
        foreign_ = answer;
    }
    /// The next request takes effect, and its answer is lost.
    void lose_next(const std::string& method) {
        const std::lock_guard guard{lock_};
        lost_ = method;
    }
    [[nodiscard]] std::vector<HttpSeen> seen() const { return server_.seen(); }

private:
    std::string answer(const HttpSeen& asked) {
        const std::lock_guard guard{lock_};
        const std::string said = answer_to(asked);
        if (spoken_over_ == asked.method) return http_answer(200, foreign_);
        if (lost_ != asked.method) return said;
        lost_.clear();
        return "HTTP/1.1 201 Created\r\nContent-Length: 1000\r\n\r\n";
    }

    std::string answer_to(const HttpSeen& asked) {
        if (asked.header("Authorization") != "Bearer " + std::string{channel_secret}) return http_answer(401);
        const std::string base = "/repos/acme/agents/issues";
        if (asked.path.compare(0, base.size(), base) != 0) return http_answer(404);
        const std::string rest = asked.path.substr(base.size());
        simdjson::dom::parser parser;
        simdjson::dom::element json;
        const bool has_body = parser.parse(simdjson::padded_string{asked.body}).get(json) == simdjson::SUCCESS;
        const auto member = [&](const char* name) {
            std::string_view text;
            return has_body && json[name].get(text) == simdjson::SUCCESS ? std::string{text} : std::string{};
        };
        if (asked.method == "POST" && rest.empty()) {
            issues_.push_back({member("title"), member("body")});
            return http_answer(201, shown(issues_.size()));
        }
        if (asked.method == "GET" && rest.compare(0, 1, "?") == 0) return http_answer(200, listed(rest));
        const std::size_t number = std::stoul(rest.substr(1));
        if (number < 1 || number > issues_.size()) return http_answer(404);
        if (removed_.count(number) != 0) return http_answer(410, R"({"message":"This issue was deleted"})");
        Issue& issue = issues_[number - 1];
        if (asked.method == "PATCH") issue.open = member("state") != "closed";
        if (rest.find("/comments") == std::string::npos) return http_answer(200, shown(number));
        if (asked.method == "POST") {
            issue.comments.push_back(member("body"));
            return http_answer(201, R"({"id":7})");
        }
        heeler::text::JsonLine line;
        line.begin_array();
        if (rest.find("&page=1") != std::string::npos)
            for (const std::string& comment : issue.comments)
                line.begin_object().key("id").number(7).key("body").string(comment).end_object();
        line.end_array();
        return http_answer(200, line.text());
    }

    [[nodiscard]] std::string listed(const std::string& query) const {
        std::string list = "[";
        const bool all = query.find("state=all") != std::string::npos;
        if (query.find("&page=1") == std::string::npos) return "[]";
        for (std::size_t number = issues_.size(); number > 0; --number)
            if (removed_.count(number) == 0 && (all || issues_[number - 1].open))
                list += (list.size() > 1 ? "," : "") + shown(number);
        return list + "]";
    }

    [[nodiscard]] std::string shown(std::size_t number) const {
        const Issue& issue = issues_[number - 1];
        heeler::text::JsonLine line;
        line.begin_object().key("number").number(number).key("state").string(issue.open ? "open" : "closed");
        line.key("html_url").string("https://example/issues/" + std::to_string(number));
        line.key("body").string(issue.body).end_object();
        return line.text();
    }

    mutable std::mutex lock_;
    std::vector<Issue> issues_;
    std::set<std::size_t> removed_;
    std::string lost_, spoken_over_, foreign_;
    heeler_test::LoopbackHttp server_{[this](const HttpSeen& asked) { return answer(asked); }};
};

GithubSettings github_settings(const std::string& url) {
    GithubSettings settings;
    settings.repository = "acme/agents";
    settings.token = channel_secret;
    settings.api = url;
    return settings;
}

heeler::Alert alert_of(const std::string& run, const std::string& key, heeler::Severity severity) {
    heeler::Alert alert = heeler::notifier_contract::example_alert();
    alert.run.id = run;
    alert.key = key;
    alert.severity = severity;
    return alert;
}

}  // namespace

TEST_CASE("GitHub keeps the contract of channels") {
    heeler_test::check_channel<GithubNotifier>(github_settings, [](const HttpSeen& asked) -> std::string {
        const bool lists = asked.method == "GET" && asked.path.find("page=") != std::string::npos;
        return lists ? "[]" : R"({"id":7,"number":1,"state":"open"})";
    });
}

TEST_CASE("a run in trouble has one issue, and comments") {
    FakeGithub github;
    GithubSettings settings = github_settings(github.url());
    settings.close_on_recovery = GENERATE(true, false);
    auto notifier = std::make_unique<GithubNotifier>(settings);
    using heeler::Severity;
    REQUIRE(notifier->send(alert_of("a", "1", Severity::warning)));
    REQUIRE(notifier->send(alert_of("b", "2", Severity::warning)));
    REQUIRE(notifier->send(alert_of("a", "3", Severity::critical)));
    notifier = std::make_unique<GithubNotifier>(settings);  // a restart
    REQUIRE(notifier->send(alert_of("a", "4", Severity::warning)));
    REQUIRE(notifier->send(alert_of("a", "5", Severity::none)));
    auto issues = github.issues();
    REQUIRE(issues.size() == 2);
    CHECK(issues[0].comments.size() == 3);
    CHECK(issues[0].open == !settings.close_on_recovery);
    CHECK(issues[1].comments.empty());
    REQUIRE(notifier->send(alert_of("a", "6", Severity::warning)));
    CHECK(github.issues().size() == (settings.close_on_recovery ? 3 : 2));
    github.close(2);
    REQUIRE(notifier->send(alert_of("b", "7", Severity::none)));  // nobody needs to hear it any more
    REQUIRE(notifier->send(alert_of("b", "8", Severity::warning)));
    CHECK(github.issues().size() == (settings.close_on_recovery ? 4 : 3));
}

TEST_CASE("an issue that people deleted is made anew") {
    FakeGithub github;
    GithubNotifier notifier{github_settings(github.url())};
    REQUIRE(notifier.send(alert_of("a", "1", heeler::Severity::warning)));
    github.remove(1);
    REQUIRE(notifier.send(alert_of("a", "2", heeler::Severity::warning)));
    CHECK(github.issues().size() == 2);
}

TEST_CASE("an answer that nobody can read is an error, and no second issue") {
    const std::string method = GENERATE("GET", "POST", "PATCH");
    for (const char* const foreign : heeler_test::foreign_answers) {
        CAPTURE(method, foreign);
        FakeGithub github;
        GithubSettings settings = github_settings(github.url());
        settings.close_on_recovery = true;
        const auto tell = [&](heeler::Alert alert) {
            alert.attempt = 2;
            return GithubNotifier{settings}.send(alert);  // each after a restart
        };
        using heeler::Severity;
        REQUIRE(tell(alert_of("a", "1", Severity::warning)));
        github.speak_over(method, foreign);
        const bool closes = method == "PATCH";
        const heeler::Alert next = alert_of("a", "2", closes ? Severity::none : Severity::warning);
        for (int i = 0; i < 5; ++i) {
            const auto told = tell(next);
            if (method == "POST" && i > 0) {  // it is there: what is looked for can be read
                CHECK(told);
                continue;
            }
            REQUIRE_FALSE(told);
            CHECK(told.error().code == ErrorCode::delivery_failed);
            if (closes) github.open(1);
        }
        github.speak_over("");
        CHECK(tell(next));
        REQUIRE(github.issues().size() == 1);
        CHECK(github.issues()[0].comments.size() == 1);
        CHECK(github.issues()[0].open == !closes);
    }
}

TEST_CASE("a comment is not repeated where nobody can tell whether it is there") {
    for (const std::string foreign : {"[{}]", "[7]", R"({"message":"x"})"}) {
        CAPTURE(foreign);
        const std::string mark = heeler::detail::hidden_mark("run", "a");
        const heeler_test::LoopbackHttp server{[&](const HttpSeen& asked) {
            if (asked.path.find("/comments") != std::string::npos) return http_answer(200, foreign);
            return http_answer(200, R"([{"number":1,"state":"open","body":")" + mark + "\"}]");
        }};
        heeler::Alert alert = alert_of("a", "1", heeler::Severity::warning);
        alert.attempt = 2;
        CHECK_FALSE(GithubNotifier{github_settings(server.url())}.send(alert));
        for (const HttpSeen& asked : server.seen()) CHECK(asked.method == "GET");
    }
}

TEST_CASE("an issue is not filed where nobody can tell whether it is there") {
    for (const char* const foreign : heeler_test::foreign_answers) {
        CAPTURE(foreign);
        FakeGithub github;
        GithubIssues issues{github_settings(github.url())};
        heeler::Issue issue;
        issue.key = "k";
        github.speak_over("GET", foreign);
        CHECK_FALSE(issues.file(issue));
        CHECK(github.issues().empty());
        github.speak_over("POST", foreign);
        CHECK_FALSE(issues.file(issue));
        github.speak_over("");
        CHECK(issues.file(issue));
        CHECK(github.issues().size() == 1);
    }
}

TEST_CASE("what GitHub took is not said twice") {
    FakeGithub github;
    auto notifier = std::make_unique<GithubNotifier>(github_settings(github.url()));
    heeler::Alert first = alert_of("a", "1", heeler::Severity::warning);
    github.lose_next("POST");
    REQUIRE_FALSE(notifier->send(first));
    REQUIRE(github.issues().size() == 1);
    if (GENERATE(true, false)) notifier = std::make_unique<GithubNotifier>(github_settings(github.url()));
    first.attempt = 2;
    REQUIRE(notifier->send(first));
    REQUIRE(github.issues().size() == 1);
    CHECK(github.issues()[0].comments.empty());
    heeler::Alert second = alert_of("a", "2", heeler::Severity::warning);
    github.lose_next("POST");
    REQUIRE_FALSE(notifier->send(second));
    second.attempt = 2;
    REQUIRE(notifier->send(second));
    CHECK(github.issues()[0].comments.size() == 1);
}

TEST_CASE("an agent's text mentions nobody in an issue, and does not leave its block") {
    FakeGithub github;
    GithubNotifier notifier{github_settings(github.url())};
    heeler::Alert alert = alert_of("a", "1", heeler::Severity::warning);
    alert.issues = {"``` @everyone", "````text", std::string(100'000, 'x')};
    REQUIRE(notifier.send(alert));
    const std::string body = github.issues()[0].body;
    CHECK(body.size() < 65'536);
    CHECK(body.compare(0, 10, "`````text\n") == 0);
    CHECK_THAT(body, ContainsSubstring("\n`````\n"));
}

TEST_CASE("an issue is filed once, wherever it is found") {
    FakeGithub github;
    GithubIssues issues{github_settings(github.url())};
    heeler::Issue issue;
    issue.key = "k";
    issue.title = "[Watchdog] Session abcdef12 had critical issues";
    issue.body = "looping";
    const auto filed = issues.file(issue);
    REQUIRE(filed);
    CHECK(filed->note == "https://example/issues/1");
    github.close(1);
    REQUIRE(GithubIssues{github_settings(github.url())}.file(issue));
    CHECK(github.issues().size() == 1);
    issue.key.clear();
    CHECK(issues.file(issue).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("what comes next and the command that stops it stand in an issue's block as they are") {
    FakeGithub github;
    heeler::Issue issue;
    issue.key = "k";
    const std::string end =
        "\nNext: judged again at 08:00\nStop: heeler-ctl snooze --for 2h -- 'it'\\''s ```a```; <b> @c'\n";
    issue.body = "looping" + end;
    REQUIRE(GithubIssues{github_settings(github.url())}.file(issue));
    const std::string body = github.issues()[0].body;
    CHECK_THAT(body, ContainsSubstring(end + "\n````\n"));
    CHECK(body.starts_with("````text\n"));
}

TEST_CASE("too many questions are asked again later") {
    const auto asked = [](int status, const std::string& body) {
        const heeler_test::LoopbackHttp server{[&](const HttpSeen&) { return http_answer(status, body); }};
        GithubNotifier notifier{github_settings(server.url())};
        return notifier.send(heeler::notifier_contract::example_alert()).error();
    };
    const auto later = asked(403, R"({"message":"API rate limit exceeded for user ID 1."})");
    CHECK(later.code == ErrorCode::delivery_failed);
    CHECK(later.retry_after == std::chrono::minutes{1});
    CHECK(asked(403, R"({"message":"Resource not accessible by personal access token"})").code == ErrorCode::permanent);
}

TEST_CASE("a label is one value of the query, whatever it is called") {
    const heeler_test::LoopbackHttp server{[](const HttpSeen&) { return http_answer(404, "{}"); }};
    GithubSettings settings = github_settings(server.url());
    settings.label = "run in trouble & \xC3\xA9t\xC3\xA9#1+_-.~";
    CHECK_FALSE(GithubNotifier{settings}.send(heeler::notifier_contract::example_alert()));
    REQUIRE(server.seen().size() == 1);
    CHECK_THAT(server.seen()[0].path,
               ContainsSubstring("&labels=run%20in%20trouble%20%26%20%C3%A9t%C3%A9%231%2B_-.~&per_page="));
}

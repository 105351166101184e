#include "reviewer.hpp"

#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include <heeler/text/json_writer.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/url_encoded.hpp>

#include "tracker.hpp"

namespace tracker {
namespace {

constexpr std::size_t most_reopened = 3;  ///< that is what one review may change at once

/// Whether an issue rests for a reason that somebody else has to remove.
bool waits_for_somebody(const JsonObject& issue) {
    const auto pending = [](const std::vector<JsonObject>& waits) {
        for (const JsonObject& wait : waits)
            if (const std::string status = wait.text("status"); status == "pending" || status == "revision_requested")
                return true;
        return false;
    };
    return pending(issue.objects("interactions")) || pending(issue.objects("approvals")) ||
           !issue.text("assigneeUserId").empty();
}

bool has_evidence(const JsonObject& issue) {
    for (const JsonObject& comment : issue.objects("comments"))
        if (comment.text("text").starts_with("evidence:")) return true;
    return false;
}

}  // namespace

Reviewer::Reviewer(Client& client, std::string token, std::function<void(const std::string&)> tell)
    : client_{client}, token_{std::move(token)}, tell_{std::move(tell)} {}

bool Reviewer::review_one() {
    client_.act_as(token_);
    const auto wake = oldest_wake();
    if (!wake || !start(*wake)) return false;
    const std::vector<std::string> open = unproven(*wake);
    if (open.empty())
        finish(*wake, "done", "legitimate");
    else if (reopen(*wake, open))
        finish(*wake, "done", "restored");
    else
        finish(*wake, "cancelled", "");  // no result: when the tree stops again, somebody looks again
    return true;
}

std::optional<Reviewer::Wake> Reviewer::oldest_wake() {
    const Answer answer = client_.get("/api/wakes");
    if (answer.status == 401) throw Refused{401, answer.error()};
    if (!answer.good()) return std::nullopt;
    const Body body{answer.body};
    for (const JsonObject& each : body.object().objects("wakes")) {
        const auto payload = each.object("payload");
        if (!payload || payload->text("wakeReason") != "task_watchdog_stopped_subtree") continue;
        Wake wake{each.text("issueId"), payload->text("watchedIssueId"), each.text("key"), {}};
        for (const JsonObject& leaf : payload->objects("leaves")) wake.leaves.push_back(leaf.text("id"));
        return wake;
    }
    return std::nullopt;
}

bool Reviewer::start(const Wake& wake) {
    const Answer started = client_.post("/api/runs", json_of({{"issueId", wake.task}}));
    if (!started.good()) {
        tell_("the run does not begin: " + started.error());
        return false;
    }
    run_ = Body{started.body}.object().text("runId");
    client_.act_as(token_, run_);
    tell_("woken for " + wake.tree + ": " + std::to_string(wake.leaves.size()) + " stopped leaves, as " + run_);
    return true;
}

bool Reviewer::has_proof(const std::string& leaf) {
    const Answer answer = client_.get(Client::issue(leaf));
    if (!answer.good()) return true;  // it is gone: there is nothing to restore
    const Body body{answer.body};
    const JsonObject issue = body.object();
    if (issue.text("status") == "cancelled" || has_evidence(issue)) {
        note(leaf, "checked: the evidence is there");
        return true;
    }
    if (waits_for_somebody(issue) || issue.text("assigneeAgentId").empty()) {
        note(leaf, "checked: this waits for a person, who has to answer it or to give it to somebody");
        return true;
    }
    note(leaf, "there is no evidence that this is done: add a comment that begins with \"evidence:\"");
    return false;
}

void Reviewer::note(const std::string& issue, const std::string& text) {
    const Answer answer = client_.post(Client::issue(issue, "/comments"), json_of({{"text", text}}));
    tell_(issue + ": " + (answer.good() ? text : "no comment: " + answer.error()));
}

std::vector<std::string> Reviewer::unproven(const Wake& wake) {
    std::vector<std::string> found;
    for (const std::string& leaf : wake.leaves)
        if (!has_proof(leaf) && found.size() < most_reopened) found.push_back(leaf);
    return found;
}

bool Reviewer::reopen(const Wake& wake, const std::vector<std::string>& leaves) {
    heeler::text::JsonLine json;
    json.begin_object().key("requestId").string(wake.request).key("ops").begin_array();
    for (const std::string& leaf : leaves)
        json.begin_object()
            .key("op")
            .string("status")
            .key("target")
            .string(leaf)
            .key("status")
            .string("todo")
            .end_object();
    json.end_array().end_object();
    const Answer answer = client_.post("/api/batch", json.text());
    for (const std::string& leaf : leaves)
        tell_(leaf + (answer.good() ? ": reopened" : ": not reopened: " + answer.error()));
    return answer.good();
}

void Reviewer::finish(const Wake& wake, const std::string& status, const std::string& disposition) {
    note(wake.task, disposition.empty() ? "the tree is not what it was: no result"
                                        : "result: " + disposition + ", every leaf has a comment");
    const Answer done =
        client_.patch(Client::issue(wake.task), json_of({{"status", status}, {"disposition", disposition}}));
    if (!done.good()) tell_("the review is not finished: " + done.error());
    client_.act_as(token_);
    const Answer ended =
        client_.patch("/api/runs/" + heeler::text::url_encoded(run_), json_of({{"status", "succeeded"}}));
    if (!ended.good()) tell_("the run is not finished: " + ended.error());
    tell_("finished " + wake.task + ": " + (disposition.empty() ? status : disposition));
}

int run_reviewer(const std::string& url, const std::string& token, bool once) {
    using namespace std::chrono_literals;
    Client client{url};
    Reviewer reviewer{client, token, [](const std::string& text) {
                          std::printf("%s\n", heeler::text::one_line(text, 1024).c_str());
                          std::fflush(stdout);
                      }};
    for (int waited = 0; !once || waited < 150; ++waited) {
        if (reviewer.review_one()) {
            if (once) return 0;
        } else {
            std::this_thread::sleep_for(200ms);
        }
    }
    std::fprintf(stderr, "heeler-task-tree: nobody asked for a review\n");
    return 1;
}

}  // namespace tracker

#include "host.hpp"

#include <set>
#include <utility>
#include <vector>

#include <heeler/notify/http/github_repository.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/url_encoded.hpp>

namespace github_tree {
namespace {

using heeler::ActionDone;
using heeler::ErrorCode;
using heeler::text::concat;
using heeler::text::JsonLine;

constexpr std::string_view review_text =
    "heeler watches the tree above this issue. It has come to rest, and you are asked to check whether the work is "
    "really "
    "done.\n\n"
    "- When you begin, put the label `heeler:run` in place of `heeler:wake`; when you end, take it away.\n"
    "- All is as it should be: close this issue as completed.\n"
    "- You put something in motion again: add the label `heeler:restored`, then close it as completed. If the tree "
    "stops "
    "again unchanged, you are asked again.\n"
    "- No result: close it as not planned.\n\n";

tl::unexpected<heeler::Error> failed(const heeler::Error& error) { return tl::unexpected<heeler::Error>(error); }

std::string key_mark(std::string_view key) { return heeler::detail::hidden_mark("order", key); }

std::string review_body(const heeler::ReviewRequest& request) {
    return concat(review_text, review_mark(request.node, request.fingerprint), "\n");
}

std::string json_list(std::string_view key, std::string_view only) {
    JsonLine json;
    json.begin_object().key(key).begin_array().string(only).end_array().end_object();
    return std::move(json).text();
}

}  // namespace

Host::Host(Api& api, Repository repository, std::string root)
    : api_{api}, repository_{std::move(repository)}, root_{std::move(root)} {}

Result<heeler::TreeChanges> Host::changes(std::string_view) {
    auto root = read(path_of(root_, repository_));
    if (!root) return failed(root.error());
    std::vector<Issue> found{*std::move(root)};
    for (std::size_t i = 0; i < found.size(); ++i) {
        const Issue parent = found[i];  // the list grows
        if (!parent.has_children) continue;
        if (const auto below = read_below(parent, found); !below) return failed(below.error());
    }
    heeler::TreeChanges told;
    std::set<std::string> seen;
    for (Issue& issue : found) {
        if (!seen.insert(issue.node.id).second) continue;
        if (issue.has_blockers)
            if (const auto blockers = read_blockers(issue); !blockers) return failed(blockers.error());
        told.nodes.push_back(std::move(issue.node));
    }
    return told;
}

Result<Issue> Host::read(const std::string& path) {
    const auto answer = api_.get(path);
    if (!answer) return failed(answer.error());
    Issue issue = issue_at(Json{answer->body}, "", repository_, clock_.now().wall);
    if (issue.node.id.empty()) return heeler::fail(ErrorCode::rejected, concat("GET ", path, ": that is no issue"));
    return issue;
}

Result<void> Host::read_below(const Issue& parent, std::vector<Issue>& found) {
    constexpr std::size_t most = 10'000;
    const auto now = clock_.now().wall;
    const auto read = api_.each(parent.path + "/sub_issues", [&](const Json& json, const std::string& place) {
        Issue issue = issue_at(json, place, repository_, now);
        issue.node.parent = parent.node.id;
        if (!issue.node.id.empty()) found.push_back(std::move(issue));
        return true;
    });
    if (read && found.size() > most)
        return heeler::fail(ErrorCode::failed, "the tree has more than 10000 issues: watch a smaller one");
    return read;
}

/// Those that are open: the others are in nobody's way.
Result<void> Host::read_blockers(Issue& issue) {
    return api_.each(issue.path + "/dependencies/blocked_by", [&](const Json& json, const std::string& place) {
        const Issue blocker = issue_at(json, place, repository_, {});
        if (!blocker.node.id.empty() && !heeler::is_over(blocker.node.status))
            issue.node.blockers.push_back(blocker.node.id);
        return true;
    });
}

Result<ActionDone> Host::review(const heeler::ReviewRequest& request) {
    auto review = find_review(request.node);
    if (!review) return failed(review.error());
    const bool is_new = review->node.id.empty();
    if (is_new) review = create_review(request);
    if (!review) return failed(review.error());
    ActionDone done;
    done.note = review->node.id;
    const std::string mark = key_mark(request.key);
    const auto told = has_comment(review->path, mark);
    if (!told) return failed(told.error());
    if (*told) return done;
    if (!is_new)
        if (const auto reopened = reopen_review(*review, request); !reopened) return failed(reopened.error());
    if (const auto linked = link(*review, request.node); !linked) return failed(linked.error());
    if (const auto said = comment(review->path, concat(request.comment, "\n\n", mark)); !said)
        return failed(said.error());
    return done;
}

/// The review of a node, whoever made it: also one that nobody came to put below the node.
Result<Issue> Host::find_review(std::string_view node) {
    Issue review;
    const std::string mark = review_mark(node);
    const std::string path =
        concat("/repos/", repository_.name, "/issues?state=all&labels=", heeler::text::url_encoded(label::review));
    const auto read = api_.each(path, [&](const Json& json, const std::string& place) {
        if (json.text(place + "/body").find(mark) == std::string_view::npos) return true;
        review = issue_at(json, place, repository_, clock_.now().wall);
        return false;
    });
    if (!read) return failed(read.error());
    return review;
}

Result<Issue> Host::create_review(const heeler::ReviewRequest& request) {
    JsonLine json;
    json.begin_object().key("title").string(request.title).key("body").string(review_body(request));
    json.key("labels").begin_array().string(label::review).end_array();
    json.key("assignees").begin_array().string(request.agent).end_array().end_object();
    const auto answer = api_.post(concat("/repos/", repository_.name, "/issues"), std::move(json).text());
    if (!answer) return failed(answer.error());
    Issue made = issue_at(Json{answer->body}, "", repository_, clock_.now().wall);
    if (made.node.id.empty()) return heeler::fail(ErrorCode::timed_out, "GitHub's answer is no new issue");
    return made;
}

/// All that it was before is gone, but for its comments.
Result<void> Host::reopen_review(const Issue& review, const heeler::ReviewRequest& request) {
    JsonLine json;
    json.begin_object().key("state").string("open").key("body").string(review_body(request));
    json.key("labels").begin_array().string(label::review).end_array();
    json.key("assignees").begin_array().string(request.agent).end_array().end_object();
    const auto answer = api_.patch(review.path, std::move(json).text());
    if (!answer) return failed(answer.error());
    return {};
}

Result<void> Host::link(const Issue& review, std::string_view node) {
    const std::string path = path_of(node, repository_) + "/sub_issues";
    bool is_there = false;
    const auto read = api_.each(path, [&](const Json& json, const std::string& place) {
        is_there = json.number(place + "/id") == review.id;
        return !is_there;
    });
    if (!read || is_there) return read;
    JsonLine json;
    json.begin_object().key("sub_issue_id").number(review.id).key("replace_parent").boolean(true).end_object();
    const auto answer = api_.post(path, std::move(json).text());
    if (!answer) return failed(answer.error());
    return {};
}

/// The comment is there before the label: whoever is started by the label finds what it is to do.
Result<ActionDone> Host::wake(const heeler::WakeRequest& request) {
    const std::string path = path_of(request.task, repository_);
    const std::string mark = key_mark(request.key);
    const auto told = has_comment(path, mark);
    if (!told) return failed(told.error());
    if (!*told) {
        const std::string text =
            concat("@", request.agent, ", please look:\n\n", heeler::detail::fenced(request.payload), "\n", mark);
        if (const auto said = comment(path, text); !said) return failed(said.error());
    }
    const auto labelled = api_.post(path + "/labels", json_list("labels", label::wake));
    if (!labelled) return failed(labelled.error());
    return ActionDone{};
}

Result<heeler::AgentStanding> Host::agent(const heeler::NodeRef& agent) {
    const auto answer =
        api_.get(concat("/repos/", repository_.name, "/assignees/", heeler::text::url_encoded(agent.id)), true);
    if (!answer) return failed(answer.error());
    if (answer->status != 404) return heeler::AgentStanding::active;
    return heeler::fail(ErrorCode::unknown_run, concat("`", agent.id, "` can be given no issue of ", repository_.name,
                                                       ": it must be a collaborator"));
}

std::span<const std::string_view> Host::operations() {
    static constexpr std::string_view known[] = {"status", "assign", "block", "create_child", "comment"};
    return known;
}

Result<bool> Host::has_comment(const std::string& path, std::string_view mark) {
    bool found = false;
    const auto read = api_.each(path + "/comments", [&](const Json& json, const std::string& place) {
        found = json.text(place + "/body").find(mark) != std::string_view::npos;
        return !found;
    });
    if (!read) return failed(read.error());
    return found;
}

Result<void> Host::comment(const std::string& path, std::string_view text) {
    JsonLine json;
    json.begin_object().key("body").string(text).end_object();
    const auto answer = api_.post(path + "/comments", std::move(json).text());
    if (!answer) return failed(answer.error());
    return {};
}

}  // namespace github_tree

#include "issue.hpp"

#include <utility>

#include <heeler/text/append.hpp>
#include <heeler/text/rfc3339.hpp>

namespace github_tree {
namespace {

using heeler::text::concat;

constexpr std::string_view mark_begin = "<!-- heeler reviews ", mark_middle = " stop ", mark_end = " -->";

/// In small letters: GitHub takes no others for another label.
using Labels = std::set<std::string, std::less<>>;

Labels labels_of(const Json& json, const std::string& place) {
    Labels labels;
    for (int i = 0;; ++i) {
        std::string name{json.text(concat(place, "/labels/", std::to_string(i), "/name"))};
        if (name.empty()) return labels;
        for (char& c : name)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        labels.insert(std::move(name));
    }
}

std::string status_of(const Json& json, const std::string& place, const Labels& labels) {
    if (json.text(place + "/state") == "closed") {
        const auto reason = json.text(place + "/state_reason");
        return reason == "not_planned" || reason == "duplicate" ? "cancelled" : "done";
    }
    constexpr std::pair<const char*, const char*> known[] = {{label::blocked, "blocked"},
                                                             {label::in_review, "in_review"},
                                                             {label::in_progress, "in_progress"},
                                                             {label::backlog, "backlog"}};
    for (const auto& [name, status] : known)
        if (labels.contains(name)) return status;
    return "todo";
}

/// The first of several: a node has one assignee.
void read_assignee(const Json& json, const std::string& place, const Repository& in, heeler::TreeNode& node) {
    const std::string login{json.text(place + "/assignees/0/login")};
    const bool is_agent = json.text(place + "/assignees/0/type") == "Bot" || in.agents.contains(login);
    (is_agent ? node.assignee_agent : node.assignee_user) = login;
}

/// An agent that died leaves its label: what shows no sign of life for long counts no more.
void read_life(const Json& json, const std::string& place, const Labels& labels, heeler::Duration silent,
               heeler::WallTime now, heeler::TreeNode& node) {
    const auto updated = heeler::text::parse_rfc3339(json.text(place + "/updated_at"));
    if (updated && now - *updated >= silent) return;
    if (labels.contains(label::run)) node.runs.push_back({node.id + "@run", "running", node.assignee_agent, {}});
    if (labels.contains(label::wake)) node.wakes.emplace_back("queued");
}

/// Between the mark's begin and its end.
void read_mark(std::string_view body, heeler::TreeNode& node) {
    const auto begin = body.find(mark_begin);
    if (begin == std::string_view::npos) return;
    body.remove_prefix(begin + mark_begin.size());
    body = body.substr(0, body.find(mark_end));
    const auto middle = body.find(mark_middle);
    if (middle == std::string_view::npos) return;
    node.origin_id = body.substr(0, middle);
    node.origin_fingerprint = body.substr(middle + mark_middle.size());
}

/// Of "https://api.github.com/repos/owner/name": "owner/name".
std::string_view repository_of(std::string_view url) {
    const auto at = url.rfind("/repos/");
    return at == std::string_view::npos ? std::string_view{} : url.substr(at + 7);
}

}  // namespace

Issue issue_at(const Json& json, const std::string& place, const Repository& in, heeler::WallTime now) {
    Issue issue;
    const auto number = json.number(place + "/number");
    if (number <= 0 || !json.text(place + "/pull_request/url").empty()) return issue;
    const std::string_view repository = repository_of(json.text(place + "/repository_url"));
    heeler::TreeNode& node = issue.node;
    node.id = std::to_string(number);
    if (!repository.empty() && repository != in.name) node.id = concat(repository, "#", node.id);
    node.tenant = in.name;
    node.title = json.text(place + "/title");
    node.created_at = heeler::text::parse_rfc3339(json.text(place + "/created_at"));
    const auto labels = labels_of(json, place);
    node.status = status_of(json, place, labels);
    read_assignee(json, place, in, node);
    read_life(json, place, labels, in.silent, now, node);
    if (labels.contains(label::review)) {
        node.origin = heeler::review_origin;
        node.claim = labels.contains(label::restored) ? heeler::ReviewClaim::restored : heeler::ReviewClaim::legitimate;
        read_mark(json.text(place + "/body"), node);
    }
    issue.id = json.number(place + "/id");
    issue.path = path_of(node.id, in);
    issue.has_children = json.number(place + "/sub_issues_summary/total") > 0;
    issue.has_blockers = json.number(place + "/issue_dependencies_summary/blocked_by") > 0;
    return issue;
}

std::string path_of(std::string_view id, const Repository& in) {
    const auto sharp = id.find('#');
    if (sharp == std::string_view::npos) return concat("/repos/", in.name, "/issues/", id);
    return concat("/repos/", id.substr(0, sharp), "/issues/", id.substr(sharp + 1));
}

std::string review_mark(std::string_view node) { return concat(mark_begin, node, mark_middle); }

std::string review_mark(std::string_view node, std::string_view fingerprint) {
    return concat(review_mark(node), fingerprint, mark_end);
}

}  // namespace github_tree

#include "batch.hpp"

#include <utility>

#include <heeler/text/json_writer.hpp>
#include <heeler/text/one_line.hpp>

#include "tracker.hpp"

namespace tracker {

Change creation(const JsonObject& body, const std::function<std::string()>& new_id) {
    Change change;
    change.verb = Verb::create;
    change.target = body.text("id");
    if (change.target.empty()) change.target = new_id();
    change.parent = body.text("parentId");
    change.tenant = body.text("tenant");
    if (change.parent.empty() && change.tenant.empty())
        throw Refused{400, "a new issue needs a 'parentId', or a 'tenant' where it is the root of a tree"};
    change.text = body.needed("title");
    change.ref = body.text("assigneeAgentId");
    change.user = body.text("assigneeUserId");
    return change;
}

Change batched(const JsonObject& op, const std::function<std::string(std::string_view)>& new_id) {
    const std::string name = op.needed("op");
    if (name == "create_child") return creation(op, [&] { return new_id("ISS"); });
    Change change;
    change.target = op.needed("target");
    if (name == "status") {
        change.verb = Verb::status;
        change.ref = op.needed("status");
    } else if (name == "assign") {
        change.verb = Verb::assign;
        change.ref = op.text("assigneeAgentId");
        change.user = op.text("assigneeUserId");
    } else if (name == "comment") {
        change.text = op.needed("text");
    } else if (name == "block") {
        change.verb = op.flag("clear") ? Verb::unblock : Verb::block;
        change.ref = op.needed("blockerId");
    } else if (name == "resolve_interaction") {
        change.verb = Verb::resolve;
        change.ref = op.needed("interactionId");
        change.value = op.needed("answer");
    } else if (name == "monitor") {
        change.verb = Verb::monitor;
        change.value = op.needed("after");
    } else {
        throw Refused{400, "a batch has no operation '" + heeler::text::one_line(name, 80) + "'"};
    }
    return change;
}

std::string receipt(const heeler::ScopeAnswer& answer, const std::vector<std::string>& ids) {
    heeler::text::JsonLine json;
    json.begin_object().key("allowed").boolean(true).key("reason").string(answer.reason).key("ids").begin_array();
    for (const std::string& id : ids) json.string(id);
    json.end_array().end_object();
    return std::move(json).text();
}

}  // namespace tracker

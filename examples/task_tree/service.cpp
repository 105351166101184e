#include "service.hpp"

#include <exception>
#include <utility>

#include <heeler/text/json_writer.hpp>

#include "../common/token.hpp"
#include "batch.hpp"
#include "rules.hpp"
#include "verbs.hpp"
#include "views.hpp"

namespace tracker {
namespace {

Refused refused_by(const heeler::ScopeAnswer& answer) {
    heeler::text::JsonLine details;
    details.begin_object().key("currentState").string(answer.state);
    details.key("currentStopFingerprint").string(answer.fingerprint).key("changedByOthers").begin_array();
    for (const std::string& id : answer.ids) details.string(id);
    details.end_array().end_object();
    return {heeler::http_status(answer.refusal), answer.reason, details.text()};
}

Refused refused_by(const heeler::Error& error) {
    switch (error.code) {
        case heeler::ErrorCode::unknown_run:
            return {404, error.message};
        case heeler::ErrorCode::conflict:
            return {409, error.message};
        case heeler::ErrorCode::invalid_argument:
            return {400, error.message};
        default:
            return {503, error.message};
    }
}

/// What belongs to another tenant is not there.
void check_reader(const std::string& tenant, const Actor& actor) {
    if (tenant.empty() || (!actor.tenant.empty() && actor.tenant != tenant))
        throw Refused{404, "there is no such issue"};
}

heeler::WatchActor watch_actor(const Actor& actor) { return {actor.name(), actor.run}; }

}  // namespace

Actor Service::actor(const std::string& token, const std::string& run) {
    if (common::same_token(token, tokens_.of_person())) return {"operator", {}, {}, {}};
    for (const AgentRef& each : tracker_.agents())
        if (common::same_token(token, tokens_.of_agent(each.tenant, each.id))) return {{}, each.id, run, each.tenant};
    throw Refused{401, token.empty() ? "say who asks: `Authorization: Bearer TOKEN`; heeler-task-tree prints the tokens"
                                     : "this is nobody's token; heeler-task-tree prints them when it starts"};
}

std::map<std::string, std::string> Service::tokens_of_agents() {
    std::map<std::string, std::string> known;
    for (const AgentRef& each : tracker_.agents())
        known.emplace(each.tenant + "/" + each.id, tokens_.of_agent(each.tenant, each.id));
    return known;
}

Reply Service::token(const std::string& tenant, const std::string& agent) {
    heeler::text::JsonLine json;
    json.begin_object().key("token").string(tokens_.of_agent(tenant, agent)).end_object();
    return {std::move(json).text()};
}

Reply Service::tree(const Actor& actor) { return {tree_view(tracker_, keeper_.trees(), actor.tenant)}; }

Reply Service::issue(const std::string& id, const Actor& actor) {
    check_reader(tracker_.tenant_of(id), actor);
    return {issue_view(tracker_, keeper_.trees(), id)};
}

Reply Service::audit(const Actor& actor) {
    if (actor.user.empty()) throw Refused{403, "only a person reads the audit feed: it is of all tenants"};
    return {audit_view(tracker_, 200)};
}

Reply Service::wakes(const Actor& actor, const std::string& tenant, const std::string& agent) {
    const bool own = actor.user.empty();
    return {wakes_view(tracker_, own ? actor.tenant : tenant, own ? actor.agent : agent)};
}

std::string Service::tenant_of(const Change& change) {
    if (change.verb == Verb::set_agent) return change.tenant;
    if (change.verb != Verb::create) return tracker_.tenant_of(change.target);
    return change.parent.empty() ? change.tenant : tracker_.tenant_of(change.parent);
}

void Service::ask(const Change& change, const Actor& actor) {
    const auto answer = keeper_.trees().check(change.mutation(actor, tenant_of(change)));
    if (!answer.allowed) throw refused_by(answer);
}

/// The watch hears what becomes of what it allows: what the tracker's own rules refuse is nobody's permission later.
std::vector<std::string> Service::carry_out(const std::vector<Change>& changes, const Actor& actor, const Ask& ask) {
    std::vector<std::string> ids;
    std::exception_ptr refused;
    const std::lock_guard guard{gate_};
    const auto answer = ask([&]() -> heeler::Result<void> {
        try {
            ids = tracker_.carry_out(changes, actor);
            return {};
        } catch (const std::exception& error) {
            refused = std::current_exception();
            return heeler::fail(heeler::ErrorCode::rejected, error.what());
        }
    });
    if (refused) std::rethrow_exception(refused);
    if (!answer.allowed) throw refused_by(answer);
    return ids;
}

Reply Service::change(const Change& change, const Actor& actor, int status) {
    const heeler::Mutation asked = change.mutation(actor, tenant_of(change));
    static_cast<void>(
        carry_out({change}, actor, [&](const Apply& apply) { return keeper_.trees().check(asked, apply); }));
    if (change.verb == Verb::set_agent) return {"{}", status};
    keeper_.changed({tenant_of(change), change.target});
    Reply reply = issue(change.target, actor);
    reply.status = status;
    return reply;
}

Reply Service::create(const JsonObject& body, const Actor& actor) {
    Change change = creation(body, [this] { return new_id("ISS"); });
    const auto watch = body.object("watchdog");
    if (!watch) return this->change(change, actor, 201);
    const heeler::NodeRef node{tenant_of(change), change.target};
    {
        const std::lock_guard guard{gate_};
        create_watched(std::move(change), node, *watch, actor);
    }
    keeper_.changed(node);
    return {issue(node.id, actor).body, 201};
}

/// Nobody sees the issue before it is watched, and nobody ever if it cannot be.
void Service::create_watched(Change change, const heeler::NodeRef& node, const JsonObject& watch, const Actor& actor) {
    Change arming;
    arming.verb = Verb::arm;
    arming.target = node.id;
    ask(arming, actor);  // a reviewer may not, and so has no leave for the rest
    if (actor.user.empty()) tracker_.check(arming, actor);
    ask(change, actor);
    tracker_.with([&](Database& database) { check_employable(database, node.tenant, watch.needed("agentId")); });
    change.value = hidden;
    tracker_.carry_out({change}, actor);
    arm_now(node, watch, actor);
    tracker_.with([&](Database& database) {
        Transaction transaction{database};
        show_hidden(database, node.id);
        transaction.commit();
    });
}

Reply Service::batch(const JsonObject& body, const Actor& actor) {
    std::vector<Change> changes;
    for (const JsonObject& op : body.objects("ops"))
        changes.push_back(batched(op, [this](std::string_view prefix) { return new_id(prefix); }));
    heeler::BatchRequest request{actor.agent, actor.run, body.text("requestId"), {}};
    for (const Change& each : changes) request.ops.push_back(each.mutation(actor, tenant_of(each)));

    heeler::ScopeAnswer answer;
    const std::vector<std::string> ids =
        carry_out(changes, actor, [&](const Apply& apply) { return answer = keeper_.trees().batch(request, apply); });
    for (const std::string& id : ids) keeper_.changed({tracker_.tenant_of(id), id});
    return {receipt(answer, ids)};
}

Reply Service::watch(const std::string& issue, const Actor& actor) {
    const std::string tenant = tracker_.tenant_of(issue);
    check_reader(tenant, actor);
    return {watch_view(tracker_, keeper_.trees().status({tenant, issue}))};
}

void Service::arm_now(const heeler::NodeRef& node, const JsonObject& watch, const Actor& actor) {
    heeler::WatchConfig config{node.tenant, node.id, watch.needed("agentId"), {}};
    if (std::string text = watch.text("instructions"); !text.empty()) config.instructions = std::move(text);
    if (auto armed = keeper_.trees().arm(std::move(config), watch_actor(actor)); !armed)
        throw refused_by(armed.error());
}

Reply Service::arm(const std::string& issue, const JsonObject& body, const Actor& actor) {
    Change change;
    change.verb = Verb::arm;
    change.target = issue;
    ask(change, actor);
    tracker_.check(change, actor);
    const heeler::NodeRef node{tracker_.tenant_of(issue), issue};
    arm_now(node, body, actor);
    keeper_.changed(node);
    return watch(issue, actor);
}

Reply Service::disarm(const std::string& issue, const Actor& actor) {
    Change change;
    change.verb = Verb::disarm;
    change.target = issue;
    ask(change, actor);
    tracker_.check(change, actor);
    const heeler::NodeRef node{tracker_.tenant_of(issue), issue};
    const auto was = keeper_.trees().status(node);
    const auto removed = keeper_.trees().disarm(node, watch_actor(actor));
    if (!removed) throw refused_by(removed.error());
    if (!*removed) return {"null"};
    keeper_.changed(node);
    return {watch_view(tracker_, was)};
}

}  // namespace tracker

#include "routes.hpp"

#include <utility>

#include <heeler/text/json_writer.hpp>

namespace tracker {
namespace {

using httplib::Request;
using httplib::Response;

/// Who acts follows from the token, which a page of another site cannot send; in which of its runs an agent acts, it
/// says itself.
Actor actor_of(const Request& request, Service& service) {
    constexpr std::string_view scheme = "Bearer ";
    const std::string given = request.get_header_value("Authorization");
    return service.actor(given.starts_with(scheme) ? given.substr(scheme.size()) : std::string{},
                         request.get_header_value("X-Actor-Run"));
}

/// One request with the parts that routes ask for.
struct Call {
    const Request& request;
    const Actor actor;

    [[nodiscard]] std::string part(std::size_t number) const { return request.matches[number].str(); }
    [[nodiscard]] std::string query(const char* name) const { return request.get_param_value(name); }
};

/// `act(call)` answers a `Reply`; what it throws becomes an answer as well. Nobody gets here without a token.
template <class Act>
httplib::Server::Handler handler(Service& service, Act act) {
    return [&service, act](const Request& request, Response& response) {
        try {
            const Reply reply = act(Call{request, actor_of(request, service)});
            answer(response, reply.status, reply.body);
        } catch (const Refused& refused) {
            answer(response, refused.status, error_text(refused.what(), refused.details));
        } catch (const DatabaseError& error) {
            answer(response, 503, error_text(std::string{"the tracker's file: "} + error.what()));
        } catch (const std::exception& error) {
            answer(response, 500, error_text(error.what()));
        }
    };
}

/// A route that changes something: `act(call, body)`.
template <class Act>
httplib::Server::Handler with_body(Service& service, Act act) {
    return handler(service, [act](const Call& call) {
        const Body body{call.request.body};
        return act(call, body.object());
    });
}

/// A change of the issue that the path names.
Change change_of(Verb verb, std::string target) {
    Change change;
    change.verb = verb;
    change.target = std::move(target);
    return change;
}

void route_reading(httplib::Server& http, Service& service) {
    http.Get("/api/tree", handler(service, [&](const Call& call) { return service.tree(call.actor); }));
    http.Get("/api/audit", handler(service, [&](const Call& call) { return service.audit(call.actor); }));
    http.Get("/api/wakes", handler(service, [&](const Call& call) {
                 return service.wakes(call.actor, call.query("tenant"), call.query("agent"));
             }));
    http.Get("/api/issues/([^/]+)",
             handler(service, [&](const Call& call) { return service.issue(call.part(1), call.actor); }));
    http.Get("/api/issues/([^/]+)/watchdog",
             handler(service, [&](const Call& call) { return service.watch(call.part(1), call.actor); }));
}

void route_watches(httplib::Server& http, Service& service) {
    const char* const path = "/api/issues/([^/]+)/watchdog";
    http.Put(path, with_body(service, [&](const Call& call, const JsonObject& body) {
                 return service.arm(call.part(1), body, call.actor);
             }));
    http.Delete(path, handler(service, [&](const Call& call) { return service.disarm(call.part(1), call.actor); }));
}

/// One thing at a time: a status, or who it is given to.
Change patch_of(const std::string& issue, const JsonObject& body) {
    const bool assigns = body.has("assigneeAgentId") || body.has("assigneeUserId");
    if (assigns == body.has("status"))
        throw Refused{400, "say either a 'status' or an assignee ('assigneeAgentId', 'assigneeUserId')"};
    Change change = change_of(assigns ? Verb::assign : Verb::status, issue);
    change.ref = assigns ? body.text("assigneeAgentId") : body.needed("status");
    change.user = body.text("assigneeUserId");
    if (!assigns) change.value = body.text("disposition");
    return change;
}

void route_issues(httplib::Server& http, Service& service) {
    http.Post("/api/issues", with_body(service, [&](const Call& call, const JsonObject& body) {
                  return service.create(body, call.actor);
              }));
    http.Patch("/api/issues/([^/]+)", with_body(service, [&](const Call& call, const JsonObject& body) {
                   return service.change(patch_of(call.part(1), body), call.actor);
               }));
    http.Post("/api/issues/([^/]+)/comments", with_body(service, [&](const Call& call, const JsonObject& body) {
                  Change change = change_of(Verb::comment, call.part(1));
                  change.text = body.needed("text");
                  return service.change(change, call.actor, 201);
              }));
    http.Post("/api/batch", with_body(service, [&](const Call& call, const JsonObject& body) {
                  return service.batch(body, call.actor);
              }));
}

void route_blockers(httplib::Server& http, Service& service) {
    http.Post("/api/issues/([^/]+)/blockers", with_body(service, [&](const Call& call, const JsonObject& body) {
                  Change change = change_of(Verb::block, call.part(1));
                  change.ref = body.needed("blockerId");
                  return service.change(change, call.actor, 201);
              }));
    http.Delete("/api/issues/([^/]+)/blockers/([^/]+)", handler(service, [&](const Call& call) {
                    Change change = change_of(Verb::unblock, call.part(1));
                    change.ref = call.part(2);
                    return service.change(change, call.actor);
                }));
}

/// An issue is looked at again later: its agent is woken then. Set again, it is moved.
void route_monitors(httplib::Server& http, Service& service) {
    http.Put("/api/issues/([^/]+)/monitor", with_body(service, [&](const Call& call, const JsonObject& body) {
                 Change change = change_of(Verb::monitor, call.part(1));
                 change.value = body.needed("after");
                 return service.change(change, call.actor);
             }));
}

/// What waits for an answer: it is asked for, and later answered.
void route_waits(httplib::Server& http, Service& service) {
    http.Post("/api/issues/([^/]+)/interactions", with_body(service, [&](const Call& call, const JsonObject& body) {
                  Change change = change_of(Verb::ask, call.part(1));
                  change.value = body.needed("kind");
                  change.about = body.text("about");
                  change.text = body.needed("text");
                  change.ref = service.new_id("ASK");
                  return service.change(change, call.actor, 201);
              }));
    http.Post("/api/issues/([^/]+)/interactions/([^/]+)/resolve",
              with_body(service, [&](const Call& call, const JsonObject& body) {
                  Change change = change_of(Verb::resolve, call.part(1));
                  change.ref = call.part(2);
                  change.value = body.needed("answer");
                  return service.change(change, call.actor);
              }));
    http.Post("/api/issues/([^/]+)/approvals", with_body(service, [&](const Call& call, const JsonObject& body) {
                  Change change = change_of(Verb::request_approval, call.part(1));
                  change.text = body.needed("text");
                  change.ref = service.new_id("APPROVAL");
                  return service.change(change, call.actor, 201);
              }));
    http.Post("/api/issues/([^/]+)/approvals/([^/]+)/decide",
              with_body(service, [&](const Call& call, const JsonObject& body) {
                  Change change = change_of(Verb::decide, call.part(1));
                  change.ref = call.part(2);
                  change.value = body.needed("decision");
                  return service.change(change, call.actor);
              }));
}

void route_agents(httplib::Server& http, Service& service) {
    http.Post("/api/runs", with_body(service, [&](const Call& call, const JsonObject& body) {
                  Change change = change_of(Verb::start_run, body.needed("issueId"));
                  change.value =
                      call.actor.user.empty() && !body.has("agentId") ? call.actor.agent : body.needed("agentId");
                  change.ref = service.new_id("run");
                  Reply reply = service.change(change, call.actor, 201);
                  heeler::text::JsonLine json;
                  json.begin_object().key("runId").string(change.ref).key("issue").raw(reply.body).end_object();
                  return Reply{std::move(json).text(), reply.status};
              }));
    http.Patch("/api/runs/([^/]+)", with_body(service, [&](const Call& call, const JsonObject& body) {
                   Change change = change_of(Verb::report_run, service.issue_of_run(call.part(1)));
                   change.ref = call.part(1);
                   change.value = body.needed("status");
                   return service.change(change, call.actor);
               }));
    http.Put("/api/agents/([^/]+)", with_body(service, [&](const Call& call, const JsonObject& body) {
                 Change change = change_of(Verb::set_agent, call.part(1));
                 change.tenant = body.needed("tenant");
                 change.value = body.needed("status");
                 service.change(change, call.actor);
                 return service.token(change.tenant, change.target);
             }));
}

}  // namespace

void add_routes(httplib::Server& http, Service& service) {
    route_reading(http, service);
    route_watches(http, service);
    route_issues(http, service);
    route_blockers(http, service);
    route_monitors(http, service);
    route_waits(http, service);
    route_agents(http, service);
}

std::string error_text(const std::string& why, const std::string& details) {
    heeler::text::JsonLine json;
    json.begin_object().key("error").string(why);
    if (!details.empty()) json.key("details").raw(details);
    json.end_object();
    return std::move(json).text();
}

void answer(Response& response, int status, const std::string& json) {
    response.status = status;
    response.set_content(json, "application/json");
}

}  // namespace tracker

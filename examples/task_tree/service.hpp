// What the routes do: each change is put before the watch first, then carried out, then looked at.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "keeper.hpp"
#include "request.hpp"
#include "tokens.hpp"
#include "tracker.hpp"

namespace tracker {

/// What a client is answered: JSON.
struct Reply {
    std::string body{};
    int status = 200;
};

/// Any thread. Whatever is refused is thrown as `Refused`.
class Service {
public:
    Service(Tracker& tracker, Keeper& keeper, const Tokens& tokens)
        : tracker_{tracker}, keeper_{keeper}, tokens_{tokens} {}

    /// Whose token this is, in the run that it says.
    [[nodiscard]] Actor actor(const std::string& token, const std::string& run);
    [[nodiscard]] const Tokens& tokens() const noexcept { return tokens_; }
    /// "acme/coder" and its token.
    [[nodiscard]] std::map<std::string, std::string> tokens_of_agents();
    [[nodiscard]] Reply token(const std::string& tenant, const std::string& agent);

    /// An agent sees its own tenant and its own wakes.
    [[nodiscard]] Reply tree(const Actor& actor);
    [[nodiscard]] Reply issue(const std::string& id, const Actor& actor);
    [[nodiscard]] Reply audit(const Actor& actor);
    [[nodiscard]] Reply wakes(const Actor& actor, const std::string& tenant, const std::string& agent);

    /// Carries out one change, if it is allowed. The answer shows the issue.
    Reply change(const Change& change, const Actor& actor, int status = 200);
    /// A new issue, and its watch with it if the body names one.
    Reply create(const JsonObject& body, const Actor& actor);
    /// At most three changes of a reviewer, all or none, once.
    Reply batch(const JsonObject& body, const Actor& actor);

    [[nodiscard]] Reply watch(const std::string& issue, const Actor& actor);
    Reply arm(const std::string& issue, const JsonObject& body, const Actor& actor);
    Reply disarm(const std::string& issue, const Actor& actor);

    /// "ISS-7".
    [[nodiscard]] std::string new_id(std::string_view prefix) { return tracker_.new_id(prefix); }
    [[nodiscard]] std::string issue_of_run(const std::string& run) { return tracker_.issue_of_run(run); }

private:
    using Apply = std::function<heeler::Result<void>()>;
    using Ask = std::function<heeler::ScopeAnswer(const Apply&)>;

    std::vector<std::string> carry_out(const std::vector<Change>& changes, const Actor& actor, const Ask& ask);
    void ask(const Change& change, const Actor& actor);
    [[nodiscard]] std::string tenant_of(const Change& change);
    void create_watched(Change change, const heeler::NodeRef& node, const JsonObject& watch, const Actor& actor);
    void arm_now(const heeler::NodeRef& node, const JsonObject& watch, const Actor& actor);

    Tracker& tracker_;
    Keeper& keeper_;
    const Tokens& tokens_;
    std::mutex gate_;  ///< what was allowed is done before anything else is asked; nothing of the watch waits for it
};

}  // namespace tracker

// A small issue tracker in one SQLite file: issues in trees, agents and their runs, what waits for an answer.
#pragma once

#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/time.hpp>
#include <heeler/tree/node_ref.hpp>

#include "change.hpp"
#include "database.hpp"

namespace tracker {

/// What does not make sense, or what somebody may not do, with the number by which HTTP says so.
struct Refused : std::runtime_error {
    Refused(int number, const std::string& why, std::string more = {})
        : std::runtime_error{why}, status{number}, details{std::move(more)} {}

    int status;
    std::string details;  ///< a JSON object, or nothing
};

struct AgentRef {
    std::string tenant{}, id{};
};

/// Any thread. Nothing in here calls the watch, so whoever does may be asked for anything meanwhile.
class Tracker {
public:
    explicit Tracker(const std::string& path);

    /// Calls `use(database)` while nobody else has it.
    template <class Use>
    auto with(Use&& use) -> decltype(use(std::declval<Database&>())) {
        const std::lock_guard guard{lock_};
        return use(database_);
    }

    /// Carries out all of the changes or none, as the tracker's own rules allow it. The ids of what was made or
    /// changed.
    std::vector<std::string> carry_out(const std::vector<Change>& changes, const Actor& actor);

    /// Throws `Refused` unless the tracker's own rules let this actor do that.
    void check(const Change& change, const Actor& actor);

    /// "ISS-7": a new id that nobody else gets.
    [[nodiscard]] std::string new_id(std::string_view prefix);
    /// Empty: there is no such issue.
    [[nodiscard]] std::string tenant_of(const std::string& issue);
    [[nodiscard]] std::vector<AgentRef> agents();
    /// On which issue a run is; empty: there is no such run.
    [[nodiscard]] std::string issue_of_run(const std::string& run);

private:
    std::mutex lock_;
    Database database_;
};

/// Microseconds since 1970.
[[nodiscard]] std::int64_t now_us();

/// Adds a row to the audit feed. `body` is a JSON object.
void record(Database& database, std::string_view kind, std::string_view actor, std::string_view issue,
            std::string_view body);

}  // namespace tracker

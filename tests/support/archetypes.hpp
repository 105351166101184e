// The least that each concept asks for, and nothing else: what the library does with these compiles for every host's
// types.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/concepts.hpp>
#include <heeler/core/mail.hpp>

namespace archetype {

/// Can be moved into place, and nothing more.
struct MoveOnly {
    MoveOnly() = default;
    MoveOnly(MoveOnly&&) = default;
    MoveOnly(const MoveOnly&) = delete;
    MoveOnly& operator=(MoveOnly&&) = delete;
    MoveOnly& operator=(const MoveOnly&) = delete;
    ~MoveOnly() = default;
};

struct Clock : private MoveOnly {
    heeler::Instant now() { return {}; }
};

struct Store : private MoveOnly {
    heeler::Result<heeler::Snapshot> load() { return heeler::Snapshot{}; }
    heeler::Result<heeler::List<heeler::DecisionRow>> list() { return heeler::List<heeler::DecisionRow>{}; }
    heeler::Result<heeler::Conflicts> commit(const heeler::Batch&) { return heeler::Conflicts{}; }
    heeler::Result<heeler::History> history(std::string_view) { return heeler::History{}; }
};

struct Notifier : private MoveOnly {
    static constexpr std::string_view name = "archetype";

    heeler::Result<heeler::Receipt> send(const heeler::Alert&) { return heeler::Receipt{}; }
};

struct Mailbox : private MoveOnly {
    heeler::Result<std::vector<heeler::Mail>> unread() { return std::vector<heeler::Mail>{}; }
    heeler::Result<void> mark_read(const std::string&) { return {}; }
};

struct Detector {
    static constexpr std::string_view kind = "archetype";

    struct Settings {};
    struct Memory {};

    void learn(Memory&, const Settings&, const heeler::Observation&) const {}
    std::optional<heeler::Finding> check(const Memory&, const Settings&, const heeler::Run&, heeler::Instant) const {
        return std::nullopt;
    }
};

}  // namespace archetype

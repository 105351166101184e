// A host that has not all that the table allows: what its reviewer is told, and what it is refused.
#include <array>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tree/watch/trees.hpp"

using namespace trees;

namespace {

/// As a tracker without interactions, set times and batches.
struct SmallTracker : ScriptedTree {
    std::array<std::string_view, 2> named{"assign", "block"};
    bool throws = false;

    [[nodiscard]] std::span<const std::string_view> operations() const {
        if (throws) throw std::runtime_error{"as scripted"};
        return named;
    }
};

struct Small : Forest {
    SmallTracker host{{tree}};

    Small() {
        watch.reset();
        watch = std::make_unique<TreeWatch>(*dog, host, rules);
        begin_review();
    }
    ~Small() { watch.reset(); }
    Small(const Small&) = delete;
    Small& operator=(const Small&) = delete;
};

}  // namespace

TEST_CASE("a reviewer is offered what the host has, and refused the rest [M-159][M-160][M-167]") {
    Small f;
    REQUIRE(f.asked(TreeVerb::wake).size() == 1);
    const std::string told = f.asked(TreeVerb::wake)[0].text;
    CHECK_THAT(told, ContainsSubstring(R"("operations":["status","assign","block","comment"],)"));
    CHECK_THAT(told, ContainsSubstring("or `comment` what to do next.") && !ContainsSubstring("batch"));
    CHECK_FALSE(f.watch->batch({"ag-w", "r-1", "q", {mutation("comment", "B")}}).allowed);
    for (const std::string op : {"monitor", "create_child", "resolve_interaction"})
        CHECK(f.watch->check(mutation(op, "B")).reason == "a watchdog has no operation `" + op + "`");
    CHECK(f.watch->check(mutation("comment", "B")).allowed);
    CHECK(f.watch->check(mutation("assign", "B", "ag-1")).allowed);
}

TEST_CASE("a host that cannot say what it has has no more than a review needs [M-167]") {
    Small f;
    f.host.throws = true;
    CHECK_FALSE(f.watch->check(mutation("assign", "B", "ag-1")).allowed);
    CHECK(f.watch->check(mutation("comment", "B")).allowed);
}

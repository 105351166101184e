// Two watchdogs watch the same task trees through one PostgreSQL store: nobody is woken twice, there is one review, and
// who lost a watch changes nothing any more.
#include <atomic>
#include <memory>
#include <random>
#include <thread>

#include <heeler/store/postgres_store.hpp>

#include "support/postgres.hpp"
#include "tree/watch/trees.hpp"

using namespace trees;

namespace {

/// Real time: the server's clock decides who holds what. Who is kept from running for longer than the margin of its
/// lease
/// (`tree_holder_settings`), between its look at the lease and the act, acts beside the next one: these trees cannot
/// refuse it, and a busy machine keeps threads waiting for tens of milliseconds.
constexpr Duration short_tree_lease = 800ms;
constexpr Duration long_tree_lease = 20s;

EngineSettings tree_holder_settings(std::string name, Duration lease) {
    EngineSettings settings;
    settings.holder = std::move(name);
    settings.lease = lease;
    settings.renew_every = lease / 4;
    settings.lease_margin = lease / 4;
    return settings;
}

/// Nobody waits for the server longer than a fifth of its lease.
PostgresSettings tree_store_settings(PostgresSettings settings, Duration lease) {
    settings.lock_timeout = lease / 20;
    settings.statement_timeout = lease / 5;
    return settings;
}

/// One of several, with a clock of its own so that it can stand still.
struct TreeHolder {
    ManualClock clock{bench::start};
    RecordingNotifier notifier;
    Watchdog<ManualClock, PostgresStore, RecordingNotifier> dog;
    TreeWatch watch;

    TreeHolder(std::string name, Duration lease, const heeler_test::ScratchSchema& schema, ScriptedTree& tree)
        : dog{clock,
              PostgresStore{heeler_test::postgres_at(heeler_test::postgres_directory()),
                            tree_store_settings(schema.settings(), lease)},
              notifier, tree_holder_settings(std::move(name), lease)},
          watch{dog, tree} {
        REQUIRE(watch.usable());
        (void)dog.cycle(TickCause::startup);
    }
    CycleReport minute() {
        clock.advance(61s);
        return dog.cycle(TickCause::on_demand);
    }
    /// In these watchdogs' own time nothing passes while they wait for each other.
    CycleReport look() { return dog.cycle(TickCause::on_demand); }
};

struct Grove {
    heeler_test::ScratchSchema schema;
    ScriptedTree tree;
    std::unique_ptr<TreeHolder> a, b;

    /// Leases run by the server's clock, and what is held by `b` is to stay so on a busy machine, too.
    explicit Grove(Duration lease_of_a = 1s, Duration lease_of_b = long_tree_lease) {
        tree.show({node("A", {}, "in_progress"), node("B", "A"), node("C", "A", "done")});
        a = std::make_unique<TreeHolder>("a", lease_of_a, schema, tree);
        b = std::make_unique<TreeHolder>("b", lease_of_b, schema, tree);
    }
    [[nodiscard]] std::size_t wakes() const {
        std::size_t count = 0;
        for (const auto& request : tree.requests()) count += request.verb == TreeVerb::wake && request.took_effect;
        return count;
    }
    [[nodiscard]] std::size_t reviews() const {
        std::size_t count = 0;
        for (const TreeNode& each : tree.nodes()) count += each.origin == review_origin;
        return count;
    }
    [[nodiscard]] bool woke_twice() const {
        std::set<std::string> keys;
        for (const auto& request : tree.requests())
            if (request.verb == TreeVerb::wake && request.took_effect && !keys.insert(request.key).second) return true;
        return false;
    }
    void begin_run() {
        REQUIRE(tree.edit_review(ref("A"), [](TreeNode& review) {
            review.runs = {{"r-1", "running", "ag-w", review.origin_fingerprint}};
        }));
    }
    [[nodiscard]] History known() { return *a->dog.store().history("tree:co-1/A"); }
    /// Until this one holds the watch.
    [[nodiscard]] static bool takes_over(TreeHolder& who) {
        return heeler_test::wait_for([&] {
            (void)who.minute();
            return who.watch.status(ref("A")).has_value();
        });
    }
};

}  // namespace

TEST_CASE("two who arm the same node at once make one watch, and one of them looks [A-92][M-141]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    Grove g{long_tree_lease};
    std::atomic<int> armed{0};
    std::vector<std::thread> threads;
    for (TreeHolder* holder : {g.a.get(), g.b.get()})
        for (int i = 0; i < 3; ++i)
            threads.emplace_back([&, holder] { armed += holder->watch.arm(config("A"), ada).has_value(); });
    for (std::thread& thread : threads) thread.join();
    CHECK(armed >= 3);
    for (int i = 0; i < 5; ++i) {
        (void)g.a->look();
        (void)g.b->look();
    }
    CHECK(g.wakes() == 1);
    CHECK(g.reviews() == 1);
    CHECK(g.a->watch.status(ref("A")).has_value() != g.b->watch.status(ref("A")).has_value());
    std::size_t created = 0;
    for (const AuditRow& row : g.known().audit) created += row.kind == "issue.watchdog_created";
    CHECK(created == 1);
}

TEST_CASE("a watch is changed and ended where it is held, and elsewhere that is said [M-141][M-144]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    Grove g{long_tree_lease};
    REQUIRE(g.a->watch.arm(config("A"), ada));
    CHECK(g.b->watch.disarm(ref("B"), ada).value() == std::nullopt);
    const auto ended = g.b->watch.disarm(ref("A"), ada);
    REQUIRE_FALSE(ended);
    CHECK(ended.error().code == ErrorCode::conflict);
    CHECK_THAT(ended.error().message, ContainsSubstring("another watchdog holds it"));
    CHECK(g.b->watch.arm(config("A"), ada).error().code == ErrorCode::conflict);
    CHECK(g.a->watch.disarm(ref("A"), ada).value().has_value());
}

TEST_CASE("two watchdogs that look at the same trees all the time wake nobody twice [M-157][M-158]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    Grove g{short_tree_lease, short_tree_lease};
    g.tree.find_what_happened();
    std::vector<TreeNode> nodes;
    int tries = 0;
    for (int i = 0; i < 6; ++i) {
        const std::string root = "R" + std::to_string(i);
        nodes.push_back(node(root));
        nodes.push_back(node(root + "-leaf", root));
    }
    g.tree.show(nodes);
    for (int i = 0; i < 6; ++i)
        REQUIRE(heeler_test::wait_for([&] {  // a lease may be lost meanwhile
            TreeHolder& who = tries++ % 2 == 0 ? *g.a : *g.b;
            (void)who.look();
            return who.watch.arm(config("R" + std::to_string(i)), ada).has_value();
        }));
    std::atomic<bool> over{false};
    const auto look = [&](TreeHolder& who, std::uint32_t seed) {
        std::mt19937 random{seed};
        while (!over) {
            (void)who.minute();
            // Now and then one stands still, and the other takes its watches over.
            if (random() % 40 == 0) std::this_thread::sleep_for(short_tree_lease * 3 / 2);
        }
    };
    std::thread first{[&] { look(*g.a, 1); }}, second{[&] { look(*g.b, 2); }};
    std::mt19937 random{3};
    for (int i = 0; i < 150; ++i) {
        const std::string root = "R" + std::to_string(random() % 6);
        if (random() % 3 == 0)
            g.tree.edit_review(ref(root), [&](TreeNode& review) { review.status = "done"; });
        else
            g.tree.edit(ref(root + "-leaf"), [&](TreeNode& leaf) { leaf.status = "s" + std::to_string(i); });
        g.tree.answer(TreeVerb::wake, random() % 5 == 0 ? ControlAnswer::timeout_but_done : ControlAnswer::ok);
        std::this_thread::sleep_for(10ms);
    }
    g.tree.answer(TreeVerb::wake, ControlAnswer::ok);
    std::set<std::string> seen;
    for (const auto& request : g.tree.requests()) seen.insert(request.key);
    for (int i = 0; i < 6; ++i)
        g.tree.edit(ref("R" + std::to_string(i) + "-leaf"), [](TreeNode& leaf) { leaf.status = "the last"; });
    const auto all_woken = [&] {
        std::set<std::string> roots;
        for (const auto& request : g.tree.requests())
            if (request.verb == TreeVerb::wake && request.took_effect && seen.count(request.key) == 0)
                roots.insert(request.node.id);
        return roots.size() == 6;
    };
    CHECK(heeler_test::wait_for(all_woken));
    over = true;
    first.join();
    second.join();
    CHECK_FALSE(g.woke_twice());
    CHECK(g.reviews() == 6);
    CHECK(g.wakes() > 12);
}

TEST_CASE("who takes a watch over goes on where the other one was [M-157][M-163]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    Grove g;
    REQUIRE(g.a->watch.arm(config("A"), ada));
    (void)g.a->look();
    REQUIRE(g.wakes() == 1);
    g.begin_run();
    const TreeStatus before = *g.a->watch.status(ref("A"));
    if (GENERATE(true, false)) {
        REQUIRE(g.a->dog.leave());
    }
    // Otherwise it just does nothing any more.
    REQUIRE(Grove::takes_over(*g.b));
    const TreeStatus after = *g.b->watch.status(ref("A"));
    CHECK(after.triggers == 1);
    CHECK(after.review == before.review);
    CHECK(after.wake_key == before.wake_key);
    CHECK(after.revision == before.revision);
    CHECK(g.b->watch.check(mutation("comment", "B")).allowed);
    g.tree.edit_review(ref("A"), [](TreeNode& review) {
        review.runs.clear();
        review.status = "done";
    });
    (void)g.b->minute();
    CHECK(g.b->watch.status(ref("A"))->verdict == TreeVerdict::already_reviewed);
    g.tree.edit(ref("B"), [](TreeNode& b) { b.status = "todo"; });
    (void)g.b->minute();
    CHECK(g.wakes() == 2);
    CHECK(g.reviews() == 1);
    for (int i = 0; i < 3; ++i) {
        (void)g.a->minute();
        (void)g.b->minute();
    }
    CHECK(g.wakes() == 2);
    CHECK_FALSE(g.woke_twice());
}

TEST_CASE("who lost a watch allows nothing, and wakes nobody for it [M-168][M-101]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    Grove g;
    g.tree.find_what_happened();
    REQUIRE(g.a->watch.arm(config("A"), ada));
    SECTION("it stood still before it woke anybody") {
        (void)g.a->dog.tick(TickCause::on_demand);
        REQUIRE(g.wakes() == 0);
        REQUIRE(Grove::takes_over(*g.b));
        (void)g.b->minute();
        REQUIRE(g.wakes() == 1);
        g.a->clock.advance(61s);
        (void)g.a->dog.deliver();
        (void)g.a->minute();
        CHECK(g.wakes() == 1);
        CHECK(g.tree.requests().size() == 2);
    }
    SECTION("its own clock stands still, and it is asked what a reviewer may do") {
        (void)g.a->look();
        g.begin_run();
        REQUIRE(g.a->watch.check(mutation("comment", "B")).allowed);
        REQUIRE(Grove::takes_over(*g.b));
        CHECK(g.b->watch.check(mutation("comment", "B")).allowed);
        bool applied = false;
        for (int i = 0; i < 2; ++i) {
            CHECK_FALSE(g.a->watch.check(mutation("comment", "B")).allowed);
            const BatchRequest batch{"ag-w", "r-1", "q-1", {mutation("comment", "B")}};
            CHECK_FALSE(g.a->watch
                            .batch(batch,
                                   [&]() -> Result<void> {
                                       applied = true;
                                       return {};
                                   })
                            .allowed);
            (void)g.a->minute();
        }
        CHECK_FALSE(applied);
        CHECK(g.b->watch.check(mutation("comment", "B")).allowed);
    }
    CHECK_FALSE(g.woke_twice());
}

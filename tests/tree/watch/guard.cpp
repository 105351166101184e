// What a reviewer may do after a change that was its own, and after one that was not, through the real engine.
#include <functional>
#include <map>
#include <random>
#include <string>

#include "support/slowed.hpp"
#include "tree/watch/trees.hpp"

using namespace trees;

namespace {

/// A tree A above B and C, and the run of its reviewer, which has been woken.
struct UnderReview : Forest {
    UnderReview() {
        begin_review();
        (void)minute();
    }
    ScopeAnswer ask(std::string op, std::string target, std::string value = {}) {
        return watch->check(mutation(std::move(op), std::move(target), std::move(value)));
    }
    /// The same where the guard hears what becomes of it.
    ScopeAnswer carry_out(const Mutation& asked, const std::function<Result<void>()>& how) {
        return watch->check(asked, how);
    }
    void change(std::string id, const std::function<void(TreeNode&)>& how) {
        REQUIRE(tree.edit(ref(std::move(id)), how));
    }
};

using Nodes = std::map<std::string, TreeNode>;

/// A random tree, its reviewer, strangers who change it, and a host that refuses much of what the guard allowed. `own`
/// is the tree as it would be without the strangers.
class Crowd : public Forest {
public:
    explicit Crowd(std::uint32_t seed) : random_{seed}, hears_{below(2) == 0} {
        std::vector<TreeNode> made{node("A", {}, "in_progress"), node("X", {}, "todo")};
        const int size = 3 + below(6);
        for (int i = 0; i < size; ++i) made.push_back(node("n" + std::to_string(i), pick_parent(made), "done"));
        tree.show(made);
        begin_review();
        (void)minute();
        own_ = all();
    }

    /// Empty: whatever the reviewer was allowed, it was about a tree that nobody else had changed.
    [[nodiscard]] std::string live(int steps) {
        for (int i = 0; i < steps; ++i) {
            step_ = i;
            if (restarts && below(8) == 0) restart();
            if (below(3) == 0)
                interfere();
            else if (std::string wrong = review(); !wrong.empty())
                return "step " + std::to_string(i) + ": " + wrong;
        }
        return {};
    }
    int allowed = 0, allowed_after_own = 0, stale = 0;
    bool restarts = false;  ///< now and then another process takes over

private:
    [[nodiscard]] int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint32_t>(limit)); }
    [[nodiscard]] std::string pick_parent(const std::vector<TreeNode>& made) {
        const TreeNode& parent = made[static_cast<std::size_t>(below(static_cast<int>(made.size())))];
        return parent.id == "X" ? "A" : parent.id;
    }
    [[nodiscard]] Nodes all() const {
        Nodes found;
        for (TreeNode& each : tree.nodes())
            if (each.origin != review_origin) found.emplace(each.id, each);
        return found;
    }
    [[nodiscard]] std::string pick_node() {
        const Nodes known = all();
        auto at = known.begin();
        std::advance(at, below(static_cast<int>(known.size())));
        return at->first == "X" ? "A" : at->first;
    }
    [[nodiscard]] static std::string stop_of(const Nodes& nodes) {
        TaskTree shown;
        TreeChanges changes;
        for (const auto& [id, each] : nodes) changes.nodes.push_back(each);
        shown.apply(std::move(changes));
        return classify(shown, {tenant, "A", 1, {}, nullptr}, {}, {}).fingerprint;
    }

    /// `who`: the reviewer and strangers have values of their own, unless the guard hears what the host refused.
    [[nodiscard]] Mutation some_change(const std::string& who, bool is_stranger) {
        static const std::vector<std::string> ops{"status", "assign", "block", "create_child", "comment"};
        const std::string op = ops[static_cast<std::size_t>(below(5))];
        // Strangers are where the reviewer just was, often.
        const bool there = is_stranger && below(2) == 0 && tree.edit(ref(last_), [](TreeNode&) {});
        Mutation asked = mutation(op, there ? last_ : pick_node());
        static const std::vector<std::string> of_reviewers{"in_progress", "in_review", "blocked"};
        const int which = below(3);
        if (op == "status")
            asked.ref = who == "r" ? of_reviewers[static_cast<std::size_t>(which)] : who + "-" + std::to_string(which);
        if (op == "assign") asked.ref = "ag-" + who + std::to_string(below(3));
        if (op == "block") asked.ref = who == "r" ? "X" : "A";
        if (op == "create_child") {
            asked.parent = asked.target;
            asked.target = who + "-" + std::to_string(step_);
        }
        return asked;
    }
    static void make(Nodes& nodes, const Mutation& asked) {
        if (asked.op == "create_child" && nodes.count(asked.parent) > 0)
            nodes.insert_or_assign(asked.target, node(asked.target, asked.parent, "todo"));
        const auto known = nodes.find(asked.target);
        if (known == nodes.end()) return;
        TreeNode& each = known->second;
        if (asked.op == "status") each.status = asked.ref;
        if (asked.op == "assign") each.assignee_agent = asked.ref;
        if (asked.op == "block" && std::erase(each.blockers, asked.ref) == 0) each.blockers.push_back(asked.ref);
    }
    void make(const Mutation& asked) {
        Nodes now = all();
        make(now, asked);
        for (const auto& [id, each] : now) tree.put(each);
    }

    /// A new task counts as it is seen first: where the guard does not hear of it at once, strangers leave it alone.
    void interfere() {
        const Mutation asked = some_change(hears_ ? "r" : "s", true);
        if (!hears_ && asked.target.starts_with("r-")) return;
        interfered_ = true;
        if (below(4) != 0) return make(asked);
        if (asked.target != "A" && asked.target != "X") tree.remove(ref(asked.target));
    }

    [[nodiscard]] std::string review() {
        const bool foreign = stop_of(all()) != stop_of(own_);
        const Mutation asked = some_change("r", false);
        last_ = asked.target;
        const bool refused = below(3) == 0;
        bool done = false;
        const auto carry_out = [&]() -> Result<void> {
            if (refused) return fail(ErrorCode::conflict, "somebody else has it");
            make(asked);
            make(own_, asked);
            done = true;
            return {};
        };
        const ScopeAnswer answer = hears_ ? watch->check(asked, carry_out) : watch->check(asked);
        if (!hears_ && answer.allowed) (void)carry_out();
        const bool yes = answer.allowed || answer.reason.starts_with("nothing was changed");
        if (yes && foreign) return asked.op + " of " + asked.target + " was allowed after a change of somebody else";
        if (!yes && !interfered_) return asked.op + " was refused after nothing but own changes: " + answer.reason;
        allowed += yes ? 1 : 0;
        allowed_after_own += yes && changed_ ? 1 : 0;
        stale += answer.refusal == Refusal::stale ? 1 : 0;
        changed_ = changed_ || (done && asked.op != "comment");
        return {};
    }

    std::mt19937 random_;
    bool hears_, interfered_ = false, changed_ = false;
    Nodes own_;
    std::string last_ = "A";
    int step_ = 0;
};

}  // namespace

TEST_CASE("what a host refused is no leave for what somebody else did to the task [M-173]") {
    UnderReview f;
    REQUIRE(f.ask("assign", "B", "ag-1").allowed);
    // The host answers 409; somebody takes the task and does it.
    f.change("B", [](TreeNode& b) {
        b.assignee_user = "ada";
        b.status = "done";
    });
    const ScopeAnswer answer = f.ask("status", "B", "todo");
    CHECK(answer.refusal == Refusal::stale);
    CHECK(answer.ids == std::vector<std::string>{"B"});
    CHECK_FALSE(f.ask("comment", "C").allowed);
    CHECK(f.ask("comment", "review-A").allowed);
}

TEST_CASE("a change of somebody else upon the reviewer's own is none of its own [M-173]") {
    UnderReview f;
    REQUIRE(f.ask("assign", "B", "ag-1").allowed);
    f.change("B", [](TreeNode& b) { b.assignee_agent = "ag-1"; });
    f.change("B", [](TreeNode& b) { b.status = "done"; });  // and nothing was asked in between
    CHECK(f.ask("status", "B", "todo").refusal == Refusal::stale);
}

TEST_CASE("where the guard hears what became of a change, just the same of somebody else is theirs [M-173]") {
    UnderReview f;
    const auto assign = [](TreeNode& b) { b.assignee_agent = "ag-1"; };
    const ScopeAnswer no = f.carry_out(mutation("assign", "B", "ag-1"),
                                       []() -> Result<void> { return fail(ErrorCode::conflict, "it is taken"); });
    CHECK((no.refusal == Refusal::stale && no.reason == "nothing was changed: it is taken"));
    CHECK(f.audited("issue.task_watchdog_mutation_denied") == 1);
    CHECK(f.ask("comment", "B").allowed);
    f.change("B", assign);
    CHECK(f.ask("comment", "B").refusal == Refusal::stale);

    // Whoever takes its own change back and makes it again is somebody else too.
    UnderReview g;
    CHECK(g.carry_out(mutation("assign", "B", "ag-1"), [&]() -> Result<void> {
               g.change("B", assign);
               return {};
           }).allowed);
    g.change("B", [](TreeNode& b) { b.assignee_agent.clear(); });
    CHECK(g.ask("comment", "B").refusal == Refusal::stale);
    g.change("B", assign);
    CHECK(g.ask("comment", "B").allowed);
}

TEST_CASE("what was carried out and made no difference is used up: no leave for what somebody else does [M-173]") {
    const bool batched = GENERATE(false, true);
    UnderReview f;
    const auto nothing = []() -> Result<void> { return {}; };
    const Mutation block = mutation("block", "B", "X");
    if (batched)
        CHECK(f.watch->batch({{}, block.actor_run, "1", {block}}, nothing).allowed);
    else
        CHECK(f.carry_out(block, nothing).allowed);
    CHECK(f.ask("comment", "B").allowed);
    f.change("B", [](TreeNode& b) { b.blockers = {"X"}; });
    CHECK(f.ask("status", "C", "todo").refusal == Refusal::stale);
}

TEST_CASE("a reviewer gives work only to agents of its tenant that can take it [M-143][M-167]") {
    UnderReview f;
    f.tree.employ({{ref("ag-w"), AgentStanding::active},
                   {ref("ag-1"), AgentStanding::active},
                   {ref("ag-p"), AgentStanding::paused},
                   {{"co-2", "ag-2"}, AgentStanding::active}});
    int carried_out = 0;
    const auto allowed = [&](Mutation asked) {
        const ScopeAnswer alone = f.watch->check(asked);
        BatchRequest together{{}, "r-1", "q-" + asked.op + asked.ref, {mutation("comment", "B"), asked}};
        const ScopeAnswer batched = f.watch->batch(together, [&]() -> Result<void> {
            ++carried_out;
            return fail(ErrorCode::rejected, "only asked");
        });
        CHECK((alone.allowed || alone.refusal == Refusal::forbidden));
        CHECK_FALSE(batched.allowed);
        return alone.allowed;
    };
    for (const char* op : {"assign", "create_child"}) {
        for (const char* agent : {"ag-p", "ag-2", "nobody"}) CHECK_FALSE(allowed(mutation(op, "B", agent)));
        CHECK(carried_out == 0);
        Mutation person = mutation(op, "B", "ada");
        person.to_person = true;
        for (const Mutation& good : {mutation(op, "B", "ag-1"), mutation(op, "B"), person}) CHECK(allowed(good));
        CHECK(std::exchange(carried_out, 0) == 3);
    }
    CHECK_THAT(f.ask("assign", "B", "ag-p").reason, ContainsSubstring("`ag-p` cannot be given work: it is paused"));
}

TEST_CASE("what was set in motion and rests as before is used up likewise [M-173]") {
    UnderReview f;
    CHECK(f.carry_out(mutation("status", "B", "todo"), [&]() -> Result<void> {
               f.change("B", [](TreeNode& b) {
                   b.status = "todo";
                   b.wakes = {"queued"};
               });
               return {};
           }).allowed);
    CHECK(f.ask("comment", "B").allowed);
    f.change("B", [](TreeNode& b) {
        b.status = "blocked";
        b.wakes.clear();
    });
    CHECK(f.carry_out(mutation("comment", "B"), []() -> Result<void> { return {}; }).allowed);
    f.change("B", [](TreeNode& b) { b.status = "todo"; });
    CHECK(f.ask("comment", "C").refusal == Refusal::stale);
}

TEST_CASE("a new task is the reviewer's as it made it, not as somebody changed it before the tree rests [M-173]") {
    const bool touched = GENERATE(false, true);
    UnderReview f;
    Mutation create = mutation("create_child", "N");
    create.parent = "B";
    CHECK(f.carry_out(create, [&]() -> Result<void> {
               TreeNode made = node("N", "B", "todo");
               made.created_at = f.clock.now().wall;
               f.tree.put(made);
               return {};
           }).allowed);
    if (GENERATE(false, true)) CHECK(f.ask("comment", "B").allowed);
    if (touched) f.change("N", [](TreeNode& n) { n.status = "cancelled"; });
    f.clock.advance(16s);
    CHECK(f.ask("status", "C", "todo").allowed == !touched);
}

TEST_CASE("a reviewer waits for the first run of what others created, not of what it created itself [M-150][M-173]") {
    UnderReview f;
    const auto put = [&](std::string id) {
        TreeNode made = node(std::move(id), "A", "todo");
        made.created_at = f.clock.now().wall;
        f.tree.put(made);
    };
    Mutation create = mutation("create_child", "N");
    create.parent = "A";
    CHECK(f.carry_out(create, [&]() -> Result<void> {
               put("N");
               return {};
           }).allowed);
    CHECK(f.carry_out(mutation("status", "C", "in_review"), [&]() -> Result<void> {
               f.change("C", [](TreeNode& c) { c.status = "in_review"; });
               return {};
           }).allowed);
    put("O");
    CHECK(f.ask("comment", "B").refusal == Refusal::stale);
}

TEST_CASE("what a reviewer changed is its own after a restart as well, and nothing else is [M-173]") {
    UnderReview f;
    const auto assign = [&]() -> Result<void> {
        f.change("B", [](TreeNode& b) { b.assignee_agent = "ag-1"; });
        return {};
    };
    const auto refuse = []() -> Result<void> { return fail(ErrorCode::conflict, "it is taken"); };
    SECTION("one change") {
        REQUIRE(f.carry_out(mutation("assign", "B", "ag-1"), assign).allowed);
        f.restart();
        CHECK(f.ask("status", "C", "in_review").allowed);
    }
    SECTION("a batch") {
        REQUIRE(f.watch->batch({{}, "r-1", "q", {mutation("assign", "B", "ag-1")}}, assign).allowed);
        f.restart();
        CHECK(f.ask("comment", "B").allowed);
        CHECK(f.watch->batch({{}, "r-1", "q-2", {mutation("comment", "B")}}).reason == "one batch per run");
    }
    SECTION("beside a change of somebody else") {
        REQUIRE(f.carry_out(mutation("assign", "B", "ag-1"), assign).allowed);
        f.restart();
        f.change("C", [](TreeNode& c) { c.status = "in_review"; });
        CHECK(f.ask("comment", "B").ids == std::vector<std::string>{"C"});
    }
    SECTION("what was refused is somebody else's") {
        REQUIRE_FALSE(f.carry_out(mutation("assign", "B", "ag-1"), refuse).allowed);
        f.restart();
        (void)assign();
        CHECK(f.ask("comment", "B").refusal == Refusal::stale);
    }
    SECTION("of another run nothing is known") {
        REQUIRE(f.carry_out(mutation("assign", "B", "ag-1"), assign).allowed);
        f.restart();
        REQUIRE(f.tree.edit_review(ref("A"), [](TreeNode& review) {
            review.runs = {{"r-2", "running", "ag-w", review.origin_fingerprint}};
        }));
        Mutation other = mutation("comment", "B");
        other.actor_run = "r-2";
        CHECK(f.watch->check(other).refusal == Refusal::stale);
    }
}

TEST_CASE("whoever acts in no review has it carried out and put on no record [M-168]") {
    UnderReview f;
    Mutation other = mutation("delete", "B");
    other.actor_run = "somebody's";
    int done = 0;
    const auto carry_out = [&]() -> Result<void> {
        if (++done == 2) return fail(ErrorCode::failed, "no");
        return {};
    };
    CHECK(f.carry_out(other, carry_out).allowed);
    CHECK_FALSE(f.carry_out(other, carry_out).allowed);
    CHECK_FALSE(f.carry_out(mutation("delete", "B"), carry_out).allowed);
    CHECK(done == 2);
    CHECK(f.audited("issue.task_watchdog_mutation") == 0);
}

TEST_CASE("whatever strangers and hosts do, a reviewer changes no tree that somebody else changed [M-169][M-173]") {
    int allowed = 0, after_own = 0, stale = 0;
    const int seeds = heeler_test::is_slowed ? 24 : 300;
    for (int seed = 1; seed <= seeds; ++seed) {
        Crowd crowd{static_cast<std::uint32_t>(seed)};
        crowd.restarts = seed % 3 == 0;
        const std::string problem = crowd.live(seed % 4 == 0 ? 12 : 6);
        INFO("seed " << seed << ": " << problem);
        REQUIRE(problem.empty());
        allowed += crowd.allowed;
        after_own += crowd.allowed_after_own;
        stale += crowd.stale;
    }
    CHECK(allowed > seeds);
    CHECK(after_own > seeds / 3);
    CHECK(stale > seeds / 3);
}

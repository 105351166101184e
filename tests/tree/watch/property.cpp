// Random trees, changes, reviewers, faults and restarts: what must hold whatever happens, as seen from outside.
#include <random>

#include "support/slowed.hpp"
#include "tree/watch/trees.hpp"

using namespace trees;

namespace {

/// A world in which everything may happen, and who looks whether what happened may be.
class Chaos : public Forest {
public:
    explicit Chaos(std::uint32_t seed) : random_{seed} {
        tree.show(
            {node("A"), node("B", "A"), node("C", "A"), node("D", "B"), node("E", "D"), node("Z"), node("Y", "Z")});
        for (const char* root : {"A", "D"}) watched_.push_back(root);
        for (const std::string& root : watched_) arm(root);
        switch (below(3)) {
            case 0:
                tree.find_what_happened();
                break;
            case 1:
                tree.set_idempotent(true);
                break;
            default:
                break;
        }
    }

    void live(int steps) {
        for (int i = 0; i < steps && problem_.empty(); ++i) {
            step_ = i;
            happen();
            check_tasks();
            if (i % 100 == 99) check_change_triggers();
        }
    }
    [[nodiscard]] const std::string& problem() const { return problem_; }
    [[nodiscard]] std::string summary() const {
        return std::to_string(effects(TreeVerb::wake)) + " wakes, " + std::to_string(allowed_) + " changes allowed, " +
               std::to_string(denied_) + " denied";
    }
    [[nodiscard]] int allowed() const { return allowed_; }
    [[nodiscard]] int denied() const { return denied_; }

private:
    [[nodiscard]] int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint32_t>(limit)); }
    template <class T>
    [[nodiscard]] const T& one_of(const std::vector<T>& all) {
        return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
    }
    void wrong(const std::string& what) {
        if (problem_.empty()) problem_ = "step " + std::to_string(step_) + ": " + what;
    }

    // --- what happens ---

    void happen() {
        switch (below(16)) {
            case 0:
            case 1:
            case 2:
            case 3:
                return change_tree();
            case 4:
            case 5:
            case 6:
                return be_reviewer();
            case 7:
                return end_a_review();
            case 8:
                return break_something();
            case 9:
                if (below(4) == 0) return configure();
                return;
            case 10:
                if (below(4) == 0) return start_again();
                return;
            default:
                return scan_now();
        }
    }

    [[nodiscard]] std::vector<TreeNode> plain_nodes() const {
        std::vector<TreeNode> found;
        for (const TreeNode& each : tree.nodes())
            if (each.origin != review_origin) found.push_back(each);
        return found;
    }

    void change_tree() {
        TreeNode picked = one_of(plain_nodes());
        switch (below(9)) {
            case 0:
                picked.status = one_of(std::vector<std::string>{"todo", "in_progress", "blocked", "done", "in_review"});
                break;
            case 1:
                picked.runs = {{"x-" + std::to_string(step_), below(2) == 0 ? "running" : "queued", "ag", {}}};
                break;
            case 2:
            case 3:
                for (TreeRun& run : picked.runs) run.status = "succeeded";
                picked.wakes.clear();
                break;
            case 4:
                picked.assignee_agent = below(2) == 0 ? "ag-1" : "ag-2";
                break;
            case 5:
                picked.blockers = {one_of(plain_nodes()).id};
                break;
            case 6:
                picked.interactions = {{"i-" + std::to_string(below(3)), "pending", "request_confirmation", "plan"}};
                break;
            case 7:
                if (plain_nodes().size() < 20)
                    tree.put(node("n" + std::to_string(step_), picked.id, below(2) == 0 ? "todo" : "done"));
                return;
            default:
                if (picked.id.size() > 1) tree.remove(ref(picked.id));
                return;
        }
        tree.put(picked);
        if (below(3) == 0) scan_now();
    }

    [[nodiscard]] std::optional<TreeNode> review_of(const std::string& root) const {
        for (const TreeNode& each : tree.nodes())
            if (each.origin == review_origin && each.origin_id == root) return each;
        return std::nullopt;
    }

    /// Whoever was woken works, and asks for what it may and what it may not.
    void be_reviewer() {
        const std::string root = one_of(watched_);
        auto review = review_of(root);
        if (!review || is_over(review->status)) return;
        if (review->runs.empty() || !is_live_run(review->runs.back().status)) {
            review->runs = {{"r-" + std::to_string(step_), "running", "ag-w", review->origin_fingerprint}};
            tree.put(*review);
        }
        const std::string op = one_of(std::vector<std::string>{"comment", "status", "create_child", "assign", "block",
                                                               "resolve_interaction", "arm", "delete", "approve"});
        const TreeNode target = one_of(tree.nodes());
        Mutation asked = mutation(op, target.id, op == "status" ? "todo" : "ag-1");
        asked.actor_run = review->runs.back().id;
        if (below(8) == 0) asked.tenant = "co-2";
        if (below(3) != 0) return judge(asked, watch->check(asked), root, review->id);
        BatchRequest batch{"ag-w", asked.actor_run, "q-" + std::to_string(below(4)), {asked}};
        const int before = batches_[batch.actor_run];
        const ScopeAnswer answer = watch->batch(batch, [&]() -> Result<void> {
            ++batches_[batch.actor_run];
            if (below(4) == 0) return fail(ErrorCode::failed, "the tracker is down");
            judge(asked, detail::granted("a batch"), root, review->id);
            ++carried_out_[batch.actor_run];
            return {};
        });
        if (!answer.allowed && batches_[batch.actor_run] == before) ++denied_;
        if (carried_out_[batch.actor_run] > 1) wrong("two batches of one run");
    }

    void judge(const Mutation& asked, const ScopeAnswer& answer, const std::string& root, const std::string& review) {
        answer.allowed ? ++allowed_ : ++denied_;
        if (!answer.allowed) return;
        if (!asked.tenant.empty() && asked.tenant != tenant) wrong("a change of another tenant was allowed");
        if (asked.op == "arm" || asked.op == "delete" || asked.op == "approve") wrong(asked.op + " was allowed");
        if (asked.target != review && !is_inside(asked.target, root))
            wrong(asked.op + " of " + asked.target + " was allowed for " + root);
        if (asked.op == "create_child" && asked.target == review) wrong("a child of a review was allowed");
        // What was allowed happens.
        if (asked.op == "status" && asked.target != review)
            tree.edit(ref(asked.target), [&](TreeNode& each) { each.status = asked.ref; });
    }

    [[nodiscard]] bool is_inside(const std::string& id, const std::string& root) const {
        std::map<std::string, TreeNode> all;
        for (const TreeNode& each : tree.nodes()) all[each.id] = each;
        std::string at = id;
        for (int hops = 0; hops < 100; ++hops) {
            const auto known = all.find(at);
            if (known == all.end() || known->second.origin == review_origin) return false;
            if (at == root) return true;
            at = known->second.parent;
        }
        return false;
    }

    void end_a_review() {
        tree.edit_review(ref(one_of(watched_)), [&](TreeNode& review) {
            review.runs.clear();
            review.status =
                one_of(std::vector<std::string>{"done", "done", "blocked", "in_review", "cancelled", "backlog"});
            review.assignee_user = below(2) == 0 ? "ada" : "";
            review.claim = below(3) == 0 ? ReviewClaim::restored : ReviewClaim::legitimate;
        });
    }

    void break_something() {
        const auto answer = [&] {
            return below(2) == 0 ? ControlAnswer::ok
                                 : one_of(std::vector<ControlAnswer>{ControlAnswer::fail, ControlAnswer::reject,
                                                                     ControlAnswer::timeout_but_done});
        };
        switch (below(6)) {
            case 0:
                return tree.answer(TreeVerb::review, answer());
            case 1:
            case 2:
                return tree.answer(TreeVerb::wake, answer());
            case 3:
                return tree.fail_changes(below(2) == 0);
            case 4:
                if (below(2) == 0) return store.fail(StoreOperation::commit, ErrorCode::io);
                return store.heal();
            default:
                store.crash_at_commit(static_cast<std::uint64_t>(1 + below(3)),
                                      below(2) == 0 ? CrashPoint::after_answer : CrashPoint::before_answer);
                scan_now();
                return start_again();
        }
    }

    void mend() {
        tree.answer(TreeVerb::review, ControlAnswer::ok);
        tree.answer(TreeVerb::wake, ControlAnswer::ok);
        tree.fail_changes(false);
        store.heal();
        if (store.dead()) start_again();
    }

    void start_again() { restart(); }

    void configure() {
        const std::string root = one_of(watched_);
        if (below(2) == 0) return static_cast<void>(watch->disarm(ref(root), ada));
        WatchConfig wanted = config(root);
        if (below(2) == 0) wanted.instructions = "look at " + std::to_string(below(3));
        (void)watch->arm(wanted, below(2) == 0 ? ada : WatchActor{"ag-3", "run-3"});
    }

    // --- scans, and what they may do ---

    void scan_now() {
        const std::size_t before = tree.requests().size();
        std::map<std::string, std::string> reviewed;
        for (const std::string& root : watched_)
            if (const auto known = watch->status(ref(root))) reviewed[root] = known->reviewed;
        clock.advance(std::chrono::seconds{1 + below(120)});
        if (below(4) == 0)
            (void)watch->cycle(ref(one_of(plain_nodes()).id));
        else
            (void)cycle(below(2) == 0 ? TickCause::period : TickCause::on_demand);
        check_requests(before, reviewed);
    }

    void check_requests(std::size_t from, const std::map<std::string, std::string>& reviewed) {
        const auto requests = tree.requests();
        for (std::size_t i = from; i < requests.size(); ++i) {
            const auto& one = requests[i];
            if (one.verb != TreeVerb::wake || !one.took_effect) continue;
            if (!woken_.insert(one.key).second) wrong("woken twice: " + one.key);
            // Of several stops that were reviewed only the newest counts.
            const auto before = reviewed.find(one.node.id);
            const auto after = watch->status(one.node);
            if (before != reviewed.end() && after && before->second == one.fingerprint &&
                after->reviewed == one.fingerprint)
                wrong("woken for a reviewed stop: " + one.key);
            if (one.task != "review-" + one.node.id) wrong("woken on " + one.task);
            if (one.key.find(one.fingerprint) == std::string::npos) wrong("a key of another stop: " + one.key);
        }
    }

    void check_tasks() {
        std::map<std::string, int> reviews;
        for (const TreeNode& each : tree.nodes())
            if (each.origin == review_origin && ++reviews[each.origin_id] > 1)
                wrong("two reviews of " + each.origin_id);
    }

    /// Whatever went before: a stop that nobody has ever seen is reviewed as soon as everything works.
    void check_change_triggers() {
        mend();
        for (TreeNode each : tree.nodes()) {
            each.wakes.clear();
            for (TreeRun& run : each.runs)
                if (is_live_run(run.status)) run.status = "succeeded";
            tree.put(each);
        }
        tree.put(node("new-" + std::to_string(step_), "D", "todo"));
        for (const std::string& root : watched_)
            if (!watch->arm(config(root), ada)) wrong("cannot be armed");
        std::map<std::string, std::size_t> before;
        for (const std::string& root : watched_) before[root] = effects_of(root);
        for (int minute = 0; minute < 62; ++minute) {
            clock.advance(61s);
            const std::size_t from = tree.requests().size();
            (void)cycle();
            check_requests(from, {});
        }
        for (const std::string& root : watched_)
            if (effects_of(root) == before[root]) wrong("a new stop of " + root + " was not reviewed");
    }

    [[nodiscard]] std::size_t effects_of(const std::string& root) const {
        std::size_t count = 0;
        for (const auto& one : tree.requests())
            count += one.verb == TreeVerb::wake && one.took_effect && one.node.id == root ? 1 : 0;
        return count;
    }

    std::mt19937 random_;
    std::vector<std::string> watched_;
    std::set<std::string> woken_;
    std::map<std::string, int> batches_, carried_out_;
    std::string problem_;
    int step_ = 0, allowed_ = 0, denied_ = 0;
};

}  // namespace

TEST_CASE(
    "whatever happens: one review, one wake for a key, none for a reviewed stop, nothing outside, and every new stop "
    "is reviewed [M-156][M-157][M-158][M-167]") {
    int allowed = 0, denied = 0;
    const int seeds = heeler_test::is_slowed ? 1 : 24;
    for (int seed = 1; seed <= seeds; ++seed) {
        Chaos chaos{static_cast<std::uint32_t>(seed)};
        chaos.live(500);
        INFO("seed " << seed << ": " << chaos.summary());
        INFO(chaos.problem());
        REQUIRE(chaos.problem().empty());
        CHECK(chaos.effects(TreeVerb::wake) > 5);
        allowed += chaos.allowed();
        denied += chaos.denied();
    }
    CHECK(allowed > 2 * seeds);
    CHECK(denied > 2 * seeds);
}

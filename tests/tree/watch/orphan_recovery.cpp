// Work that agents left in progress, through the real engine: taken up once, then a person's business.
#include "tree/watch/trees.hpp"

using namespace trees;

namespace {

TreeNode work_on(std::string id, std::string parent = {}) {
    TreeNode made = node(std::move(id), std::move(parent), "in_progress");
    made.assignee_agent = "ag-1";
    return made;
}

struct Orphans : Forest {
    std::unique_ptr<OrphanRecovery> recovery;

    Orphans() {
        tree.show({work_on("W"), node("T", {}, "todo")});
        again();
    }
    ~Orphans() { recovery.reset(); }

    void again() {
        recovery.reset();
        restart();
        recovery = std::make_unique<OrphanRecovery>(*watch);
        REQUIRE(recovery->usable());
    }
    void minutes_pass(int count) {
        for (int i = 0; i < count; ++i) (void)minute();
    }
    void show_run(std::string status) {
        REQUIRE(tree.edit(ref("W"), [&](TreeNode& w) { w.runs = {{"r", std::move(status), "ag-1", {}}}; }));
    }
    [[nodiscard]] std::string asked_for() const {
        std::string text;
        for (const auto& request : tree.requests())
            text += std::string{tree_verb_names[static_cast<std::size_t>(request.verb)]} + " " + request.node.id + " ";
        return text;
    }
    [[nodiscard]] std::string status_of_work() const {
        for (const TreeNode& each : tree.nodes())
            if (each.id == "W") return each.status;
        return {};
    }
};

}  // namespace

TEST_CASE("orphaned work is taken up once, and then it is blocked [A-105][M-115]") {
    Orphans f;
    (void)f.minute();
    CHECK(f.asked_for() == "wake W ");
    const auto wake = f.tree.requests().at(0);
    CHECK(wake.task == "W");
    CHECK(wake.agent == "ag-1");
    const bool restarts = GENERATE(false, true);
    if (restarts) f.again();
    f.show_run("running");
    f.minutes_pass(20);
    CHECK(f.asked_for() == "wake W ");
    f.show_run("succeeded");
    if (restarts) f.again();
    f.minutes_pass(20);
    CHECK(f.asked_for() == "wake W block W ");
    CHECK(f.status_of_work() == "blocked");
    const auto block = f.tree.requests().at(1);
    CHECK_THAT(block.text, ContainsSubstring("`ag-1`") && ContainsSubstring("woken once"));
    CHECK(f.audited("issue.orphan_recovery_woken", "orphan:co-1/W") == 1);
    CHECK(f.audited("issue.orphan_recovery_blocked", "orphan:co-1/W") == 1);
    CHECK(f.notifier.sent().empty());
}

TEST_CASE("work that nobody took up after the wake is blocked as well [A-105][M-115]") {
    Orphans f;
    f.minutes_pass(5);
    CHECK(f.asked_for() == "wake W block W ");
    f.minutes_pass(60);
    CHECK(f.asked_for() == "wake W block W ");
}

TEST_CASE("work that is set in progress again later is taken up again [M-115]") {
    Orphans f;
    f.minutes_pass(5);
    REQUIRE(f.asked_for() == "wake W block W ");
    if (GENERATE(true, false)) f.again();
    f.tree.edit(ref("W"), [](TreeNode& w) { w.status = "in_progress"; });
    (void)f.minute();
    CHECK(f.asked_for() == "wake W block W wake W ");
    const auto requests = f.tree.requests();
    CHECK(requests[0].key != requests[2].key);
    f.minutes_pass(5);
    CHECK(f.asked_for() == "wake W block W wake W block W ");
}

TEST_CASE("what is no orphan is left alone [M-115]") {
    Orphans f;
    TreeNode w = work_on("W");
    SECTION("people look after their own") { w.assignee_user = "ada"; }
    SECTION("nobody's") { w.assignee_agent.clear(); }
    SECTION("not begun") { w.status = "todo"; }
    SECTION("somebody is at work") { w.runs = {{"r", "running", "ag-1", {}}}; }
    SECTION("somebody will be") { w.runs = {{"r", "scheduled_retry", "ag-1", {}}}; }
    SECTION("a wake is queued") { w.wakes = {"queued"}; }
    SECTION("hidden") { w.hidden = true; }
    SECTION("something below it moves") {
        TreeNode below = node("V", "W", "in_progress");
        below.runs = {{"v-1", "running", "ag-2", {}}};
        f.tree.put(below);
    }
    SECTION("a review of a tree that nobody watches") {
        w.origin = review_origin;
        w.origin_id = "T";
    }
    SECTION("made in the future, as it is told") {
        w.created_at = f.clock.now().wall + 48h;
        f.tree.put(w);
        (void)f.minute();
        CHECK(f.asked_for() == "wake W ");
        return;
    }
    SECTION("just made") {
        w.created_at = f.clock.now().wall + 55s;
        f.tree.put(w);
        (void)f.minute();
        CHECK(f.tree.requests().empty());
        (void)f.minute();
        CHECK(f.asked_for() == "wake W ");
        return;
    }
    f.tree.put(w);
    f.minutes_pass(30);
    CHECK(f.tree.requests().empty());
}

TEST_CASE("in a tree that is watched the reviewer decides [M-115][M-178]") {
    Orphans f;
    f.tree.show({node("R", {}, "blocked"), work_on("W", "R"), node("V", "W")});
    REQUIRE(f.watch->arm(config("R"), ada));
    f.minutes_pass(5);
    CHECK(f.asked_for() == "review R wake R ");
    REQUIRE(f.watch->disarm(ref("R"), ada));
    f.minutes_pass(5);
    CHECK(f.asked_for() == "review R wake R wake W block W ");
}

TEST_CASE("in a watched tree work is taken up while the rest of it moves, and where its stop is right [M-115][M-178]") {
    Orphans f;
    TreeNode busy = node("V", "R", "in_progress");
    busy.runs = {{"v-1", "running", "ag-2", {}}};
    f.tree.show({node("R", {}, "todo"), work_on("W", "R"), busy});
    REQUIRE(f.watch->arm(config("R"), ada));
    (void)f.minute();
    CHECK(f.asked_for() == "wake W ");
    // Both come to rest at once: whoever woke W as well would make the review stale.
    f.show_run("failed");
    f.tree.edit(ref("V"), [](TreeNode& v) {
        v.status = "done";
        v.runs[0].status = "succeeded";
    });
    f.minutes_pass(30);
    CHECK(f.asked_for() == "wake W review R wake R ");
    REQUIRE(f.tree.edit_review(ref("R"), [](TreeNode& review) { review.status = "done"; }));
    f.minutes_pass(3);
    CHECK(f.asked_for() == "wake W review R wake R block W review R wake R ");
}

TEST_CASE("a review whose run is gone is left to its watch, and never blocked [M-115][M-164]") {
    Orphans f;
    f.tree.show({node("A")});
    REQUIRE(f.watch->arm(config("A"), ada));
    (void)f.minute();
    REQUIRE(f.asked_for() == "review A wake A ");
    const auto first = f.tree.requests().back();
    const auto show = [&](std::string status) {
        REQUIRE(f.tree.edit_review(ref("A"), [&](TreeNode& review) {
            review.status = "in_progress";
            review.runs = {{"r-1", std::move(status), "ag-w", review.origin_fingerprint}};
        }));
    };
    show("running");
    f.minutes_pass(20);
    CHECK(f.asked_for() == "review A wake A ");
    show(GENERATE(as<std::string>{}, "failed", "queued"));
    f.minutes_pass(55);
    CHECK(f.asked_for() == "review A wake A ");
    f.minutes_pass(10);
    CHECK(f.asked_for() == "review A wake A review A wake A ");
    const auto again = f.tree.requests().back();
    CHECK((again.task == "review-A" && again.agent == "ag-w" && again.key != first.key));
    CHECK(again.fingerprint == first.fingerprint);
    f.minutes_pass(120);
    CHECK(f.asked_for() == "review A wake A review A wake A ");
    CHECK(f.sent_kinds() == std::vector<std::string>{"escalation"});
}

TEST_CASE("a watch that begins takes work away from the recovery [M-115][M-178]") {
    Orphans f;
    f.tree.show({node("R", {}, "blocked"), work_on("W", "R")});
    (void)f.minute();
    REQUIRE(f.asked_for() == "wake W ");
    REQUIRE(f.watch->arm(config("R"), ada));
    f.minutes_pass(30);
    CHECK(f.asked_for() == "wake W review R wake R ");
    CHECK(f.status_of_work() == "in_progress");
}

TEST_CASE(
    "a refused wake of orphaned work is asked for again under its key, and a person is told once [A-105][M-115]") {
    Orphans f;
    f.tree.answer(TreeVerb::wake, GENERATE(ControlAnswer::fail, ControlAnswer::reject));
    f.minutes_pass(240);
    std::set<std::string> keys;
    for (const auto& request : f.tree.requests()) keys.insert(request.key);
    CHECK(keys.size() == 1);
    CHECK(f.tree.requests().size() > 5);
    CHECK(f.tree.requests().size() < 12);
    REQUIRE(f.notifier.sent().size() == 1);
    const Alert told = f.notifier.sent()[0].alert;
    CHECK(told_in(told, "task") == "W");
    CHECK(told_in(told, "agent") == "ag-1");
    CHECK_THAT(told_in(told, "done"), ContainsSubstring("the host refused the wake 3 times in a row"));
    CHECK_THAT(told_in(told, "next"), ContainsSubstring("its host is asked for the wake again, not before 20"));
    CHECK_THAT(told_in(told, "next"), ContainsSubstring("; you can "));
    for (const Detail& detail : told.details) {
        INFO(detail.name << ": " << detail.value);
        for (const char* word : {"tree", "watch is", "the watch", "history", "STRANDED",
                                 "stranded:", "recovery attempt", "the run goes on"})
            CHECK_THAT(detail.value, !ContainsSubstring(word));
    }
    CHECK(f.status_of_work() == "in_progress");
    f.tree.answer(TreeVerb::wake, ControlAnswer::ok);
    f.minutes_pass(61);
    CHECK(f.effects(TreeVerb::wake) == 1);
    f.minutes_pass(3);
    CHECK(f.status_of_work() == "blocked");
}

TEST_CASE("a wake of orphaned work that perhaps happened is not repeated [M-115]") {
    Orphans f;
    f.tree.answer(TreeVerb::wake, ControlAnswer::timeout_but_done);
    f.minutes_pass(30);
    CHECK(f.effects(TreeVerb::wake) == 1);
    CHECK(f.asked(TreeVerb::wake).size() == 1);
    const auto told = f.sent_kinds();
    CHECK(std::count(told.begin(), told.end(), "escalation") == 1);
}

TEST_CASE("a restart between the wake and its record wakes nobody twice [M-115]") {
    Orphans f;
    f.tree.find_what_happened();
    f.store.crash_at_commit(GENERATE(1u, 2u, 3u));
    f.minutes_pass(2);
    f.again();
    f.minutes_pass(10);
    CHECK(f.effects(TreeVerb::wake) == 1);
    CHECK(f.effects(TreeVerb::block) == 1);
    CHECK(f.status_of_work() == "blocked");
}

TEST_CASE("orphans of ids that hosts have all the same [M-115]") {
    Orphans f;
    std::vector<TreeNode> nodes;
    for (const std::string& id : {std::string(900, 'n'), std::string{"a/b"}, std::string{"it's \"so\"\n"}})
        nodes.push_back(work_on(id));
    f.tree.show(nodes);
    f.minutes_pass(5);
    CHECK(f.effects(TreeVerb::wake) == 3);
    CHECK(f.effects(TreeVerb::block) == 3);
    for (const TreeNode& each : f.tree.nodes()) CHECK(each.status == "blocked");
}

TEST_CASE("nothing is taken up while the host's tree cannot be read [M-115]") {
    Orphans f;
    f.tree.fail_changes(true);
    f.minutes_pass(5);
    CHECK(f.tree.requests().empty());
    f.tree.fail_changes(false);
    f.minutes_pass(5);
    CHECK(f.asked_for() == "wake W block W ");
}

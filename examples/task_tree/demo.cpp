#include "demo.hpp"

#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#include <heeler/text/one_line.hpp>

#include "reviewer.hpp"
#include "tracker.hpp"

namespace tracker {
namespace {

using namespace std::chrono_literals;

void say(const std::string& text) {
    std::printf("%s\n", heeler::text::one_line(text, 1024).c_str());
    std::fflush(stdout);
}

const Answer& needed(const Answer& answer) {
    if (!answer.good()) throw std::runtime_error{"the tracker refuses: " + answer.error()};
    return answer;
}

/// Everybody who plays, over one connection.
struct Cast {
    Client& client;
    const Tokens& tokens;

    void as_person() const { client.act_as(tokens.of_person()); }
    [[nodiscard]] std::string token_of(const std::string& agent) const { return tokens.of_agent("acme", agent); }
};

/// An agent works on an issue: a run, a comment, a status, the end of the run.
void work(const Cast& cast, const std::string& agent, const std::string& issue, const std::string& result) {
    Client& client = cast.client;
    client.act_as(cast.token_of(agent));
    const Answer started = needed(client.post("/api/runs", json_of({{"issueId", issue}, {"agentId", agent}})));
    const std::string run = Body{started.body}.object().text("runId");
    client.act_as(cast.token_of(agent), run);
    needed(client.post(Client::issue(issue, "/comments"), json_of({{"text", result}})));
    needed(client.patch(Client::issue(issue), json_of({{"status", "done"}})));
    client.act_as(cast.token_of(agent));
    needed(client.patch("/api/runs/" + run, json_of({{"status", "succeeded"}})));
    say("  " + agent + " on " + issue + ": done, \"" + result + "\"");
}

void create(Client& client, const std::string& id, const std::string& parent, const std::string& title,
            const std::string& agent) {
    needed(client.post(
        "/api/issues",
        json_of({{"id", id}, {"parentId", parent}, {"tenant", "acme"}, {"title", title}, {"assigneeAgentId", agent}})));
}

/// How the root is watched, once its verdict is the one that is waited for.
std::string wait_for(Client& client, const std::string& verdict) {
    for (int i = 0; i < 100; ++i) {
        const Answer answer = needed(client.get(Client::issue("SHOP", "/watchdog")));
        const Body body{answer.body};
        if (body.object().text("verdict") == verdict) return body.object().text("reviewId");
        std::this_thread::sleep_for(50ms);
    }
    throw std::runtime_error{"the watch of SHOP never was " + verdict};
}

std::string status_of(Client& client, const std::string& issue) {
    return Body{needed(client.get(Client::issue(issue))).body}.object().text("status");
}

void play(const Cast& cast) {
    Client& client = cast.client;
    say("A shop is to be built: SHOP with CART, PAY and MAIL, each given to the agent `coder`.");
    add_sample(client, cast.tokens);
    needed(client.put(Client::issue("SHOP", "/watchdog"),
                      json_of({{"agentId", "reviewer"}, {"instructions", "Believe no payment without a test."}})));
    say("SHOP is watched: when all of it has come to rest, `reviewer` is woken.");
    wait_for(client, "live");
    say("It moves: three wakes are queued. The agents work:");
    work(cast, "coder", "CART", "evidence: 14 tests pass");
    work(cast, "coder", "PAY", "I could not test it, but it looks good");
    work(cast, "coder", "MAIL", "evidence: the mail arrived");
    const std::string review = wait_for(client, "review_live");
    say("Nothing moves any more, so the watchdog made the review task " + review + " and woke `reviewer`:");

    Reviewer reviewer{client, cast.token_of("reviewer"), [](const std::string& text) { say("  reviewer: " + text); }};
    if (!reviewer.review_one()) throw std::runtime_error{"the reviewer was not woken"};
    cast.as_person();
    wait_for(client, "live");
    say("PAY is " + status_of(client, "PAY") + " again and its agent woken: the tree moves.");
    work(cast, "coder", "PAY", "evidence: 9 tests of payments pass");
    wait_for(client, "review_live");
    say("The same stop as before. Was it restored in vain? The second attempt finds out:");
    if (!reviewer.review_one()) throw std::runtime_error{"the reviewer was not woken again"};
    cast.as_person();
    wait_for(client, "already_reviewed");
    say("SHOP rests, and somebody has looked at how: nobody is woken for that any more.");
}

}  // namespace

void add_sample(Client& client, const Tokens& tokens) {
    client.act_as(tokens.of_person());
    for (const char* const agent : {"coder", "reviewer"})
        needed(client.put(std::string{"/api/agents/"} + agent, json_of({{"tenant", "acme"}, {"status", "active"}})));
    create(client, "SHOP", "", "Open a shop", "");
    create(client, "CART", "SHOP", "A cart that survives a restart", "coder");
    create(client, "PAY", "SHOP", "Payments", "coder");
    create(client, "MAIL", "SHOP", "Mail after each order", "coder");
    needed(client.patch(Client::issue("SHOP"), json_of({{"status", "in_review"}})));
}

int play_demo(const std::string& url, const Tokens& tokens) {
    Client client{url};
    play({client, tokens});
    return 0;
}

}  // namespace tracker

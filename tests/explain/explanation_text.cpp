#include <heeler/explain/explanation_text.hpp>

#include <string>

#include "support/catch.hpp"

namespace explanation_text {

using namespace heeler;

namespace {

Reason reason(std::string_view rule, std::uint32_t count, std::uint32_t needed, std::string_view because = {}) {
    Reason row;
    row.rule = rule;
    row.counts = "what it counts";
    row.because = because;
    row.count = count;
    row.needed = needed;
    row.level = count >= needed && needed != 0 ? Level::nudge : Level::none;
    return row;
}

}  // namespace

TEST_CASE("an explanation without a verdict names the rule that is nearest, and what took its count", "[explain]") {
    Explanation why;
    why.saw = "a failure";
    why.progress = "no progress: nothing in it is new";
    why.add(reason("far", 1, 8));
    why.add(reason("near", 2, 3));
    Reason lost = reason("lost", 1, 4, "an edit came between: it counts anew");
    lost.before = 3;
    why.add(lost);
    why.add(reason("other", 0, 0, "it looks at edits only"));
    const std::string text = to_text(why);
    CAPTURE(text);
    CHECK(text.starts_with("Verdict: none: no rule has what it needs; nearest is 'near' with 2 of 3\n"));
    CHECK_THAT(text, ContainsSubstring("Seen as: a failure; no progress: nothing in it is new\n"));
    CHECK_THAT(text, ContainsSubstring("Episode: no loop goes on\n"));
    CHECK_THAT(text, ContainsSubstring("1 of 4 (was 3)"));
    CHECK(text.find("| near") < text.find("| lost"));
    CHECK(text.find("| lost") < text.find("| far"));
    CHECK(text.ends_with("Not concerned: other (it looks at edits only)\n"));
}

TEST_CASE("an explanation with a verdict says by which rule, since when, and when it is worth stopping", "[explain]") {
    Explanation why;
    why.add(reason("near", 1, 3));
    why.add(reason("loud", 3, 3));
    why.verdict = reason("loud", 3, 3);
    why.episode_open = true;
    why.episode = reason("episode", 1, 5);
    why.episode.first = 12;
    why.kinds = {"the same call", "calls alike"};
    why.kind_count = 2;
    std::string text = to_text(why);
    CAPTURE(text);
    CHECK(text.starts_with("Verdict: nudge, by the rule 'loud'\n"));
    CHECK_THAT(text, ContainsSubstring("Episode: a loop goes on that began with event 12; it was found 1 round ago; "
                                       "evidence: the same call, calls alike; 5 rounds after it was found, or by a "
                                       "rule's own count, the level is stop\n"));
    CHECK(text.find("| loud") < text.find("| near"));
    why.verdict.because = "found before, and nothing has moved since";
    why.episode.needed = 0;
    text = to_text(why);
    CHECK_THAT(text, ContainsSubstring("'loud' (found before, and nothing has moved since)\n"));
    CHECK_THAT(text, ContainsSubstring("evidence of this kind alone never stops a run\n"));
}

TEST_CASE("an explanation of what a detector does not look at is short", "[explain]") {
    CHECK(to_text(Explanation{}) == "Verdict: none\nEpisode: no loop goes on\n");
}

}  // namespace explanation_text

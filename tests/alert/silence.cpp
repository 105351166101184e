#include <heeler/alert/silence.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

constexpr WallTime silent_from{1'800'000'000s};

DecisionRow good_silence() {
    DecisionRow row;
    row.number = 12;
    row.verb = Verb::silence;
    row.until = silent_from + 2h;
    row.by = "ann";
    row.because = "deploy";
    row.about.run = "r1";
    return row;
}

std::string wrong_with(const DecisionRow& row) {
    const auto good = check_silence(row, silent_from);
    return good ? std::string{} : good.error().message;
}

}  // namespace

TEST_CASE("a silence has something that it is about, an author, a comment, and an end within 30 days") {
    CHECK(wrong_with(good_silence()).empty());
    DecisionRow row = good_silence();
    row.about = {};
    CHECK_THAT(wrong_with(row), ContainsSubstring("name at least one of run, class, tag, kind and at-most"));
    row.about.at_most = Severity::none;
    CHECK(wrong_with(row).empty());
    row.until = silent_from;
    CHECK_THAT(wrong_with(row), ContainsSubstring("choose a later moment"));
    row.until = silent_from + longest_silence;
    CHECK(wrong_with(row).empty());
    row.until = silent_from + longest_silence + 1us;
    CHECK_THAT(wrong_with(row), ContainsSubstring("the limit is 30 days"));
    row.until = WallTime::max();
    CHECK_THAT(wrong_with(row), ContainsSubstring("the limit is 30 days"));
    row.until = WallTime::min();
    CHECK_THAT(wrong_with(row), ContainsSubstring("which is over"));
}

TEST_CASE("what is wrong with a text of a silence is one short line that shows it without harm") {
    DecisionRow row = good_silence();
    row.because = std::string(1 << 20, 'x');
    const std::string why = wrong_with(row);
    CHECK_THAT(why, ContainsSubstring("has 1048576 bytes, the limit is 512: shorten it"));
    CHECK(why.size() < 300);
    row.because = "\x1b]0;owned\x07";
    CHECK_THAT(wrong_with(row), ContainsSubstring("control character") && !ContainsSubstring("\x1b"));
    row.because = "\xe2\x80\xae";  // turns the reading direction: shown as what it is, and harmless where it is shown
    CHECK(wrong_with(row).empty());
    CHECK_THAT(silenced_by(row), !ContainsSubstring("\xe2\x80\xae"));
}

TEST_CASE("a silence is about the alerts that fit all of it, and about none that speaks for several runs") {
    Alert alert;
    alert.kind = "run.unhealthy";
    alert.run.id = "r1";
    alert.severity = Severity::warning;
    const std::vector<std::string> tags{"ci", "gpu"};
    const auto fits = [&](const AlertMatch& about) { return is_about(about, alert, "r1", "long_run", tags); };
    CHECK_FALSE(fits({}));
    CHECK(fits({"r1", {}, {}, {}, {}}));
    CHECK_FALSE(fits({"r", {}, {}, {}, {}}));
    CHECK(fits({"r1", "long_run", "gpu", "run.unhealthy", Severity::warning}));
    CHECK_FALSE(fits({"r1", "long_run", "gpus", "run.unhealthy", Severity::warning}));
    CHECK_FALSE(fits({{}, {}, {}, {}, Severity::none}));
    speak_for(alert, {&alert});
    CHECK_FALSE(fits({"r1", {}, {}, {}, {}}));
    CHECK_FALSE(fits({{}, "long_run", {}, {}, {}}));
}

TEST_CASE("a silence is shown with number, author, end and comment, and its end names who ended it") {
    const DecisionRow row = good_silence();
    CHECK(silenced_by(row) == "silenced by 12 (ann until " + text::rfc3339(*row.until) + ": deploy)");
    AlertMatch about{"r1", "c", "t", "k", Severity::critical};
    CHECK(to_text(about) == "run r1, class c, tag t, kind k, at most critical");
    const Batch end = end_of_silence(12, "bob", silent_from);
    CHECK(end.applied == List<std::uint64_t>{12});
    CHECK(end.audit.at(0).body == R"({"verb":"unsilence","by":"bob","silence":12})");
}

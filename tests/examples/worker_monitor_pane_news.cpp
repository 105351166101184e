#include "worker_monitor/pane_news.hpp"

#include "support/catch.hpp"

using heeler::TmuxCapture;
using worker_monitor::mark_at;
using worker_monitor::mark_of;
using worker_monitor::news_since;
using worker_monitor::PaneMark;
using worker_monitor::text_of;

namespace {

/// The last `kept` of `lines` numbered lines and what follows them, on a screen of five rows.
TmuxCapture pane(std::uint64_t lines, const std::vector<std::string>& then = {}, std::uint64_t kept = 100) {
    std::vector<std::string> rows;
    for (std::uint64_t i = lines > kept ? lines - kept : 0; i < lines; ++i) rows.push_back("line " + std::to_string(i));
    rows.insert(rows.end(), then.begin(), then.end());
    const std::uint64_t above = rows.size() > 5 ? rows.size() - 5 : 0;
    return {lines + then.size() > 5 ? lines + then.size() - 5 : 0, above, std::move(rows)};
}

PaneMark marked(const TmuxCapture& seen) { return mark_of(text_of(mark_at("%1/7", seen, "all is well"))); }

}  // namespace

TEST_CASE("what is known of a pane is kept as text", "[worker_monitor]") {
    const PaneMark mark = marked(pane(3));
    CHECK(mark.pane == "%1/7");
    CHECK(mark.end == 3);
    CHECK(mark.status == "all is well");
    CHECK(mark_of(text_of(mark_at("%1/7", pane(3), ""))).status.empty());
    for (const char* bad : {"", " ", "%1", "%1/7 3 x", "a b c d e f g"}) CHECK(mark_of(bad).end == 0);
}

TEST_CASE("a pane that was never looked at is all news, and then only what is added", "[worker_monitor]") {
    CHECK(news_since(pane(2), {}) == "line 0\nline 1\n");
    CHECK(news_since({}, {}).empty());
    CHECK(news_since(pane(2), marked({})) == "line 0\nline 1\n");
    for (const std::uint64_t lines : {1U, 3U, 5U, 9U, 60U}) {
        CHECK(news_since(pane(lines), marked(pane(lines))).empty());
        CHECK(news_since(pane(lines + 1), marked(pane(lines))) == "line " + std::to_string(lines) + "\n");
        CHECK(news_since(pane(lines + 40), marked(pane(lines))).size() > 40 * 7);
    }
}

TEST_CASE("what is added to the last row is news, the row is not", "[worker_monitor]") {
    const PaneMark mark = marked(pane(3, {"proceed? (y/n)"}));
    CHECK(news_since(pane(3, {"proceed? (y/n) y"}), mark) == " y\n");
    CHECK(news_since(pane(3, {"proceed? (y/n) y", "going on"}), mark) == " y\ngoing on\n");
}

TEST_CASE("of a screen that is drawn anew the rows that were not on it are news", "[worker_monitor]") {
    const PaneMark mark = marked(pane(10, {"working |"}));
    CHECK(news_since(pane(10, {"working /"}), mark) == "working /\n");
    CHECK(news_since(pane(12, {"working |"}), mark) == "line 10\nline 11\n");
}

TEST_CASE("what is drawn above rows that stay is news, frames are not", "[worker_monitor]") {
    const std::vector<std::string> stay{"\xe2\x95\xad\xe2\x94\x80\xe2\x95\xae", "> ", "", "? for shortcuts"};
    const auto screen = [&](std::vector<std::string> rows) {
        rows.insert(rows.end(), stay.begin(), stay.end());
        return TmuxCapture{0, 0, std::move(rows), false};
    };
    CHECK(news_since(screen({"thinking |"}), {}) == "thinking |\n> \n? for shortcuts\n");
    CHECK(news_since(screen({"thinking |"}), marked(screen({"thinking |"}))).empty());
    CHECK(news_since(screen({"thinking /"}), marked(screen({"thinking |"}))) == "thinking /\n");
    CHECK(news_since(screen({"read a.c", "thinking |"}), marked(screen({"thinking |"}))) == "read a.c\n");
    TmuxCapture scrolled = screen({"thinking |"});
    const TmuxCapture below = screen({"thinking /"});
    scrolled.rows.insert(scrolled.rows.end(), below.rows.begin(), below.rows.end());
    scrolled.history = scrolled.above = 5;  // what was on the screen is above it now
    CHECK(news_since(scrolled, marked(screen({"thinking |"}))) == "thinking /\n");
}

TEST_CASE("lines that are alike are counted by their place", "[worker_monitor]") {
    const std::vector<std::string> same(8, "ok");
    const PaneMark mark = marked(pane(0, same));
    CHECK(news_since(pane(0, same), mark).empty());
    CHECK(news_since(pane(0, std::vector<std::string>(10, "ok")), mark) == "ok\nok\n");
}

TEST_CASE("what ran through faster than it was looked at is news as far as it is there", "[worker_monitor]") {
    const std::string news = news_since(pane(500), marked(pane(20)));
    CHECK(news.starts_with("line 400\n"));
    CHECK(news.ends_with("line 499\n"));
}

TEST_CASE("after rows were taken from the history, the marked row is found again", "[worker_monitor]") {
    const PaneMark mark = marked(pane(100));
    TmuxCapture less = pane(103);
    less.history -= 20;
    less.above -= 20;
    less.rows.erase(less.rows.begin(), less.rows.begin() + 20);
    CHECK(news_since(less, mark) == "line 100\nline 101\nline 102\n");
    CHECK(news_since({0, 0, {"$"}}, mark) == "$\n");
}

TEST_CASE("of a screen that is drawn as a whole only what changed is news, wherever that is", "[worker_monitor]") {
    const auto screen = [](std::vector<std::string> rows) { return TmuxCapture{0, 0, std::move(rows), true}; };
    const TmuxCapture before = screen({"step 1", "", "-- hints --"});
    CHECK(news_since(before, {}) == "step 1\n-- hints --\n");
    CHECK(news_since(before, marked(before)).empty());
    CHECK(news_since(screen({"step 2", "", "-- hints --"}), marked(before)) == "step 2\n");
    CHECK(marked(before).screen.size() == 3);
    CHECK(mark_of("%1/7 0 3 1 1 1 0 0 501 x").end == 0);
}

TEST_CASE("a list of answers of which one is chosen waits, a list in a text does not", "[worker_monitor]") {
    const auto asked = [](const std::vector<std::string>& rows) {
        const TmuxCapture seen{0, 0, rows, false};
        return std::string{worker_monitor::question_on(seen)};
    };
    CHECK(asked({"Choose one.", "", "> 1. This", "    because", "  2. That", "    also", "",
                 "Press enter to continue"}) == "Choose one.");
    CHECK(asked({"Choose one.", "  1. This", "\xe2\x97\x8f 2. That"}) == "Choose one.");
    CHECK(asked({"The plan:", "1. This", "2. That"}).empty());
    CHECK(asked({"The plan:", "> 1. This", "> 2. That"}).empty());
    CHECK(asked({"The plan:", "> 1. This"}).empty());
    CHECK(asked({"> Go on", "\xe2\x97\x8f 1. This", "  2. That", "> "}).empty());
    CHECK(asked({"Choose one.", "> 1. This", "  2. That", "Working (esc to interrupt)"}).empty());
}

TEST_CASE("a question above its answers and hints is one, also in a frame", "[worker_monitor]") {
    const std::vector<std::string> rows{"Bash(rm -r build)",
                                        "\xe2\x95\xad\xe2\x94\x80\xe2\x95\xae",
                                        "\xe2\x94\x82 Do you want to proceed? \xe2\x94\x82",
                                        " 1. Yes",
                                        " 2. Yes, and do not ask again",
                                        " 3. No",
                                        "",
                                        " Esc to cancel"};
    CHECK(worker_monitor::question_on({0, 0, rows, true}) == "Do you want to proceed?");
    CHECK(worker_monitor::question_on({0, 0, rows, false}) == "Do you want to proceed?");
    for (const char* over : {"Do you want to proceed? (y/n) y", "Do you want to proceed?"})
        CHECK(worker_monitor::question_on({0, 0, {over, "going on"}, false}).empty());
    CHECK(worker_monitor::question_on({0, 0, {"Do you want to proceed?", "* Thinking (esc to interrupt)"}, true})
              .empty());
    CHECK(mark_at("%1/7", {0, 0, rows, true}, "").asks);
    std::vector<std::string> long_ago = rows;
    long_ago.insert(long_ago.end(), 12, "step");
    CHECK(worker_monitor::question_on({0, 0, long_ago, true}).empty());
}

// Loops of every kind that the detector has a family for, each in several disguises.
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generator.hpp"

namespace detection {
namespace {

/// What a call comes to.
struct Answer {
    std::string_view name;
    std::string_view tool;
    bool ok;
    std::string_view text;
    std::size_t due;  ///< the round in which an exact repetition is to be spoken of
};

constexpr std::array<Answer, 4> answers{{
    {"failure", "open_ticket", false, "Error: the field 'owner' is missing", 4},
    {"information", "show_ticket", true, "Ticket 4711: opened by Kim, owner unknown, priority high, three comments", 4},
    {"nothing", "find_ticket", true, "", 5},
    {"done", "update_ticket", true, "ok", 5},
}};

constexpr std::string_view base = R"("ticket": "T-4711", "project": "garden")";

std::string braced(std::string_view inside) { return "{" + std::string{inside} + "}"; }

std::string uuid(Story& story) {
    return story.hex(8) + "-" + story.hex(4) + "-4" + story.hex(3) + "-a" + story.hex(3) + "-" + story.hex(12);
}

void same_calls(std::vector<Pathology>& all) {
    for (const Answer& answer : answers) {
        const std::string of = ", " + std::string{answer.name};
        const auto tell = [answer](Story& story, std::string_view args) {
            story.unit(answer.tool, args, answer.ok, answer.text);
        };
        all.push_back({"same call" + of, 3, answer.due, [=](Story& s, std::size_t) { tell(s, braced(base)); }});
        all.push_back({"same call but for a nonce" + of, 3, answer.due + 1, [=](Story& s, std::size_t) {
                           tell(s, braced(std::string{base} + R"(, "request_id": ")" + uuid(s) + '"'));
                       }});
        all.push_back(
            {"same call, white space and order of keys" + of, 3, answer.due + 1, [=](Story& s, std::size_t i) {
                 tell(s, i % 2 == 0 ? braced(base) : R"({ "project":"garden",   "ticket" : "T-4711" })");
             }});
        all.push_back({"same call three times in parallel" + of, 3, answer.due + 1, [=](Story& s, std::size_t) {
                           std::array<std::string, 3> ids;
                           for (std::string& id : ids) id = s.call(answer.tool, braced(base));
                           for (const std::string& id : ids) s.result(id, answer.ok, answer.text);
                       }});
        if (answer.name == "done") continue;  // work may go on between things that are merely done
        all.push_back(
            {"same call, a foreign one in each round" + of, 4, answer.due == 4 ? 6U : 8U, [=](Story& s, std::size_t) {
                 tell(s, braced(base));
                 s.unit("read_file", R"({"path": ")" + s.path() + R"("})", true, s.code(4));
             }});
    }
}

void similar_calls(std::vector<Pathology>& all) {
    const auto with_number = [](std::size_t number) {
        return braced(std::string{base} + R"(, "line": )" + std::to_string(number));
    };
    all.push_back({"a number varies, failure", 4, 6, [=](Story& s, std::size_t i) {
                       s.unit("open_ticket", with_number(i * 17 % 100), false, answers[0].text);
                   }});
    all.push_back(
        {"a number varies, information", 4, 6, [=](Story& s, std::size_t i) {
             s.unit("show_ticket", with_number(i * 17 % 100), true,
                    "The ticket has no such part. It was opened by Kim, has no owner, and its priority is high.");
         }});
    all.push_back({"numbers come back, done", 5, 8,
                   [=](Story& s, std::size_t i) { s.unit("move_cursor", with_number(i % 4), true, "ok"); }});
    const std::array<std::string_view, 6> asked{
        "who owns the ticket of the garden project",   "owner of the ticket, garden project",
        "the garden project: ticket owner?",           "garden project ticket owner name",
        "find the owner of the garden project ticket", "what is the name of the ticket owner, garden project"};
    const auto ask = [asked](std::size_t i) {
        return R"({"query": ")" + std::string{asked[i % asked.size()]} + R"("})";
    };
    all.push_back({"worded anew, failure", 4, 7, [=](Story& s, std::size_t i) {
                       s.unit("query_board", ask(i), false, "Error: the board cannot be searched by owner");
                   }});
    all.push_back({"worded anew, information", 4, 8, [=](Story& s, std::size_t i) {
                       s.unit("query_board", ask(i), true,
                              "The garden project has one ticket. Owners are shown to members of the project only.");
                   }});
    all.push_back({"a clock in the result", 3, 5, [](Story& s, std::size_t i) {
                       s.unit("show_ticket", braced(base), true,
                              "2025-03-04T05:06:" + std::to_string(10 + i) +
                                  "Z ticket 4711, owner unknown, priority high");
                   }});
    all.push_back({"request id and duration in the result", 3, 5, [](Story& s, std::size_t i) {
                       s.unit("show_ticket", braced(base), true,
                              "owner unknown, priority high (req_" + s.hex(12) + ", took " + std::to_string(20 + i) +
                                  " ms)");
                   }});
    all.push_back({"line number in the failure", 3, 5, [](Story& s, std::size_t i) {
                       s.unit("run_script", braced(base), false,
                              "SyntaxError: unexpected indent at line " + std::to_string(100 + 3 * i));
                   }});
}

void cycles(std::vector<Pathology>& all) {
    for (const std::size_t period : {2U, 3U, 5U, 8U, 16U, 32U}) {
        const auto tell = [period](Story& s) {
            for (std::size_t i = 0; i < period; ++i) {
                const std::string number = std::to_string(i);
                s.unit(i % 2 == 0 ? "show_part" : "list_parts", R"({"part": "wheel )" + number + R"("})", true,
                       "wheel " + number + " of " + number + number + ", made of steel, checked by Robin");
            }
        };
        all.push_back({"cycle of " + std::to_string(period), 3, 3, [=](Story& s, std::size_t) { tell(s); },
                       period > 8 ? 7U : 12U});
        if (period > 8) continue;
        all.push_back({"cycle of " + std::to_string(period) + ", a foreign call in each round", 4, 6,
                       [=](Story& s, std::size_t) {
                           tell(s);
                           s.unit("read_file", R"({"path": ")" + s.path() + R"("})", true, s.code(4));
                       },
                       14});
    }
}

void failures_and_changes(std::vector<Pathology>& all) {
    all.push_back({"one failure of different calls", 4, 7, [](Story& s, std::size_t) {
                       s.unit("run_step", R"({"step": ")" + s.name() + R"(", "note": ")" + s.sentence(4) + R"("})",
                              false, "Error: the session has expired, log in again");
                   }});
    all.push_back(
        {"one failure of different tools", 5, 9, [](Story& s, std::size_t i) {
             constexpr std::array<std::string_view, 4> tools{"run_step", "read_board", "write_note", "list_parts"};
             s.unit(tools[i % 4], R"({"part": ")" + s.name() + R"("})", false,
                    "Error: the session has expired, log in again");
         }});
    all.push_back({"the same change, the answer grows", 4, 6, [](Story& s, std::size_t i) {
                       s.unit("insert_line", R"({"path": "a.txt", "text": "the same line"})", true,
                              "inserted; the file has " + std::to_string(40 + i) + " lines now");
                   }});
    all.push_back(
        {"commands that do nothing", 3, 5, [](Story& s, std::size_t i) {
             s.shell(i % 3 == 0 ? "true" : i % 3 == 1 ? ": waiting" : "echo ready", true, i % 3 == 2 ? "ready" : "");
         }});
    all.push_back({"nothing comes of anything", 8, 13, [](Story& s, std::size_t i) {
                       constexpr std::array<std::string_view, 3> empty{"No results found", "No matches found", "[]"};
                       s.unit(i % 2 == 0 ? "grep" : "find_files",
                              R"({"pattern": "item )" + std::to_string(i % 7) + R"("})", true, empty[i % 3]);
                   }});
    all.push_back({"second pass over a file, shifted", 13, 17, [](Story& s, std::size_t i) {
                       const std::size_t from = i <= 10 ? 40 * (i - 1) : 40 * ((i - 11) % 9) + 20;
                       std::string text;
                       for (std::size_t line = from; line < from + 40; ++line)
                           text += std::to_string(line) + "\tvalue_" + std::to_string(line * line) + " = compute()\n";
                       s.unit("read_file",
                              R"({"path": "big.py", "offset": )" + std::to_string(from) + R"(, "limit": 40})", true,
                              text);
                   }});
    all.push_back({"a change and its reverse", 3, 5, [](Story& s, std::size_t) {
                       s.unit("edit_file", R"({"path": "a.py", "old": "width = 1", "new": "width = 2"})", true, "ok");
                       s.unit("edit_file", R"({"path": "a.py", "old": "width = 2", "new": "width = 1"})", true, "ok");
                   }});
}

void time_and_context(std::vector<Pathology>& all) {
    all.push_back({"dead service without back-off", 8, 20, [](Story& s, std::size_t) {
                       s.wait(10).unit("fetch", R"({"url": "https://example.com/a"})", false,
                                       "HTTP 503 Service Unavailable");
                   }});
    all.push_back({"frozen poll", 10, 14, [](Story& s, std::size_t) {
                       s.wait(70).unit("get_job_status", R"({"job": "nightly"})", true, R"({"state": "running"})");
                   }});
    all.push_back({"calls that are never answered", 5, 6,
                   [](Story& s, std::size_t) { s.says("I look at it."), s.call("read_file", R"({"path": "a.py"})"); },
                   12, true});
    all.push_back({"compactions with nothing between", 3, 4, [](Story& s, std::size_t) {
                       s.is_compacted().unit("show_ticket", braced(base), true, answers[1].text);
                   }});
}

void texts(std::vector<Pathology>& all) {
    all.push_back({"equal messages", 3, 4, [](Story& s, std::size_t) { s.says("I have finished the task."); }});
    all.push_back({"messages in turn", 3, 4, [](Story& s, std::size_t) {
                       s.says("I have finished the task.").says("Is there anything else?").says("Then I will wait.");
                   }});
    all.push_back({"messages worded alike", 5, 6, [](Story& s, std::size_t) {
                       s.says("I am going to look at the failing test of the parser, " + s.name());
                   }});
    for (const std::size_t period : {15U, 300U, 1'500U}) {
        const auto chant = [period](Story& s, std::size_t times) {
            std::string unit;
            Story other{static_cast<std::uint32_t>(period)};
            while (unit.size() < period) unit += other.word() + " ";
            unit.resize(period);
            std::string text = s.sentence() + "\n```python\n" + s.code(8);
            while (times-- > 0) text += unit;
            return text;
        };
        const std::size_t times = 400 / period + 5;
        const std::string name = "chant of " + std::to_string(period);
        all.push_back({name + " in thought", 1, 1, [=](Story& s, std::size_t) { s.thinks(chant(s, times)); }, 2});
        all.push_back({name + " in output", 1, 1, [=](Story& s, std::size_t) { s.prints(chant(s, times)); }, 2});
    }
    all.push_back({"paraphrases", 1, 1,
                   [](Story& s, std::size_t) {
                       const std::vector<std::string_view> said{
                           "I should look at the file once more. ", "Let me look at the file again! ",
                           "But what did the user really want? ",   "The user wants the file to be changed. ",
                           "So the file has to be read again. ",    "Wait, I have to look at the file first. "};
                       std::string text;
                       for (int i = 0; i < 50; ++i) text += s.one_of(said);
                       s.thinks(text);
                   },
                   2});
}

}  // namespace

const std::vector<Pathology>& pathologies() {
    static const std::vector<Pathology> all = [] {
        std::vector<Pathology> made;
        same_calls(made);
        similar_calls(made);
        cycles(made);
        failures_and_changes(made);
        time_and_context(made);
        texts(made);
        return made;
    }();
    return all;
}

}  // namespace detection

// Further kinds of work and of loops, thought up by somebody who had read what the detector promises, not how it
// decides.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generator.hpp"

namespace detection {
namespace {

using Number = std::size_t;
constexpr std::optional<bool> untold{};  // the host does not know whether it worked

std::string text_of(Number number) { return std::to_string(number); }

/// `{"key": "value"}`, or with two of them.
std::string with(std::string_view key, std::string_view value, std::string_view second = {},
                 std::string_view its_value = {}) {
    std::string args = "{\"" + std::string{key} + "\": \"" + std::string{value} + '"';
    if (!second.empty()) args += ", \"" + std::string{second} + "\": \"" + std::string{its_value} + '"';
    return args + "}";
}
std::string two_digits(Number number) { return (number < 10 ? "0" : "") + text_of(number); }

void edit(Story& story) { story.unit("edit_file", with("path", story.path(), "old", story.name()), true, "updated"); }

// --- loops
// ------------------------------------------------------------------------------------------------------------

void refused_changes(std::vector<Pathology>& all) {
    all.push_back({"an edit that is none, in other words", 4, 7, [](Story& s, Number) {
                       const std::string same = s.name();
                       s.unit("edit_file", with("old_string", same, "new_string", same), false,
                              "No changes to make: old_string and new_string are exactly the same.");
                   }});
    all.push_back({"a commit of nothing, whose host does not know", 3, 6, [](Story& s, Number) {
                       s.unit("bash", with("command", "git commit -am '" + s.word() + "'"), untold,
                              "On branch main\nnothing to commit, working tree clean");
                   }});
    all.push_back({"a text that is not in the file", 4, 9, [](Story& s, Number) {
                       const std::string old = s.name() + " = " + s.word();
                       s.unit(
                           "editor", with("path", "src/a.py", "old_str", old), untold,
                           "No replacement was performed, old_str `" + old + "` did not appear verbatim in src/a.py.");
                   }});
    all.push_back({"a patch that does not fit", 4, 6, [](Story& s, Number) {
                       s.unit("apply_patch", with("patch", s.name() + s.name()), false,
                              "patching file a.c\nHunk #1 FAILED at " + text_of(s.below(200)) +
                                  ".\n1 out of 1 hunk FAILED -- saving rejects to file a.c.rej");
                   }});
}

void failures_that_change(std::vector<Pathology>& all) {
    all.push_back({"attempts that are counted", 3, 5, [](Story& s, Number i) {
                       s.unit("open_display", with("display", ":0"), untold,
                              "Attempt " + text_of(i) + " of 10 failed: could not connect to display :0");
                   }});
    all.push_back({"a request's id in the failure", 3, 6, [](Story& s, Number) {
                       s.unit("call_rpc", with("method", "Search"), untold,
                              "rpc error: code = FailedPrecondition desc = index not built (trace=" + s.hex(32) + ")");
                   }});
    all.push_back({"an id in a page of failure", 3, 5, [](Story& s, Number) {
                       s.unit("fetch", with("url", "https://example.com/docs"), untold,
                              "<html><head><title>404 Not Found</title></head>\n<body><h1>404 Not Found</h1><!-- " +
                                  s.hex(16) + " --></body></html>");
                   }});
    all.push_back({"seconds before the failure of a build", 3, 6, [](Story& s, Number) {
                       s.shell("docker build .", false,
                               "#1 sha256:" + s.hex(64) + " done\n#7 " + text_of(s.below(9)) + "." +
                                   text_of(s.below(999)) + " ERROR: could not open requirements.txt");
                   }});
    all.push_back(
        {"one selector after the other", 4, 7, [](Story& s, Number) {
             const std::string selector = "#" + s.word();
             s.unit("browser_click", with("selector", selector), untold,
                    "TimeoutError: locator.click: Timeout 30000ms exceeded.\nCall log:\n  - waiting for locator('" +
                        selector + "')");
         }});
    all.push_back(
        {"tools that do not exist", 5, 9, [](Story& s, Number i) {
             constexpr std::array<std::string_view, 4> tools{"open_browser", "web_fetch", "navigate", "visit"};
             const std::string tool{tools[i % 4]};
             s.unit(tool, with("url", "https://example.com"), false, "Error: No such tool available: " + tool);
         }});
}

void answers_that_change(std::vector<Pathology>& all) {
    all.push_back({"seconds in an object", 3, 6, [](Story& s, Number) {
                       s.unit("get_quota", with("account", "a-1"), true,
                              R"({"plan": "free", "limit_reached": true, "elapsed": 0.)" +
                                  text_of(1'000 + s.below(8'999)) + R"(, "request_id": "1)" + s.hex(11) + R"("})");
                   }});
    all.push_back({"a table whose lines are all alike", 3, 4, [](Story& s, Number) {
                       std::string table;
                       for (Number row = 0; row < 200; ++row) table += "row " + text_of(row) + "\n";
                       s.shell("cat big.csv", true, table + "... [1200 characters truncated] ...");
                   }});
    all.push_back({"pages behind the last one", 4, 7, [](Story& s, Number i) {
                       s.unit("list_orders", R"({"customer": "c-17", "page": )" + text_of(i + 4) + "}", true, "[]");
                   }});
    all.push_back({"the same ticket again", 4, 6, [](Story& s, Number i) {
                       s.unit("create_ticket", with("title", "Parser fails"), true,
                              "Created TICKET-" + text_of(1'040 + i));
                   }});
    all.push_back({"to one agent and back", 3, 4, [](Story& s, Number) {
                       s.unit("transfer_to_billing", "{}", true, "Transferred to Billing.");
                       s.unit("transfer_to_support", "{}", true, "Transferred to Support.");
                   }});
    all.push_back(
        {"in other words, the same list", 4, 8, [](Story& s, Number i) {
             constexpr std::array<std::string_view, 5> asked{
                 "capital gains tax portugal 2026", "portugal capital gains tax rate 2026",
                 "what is the capital gains tax in portugal 2026", "2026 portugal tax on capital gains",
                 "portugal capital gains 2026 tax rules"};
             s.unit("web_search", with("query", asked[i % asked.size()]), true,
                    "1. Tax in Portugal (tax.example)\n2. Living in Portugal (life.example)\n3. Gains explained");
         }});
}

// --- healthy
// ----------------------------------------------------------------------------------------------------------

/// The same answer to each of many questions.
Episode list_of(std::string name, std::string tool, std::string key, std::string before, std::string behind,
                std::optional<bool> ok, std::string answer) {
    return {std::move(name), [=](Story& s) {
                for (Number i = s.between(8, 20); i > 0; --i)
                    s.unit(tool, with(key, before + s.name() + behind), ok, answer);
            }};
}
void days(Story& s) {
    for (Number day = 1, last = s.between(6, 12); day <= last; ++day)
        s.unit("search_flights", with("to", "SEA", "date", "2026-05-" + two_digits(day)), true, "[]");
    s.works(1);
}
void hours(Story& s) {
    for (Number hour = 8; hour < 18; ++hour)
        s.unit("is_room_free", with("room", "garden", "from", "2026-05-11T" + two_digits(hour) + ":00:00Z"), true,
               "no");
}
void next_pages(Story& s) {
    for (Number i = s.between(6, 20); i > 0; --i) {
        s.unit("browser_click", with("ref", "next"), true, "Clicked.");
        s.unit("browser_snapshot", "{}", true, s.sentence() + "\n" + s.sentence());
    }
}
void moves(Story& s) {
    constexpr std::array<std::string_view, 3> ways{"left", "down", "right"};
    for (Number i = s.between(10, 30); i > 0; --i) {
        std::string board;
        for (Number cell = 0; cell < 16; ++cell)
            board += text_of(Number{2} << s.below(7)) + (cell % 4 == 3 ? "\n" : " ");
        s.unit("move", with("direction", ways[s.below(3)]), true, board);
    }
}
void answers_to_prompts(Story& s) {
    for (Number i = s.between(5, 9); i > 0; --i)
        s.unit("send_input", with("text", "y"), true, "? " + s.sentence(4) + " [y/N]");
}
void pods(Story& s) {
    for (Number i = s.between(5, 12); i > 0; --i)
        s.wait(10).shell(
            "kubectl get pods", true,
            "NAME  READY  STATUS             AGE\napi   0/1    ContainerCreating  " + text_of(90 - 7 * i) + "s");
    s.shell("kubectl get pods", true, "NAME  READY  STATUS   AGE\napi   1/1    Running  95s");
}
void checks(Story& s) {
    for (Number i = s.between(4, 9); i > 0; --i)
        s.wait(40).shell("gh pr checks 12", false, "build\tpending\t0\thttps://ci.example/1\nlint\tpass\t41s");
    s.shell("gh pr checks 12", true, "build\tpass\t6m\thttps://ci.example/1\nlint\tpass\t41s");
}
void warnings_of_silent_commands(Story& s) {
    for (Number i = s.between(5, 12); i > 0; --i)
        s.shell("sed -i s/a/b/ " + s.path(), true, "bash: warning: setlocale: cannot change locale (en_US.UTF-8)");
}
void emails(Story& s) {
    for (Number i = s.between(8, 30); i > 0; --i)
        s.unit("send_email", with("to", s.name() + "@example.com", "body", "You are invited to the garden party."),
               true, "Email sent successfully.");
}
void one_rule_in_many_files(Story& s) {
    for (Number i = s.between(6, 14); i > 0; --i) {
        const std::string path = s.path();
        s.shell(
            "npx eslint " + path, false,
            "/r/" + path + "\n  12:7  error  '" + s.name() + "' is never used  no-unused-vars\n1 problem (1 error)");
        edit(s);
    }
}
void conflicts(Story& s) {
    for (Number i = s.between(3, 6); i > 0; --i) {
        const std::string path = s.path();
        s.shell("git rebase --continue", false,
                "CONFLICT (content): Merge conflict in " + path + "\nerror: could not apply " + s.hex(7));
        edit(s);
        s.shell("git add " + path, true, "");
    }
}
void labels(Story& s) {
    for (Number i = s.between(20, 60); i > 0; --i)
        s.unit("set_label", with("item", text_of(5'000 + i), "label", "spam"), true,
               R"({"success":true,"message":"The label was stored and the item was moved to the reviewed queue."})");
}

}  // namespace

const std::vector<Pathology>& harder_pathologies() {
    static const std::vector<Pathology> all = [] {
        std::vector<Pathology> made;
        refused_changes(made);
        failures_that_change(made);
        answers_that_change(made);
        return made;
    }();
    return all;
}

const std::vector<Episode>& harder_episodes() {
    static const std::vector<Episode> all{
        list_of("documents of one category", "classify", "path", "data/inbox/", ".pdf", true, "category: invoice"),
        list_of("files that are valid", "validate_file", "path", "docs/chapters/", ".md", true, "valid"),
        list_of("servers that are active", "bash", "command", "ssh ", " systemctl is-active shop", true, "active"),
        list_of("logs without errors", "bash", "command", "grep -c ERROR logs/", ".log", true, "0"),
        list_of("tables without rows", "query", "sql", "SELECT count(*) FROM ", " WHERE deleted", true,
                "count\n0\n(1 row)"),
        list_of("rows that are inserted", "execute_sql", "query", "INSERT INTO users (name) VALUES ('", "')", true,
                "INSERT 0 1"),
        list_of("tests of many packages", "bash", "command", "cd packages/", " && npm test", true, "all tests passed"),
        list_of("pictures", "generate_image", "prompt", "a picture of ", "", true, "Image generated."),
        list_of("fields of a form", "browser_type", "text", "", "", true, "Typed text into element."),
        list_of("names that are taken", "check_domain", "domain", "", ".com", true, R"({"available": false})"),
        list_of("reviews without a finding", "task", "prompt", "Review ", "", true,
                "No problems found in this module."),
        {"one day after the other", days},
        {"one hour after the other", hours},
        {"the button for the next page", next_pages},
        {"moves of a game", moves},
        {"answers to a program's questions", answers_to_prompts},
        {"containers that start", pods},
        {"checks that are pending", checks},
        {"a warning of commands that print nothing", warnings_of_silent_commands},
        {"one letter to many people", emails},
        {"one rule in many files", one_rule_in_many_files},
        {"one conflict after the other", conflicts},
        {"labels for many items", labels},
    };
    return all;
}

}  // namespace detection

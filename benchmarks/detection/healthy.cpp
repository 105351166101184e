// Honest work that repeats itself, or seems to.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "generator.hpp"

namespace detection {
namespace {

std::string quoted(std::string_view key, std::string_view value) {
    return '"' + std::string{key} + "\": \"" + std::string{value} + '"';
}

void edit(Story& story, std::string_view path) {
    story.unit(
        "edit_file",
        "{" + quoted("path", path) + ", " + quoted("old", story.name()) + ", " + quoted("new", story.name()) + "}",
        true, "The file has been updated.");
}

std::string failures(std::size_t failed, std::size_t of) {
    std::string text = "============ test session starts ============\n";
    for (std::size_t i = 0; i < failed; ++i) text += "FAILED tests/test_all.py::test_" + std::to_string(i) + "\n";
    return text + std::to_string(failed) + " failed, " + std::to_string(of - failed) + " passed in 1.2s";
}

void tests_with_falling_failures(Story& story) {
    const std::string path = story.path();
    for (std::size_t failed = story.between(4, 9); failed > 0; --failed) {
        story.shell("pytest -q", false, failures(failed, 20));
        edit(story, path);
    }
    story.shell("pytest -q", true, "20 passed in 1.2s");
}

void tests_with_constant_failures(Story& story) {
    const std::string path = story.path();
    for (std::size_t i = story.between(3, 6); i > 0; --i) {
        story.shell("pytest -q", false, failures(2, 20));
        story.unit("read_file", "{" + quoted("path", story.path()) + "}", true, story.code(9));
        edit(story, path);
    }
    story.shell("pytest -q", true, "20 passed in 1.2s");
}

void edits_with_a_green_test(Story& story) {
    for (std::size_t i = story.between(5, 12); i > 0; --i) {
        edit(story, story.path());
        story.shell("make check", true, "all 148 checks passed");
    }
}

void poll_by_name(Story& story) {
    const std::string job = story.name();
    const std::size_t all = story.between(15, 60);
    for (std::size_t i = 1; i <= all; ++i) {
        story.wait(5).unit("get_job_status", "{" + quoted("job", job) + "}", true,
                           R"({"state": "running", "done": )" + std::to_string(100 * i / all) + "}");
    }
}

void poll_with_sleep(Story& story) {
    for (std::size_t i = story.between(5, 9); i > 0; --i)
        story.shell("sleep 20", true, "").shell("docker ps --filter name=db", true, "db   starting");
    story.shell("docker ps --filter name=db", true, "db   healthy");
}

void poll_with_pending_text(Story& story) {
    const std::string id = story.name();
    for (std::size_t i = story.between(4, 9); i > 0; --i)
        story.wait(10).unit("check_build", "{" + quoted("build", id) + "}", true, "The build is still running.");
    story.unit("check_build", "{" + quoted("build", id) + "}", true, "The build " + id + " has succeeded.");
}

void poll_of_a_silent_job(Story& story) {
    for (std::size_t i = story.between(5, 9); i > 0; --i)
        story.wait(25).unit("bash_output", "{" + quoted("id", "job_1") + "}", true, "");
    story.unit("bash_output", "{" + quoted("id", "job_1") + "}", true, story.code(4));
}

void pages(Story& story) {
    const std::string path = story.path();
    for (std::size_t i = 0, all = story.between(5, 30); i < all; ++i)
        story.unit("read_file",
                   "{" + quoted("path", path) + ", \"offset\": " + std::to_string(40 * i) + ", \"limit\": 40}", true,
                   story.code(40));
}

void pages_of_a_search(Story& story) {
    const std::string query = story.name();
    for (std::size_t i = 1, all = story.between(4, 20); i <= all; ++i)
        story.unit("search", "{" + quoted("query", query) + ", \"page\": " + std::to_string(i) + "}", true,
                   story.path() + "\n" + story.path() + "\n" + story.path());
}

void items_that_fail_alike(Story& story) {
    for (std::size_t i = story.between(4, 7); i > 0; --i) {
        const std::string item = story.name();
        story.unit("get_user", "{" + quoted("user", item) + "}", false, "Error: user '" + item + "' not found");
    }
    story.unit("get_user", "{" + quoted("user", story.name()) + "}", true, story.code(3));
}

void missing_modules(Story& story) {
    for (std::size_t i = story.between(3, 8); i > 0; --i) {
        const std::string module = story.name();
        story.shell("python main.py", false,
                    "Traceback (most recent call last):\n  File \"main.py\", line 3, in <module>\n    import " +
                        module + "\nModuleNotFoundError: No module named '" + module + "'");
        story.shell("pip install " + module, true, "Successfully installed " + module + "-1." + std::to_string(i));
    }
    story.shell("python main.py", true, story.sentence());
}

void retries_with_back_off(Story& story) {
    double pause = 4;
    const std::string url = story.name();
    for (std::size_t i = story.between(3, 6); i > 0; --i, pause *= 2)
        story.wait(pause).unit("fetch", "{" + quoted("url", "https://example.com/" + url) + "}", false,
                               "HTTP 503 Service Unavailable");
    story.unit("fetch", "{" + quoted("url", "https://example.com/" + url) + "}", true, story.code(8));
}

void a_task_list(Story& story) {
    std::vector<std::string> tasks;
    for (std::size_t i = story.between(4, 9); i > 0; --i) tasks.push_back(story.sentence(4));
    for (std::size_t done = 0; done < tasks.size(); ++done) {
        std::string args = R"({"todos": [)";
        for (std::size_t i = 0; i < tasks.size(); ++i)
            args += (i > 0 ? ", {" : "{") + quoted("content", tasks[i]) + ", " +
                    quoted("status", i < done    ? "completed"
                                     : i == done ? "in_progress"
                                                 : "pending") +
                    "}";
        story.unit("TodoWrite", args + "]}", true, "Todos have been modified successfully.");
        if (story.once_in(2)) story.works(1);
    }
}

void undone_edits(Story& story) {
    for (std::size_t i = story.between(2, 3); i > 0; --i) story.unit("undo_edit", "{}", true, "");
    story.works(1);
}

void searches_that_find_nothing(Story& story) {
    for (std::size_t i = story.between(4, 10); i > 0; --i)
        story.unit("grep", "{" + quoted("pattern", story.name()) + "}", true, "No matches found");
    story.unit("grep", "{" + quoted("pattern", story.name()) + "}", true, story.path() + ":3");
}

void pieces_of_a_file_with_edits(Story& story) {
    const std::string path = story.path();
    for (std::size_t i = 0, all = story.between(4, 10); i < all; ++i) {
        story.shell(
            "sed -n " + std::to_string(1 + 50 * (i % 4)) + "," + std::to_string(50 + 50 * (i % 4)) + "p " + path, true,
            story.code(50));
        edit(story, path);
    }
}

void a_prompt_with_growing_numbers(Story& story) {
    std::size_t number = story.between(1, 50);
    for (std::size_t i = story.between(5, 20); i > 0; --i) {
        number = number * 3 + i;
        story.unit("python", "{" + quoted("code", "print(step(" + std::to_string(number) + "))") + "}", true,
                   std::to_string(number * 7 + 1));
    }
}

void small_changes_of_many_files(Story& story) {
    for (std::size_t i = story.between(8, 40); i > 0; --i)
        story.unit("edit_file",
                   "{" + quoted("path", story.path()) + ", " + quoted("old", "version 1") + ", " +
                       quoted("new", "version 2") + "}",
                   true, "ok");
}

void parallel_reads(Story& story) {
    for (std::size_t round = story.between(1, 3); round > 0; --round) {
        std::vector<std::string> ids;
        const std::size_t many = story.between(2, 7);
        for (std::size_t i = 0; i < many; ++i)
            ids.push_back(story.call("read_file", "{" + quoted("path", story.path()) + "}"));
        std::reverse(ids.begin(), ids.end());
        for (const std::string& id : ids) story.result(id, true, story.code(6));
    }
}

void parallel_edits_that_fail(Story& story) {
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < 7; ++i)
        ids.push_back(story.call("edit_file", "{" + quoted("path", "src/one.py") + ", " + quoted("old", story.name()) +
                                                  ", " + quoted("new", story.name()) + "}"));
    for (const std::string& id : ids) story.result(id, false, "Error: the file has not been read yet");
    story.unit("read_file", "{" + quoted("path", "src/one.py") + "}", true, story.code(20));
}

void one_command_again_after_edits(Story& story) {
    for (std::size_t i = story.between(3, 7); i > 0; --i) {
        edit(story, story.path());
        edit(story, story.path());
        story.shell("git diff --stat", true, " " + story.path() + " | " + std::to_string(i) + " ++");
    }
}

void a_user_who_asks_again(Story& story) {
    for (std::size_t i = story.between(3, 6); i > 0; --i) {
        story.is_told("Show me the status once more, please.");
        story.unit("get_status", "{}", true, "all is well");
        story.says("All is well.");
    }
}

void a_filler_sentence(Story& story) {
    for (std::size_t i = story.between(5, 30); i > 0; --i) {
        story.says("Let me look at this.");
        story.unit("read_file", "{" + quoted("path", story.path()) + "}", true, story.code(7));
    }
}

void a_warning_before_results(Story& story) {
    for (std::size_t i = story.between(5, 15); i > 0; --i)
        story.shell("cat " + story.path(), true,
                    "warning: cannot create a temporary file in /var: permission denied\n" + story.code(6));
}

void errors_inside_data(Story& story) {
    for (std::size_t i = story.between(3, 8); i > 0; --i)
        story.unit("read_file", "{" + quoted("path", story.path()) + "}", true,
                   "def check(code):\n    if code in (500, 502, 503):\n        raise Error('failed: " + story.name() +
                       "')\n" + story.code(5));
}

void different_failures(Story& story) {
    const std::vector<std::string_view> errors{"SyntaxError: invalid syntax", "NameError: name '%' is not defined",
                                               "TypeError: expected %, got int", "KeyError: '%'"};
    for (std::size_t i = story.between(3, 4); i > 0; --i) {
        std::string text{errors[i - 1]};
        if (const auto at = text.find('%'); at != std::string::npos) text.replace(at, 1, story.name());
        story.shell("python " + story.path(), false, "Traceback (most recent call last):\n" + text);
        edit(story, story.path());
    }
    story.works(1);
}

void downloads(Story& story) {
    for (std::size_t i = story.between(4, 12); i > 0; --i)
        story.shell("curl -sO https://example.com/" + story.name() + ".tar.gz", true, "");
    story.works(1);
}

// --- text -----------------------------------------------------------------------------------------------------------

void tables_and_logs(Story& story) {
    std::string table = "| name | value | note |\n|------|-------|------|\n";
    for (std::size_t i = story.between(10, 60); i > 0; --i)
        table += "| " + story.word() + " | " + std::to_string(story.below(100)) + " | ok |\n";
    story.says(table);
    std::string log;
    for (std::size_t i = story.between(20, 90); i > 0; --i)
        log += "2025-03-04T05:" + std::to_string(10 + i % 50) + ":0" + std::to_string(i % 10) + "Z INFO request " +
               std::to_string(story.below(100'000)) + " done, status 200\n";
    story.prints(log);
}

void dumps_and_rulers(Story& story) {
    std::string text;
    for (std::size_t i = 0, all = story.between(10, 50); i < all; ++i)
        text += story.hex(8) + ": " + story.hex(8) + " " + story.hex(8) + "  ................\n";
    story.prints(text);
    story.prints(std::string(story.between(60, 700), '-') + "\n" + std::string(story.between(20, 1'500), ' ') +
                 "end\n");
}

void lists_and_code(Story& story) {
    std::string text;
    for (std::size_t i = 1, all = story.between(8, 40); i <= all; ++i)
        text += std::to_string(i) + ". " + story.sentence(5) + "\n";
    story.thinks(text);
    story.says("```python\n" + story.code(story.between(10, 50)) + "```\n");
}

void prose(Story& story) {
    std::string text;
    for (std::size_t i = story.between(10, 80); i > 0; --i) text += story.sentence(story.between(4, 14)) + " ";
    story.thinks(text);
    story.works(1);
}

}  // namespace

const std::vector<Episode>& healthy_episodes() {
    static const std::vector<Episode> all{
        {"tests, failures fall", tests_with_falling_failures},
        {"tests, failures stay for a while", tests_with_constant_failures},
        {"edits with a green test after each", edits_with_a_green_test},
        {"poll by name, result changes", poll_by_name},
        {"poll with sleep", poll_with_sleep},
        {"poll that says pending", poll_with_pending_text},
        {"poll of a silent job", poll_of_a_silent_job},
        {"pages of a file", pages},
        {"pages of a search", pages_of_a_search},
        {"distinct items that fail alike", items_that_fail_alike},
        {"one missing module after another", missing_modules},
        {"retries with back-off", retries_with_back_off},
        {"task list with one change", a_task_list},
        {"undo", undone_edits},
        {"searches that find nothing", searches_that_find_nothing},
        {"pieces of a file, edits between", pieces_of_a_file_with_edits},
        {"prompt with growing numbers", a_prompt_with_growing_numbers},
        {"the same small change of many files", small_changes_of_many_files},
        {"parallel reads", parallel_reads},
        {"parallel edits that all fail", parallel_edits_that_fail},
        {"one command again after edits", one_command_again_after_edits},
        {"a user who asks again", a_user_who_asks_again},
        {"a filler sentence before each call", a_filler_sentence},
        {"a warning before every result", a_warning_before_results},
        {"errors inside data", errors_inside_data},
        {"different failures", different_failures},
        {"silent downloads", downloads},
        {"tables and logs", tables_and_logs},
        {"hex dumps, rulers, padding", dumps_and_rulers},
        {"lists and code", lists_and_code},
        {"prose", prose},
    };
    return all;
}

}  // namespace detection

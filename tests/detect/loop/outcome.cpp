#include <heeler/detect/loop/outcome.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace loops_outcome {

using namespace heeler;
using namespace heeler::loops;

namespace {

const Overrides no_rules;

Outcome outcome_of(Learned& learned, std::string_view tool, std::string_view args, char ok, std::string_view text,
                   bool made_before = false) {
    ToolCall call;
    call.name = tool;
    call.args = args;
    ToolResult result;
    if (ok != '?') result.ok = ok == '+';
    result.output = text;
    return classify(learned, facts_of(call, no_rules), facts_of(result), text, made_before);
}

/// n, e, a, i, x: negative, empty, ack, info, infra.
char letter(OutcomeClass outcome) { return "neaix"[static_cast<std::size_t>(outcome)]; }

enum Key : char { any = ' ', same = '=', other = '!' };

/// One outcome in a run that knows nothing yet. `key`: against the row before.
struct Row {
    std::string_view tool;
    std::string_view args;
    char ok;  ///< `+`, `-`, or `?` where the host does not know
    std::string_view text;
    char outcome;
    Key key = any;
};

constexpr std::string_view shell = "Bash";

void check(const Row* rows, std::size_t count) {
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Row& row = rows[i];
        const auto learned = std::make_unique<Learned>();
        const Outcome made = outcome_of(*learned, row.tool, row.args, row.ok, row.text);
        INFO("row " << i << ": " << row.tool << ' ' << row.args << " -> " << row.text);
        CHECK(letter(made.outcome) == row.outcome);
        if (row.key != any) CHECK((made.key == last) == (row.key == same));
        last = made.key;
    }
}

}  // namespace

TEST_CASE("Loop outcomes: a failure without a word") {
    const Row rows[] = {
        {shell, R"({"command":"grep x f"})", '-', "", 'e'},
        {shell, R"({"command":"grep x f"})", '-', "Exit code 1", 'e', same},
        {shell, R"({"command":"grep x f"})", '-', "exited with code 1", 'e', same},
        {shell, R"({"command":"grep x f"})", '-', "error", 'e', same},
        {shell, R"({"command":"grep x f"})", '-', "Exit code 1\n\n", 'e', same},
        {shell, R"({"command":"grep x f"})", '-', "Exit code 1\r\n", 'e', same},
        {shell, R"({"command":"rm f"})", '-', "", 'n', other},
        {shell, R"({"command":"rm f"})", '-', "Exit code 1", 'n', same},
        {shell, R"({"command":"rm g"})", '-', "exit status 2", 'n', same},
        {shell, R"({"command":"rm f"})", '-', "Exit code 1\nrm: f: denied", 'n', other},
        {shell, R"({"command":"rm f"})", '-', "rm: f: denied", 'n', same},
        {"search", R"({"query":"x"})", '-', "No matches found", 'e'},
        {"Edit", R"({"path":"x"})", '-', "No matches found", 'n'},
        {shell, R"({"command":"make"})", '-', "Exit code 2\nmake: *** [all] Error 1", 'n'},
        {shell, R"({"command":"make"})", '+', "Exit code 2\nmake: *** [all] Error 1", 'n', same},
        {shell, R"({"command":"make"})", '?', "make: *** [all] Error 1", 'n', same},
        {shell, R"({"command":"pytest"})", '-', "Exit code 1\n3 failed, 9 passed", 'n'},
        {shell, R"({"command":"pytest"})", '-', "Exit code 1\n2 failed, 10 passed", 'n', other},
        {shell, R"({"command":"pytest"})", '-', "Exit code 1\n2 failed, 10 passed in 0.4s", 'n'},
        {shell, R"({"command":"pytest"})", '-', "Exit code 1\n2 failed, 10 passed in 1.31s", 'n', same},
    };
    check(rows, std::size(rows));
}

TEST_CASE("Loop outcomes: a change that was refused, or was none") {
    constexpr std::string_view replace = R"({"command":"str_replace","path":"a.py","old_str":"x","new_str":"y"})";
    constexpr std::string_view refused =
        "Your proposed edit has introduced new syntax error(s).\nThe first line of it\nAnd its second line\n";
    constexpr std::string_view none = "No changes to make: old_string and new_string are exactly the same.";
    const Row rows[] = {
        {"editor", replace, '?', "No replacement was performed, old_str `x` did not appear verbatim in a.py.", 'n'},
        {"editor", replace, '?', "The old text did not appear.", 'n'},
        {"edit", R"({"command":"edit 3:4\ny\nend"})", '?', refused, 'n'},
        {"edit", R"({"command":"edit 3:4\ny\nend"})", '+', refused, 'a'},
        {"Edit", R"({"path":"a.py"})", '-', none, 'n'},
        {"Edit", R"({"path":"b.py"})", '?', none, 'n', same},
        {"Edit", R"({"path":"b.py"})", '-', "Exit code 1", 'n', other},
        {shell, R"({"command":"git commit -m x"})", '?', "On branch main\nnothing to commit, working tree clean", 'n'},
        {shell, R"({"command":"git status"})", '+', "On branch main\nnothing to commit, working tree clean", 'i'},
        {"lookup", R"({"q":"x"})", '+', "No changes found", 'e'},
    };
    check(rows, std::size(rows));
}

TEST_CASE("Loop outcomes: a warning is no failure, unless the host says so") {
    const Row rows[] = {
        {shell, R"({"command":"sed -i s/a/b/ f"})", '+', "bash: warning: setlocale: cannot change it", 'a'},
        {shell, R"({"command":"cat f"})", '?', "warning: could not open the cache\nalpha", 'i'},
        {shell, R"({"command":"cat f"})", '?', "[WARNING] could not open the cache", 'i'},
        {shell, R"({"command":"cat f"})", '-', "warning: could not open the cache", 'n'},
        {shell, R"({"command":"cat f"})", '?', "could not open the cache, a warning: stay away", 'n'},
        {shell, R"({"command":"cat f"})", '?', "warning: could not open the cache\ncat: f: no such file", 'n'},
    };
    check(rows, std::size(rows));
}

TEST_CASE("Loop outcomes: what was done, and what a thing is like") {
    const Row rows[] = {
        {"browser_click", R"({"ref":"next"})", '+', "Clicked.", 'a'},
        {"browser_type", R"({"ref":"e1"})", '+', "Typed text into the element.", 'a'},
        {"make_image", R"({"prompt":"a hill"})", '+', "Image generated.", 'a'},
        {"search", R"({"query":"shop"})", '+', "The shop has moved.", 'i'},
        {"browser_click", R"({"ref":"next"})", '+', "Clicked 3 times.", 'i'},
        {"browser_click", R"({"ref":"e71"})", '+', "Clicked element e71", 'a'},
        {shell, R"({"command":"curl x"})", '?', R"({"done":false})", 'i'},
        {shell, R"({"command":"curl x"})", '?', R"({"success":false})", 'n'},
        {"send_input", R"({"text":"y"})", '+', "Go on to the next one? [y/N]", 'i'},
        {"send_email", R"({"to":"y"})", '+', "It is on its way to you", 'a'},
    };
    check(rows, std::size(rows));
}

TEST_CASE("Loop outcomes: a move that is made again may be told something") {
    const auto made_again = [](std::string_view tool, std::string_view args, std::string_view text) {
        const auto learned = std::make_unique<Learned>();
        return letter(outcome_of(*learned, tool, args, '+', text, true).outcome);
    };
    constexpr std::string_view board = "2 4 8\n4 2 16\n2 2 4";
    const auto learned = std::make_unique<Learned>();
    CHECK(letter(outcome_of(*learned, "move", R"({"direction":"left"})", '+', board, false).outcome) == 'a');
    CHECK(made_again("move", R"({"direction":"left"})", board) == 'i');
    CHECK(made_again("move", R"({"direction":"left"})", "moved") == 'a');
    CHECK(made_again("insert_line", R"({"path":"a.txt","text":"x"})", board) == 'a');
    constexpr std::string_view pull = R"({"command":"git pull --rebase origin main"})";
    constexpr std::string_view brought = "From host:x\n   4be1a2c..9ff0e1d  main -> origin/main\nSuccessfully rebased";
    CHECK(made_again(shell, pull, brought) == 'i');
    CHECK(made_again(shell, pull, "Already up to date, main.") == 'a');
    CHECK(letter(outcome_of(*learned, shell, pull, '+', brought, false).outcome) == 'a');
    CHECK(letter(outcome_of(*learned, shell, pull, '+', brought, true).outcome) == 'a');  // told before
    CHECK(made_again("create_order", R"({"item":"x"})", std::string{R"({"order":)"} + std::string(90, '7') + "}") ==
          'a');
}

TEST_CASE("Loop outcomes: a command that asks how far something has come waits while that is not done") {
    const auto again = [](std::string_view line, char ok, std::string_view text) {
        const auto learned = std::make_unique<Learned>();
        const std::string args = R"({"command":")" + std::string{line} + R"("})";
        return outcome_of(*learned, shell, args, ok, text, true);
    };
    CHECK(again("kubectl get pods", '+', "NAME STATUS\napi ContainerCreating").becomes_wait);
    CHECK(again("kubectl get deploy", '+', "NAME READY\napi 0/3").becomes_wait);
    CHECK(again("gh pr checks 12", '-', "build pending 0").becomes_wait);
    CHECK_FALSE(again("kubectl get pods", '+', "NAME STATUS\napi Running").becomes_wait);
    CHECK_FALSE(again("kubectl get deploy", '+', "NAME READY\napi 3/3").becomes_wait);
    CHECK_FALSE(again("python report.py", '+', "pending").becomes_wait);
    CHECK(again("aws cloudformation describe-stacks", '+', "CREATE_IN_PROGRESS").becomes_wait);
    CHECK(again("gcloud compute instances describe w1", '+', "STAGING").becomes_wait);
    CHECK(again("vercel inspect shop | grep status", '+', "  status      ● Building").becomes_wait);
    CHECK(again("systemctl is-active postgresql", '+', "activating").becomes_wait);
    CHECK_FALSE(again("squeue -j 88 | head -1", '+', "Transferred to Billing.").becomes_wait);
    CHECK(again("squeue -u ada", '+', "  JOBID USER ST NODES\n  88 ada PD 1 (Priority)").becomes_wait);
    CHECK(again("kubectl get pods", '+', "NAME READY STATUS\napi 0/1 CrashLoopBackOff").becomes_wait);
    CHECK_FALSE(again("kubectl get pods", '+', "NAME READY STATUS\napi 0/1 ImagePullBackOff").becomes_wait);
    CHECK_FALSE(again("kubectl get pods", '+', "NAME READY STATUS\napi 0/1 Evicted").becomes_wait);
    CHECK(again("kubectl get job a", '+', "NAME JOBS STATUS\na 0/1 0 Failed").becomes_wait);
    CHECK_FALSE(again("systemctl is-active postgresql", '+', "missing").becomes_wait);
    const Outcome out_of_time =
        again("kubectl wait pod/a", '-', "error: timed out waiting for the condition on pods/a");
    CHECK(out_of_time.outcome == OutcomeClass::info);
    CHECK(out_of_time.becomes_wait);
    CHECK(again("kubectl wait pod/a", '-', "error: timed out").outcome == OutcomeClass::negative);
    CHECK(again("make wait", '-', "error: timed out waiting for the condition").outcome == OutcomeClass::negative);
    CHECK(again("gh pr checks 12", '-', "build failed").outcome == OutcomeClass::negative);
}

TEST_CASE("Loop outcomes: nothing to answer") {
    for (const std::string_view nothing : {"",
                                           "\n",
                                           " \r\n",
                                           "(no output)",
                                           "(Bash completed with no output)",
                                           "Bash completed with no output.",
                                           "Command ran with no output",
                                           "Tool ran without output or errors",
                                           "Tool executed with no output",
                                           "Your command ran successfully and did not produce any output.",
                                           "Command did not produce any output",
                                           "No files found",
                                           "no matches",
                                           "No matches found.",
                                           "No results found",
                                           "no data",
                                           "No records returned",
                                           "no rows",
                                           "No entries found",
                                           "No items found",
                                           "no output",
                                           "No content",
                                           "0 results",
                                           "0 results found",
                                           "Found 0 files",
                                           "(0 rows)",
                                           "0 rows",
                                           "[]",
                                           "{}",
                                           "[ ]",
                                           "null",
                                           "None",
                                           "undefined",
                                           "\"\"",
                                           "''",
                                           "exited with code 1",
                                           "Exit code 0",
                                           "nothing found",
                                           "(empty)",
                                           "Empty set",
                                           "empty",
                                           "()",
                                           "error",
                                           "No matching files found",
                                           "No results found for 'qed'",
                                           "Found no matches",
                                           "total 0",
                                           "<system-reminder>be brief</system-reminder>",
                                           R"({"result":[],"count":0})",
                                           R"({"jobs":[]})",
                                           "No memories found for query: x",
                                           R"({"output":"","error":null})",
                                           "The directory is empty",
                                           "There are no items",
                                           "-",
                                           "..."}) {
        const auto learned = std::make_unique<Learned>();
        INFO(nothing);
        CHECK(outcome_of(*learned, "lookup", R"({"q":"x"})", '+', nothing).outcome == OutcomeClass::empty);
        CHECK(outcome_of(*learned, "lookup", R"({"q":"x"})", '?', nothing).outcome == OutcomeClass::empty);
        CHECK(outcome_of(*learned, "create_file", R"({"q":"x"})", '+', nothing).outcome == OutcomeClass::ack);
        CHECK(outcome_of(*learned, shell, R"({"command":"mkdir x"})", '+', nothing).outcome == OutcomeClass::ack);
        CHECK(outcome_of(*learned, "lookup", R"({"q":"x"})", '-', nothing).outcome == OutcomeClass::empty);
    }
    for (const std::string_view something :
         {"No", "There is no way back", "0", "1 row", "10 results found", "no tests were lost here",
          "empty the bin first", "Results: none of them fits, but a.c does", "[0]", R"({"count":3})",
          "null pointer at the start", "x", "true"}) {
        const auto learned = std::make_unique<Learned>();
        INFO(something);
        CHECK(outcome_of(*learned, "lookup", R"({"q":"x"})", '+', something).outcome == OutcomeClass::info);
    }
}

TEST_CASE("Loop outcomes: words of failure in short answers") {
    for (const std::string_view failure : {"Error: x",
                                           "ERROR in x",
                                           "errors occurred",
                                           "An exception was thrown",
                                           "Traceback (most recent call last):",
                                           "fatal: bad object",
                                           "2 failed",
                                           "failure",
                                           "invalid id",
                                           "Cannot open it",
                                           "can't open it",
                                           "can\xE2\x80\x99t open it",
                                           "Could not open it",
                                           "unable to open",
                                           "Permission denied",
                                           "unauthorized",
                                           "Forbidden",
                                           "connection was refused",
                                           "Page not found",
                                           "not_found",
                                           "NOT-FOUND",
                                           "No such file or directory",
                                           "It does not exist",
                                           "name doesn't exist",
                                           "unrecognized option",
                                           "unknown command: x",
                                           "Unknown option -q",
                                           "unknown tool",
                                           "unknown action",
                                           "The request was rejected",
                                           "syntax error near x",
                                           "not a valid move",
                                           "not precise enough",
                                           "that did not work",
                                           "the text did not match",
                                           "File has not been read yet",
                                           "patch has not been applied",
                                           "timed out after 30 s",
                                           "Nothing happens.",
                                           "Please try again",
                                           "No module named x",
                                           "'NoneType' object",
                                           "too much output",
                                           "KeyError: 'x'",
                                           "java.io.IOException: x",
                                           "\x1b[31mError:\x1b[0m x",
                                           "name 'x' is not defined",
                                           "Segmentation fault (core dumped)",
                                           "status: error",
                                           "failed=2",
                                           "error 5",
                                           "1 error",
                                           "3 of 12 tests failed",
                                           "10 errors",
                                           "Socket errors: connect 0, read 4",
                                           "error: true",
                                           "error: no rule for x",
                                           "ValueError"}) {
        const auto learned = std::make_unique<Learned>();
        INFO(failure);
        CHECK(outcome_of(*learned, "lookup", R"({"q":"qed"})", '?', failure).outcome == OutcomeClass::negative);
        CHECK(outcome_of(*learned, "lookup", R"({"q":"qed"})", '+', failure).outcome == OutcomeClass::negative);
    }
}

TEST_CASE("Loop outcomes: words that only look like a failure") {
    for (const std::string_view fine : {"0 failed",
                                        "no errors",
                                        "0 errors, 0 warnings",
                                        "Found 0 errors",
                                        "Socket errors: connect 0, read 0, timeout 0",
                                        "zero failures",
                                        "no test failures",
                                        "failed: 0",
                                        "errors = 0",
                                        "Tests run: 12, Failures: 0, Errors: 0",
                                        "12 passed, 0 failed",
                                        "0 of 12 tests failed",
                                        "finished without errors",
                                        "without any errors here",
                                        "error-free",
                                        "error free",
                                        R"({"error": null, "rows": 2})",
                                        R"({"errors":[],"rows":2})",
                                        R"({"isError":false,"n":1})",
                                        "Error: (none) of 5",
                                        "error=None, n=3",
                                        "errors: no, 3 of it",
                                        "lines [499, 500, 502]",
                                        "see src/errors.py for 3",
                                        "src/errors/a.c:3",
                                        "the error-handling part, 3",
                                        "on_error(x) 3",
                                        "log.error(x) 3",
                                        "stderr was 3",
                                        "putter 3",
                                        "mirrors 3",
                                        "undeniable 3",
                                        "exceptional 3",
                                        "failedness 3",
                                        "infallible 3",
                                        "my_error_code 3",
                                        "Fehler 12 gefunden",
                                        "\xE9\x94\x99\xE8\xAF\xAF 12",
                                        "unknown 3",
                                        "invalidate 3",
                                        "the rate limit is 5",
                                        "code 503",
                                        "a 503 b",
                                        "--fail 3"}) {
        const auto learned = std::make_unique<Learned>();
        INFO(fine);
        CHECK(outcome_of(*learned, "lookup", R"({"q":"qed"})", '?', fine).outcome == OutcomeClass::info);
    }
}

TEST_CASE("Loop outcomes: acknowledgements") {
    const Row rows[] = {
        {"create_file", R"({"path":"a"})", '+', "File created", 'a'},
        {"create_file", R"({"path":"b"})", '+', "Wrote 12 lines to b", 'a', same},
        {"lookup", R"({"q":"a"})", '+', "done", 'a', same},
        {"lookup", R"({"q":"a"})", '+', "Success.", 'a', same},
        {"lookup", R"({"q":"a"})", '+', "OK", 'a', same},
        {"lookup", R"({"q":"a"})", '+', "Your note was saved", 'a', same},
        {"lookup", R"({"q":"a"})", '+', "Thank you", 'a', same},
        {"lookup", R"({"q":"a"})", '+', "Todos have been modified successfully. Please continue", 'a', same},
        {"lookup", R"({"q":"a"})", '+', "updated 3 rows", 'i', other},
        {"lookup", R"({"q":"a"})", '+', "ok 3", 'i'},
        {"lookup", R"({"q":"a"})", '+', "the bookok", 'i'},
        {"BashOutput", R"({"id":"a"})", '+', "done", 'i'},
        {"lookup", R"({"q":"a"})", '+',
         "The state of things is that the work was done by someone who is not known to us at all, and it took a very "
         "long time, they say",
         'i'},
        {"Edit", R"({"path":"a"})", '+', "The file a has been updated. Here is the result of cat -n: 1 x 2 y", 'a'},
        {shell, R"({"command":"mkdir a"})", '+', "", 'a'},
        {shell, R"({"command":"echo a > b"})", '+', "some text", 'a'},
        {shell,
         R"({"command":"python a_very_long_command.py --with-many --options --and --arguments > the_output_file_of_it.txt"})",
         '+', "3 rows", 'i'},
        {"transfer", R"({"to":"a"})", '?', "queued", 'a'},
        {"send_mail", R"({"to":"a"})", '+', "queued as 4711", 'a', same},
        {"send_mail", R"({"to":"a"})", '+', "Error: no such user", 'n', other},
    };
    check(rows, std::size(rows));
}

TEST_CASE("Loop outcomes: information and its key") {
    const Row rows[] = {
        {"lookup", R"({"q":"a"})", '+', "a is 3", 'i'},
        {"lookup", R"({"q":"b"})", '+', "a is 3", 'i', same},
        {"lookup", R"({"q":"b"})", '+', "a is 4", 'i', other},
        {"lookup", R"({"q":"b"})", '+', "a is 4\r\n", 'i', same},
        {"lookup", R"({"q":"b"})", '+', "a is 4 at 12:01:07", 'i', other},
        {"lookup", R"({"q":"b"})", '+', "a is 4 at 12:02:08", 'i', same},
        {"lookup", R"({"q":"b"})", '+', "digest 3fa9b2c1", 'i'},
        {"lookup", R"({"q":"b"})", '+', "digest 77a9b2c1", 'i', other},
        {shell, R"({"command":"./bench"})", '+', "mean 11.27 ms  p99 22.10 ms", 'i'},
        {shell, R"({"command":"./bench"})", '+', "mean 11.31 ms  p99 22.10 ms", 'i', other},
        {shell, R"({"command":"./bench"})", '+', "real\t0m1.204s\nuser\t0m0.904s", 'i'},
        {shell, R"({"command":"./bench"})", '+', "real\t0m1.207s\nuser\t0m0.904s", 'i', other},
        {shell, R"({"command":"vite build"})", '+', "built in 1.27s", 'i'},
        {shell, R"({"command":"vite build"})", '+', "built in 1.31s", 'i', same},
        {shell, R"({"command":"mocha"})", '+', "adds numbers (1.2ms)", 'i'},
        {shell, R"({"command":"mocha"})", '+', "adds numbers (1.3ms)", 'i', same},
        {"click", R"({"ref":"e7"})", '+', "- button 'Add to cart' [ref=e12]", 'i'},
        {"click", R"({"ref":"e9"})", '+', "- button 'Add to cart' [ref=e319]", 'i', same},
        {"click", R"({"ref":"e9"})", '+', "- button 'Add to cart' [ref=v319]", 'i', other},
        {shell, R"({"command":"date"})", '+', "Tue 3 Mar 2026", 'i'},
        {shell, R"({"command":"date"})", '+', "Tue 4 Mar 2026", 'i', same},
        {"random", R"({"max":"9"})", '+', "7", 'i'},
        {"random", R"({"max":"9"})", '+', "3", 'i', same},
        {shell, R"({"command":"echo '3 failed'"})", '+', "3 failed", 'i'},
        {shell, R"({"command":"grep -n 'an error' a.log"})", '?', "7: an error", 'i'},
        {shell, R"({"command":"grep -n 'an error' a.log"})", '?', "grep: a.log: an error", 'i'},
        {shell, R"({"command":"grep -n 'an error' a.log"})", '?', "grep: a.log: binary error", 'n'},
        {shell, R"({"command":"cat a.log"})", '+',
         "one line of text\nand one more line\nerror: in the middle\nlast line", 'i'},
        {shell, R"({"command":"ls"})", '+', "errors.txt\nfailed.log\nnotes.txt", 'i'},
        {"read_file", R"({"path":"a.c"})", '+',
         "int main() {\n  if (x) puts(\"cannot open\");\n  return close_it(x);\n}", 'i'},
        {"lookup", R"({"q":"b"})", '+', "Der Text steht in der zweiten Zeile", 'i'},
        {"lookup", R"({"q":"b"})", '-', "Der Text steht in der zweiten Zeile", 'n'},
        {"lookup", R"({"q":"b"})", '-', "Der Text steht in der zweiten Zeile", 'n', same},
        {"lookup", R"({"q":"b"})", '-', "Der Text steht in der dritten Zeile", 'n', other},
    };
    check(rows, std::size(rows));
}

TEST_CASE("Loop outcomes: failures in long answers") {
    const std::string filler = [] {
        std::string text;
        for (int i = 0; i < 20; ++i) text += "\n  some line of the middle part " + std::to_string(i);
        return text;
    }();
    const auto outcome = [&](std::string_view text, char ok = '?') {
        const auto learned = std::make_unique<Learned>();
        // The filler is known already: it brings nothing.
        static_cast<void>(outcome_of(*learned, "lookup", R"({"q":"first"})", '+', filler));
        return letter(outcome_of(*learned, "lookup", R"({"q":"qed"})", ok, text).outcome);
    };
    CHECK(outcome("Traceback (most recent call last):" + filler + "\nKeyError: 'x'") == 'n');
    CHECK(outcome("ValueError: bad" + filler) == 'n');
    CHECK(outcome("error: bad" + filler) == 'n');
    CHECK(outcome("fatal: bad" + filler) == 'n');
    CHECK(outcome("usage: tool [-h]" + filler + "\ntool: error: x") == 'n');
    CHECK(outcome("a: syntax error near b" + filler) == 'n');
    CHECK(outcome("bash: a: command not found" + filler) == 'n');
    CHECK(outcome("ls: a: No such file or directory" + filler) == 'n');
    CHECK(outcome("The patch has not been applied" + filler + "\nerror") == 'n');
    CHECK(outcome("Your fix did not pass the tests" + filler) == 'n');
    CHECK(outcome("First\nNo replacement was performed" + filler + "\nan error") == 'n');
    CHECK(outcome("x" + filler + "\nRuntimeError: bad") == 'n');
    CHECK(outcome("x" + filler + "\nFAILED (errors=1)") == 'n');
    CHECK(outcome("x" + filler + "\nfatal: stop") == 'n');
    CHECK(outcome("x" + filler + "\nerror Command x") == 'n');
    CHECK(outcome("x" + filler + "\nsaid error somewhere" + filler) == 'i');
    CHECK(outcome("x" + filler + "\nmentions what failed", '+') == 'i');
    CHECK(outcome("x" + filler, '-') == 'n');
    CHECK(outcome("error: bad" + filler + "\nand this is a new line\nand so is this one") == 'i');
    CHECK(outcome("error: bad" + filler + "\nand this is a new line\nand so is this one", '-') == 'n');
}

TEST_CASE("Loop outcomes: the service behind the tool") {
    for (const std::string_view infra :
         {"Error: HTTP 503", "error: status 429", "Request failed with status code 502",
          "Error: 503 Service Unavailable", "error: HTTP/1.1 500", "Error: rate limit reached",
          "Error: Too Many Requests", "Error: overloaded", "service unavailable, try again",
          "Bad Gateway: request failed", "failed: temporarily unavailable", "Error: connection refused",
          "connection reset by peer: failed", "error: connection timed out", "ECONNREFUSED: failed",
          "Error: connect ECONNRESET", "ETIMEDOUT error", "returned 500: failed"}) {
        const auto learned = std::make_unique<Learned>();
        INFO(infra);
        CHECK(outcome_of(*learned, "fetch", R"({"url":"x"})", '?', infra).outcome == OutcomeClass::infra);
        CHECK(outcome_of(*learned, "fetch", R"({"url":"x"})", '-', infra).outcome == OutcomeClass::infra);
        CHECK(outcome_of(*learned, "create_row", R"({"url":"x"})", '-', infra).outcome == OutcomeClass::negative);
    }
    for (const std::string_view held :
         {"E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4123 (unattended-upgr)",
          "fatal: Unable to create '/w/.git/index.lock': File exists.\n\nAnother git process seems to be running.",
          "Error: Error acquiring the state lock\n\nLock Info:\n  Who: ci@runner", "Error: database is locked",
          "bash: ./server: Text file busy", "umount: /mnt: Device or resource busy",
          "Access denied: the file is being used by another process", "Error: could not acquire lock on build/",
          "ERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction"}) {
        const auto learned = std::make_unique<Learned>();
        INFO(held);
        for (const std::string_view line : {R"({"command":"git commit -am tidy"})", R"({"command":"./deploy"})"})
            CHECK(outcome_of(*learned, shell, line, '-', held).outcome == OutcomeClass::infra);
    }
    for (const std::string_view own :
         {"error: Cargo.lock needs to be updated", "cannot lock ref 'refs/heads/x'", "Error: the account is locked",
          "failed on lines [499, 500, 502]", "error in line 503", "error: 500 rows", "timed out after 30 s",
          "error: file 500.txt", "Error: HTTP 404", "Error: status 403", "failed: 5030"}) {
        const auto learned = std::make_unique<Learned>();
        INFO(own);
        CHECK(outcome_of(*learned, "fetch", R"({"url":"x"})", '?', own).outcome == OutcomeClass::negative);
    }
}

TEST_CASE("Loop outcomes: a notice of failure before an answer is no failure") {
    const Row rows[] = {
        {shell, R"({"command":"ls src"})", '+',
         "warning: cannot create temp file x\nmain.c with text\nother.c with text", 'i'},
        {shell, R"({"command":"ls src"})", '?',
         "warning: cannot create temp file x\nmain.c with text\nother.c with text", 'i', same},
        {shell, R"({"command":"ls src"})", '-',
         "warning: cannot create temp file x\nmain.c with text\nother.c with text", 'n', other},
        {shell, R"({"command":"ls src"})", '?', "warning: cannot create temp file x\n1\n2", 'i'},
        {shell, R"({"command":"ls src"})", '?', "notice: cannot create temp file x\n1\n2", 'n'},
        {"Edit", R"({"path":"a"})", '+', "error: no profile\nThe file was updated", 'a'},
        {"Edit", R"({"path":"a"})", '?', "error: no profile\nThe file was updated", 'n'},
        {"Edit", R"({"path":"a"})", '+', "The file was updated\nerror: no profile", 'n'},
        {"Edit", R"({"path":"a"})", '+', "Your edit did not match the file\nIt is done in other ways", 'n'},
        {shell, R"({"command":"echo testing the thing here; ./t"})", '?', "testing the thing\nthe thing here\nfailed",
         'n'},
    };
    check(rows, std::size(rows));
}

TEST_CASE("Loop outcomes: what says the same a second time brings nothing") {
    const auto learned = std::make_unique<Learned>();
    const std::string_view text = "something failed\nThese lines are new\nand so are these";
    CHECK(outcome_of(*learned, "lookup", R"({"q":"x"})", '?', text).outcome == OutcomeClass::info);
    CHECK(outcome_of(*learned, "lookup", R"({"q":"x"})", '?', text).outcome == OutcomeClass::negative);
}

TEST_CASE("Loop outcomes: a call whose answer is not ready becomes a poll") {
    const auto pending = [](std::string_view tool, std::string_view args, std::string_view text, bool before) {
        const auto learned = std::make_unique<Learned>();
        return outcome_of(*learned, tool, args, '+', text, before).becomes_wait;
    };
    for (const std::string_view text :
         {"still running: 40 rows", "in progress (step 3)", "state: pending 1", "queued at place 7",
          "not ready, 3 left", "Waiting for 3 workers", "Starting up 3", "processing 4 of 9"}) {
        INFO(text);
        CHECK(pending("check_job", R"({"id":"1"})", text, true));
        CHECK_FALSE(pending("check_job", R"({"id":"1"})", text, false));
        CHECK_FALSE(pending(shell, R"({"command":"./status"})", text, true));
        CHECK(pending(shell, R"({"command":"tail -n 2 apply.log"})", text, true));
        CHECK_FALSE(pending(shell, R"({"command":"tail -n 2 apply.log"})", text, false));
    }
    for (const std::string_view text :
         {"aws_db_instance.main: Still creating... [4m00s elapsed]", R"({"status":"STARTING","ts":"10:00:08"})",
          R"({"state":"indexing","done":false})", R"({"id":7,"syncStatus":"reconciling"})", "rebuilding"}) {
        INFO(text);
        CHECK(pending(shell, R"({"command":"curl -s localhost:8080/health"})", text, true));
        CHECK_FALSE(pending(shell, R"({"command":"make status"})", text, true));
    }
    for (const std::string_view text : {"src/job.c:12:    state = pending", "if (running) {", "return pending",
                                        "Error: still running", R"({"status":"DOWN"})", R"({"name":"sibling"})",
                                        "docs/building", "it is no longer of the kind called rebuilding"}) {
        INFO(text);
        CHECK_FALSE(pending(shell, R"({"command":"grep -n x job.c"})", text, true));
    }
    CHECK_FALSE(pending(shell, R"({"command":"cat log"})", "running\n" + std::string(400, 'x'), true));
    CHECK_FALSE(pending(shell, R"({"command":"sed -n 5,6p plan"})", "still pending: 3", true));
    CHECK_FALSE(pending("view", R"({"path":"jobs.py"})", "def f():  # still running 3", true));
    CHECK_FALSE(pending("check_job", R"({"id":"1"})", "finished with 3 rows", true));
    CHECK(pending("get_deploy", R"({"id":"1"})", R"({"id":"1","status":"update_in_progress"})", true));
    CHECK_FALSE(pending("check_job", R"({"id":"1"})", std::string(300, 'x') + " running", true));
}

TEST_CASE("Loop outcomes: answers of clocks and no-ops are no news") {
    const auto learned = std::make_unique<Learned>();
    CHECK_FALSE(outcome_of(*learned, shell, R"({"command":"date"})", '+', "Tue 3 Mar").is_news_if_new);
    CHECK_FALSE(outcome_of(*learned, shell, R"({"command":"echo 5"})", '+', "5").is_news_if_new);
    CHECK(outcome_of(*learned, shell, R"({"command":"cat a"})", '+', "5 and text").is_news_if_new);
    CHECK_FALSE(outcome_of(*learned, shell, R"({"command":"cat a"})", '-', "5 and text").is_news_if_new);
}

TEST_CASE("Loop outcomes: a failure that stands in a file that is read") {
    const auto outcome = [](std::string_view tool, std::string_view args, char ok, std::string_view text) {
        const auto learned = std::make_unique<Learned>();
        return letter(outcome_of(*learned, tool, args, ok, text).outcome);
    };
    const std::string_view file = R"({"path":"a.py"})";
    CHECK(outcome("read_file", file, '+', "    raise ValueError('invalid x')") == 'i');
    CHECK(outcome("read_range", file, '+', "Line 12:  throw new Failure(\"invalid\");") == 'i');
    CHECK(outcome("read_file", file, '+', "12\t    raise KeyError('not found')") == 'i');
    CHECK(outcome("read_file", file, '+', "x = 1\ny = 2\nprint('an error')\nerror of y") == 'i');
    CHECK(outcome("read_file", file, '+', "Error: file is too large") == 'n');
    CHECK(outcome("read_file", file, '+', "Result:\nError: file is too large") == 'n');
    CHECK(outcome("read_file", file, '?', "x = 1\ny = 2\nz = 3\nerror of y") == 'n');
    CHECK(outcome(shell, R"({"command":"grep -rn foo ."})", '+', "./a.md:12: this is what failed") == 'i');
    CHECK(outcome(shell, R"({"command":"grep -rn foo ."})", '+', "a.c-12- puts \"failed\"") == 'n');
    CHECK(outcome(shell, R"({"command":"cc a.c"})", '+', "a.c:12:3: error: no x here") == 'n');
    CHECK(outcome("Grep", R"({"pattern":"foo"})", '+', "a.c:12: error: no x here") == 'n');
    CHECK(outcome(shell, R"({"command":"sed -n 5p a.js"})", '+', "  console.error('it failed') // what failed") == 'i');
}

TEST_CASE("Loop outcomes: what a terminal prints of the command is no answer") {
    const Row rows[] = {
        {shell, R"({"command":"grep -rn qed src"})", '+', "grep -rn qed src", 'e'},
        {shell, R"({"command":"grep -rn qed src"})", '+', "$ grep -rn qed src\r\n", 'e', same},
        {shell, R"({"command":"grep -rn qed src"})", '+', "grep -rn qed src\r\n3 of it\r\n", 'i', other},
        {shell, R"({"command":"grep -rn qed src"})", '+', "3 of it", 'i', same},
        {shell, R"({"command":"./error.sh 5"})", '+', "./error.sh 5\r\nall 5 are fine", 'i'},
        {shell, R"({"command":"touch a"})", '+', "touch a", 'a'},
        {shell, R"({"command":"make all"})", '-', "make all\r\nmake: no rule", 'n'},
        {shell, R"({"command":"make all"})", '-', "make: no rule", 'n', same},
    };
    check(rows, std::size(rows));
}

TEST_CASE("Loop outcomes: exit codes that the text tells where the host does not know") {
    const Row rows[] = {
        {shell, R"({"command":"make"})", '?', "some output\n[The command completed with exit code 2.]", 'n'},
        {shell, R"({"command":"make"})", '?', "some output\n[The command completed with exit code 0.]", 'i'},
        {shell, R"({"command":"make"})", '+', "some output\n[The command completed with exit code 2.]", 'i'},
        {shell, R"({"command":"grep x f"})", '?', "[The command completed with exit code 1.]", 'e'},
        {shell, R"({"command":"rm f"})", '?', "exited with code 1", 'n'},
        {shell, R"({"command":"rm f"})", '?', "exited with code 0", 'a'},
        {shell, R"({"command":"go test"})", '?', "--- it went on\nexit status 1", 'n'},
        {shell, R"({"command":"make"})", '?', R"({"output":"it went on","metadata":{"exit_code":2}})", 'n'},
        {shell, R"({"command":"make"})", '?', R"({"output":"it went on","metadata":{"exit_code":0}})", 'i'},
        {shell, R"({"command":"make"})", '?', "Process exited with code 1\nOutput:\nsome output", 'n'},
        {shell, R"({"command":"make"})", '?', "Process exited with code 0\nOutput:\nsome output", 'i'},
        {shell, R"({"command":"cat a"})", '?',
         "if it fails the exit code 2 is given\nfirst\nsecond one\nthird one\nfourth one", 'i'},
    };
    check(rows, std::size(rows));
}

TEST_CASE("Loop outcomes: how other tools say that it failed") {
    for (const std::string_view failure :
         {R"({"success": false})", R"({"success":false,"id":7})", "success=False", "ok: false", "not ok 3 - it adds",
          "--- FAIL: TestAdd", "npm ERR! code E1", "\xE2\x9D\x8C it does not add up", "\xE2\x9C\x97 adds two",
          R"({"error":"it is closed"})", R"({"message":"not found"})"}) {
        const auto learned = std::make_unique<Learned>();
        INFO(failure);
        CHECK(outcome_of(*learned, "lookup", R"({"q":"qed"})", '?', failure).outcome == OutcomeClass::negative);
        CHECK(outcome_of(*learned, "get_it", R"({"q":"qed"})", '+', failure).outcome == OutcomeClass::negative);
    }
    for (const std::string_view fine :
         {R"({"success": true, "n": 3})", "it may fail 3 times", "an err of 3",
          R"({"id":"7","status":"rejected","sum":3})", R"({"order":"7","state":"payment failed","sum":3})",
          R"([{"id":7,"status":"denied"},{"id":8,"status":"open"}])"}) {
        const auto learned = std::make_unique<Learned>();
        INFO(fine);
        CHECK(outcome_of(*learned, "get_it", R"({"q":"qed"})", '+', fine).outcome == OutcomeClass::info);
        CHECK(outcome_of(*learned, "get_it", R"({"q":"qed"})", '?', fine).outcome == OutcomeClass::info);
    }
    for (const std::string_view infra : {"HTTP 503", "HTTP/1.1 502 Bad Gateway", "Service Unavailable",
                                         "<h1>502 Bad Gateway</h1>", "429 Too Many Requests"}) {
        const auto learned = std::make_unique<Learned>();
        INFO(infra);
        CHECK(outcome_of(*learned, "fetch", R"({"url":"x"})", '?', infra).outcome == OutcomeClass::infra);
    }
}

TEST_CASE("Loop outcomes: an exception's name at the beginning, whatever tells where it came from") {
    const Row rows[] = {
        {"click", R"({"ref":"e1"})", '+', "TimeoutError: click: it took too long\nCall log:\n  - waiting for it", 'n'},
        {"click", R"({"ref":"e1"})", '?', "TimeoutError: click: it took too long\nCall log:\n  - waiting for it", 'n',
         same},
    };
    check(rows, std::size(rows));
    const auto learned = std::make_unique<Learned>();
    CHECK_FALSE(outcome_of(*learned, "check_job", R"({"id":"1"})", '+',
                           "still running\nnotice: x failed\nsome lines\nmore lines", true)
                    .becomes_wait);
}

TEST_CASE("Loop outcomes: a random name of each piece of output is no answer") {
    const Row rows[] = {
        {shell, R"({"command":"ls"})", '?',
         "Chunk ID: 79e3a8\nWall time: 0.05 seconds\nProcess exited with code 0\nOutput:\na.c", 'i'},
        {shell, R"({"command":"ls"})", '?',
         "Chunk ID: 11b0ff\nWall time: 1.31 seconds\nProcess exited with code 0\nOutput:\na.c", 'i', same},
    };
    check(rows, std::size(rows));
}

}  // namespace loops_outcome

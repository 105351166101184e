#include <heeler/detect/loop/call_facts.hpp>

#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace loops_kinds {

using namespace heeler;
using namespace heeler::loops;

namespace {

const Overrides no_rules;

CallFacts call(std::string_view name, std::string_view args) {
    ToolCall made;
    made.name = name;
    made.args = args;
    return facts_of(made, no_rules);
}
/// A shell's call.
CallFacts run(std::string_view command) {
    std::string args = "{\"command\":\"";
    for (const char c : command) {
        if (c == '"' || c == '\\') args += '\\';
        if (c == '\n')
            args += "\\n";
        else
            args += c;
    }
    return call("Bash", args + "\"}");
}
/// In letters: r, w or p for the kind, then n, c, s, h, l for the flags.
std::string letters(const CallFacts& facts) {
    std::string all;
    all += facts.kind == CallKind::read ? 'r' : facts.kind == CallKind::write ? 'w' : 'p';
    if (facts.nop) all += 'n';
    if (facts.clock) all += 'c';
    if (facts.search) all += 's';
    if (facts.shell) all += 'h';
    if (facts.long_shell) all += 'l';
    return all;
}

struct Row {
    std::string_view text;
    std::string_view letters;
};

}  // namespace

TEST_CASE("Loop facts: the kind and the flags of commands") {
    const Row rows[] = {
        {"sleep 30", "ph"},
        {"sleep 5 && cat build.log", "ph"},
        {"wait", "ph"},
        {"cd /srv && sleep 10; tail -3 log", "ph"},
        {"tail -3 log; sleep 10", "rsh"},
        {"until curl -s host; do sleep 2; done", "psh"},
        {"while ! test -f done; do sleep 1; done", "ph"},
        {"for i in 1 2 3; do curl -s host && break; sleep 2; done", "ph"},
        {"for i in 1 2 3; do echo $i > f; done", "wh"},
        {"git push; for i in 1 2 3; do curl -s host && break; sleep 2; done", "wh"},
        {"make; for i in 1 2 3; do curl -s host && break; sleep 2; done", "rh"},
        {"mkdir -p a/b", "wh"},
        {"rm -rf build", "wh"},
        {"sudo rm -rf build", "wh"},
        {"cd src && rm a.o", "wh"},
        {"env A=1 touch x", "wh"},
        {"A=1 touch x", "wh"},
        {"ls -la", "rsh"},
        {"ls && rm foo", "wsh"},
        {"sed -i s/a/b/ f.txt", "wh"},
        {"sed -n '1,20p' f.txt", "rsh"},
        {"git status", "rsh"},
        {"git -C repo commit -m 'x'", "wh"},
        {"git stash list", "rh"},
        {"git stash", "wh"},
        {"git checkout main", "wh"},
        {"git bisect good", "wh"},
        {"git log --oneline", "rsh"},
        {"pip install foo", "wh"},
        {"python3 -m pip install foo", "wh"},
        {"pip list", "rh"},
        {"npm test", "rh"},
        {"npm install", "wh"},
        {"npm pkg set dependencies.react=latest", "wh"},
        {"apt-get install -y jq", "wh"},
        {"systemctl restart db", "wh"},
        {"systemctl status db", "rh"},
        {"echo hi > out.txt", "wh"},
        {"echo hi >> out.txt", "wh"},
        {"make 2>/dev/null", "rh"},
        {"make > /dev/null 2>&1", "rh"},
        {"print st->n", "rh"},
        {"rows.map(r => r.n)", "rh"},
        {"print n >= 3", "rh"},
        {"make 2>log", "wh"},
        {"make 2>&1", "rh"},
        {"make &> log", "wh"},
        {"cat <<EOF\nrm -rf x\nEOF", "wsh"},
        {"cat > f.py <<'EOF'\nprint(1)\nEOF", "wsh"},
        {"python3 - <<'EOF'\nopen('x') # rm > y\nEOF", "rh"},
        {"python3 -c 'print(3 > 2)'", "rsh"},
        {"grep '=>' a.js", "rsh"},
        {"grep -rn foo . | head -5", "rsh"},
        {"find . -name x", "rsh"},
        {"which gcc", "rsh"},
        {"curl http://localhost:8080/health", "rsh"},
        {"curl -s -o /dev/null -w '%{http_code}' http://host/f", "rsh"},
        {"curl -sO http://host/f", "wsh"},
        {"curl -L --output f.gz http://host/f", "wsh"},
        {"curl -fsSLo f.gz http://host/f", "wsh"},
        {"wget http://host/f", "wh"},
        {"make", "rh"},
        {"pytest -q", "rh"},
        {":", "rnh"},
        {": nothing to do", "rnh"},
        {"true", "rnh"},
        {"false || true", "rnh"},
        {"# a comment with $x and `y`", "rnh"},
        {"echo done", "rnh"},
        {"echo 'waiting' && true", "rnh"},
        {"echo a; echo b\necho c", "rnh"},
        {"echo $HOME", "rh"},
        {"echo `ls`", "rh"},
        {"echo \"$X\"", "rh"},
        {"echo '$X'", "rnh"},
        {"echo a > f", "wh"},
        {"cd /tmp", "rh"},
        {"{/", "rh"},  // a word that is nothing but signs
        {"pwd", "rh"},
        {"date", "rch"},
        {"date +%s", "rch"},
        {"uptime", "rch"},
        {"date; ls", "rh"},
        {"bash -c 'rm x'", "wh"},
        {"bash -lc \"ls -la\"", "rsh"},
        {"timeout 30 rm x", "wh"},
        {"kill 4711", "wh"},
        {"tar xzf a.tgz", "wh"},
        {"SELECT a FROM t WHERE a > 3", "rsh"},
        {"SHOW TABLES", "rsh"},
        {"INSERT INTO t VALUES (1)", "wh"},
        {"python run_a_script_with_a_long_name.py --with-many-options --and-more-of-them --until-it-is-long 1", "rhl"},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        CHECK(letters(run(row.text)) == row.letters);
    }
}

TEST_CASE("Loop facts: the kind of a tool by the words of its name") {
    const Row rows[] = {
        {"write_file", "w"},     {"WriteFile", "w"},         {"Edit", "w"},           {"MultiEdit", "w"},
        {"TodoWrite", "w"},      {"TodoRead", "rs"},         {"create_issue", "w"},   {"delete_row", "w"},
        {"submit", "w"},         {"send_mail", "w"},         {"book_flight", "w"},    {"cancelOrder", "w"},
        {"modify_user", "w"},    {"write_fix", "w"},         {"exchange_items", "w"}, {"Read", "rs"},
        {"read_file", "rs"},     {"get_output_shape", "rs"}, {"output", "r"},         {"search_replace", "ws"},
        {"list_updates", "rs"},  {"get_order", "rs"},        {"Grep", "rs"},          {"WebSearch", "rs"},
        {"sqlQuery", "rs"},      {"calculate", "r"},         {"think", "r"},          {"wait", "p"},
        {"wait_for_agent", "p"}, {"pollJob", "p"},           {"BashOutput", "p"},     {"get_job_status", "ps"},
        {"TaskOutput", "p"},     {"write_stdin", "p"},       {"git_status", "r"},     {"status", "r"},
        {"current_time", "rc"},  {"get_date", "rcs"},        {"random", "rc"},        {"update", "w"},
        {"readHTMLPage", "rs"},  {"mcp__files__write", "w"}, {"putter", "r"},         {"settings", "r"},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        CHECK(letters(call(row.text, R"({"id":"x"})")) == row.letters);
    }
}

TEST_CASE("Loop facts: a tool with sub-commands is what its sub-command says") {
    CHECK(letters(call("str_replace_editor", R"({"command":"view","path":"/a"})")) == "r");
    CHECK(letters(call("str_replace_editor", R"({"command":"create","path":"/a","file_text":"x"})")) == "w");
    CHECK(letters(call("str_replace_editor", R"({"command":"str_replace","path":"/a","old_str":"x"})")) == "w");
    CHECK(letters(call("Bash", R"({"command":"ls","description":"list"})")) == "rsh");
    CHECK(letters(call("Bash", R"({"command":"cat","timeout":5})")) == "rsh");
}

TEST_CASE("Loop facts: commands that come as an array or as plain text") {
    CHECK(letters(call("shell", R"({"command":["bash","-lc","rm x"]})")) == "wh");
    CHECK(letters(call("shell", R"({"command":["bash","-lc","true"]})")) == "rnh");
    CHECK(letters(call("shell", R"({"command":["ls","-la"]})")) == "rsh");
    CHECK(letters(call("bash", "rm x")) == "wh");
    CHECK(letters(call("python", R"({"code":"x = 3 > 2"})")) == "rh");
}

TEST_CASE("Loop facts: a host's rule beats every table") {
    Overrides rules(5);
    rules[0].tools = "mcp__*__status";
    rules[0].treatment = ToolTreatment::poll;
    rules[1].tools = "render";
    rules[1].treatment = ToolTreatment::exempt;
    rules[2].tools = "get_*";
    rules[2].treatment = ToolTreatment::write;
    rules[3].tools = "current_time";
    rules[3].treatment = ToolTreatment::read;
    rules[4].tools = "echo";
    rules[4].repeats = 9;
    const auto with = [&](std::string_view name) {
        ToolCall made;
        made.name = name;
        return facts_of(made, rules);
    };
    CHECK(with("mcp__ci__status").kind == CallKind::wait);
    CHECK(with("mcp__ci__status").declared);
    CHECK(with("render").exempt);
    CHECK(with("get_x").kind == CallKind::write);
    CHECK_FALSE(with("current_time").clock);
    CHECK(with("echo").rule == 5);
    CHECK_FALSE(with("echo").declared);
    CHECK(with("other").rule == 0);
}

TEST_CASE("Loop facts: reads with a span have a resource that the span does not change") {
    const auto first = call("read_file", R"({"path":"a","offset":0,"limit":100})");
    const auto second = call("read_file", R"({"path":"a","offset":100,"limit":100})");
    const auto other = call("read_file", R"({"path":"b","offset":100,"limit":100})");
    CHECK(first.has_span);
    CHECK(first.resource == second.resource);
    CHECK(first.resource != other.resource);
    CHECK(first.typed != second.typed);
    CHECK_FALSE(call("read_file", R"({"path":"a"})").has_span);
    CHECK_FALSE(call("edit_file", R"({"path":"a","start_line":1})").has_span);
    CHECK(run("sed -n '1,20p' a.c").resource == run("sed -n '21,40p' a.c").resource);
    CHECK(run("nl -ba a.c | sed -n 1,20p").has_span);
    CHECK(run("sed -n '1,20p' a.c").resource != run("sed -n '1,20p' b.c").resource);
    CHECK(call("search", R"({"query":"q","page":1})").resource == call("search", R"({"page":2,"query":"q"})").resource);
    CHECK(call("view", R"({"path":"a","view_range":[1,50]})").resource ==
          call("view", R"({"path":"a","view_range":[51,90]})").resource);
}

TEST_CASE("Loop facts: a short command has a form that what it names does not change") {
    CHECK(run("curl -sI https://a.dev").resource == run("curl -sI https://www.b.org/docs/x").resource);
    CHECK(run("grep -c TODO src/a.c").resource == run("grep -c TODO lib/b/c.h").resource);
    CHECK(run("grep -c TODO src/a.c").resource != run("grep -c FIXME src/a.c").resource);
    CHECK(run("curl -sI https://a.dev").resource != run("curl -sI -L https://a.dev").resource);
    CHECK(run("rm a.c").resource == 0);
    CHECK(run("echo " + std::string(200, 'x') + " a/b").resource == 0);
}

TEST_CASE("Loop facts: edits tell which file and which texts") {
    const auto there = call("Edit", R"({"file_path":"a","old_string":"x = 1","new_string":"x = 2"})");
    const auto back = call("Edit", R"({"file_path":"a","old_string":"x = 2","new_string":"x = 1"})");
    CHECK(there.file != 0);
    CHECK(there.file == back.file);
    CHECK(there.old_text == back.new_text);
    CHECK(there.new_text == back.old_text);
    CHECK(there.whole == 0);
    const auto whole = call("Write", R"({"file_path":"a","content":"all of it"})");
    CHECK(whole.file == there.file);
    CHECK(whole.whole != 0);
    CHECK(call("Read", R"({"file_path":"a"})").file == 0);
}

TEST_CASE("Loop facts: the verb is the tool and the first word of what it runs") {
    CHECK(run("cd a && git status").verb == run("git log").verb);
    CHECK(run("git log").verb != run("ls").verb);
    CHECK(run("sudo ls").verb == run("ls -l").verb);
    CHECK(call("Read", "{}").verb != call("Grep", "{}").verb);
    CHECK(run("ls").tool == run("git log").tool);
}

}  // namespace loops_kinds

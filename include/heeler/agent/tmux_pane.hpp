// Panes of a tmux server: which there are, what they show, and typing into them. Calls the program tmux (3.2 or later).
// POSIX.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/agent/run_command.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/one_line.hpp>

namespace heeler::inline HEELER_ABI {

/// Which server. Both empty: the one that this process runs in, or else the user's default.
struct TmuxSocket {
    std::string name{};  ///< `tmux -L`
    std::string path{};  ///< `tmux -S`; comes before `name`
};

/// One pane, as it was when it was asked for. Texts are without controls, and cut at `max_bytes` characters.
struct TmuxPaneRow {
    static constexpr std::size_t max_bytes = 256;

    std::string id{};           ///< "%7": of this pane alone as long as its server lives
    std::string process{};      ///< process id of what was started in it; another one in the same pane is another
    std::string session{};      ///< name of its session
    std::string window{};       ///< name of its window
    std::string title{};        ///< any program in the pane can change it
    bool dead = false;          ///< its program is over, and the pane was kept
    std::string end{};          ///< how it ended: "exit status 3", "signal 9"; empty: it runs, or tmux does not know
    std::uint64_t history = 0;  ///< rows that have left the screen upwards
    std::vector<std::string> options{};  ///< values of the user options asked for, in their order; empty: not set
};

/// What a pane shows.
struct TmuxCapture {
    std::uint64_t history = 0;        ///< rows that have left the screen upwards, as far as tmux keeps them
    std::uint64_t above = 0;          ///< how many of them `rows` begins with
    std::vector<std::string> rows{};  ///< from top to bottom, the empty ones at the end left out
    bool is_full = false;             ///< its program draws the whole screen, the alternate one: less, vi
};

namespace detail {

/// tmux takes a `;` at the end of an argument for the end of the command.
[[nodiscard]] inline std::string tmux_argument(std::string text) {
    if (text.ends_with(';')) text.insert(text.size() - 1, 1, '\\');
    return text;
}

/// The last line that is not blank is the reason, whatever earlier commands have printed: what they know of a pane that
/// is gone is blank, and may be read after the reason.
[[nodiscard]] inline Error tmux_error(std::string_view said) {
    said = said.substr(0, said.find_last_not_of(" \n") + 1);
    const std::string line = text::one_line(said.substr(said.rfind('\n') + 1), 512);
    const auto says = [&](std::string_view part) { return line.find(part) != std::string::npos; };
    if (says("can't find pane")) return {ErrorCode::ended, "the pane is gone: " + line};
    if (says("no server running") || says("error connecting") || says("server exited") || says("lost server"))
        return {ErrorCode::io, "there is no tmux server: " + line};
    return {ErrorCode::failed, "tmux refuses: " + line};
}

[[nodiscard]] inline std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

[[nodiscard]] inline std::uint64_t number_of(std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Whether `text` is `mark` and then only letters, digits, '-' and '_', at least one.
[[nodiscard]] inline bool is_tmux_word(std::string_view text, char mark) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    return text.size() > 1 && text.front() == mark && std::all_of(text.begin() + 1, text.end(), plain);
}

[[nodiscard]] inline std::string file_name_of(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

[[nodiscard]] inline bool is_shell(std::string_view name) {
    constexpr std::string_view shells[] = {"sh",  "ash",  "bash", "rbash", "dash",  "yash",   "posh", "zsh",  "rzsh",
                                           "ksh", "rksh", "mksh", "oksh",  "osh",   "ysh",    "fish", "tcsh", "csh",
                                           "rc",  "es",   "nu",   "ion",   "xonsh", "elvish", "pwsh"};
    if (name.ends_with("-static")) name.remove_suffix(7);
    name = name.substr(0, name.find_last_not_of("0123456789.-") + 1);  // zsh-5.9, ksh93
    return std::find(std::begin(shells), std::end(shells), name) != std::end(shells);
}

[[nodiscard]] inline std::string text_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Which word is the script, or the text of one (`-c`); past the last: there is none.
[[nodiscard]] inline std::size_t script_at(const std::vector<std::string>& words) {
    std::size_t at = 1;
    for (; at < words.size() && (words[at].starts_with('-') || words[at].starts_with('+')); ++at) {
        const std::string& word = words[at];
        const bool is_short = !word.starts_with("--");
        if (is_short && word.find_first_of("is") != std::string::npos) return words.size();  // reads what is typed
        if (word == "--rcfile" || word == "--init-file" || (is_short && word.find_first_of("oO") == 1)) ++at;
    }
    return std::min(at, words.size());
}

/// What has the keyboard in a terminal.
struct ForegroundProgram {
    std::vector<std::string> names{};  ///< of the program, and of the script that it runs, if it runs one
    bool is_prompt = false;            ///< a shell: whatever is typed is a command

    /// From the words of its command line.
    [[nodiscard]] static ForegroundProgram of(const std::vector<std::string>& words) {
        ForegroundProgram found;
        std::string name = file_name_of(words.front());
        if (name.starts_with('-')) name.erase(0, 1);  // a login shell
        const std::size_t script = script_at(words);
        if (is_shell(name)) found.is_prompt = script == words.size();
        const bool runs_scripts = is_shell(name) || name == "busybox" || name == "toybox" ||
                                  name.starts_with("python") || name == "node" || name == "bun" || name == "deno" ||
                                  name == "ruby" || name == "perl";
        found.names.push_back(std::move(name));
        if (!runs_scripts || script == words.size()) return found;
        found.names.push_back(file_name_of(words[script]));
        if (is_shell(found.names.back()))  // busybox sh; a shell that is itself a script
            found.is_prompt = of({words.begin() + static_cast<std::ptrdiff_t>(script), words.end()}).is_prompt;
        return found;
    }

    /// Where the system does not tell (Linux does), tmux knows its name.
    [[nodiscard]] static ForegroundProgram in_terminal_of(const std::string& pid, const std::string& known_to_tmux) {
        const std::string stat = text_of_file("/proc/" + pid + "/stat");
        const auto fields = split(std::string_view(stat).substr(std::min(stat.size(), stat.rfind(')') + 1)), ' ');
        constexpr std::size_t foreground_group = 6;
        const std::string words =
            fields.size() > foreground_group ? text_of_file("/proc/" + fields[foreground_group] + "/cmdline") : "";
        return of(words.empty() ? std::vector{known_to_tmux} : split(words.substr(0, words.size() - 1), '\0'));
    }
};

}  // namespace detail

/// Asks one server. Never starts one. Every call runs `tmux` once, without a shell, and takes at most `patience`.
/// Errors of all calls: `failed` if tmux cannot be started or refuses, `io` if there is no server, `timed_out`. Any
/// thread.
class TmuxServer {
public:
    explicit TmuxServer(TmuxSocket socket = {}, Duration patience = std::chrono::seconds(5))
        : socket_{std::move(socket)}, patience_{patience} {}

    /// The panes of all sessions, each with the values of the user options named in `options` ("@status"), which are
    /// those of the pane, else of its window, its session or the server. Error: `invalid_argument` for other names.
    [[nodiscard]] Result<std::vector<TmuxPaneRow>> panes(const std::vector<std::string>& options = {}) const {
        std::string format =
            "#{pane_id}\t#{pane_pid}\t#{pane_dead}\t#{history_size}\t#{pane_dead_status}\t#{pane_dead_signal}";
        for (const char* name : {"session_name", "window_name", "pane_title"}) format += shown(name);
        for (const std::string& name : options) {
            if (!detail::is_tmux_word(name, '@'))
                return fail(
                    ErrorCode::invalid_argument,
                    "\"" + text::one_line(name, 64) + "\" is no user option of tmux: use @ and letters, as in @status");
            format += shown(name);
        }
        auto said = run({{"list-panes", "-a", "-F", format}});
        if (!said) return tl::unexpected<Error>(std::move(said.error()));
        std::vector<TmuxPaneRow> rows;
        for (const std::string& line : detail::split(*said, '\n')) {
            auto fields = detail::split(line, '\t');
            if (fields.size() != 9 + options.size()) continue;  // what follows the last line end
            TmuxPaneRow row{fields[0], fields[1], fields[6], fields[7], fields[8]};
            row.dead = fields[2] == "1";
            row.history = detail::number_of(fields[3]);
            if (!fields[4].empty()) row.end = "exit status " + fields[4];
            if (!fields[5].empty()) row.end = "signal " + fields[5];
            row.options.assign(fields.begin() + 9, fields.end());
            rows.push_back(std::move(row));
        }
        return rows;
    }

    /// Has tmux execute these commands, one after the other, and gives what they print. A further error: `ended` if a
    /// pane that is named does not exist.
    [[nodiscard]] Result<std::string> run(const std::vector<std::vector<std::string>>& commands) const {
        std::vector<std::string> argv{"tmux", "-u"};
        if (!socket_.path.empty()) argv.insert(argv.end(), {"-S", socket_.path});
        if (socket_.path.empty() && !socket_.name.empty()) argv.insert(argv.end(), {"-L", socket_.name});
        for (std::size_t i = 0; i < commands.size(); ++i) {
            if (i > 0) argv.emplace_back(";");
            for (const std::string& argument : commands[i]) argv.push_back(detail::tmux_argument(argument));
        }
        auto end = run_command(std::move(argv), patience_);
        if (!end) return tl::unexpected<Error>(std::move(end.error()));
        if (end->status != 0) return tl::unexpected<Error>(detail::tmux_error(end->output));
        return std::move(end->output);
    }

private:
    /// A field of a row: without the controls that would end it.
    [[nodiscard]] static std::string shown(std::string_view name) {
        return "\t#{=" + std::to_string(TmuxPaneRow::max_bytes) + ";s/[\x01-\x1f]/ /:" + std::string(name) + "}";
    }

    TmuxSocket socket_;
    Duration patience_;
};

/// One pane, by the id that `TmuxServer::panes` gives: names are found there, exactly, because tmux itself would take
/// them for patterns. A `TerminalLike`. Errors of all calls: those of the server, `ended` if the pane is gone. Any
/// thread.
class TmuxPane {
public:
    /// `program`: the file name of what must have the keyboard there, or of the script that it runs ("claude"), for
    /// anything to be typed. Empty: whatever it is. A shell that waits for commands is never typed into;
    /// one behind a program that passes keys on (ssh, docker exec, script) cannot be seen.
    TmuxPane(TmuxServer server, std::string id, std::string program = {})
        : server_{std::move(server)}, id_{std::move(id)}, program_{std::move(program)} {}

    [[nodiscard]] const std::string& id() const noexcept { return id_; }
    [[nodiscard]] const std::string& program() const noexcept { return program_; }

    /// Writes the text as keystrokes, in the program even if someone scrolls in the pane. Errors: `invalid_argument`
    /// for controls, which are keys; `rejected` if keys in this pane go to others as well (synchronize-panes), to a
    /// shell, or to another program than was named; `ended` if its program is over.
    [[nodiscard]] Result<void> type(std::string_view text) {
        const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
        if (std::any_of(text.begin(), text.end(), control))
            return fail(ErrorCode::invalid_argument, "the text holds a control character, which is a key: remove it");
        const auto characters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
        return keys({"send-keys", "-t", id_, "-l", "--", std::string(text)}, static_cast<std::uint64_t>(characters));
    }

    [[nodiscard]] Result<void> enter() { return keys({"send-keys", "-t", id_, "--", "Enter"}); }

    /// Erases what was typed here and never entered, also by a process that was killed in between. How much that is
    /// stands in the pane's user option `@heeler_typed`.
    [[nodiscard]] Result<void> take_back() {
        const auto now = state();
        if (!now) return tl::unexpected<Error>(now.error());
        if (now->typed == 0) return {};
        return keys({"send-keys", "-t", id_, "-N", std::to_string(now->typed), "--", "BSpace"});
    }

    /// CR is Enter, everything else is typed.
    [[nodiscard]] Result<void> write(std::string_view bytes) { return bytes == "\r" ? enter() : type(bytes); }

    /// tmux passes keys on at once.
    [[nodiscard]] Result<void> flush() { return {}; }

    /// What it shows, with at most `above` rows of what has left the screen.
    [[nodiscard]] Result<TmuxCapture> capture(std::uint32_t above = 0) {
        if (auto valid = check_id(); !valid) return tl::unexpected<Error>(std::move(valid.error()));
        auto said = server_.run({{"display-message", "-p", "-t", id_, "#{history_size} #{alternate_on}"},
                                 {"capture-pane", "-p", "-t", id_, "-S", "-" + std::to_string(above)}});
        if (!said) return tl::unexpected<Error>(std::move(said.error()));
        TmuxCapture capture;
        capture.rows = detail::split(*said, '\n');
        capture.history = detail::number_of(capture.rows.front());
        capture.is_full = capture.rows.front().ends_with(" 1");
        capture.above = std::min<std::uint64_t>(capture.history, above);
        capture.rows.erase(capture.rows.begin());
        while (!capture.rows.empty() && capture.rows.back().empty()) capture.rows.pop_back();
        return capture;
    }

    /// Rows that it shows and keeps; absent if it cannot be asked.
    [[nodiscard]] std::optional<std::uint64_t> size() {
        const auto seen = capture();
        return seen ? std::optional<std::uint64_t>(seen->history + seen->rows.size()) : std::nullopt;
    }

    /// Whether the pane is there and its program runs.
    [[nodiscard]] Result<bool> exists() {
        auto is = state();
        if (!is && is.error().code == ErrorCode::ended) return false;
        if (!is) return tl::unexpected<Error>(std::move(is.error()));
        return true;
    }

private:
    [[nodiscard]] Result<void> check_id() const {
        if (detail::is_tmux_word(id_, '%')) return {};
        return fail(ErrorCode::invalid_argument,
                    "\"" + text::one_line(id_, 64) + "\" is no id of a pane: use TmuxPaneRow::id, as in %7");
    }

    struct State {
        bool is_shared = false;   ///< keys go to other panes as well
        std::uint64_t typed = 0;  ///< characters that were not entered
        detail::ForegroundProgram program{};
    };

    /// Error: `ended` if no program would take keys.
    [[nodiscard]] Result<State> state() {
        if (auto valid = check_id(); !valid) return tl::unexpected<Error>(std::move(valid.error()));
        auto said = server_.run({{"display-message", "-p", "-t", id_,
                                  "#{pane_id}\t#{pane_dead}\t#{pane_synchronized}\t#{pane_pid}\t"
                                  "#{pane_current_command}\t#{@heeler_typed}"}});
        if (!said) return tl::unexpected<Error>(std::move(said.error()));
        const auto fields = detail::split(said->substr(0, said->find('\n')), '\t');
        if (fields.size() < 6 || fields[0] != id_) return fail(ErrorCode::ended, "the pane " + id_ + " is gone");
        if (fields[1] == "1") return fail(ErrorCode::ended, "the program in the pane " + id_ + " is over");
        return State{fields[2] == "1", detail::number_of(fields.back()),
                     detail::ForegroundProgram::in_terminal_of(fields[3], fields[4])};
    }

    /// Empty: keys may go there.
    [[nodiscard]] std::string why_not(const State& now) const {
        const std::vector<std::string>& names = now.program.names;
        if (now.is_shared)
            return "what is typed into the pane " + id_ +
                   " goes to others as well: turn its option synchronize-panes off";
        const std::string runs =
            "nothing is typed into the pane " + id_ + ": it runs " + text::one_line(names.back(), 64);
        if (now.program.is_prompt) return runs + ", which is a shell and would execute it";
        const bool right = program_.empty() || std::find(names.begin(), names.end(), program_) != names.end();
        return right ? "" : runs + ", not " + text::one_line(program_, 64);
    }

    /// `more`: how many characters the command types; without any, nothing is left that was not entered.
    [[nodiscard]] Result<void> keys(const std::vector<std::string>& command, std::uint64_t more = 0) {
        const auto now = state();
        if (!now) return tl::unexpected<Error>(now.error());
        if (std::string why = why_not(*now); !why.empty()) return fail(ErrorCode::rejected, std::move(why));
        const std::string typed = std::to_string(more == 0 ? 0 : now->typed + more);
        const auto said = server_.run(
            {{"copy-mode", "-q", "-t", id_}, {"set-option", "-p", "-t", id_, "@heeler_typed", typed}, command});
        return said ? Result<void>() : Result<void>(tl::unexpected<Error>(said.error()));
    }

    TmuxServer server_;
    std::string id_;
    std::string program_;
};

}  // namespace heeler::inline HEELER_ABI

// Reads a shell command far enough to say whether it changes something, waits, looks for something or does nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <heeler/core/plain_loops.hpp>
#include <heeler/detect/loop/masks.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// What a command is, as far as its first words and its redirections tell.
struct CommandFacts {
    std::string_view verb{};  ///< the first word of what is run
    bool waits = false;
    bool writes = false;
    bool nop = false;
    bool clock = false;
    bool search = false;
    bool status = false;    ///< asks how far something has come: `kubectl get`
    bool has_span = false;  ///< `sed -n 10,20p`
};

namespace detail {

/// A set of words, found by hash; what is asked is hashed once.
class Words {
public:
    consteval Words(std::string_view words) {  // with blanks between
        while (!words.empty()) {
            const std::uint32_t hash = word_hash(heeler::detail::take_word(words));
            std::size_t i = hash % std::size(hashes_);
            while (hashes_[i] != 0) i = (i + 1) % std::size(hashes_);
            hashes_[i] = hash;
        }
    }
    [[nodiscard]] constexpr bool has(std::uint32_t hash) const noexcept {
        for (std::size_t i = hash % std::size(hashes_); hashes_[i] != 0; i = (i + 1) % std::size(hashes_))
            if (hashes_[i] == hash) return true;
        return false;
    }
    [[nodiscard]] constexpr bool has(std::string_view word) const noexcept { return has(word_hash(word)); }

private:
    std::uint32_t hashes_[128]{};
};

inline constexpr Words writing_commands{
    "mkdir rm rmdir cp mv touch chmod chown ln tee dd kill pkill killall tar unzip zip gzip gunzip wget useradd "
    "userdel usermod groupadd passwd truncate patch install rsync insert update delete drop alter create unlink "
    "apply_patch"};
inline constexpr Words writing_if{
    "git pip pip3 npm yarn pnpm apt apt-get brew gem cargo go conda uv poetry systemctl service apk yum dnf"};
inline constexpr Words writing_subcommands{
    "add bisect commit checkout stash reset push pull clone merge apply rebase restore switch clean revert cherry-pick "
    "am mv rm tag init install i ci pkg uninstall remove update upgrade get start stop restart reload enable disable "
    "sync"};
inline constexpr Words searching_commands{
    "grep egrep fgrep rg ag find fd ls cat head tail less awk which wc jq curl select tree stat file type whereis "
    "locate show describe"};
inline constexpr Words status_commands{
    "kubectl oc helm docker podman gh glab squeue sacct qstat nomad aws gcloud az argocd heroku vercel "
    "systemctl"};
inline constexpr Words git_reading{"log status diff show blame grep ls-files branch"};
inline constexpr Words query_words{
    "select show describe desc explain with pragma insert update delete create drop alter"};
inline constexpr Words shells{"bash sh zsh dash ksh"};

/// Walks over the parts of a command between `;`, `&&`, `||`, `|`, `&` and line ends, outside of quotes and of
/// documents that stand in the command.
class CommandReader {
public:
    explicit CommandReader(std::string_view text) noexcept : at_{text.data()}, end_{text.data() + text.size()} {}

    [[nodiscard]] CommandFacts read(bool shell_syntax) noexcept {
        if (!shell_syntax) return read_code();
        bool all_nop = true;
        while (at_ != end_) {
            part();
            all_nop = all_nop && part_is_nop_;
        }
        facts_.nop = all_nop && !special_ && !facts_.writes;
        facts_.clock = facts_.clock && commands_ == 1;
        facts_.waits = facts_.waits || (is_loop_ && sleeps_ && !facts_.writes);
        return facts_;
    }

private:
    /// Of a program in a language that is no shell's, only a query's first word and comments are understood.
    [[nodiscard]] CommandFacts read_code() noexcept {
        facts_.verb = first_word(between(at_, end_));
        const std::uint32_t verb = word_hash(facts_.verb);
        facts_.search = searching_commands.has(verb);
        facts_.writes = query_words.has(verb) && writing_commands.has(verb);
        facts_.nop = true;
        while (at_ != end_) {
            const char* stop = at_;
            while (stop != end_ && *stop != '\n') ++stop;
            const std::string_view line = trim(between(at_, stop));
            facts_.nop = facts_.nop && (line.empty() || line[0] == '#' || line == "pass");
            at_ = stop == end_ ? stop : stop + 1;
        }
        return facts_;
    }
    [[nodiscard]] static std::string_view first_word(std::string_view text) noexcept {
        text = trim(text);
        const char* last = text.data();
        while (last != text.data() + text.size() && (is_word(*last) || *last == '-')) ++last;
        return between(text.data(), last);
    }

    void part() noexcept {
        word_count_ = 0;
        bool in_word = false, blank_before = true;
        part_is_nop_ = true;
        const char* word = at_;
        const auto close = [&](const char* stop) {
            if (in_word && word_count_ < std::size(words_)) words_[word_count_++] = between(word, stop);
            in_word = false;
        };
        for (; at_ != end_; ++at_) {
            const char c = *at_;
            if (c == '#' && blank_before && !in_word) {
                while (at_ != end_ && *at_ != '\n') ++at_;
                if (at_ == end_) break;
            }
            if (*at_ == ';' || *at_ == '\n' || *at_ == '|' || *at_ == '&') {
                if (*at_ == '&' && end_ - at_ > 1 && at_[1] == '>') continue;  // &> file
                close(at_);
                const bool line_end = *at_ == '\n';
                ++at_;
                if (line_end) skip_document();
                break;
            }
            blank_before = is_blank(*at_);
            const bool arrow = in_word && (at_[-1] == '-' || at_[-1] == '=');  // or "=>", or ">="
            const bool compares = arrow || between(at_, end_).starts_with(">=");
            const bool redirects = *at_ == '>' && !compares, documents = *at_ == '<' && end_ - at_ > 1 && at_[1] == '<';
            if (blank_before || redirects || documents) {
                close(at_);
                if (redirects) redirection();
                if (documents) document();
                continue;
            }
            if (!in_word) {
                in_word = true;
                word = at_;
            }
            if (*at_ == '\'' || *at_ == '"')
                quoted(*at_);
            else if (*at_ == '\\' && end_ - at_ > 1)
                ++at_;
            else if (std::string_view{"$`(){}["}.find(*at_) != std::string_view::npos)
                special_ = true;
            if (at_ == end_) break;
        }
        close(at_);
        judge();
    }
    /// To the closing quote, or the end.
    void quoted(char quote) noexcept {
        for (++at_; at_ != end_ && *at_ != quote; ++at_) {
            if (quote == '"' && *at_ == '\\' && end_ - at_ > 1)
                ++at_;
            else if (quote == '"' && (*at_ == '$' || *at_ == '`'))
                special_ = true;
        }
        if (at_ == end_) --at_;  // the loop that called steps on
    }
    void redirection() noexcept {
        if (end_ - at_ > 1 && (at_[1] == '>' || at_[1] == '|')) ++at_;
        const char* target = skip_blanks(at_ + 1, end_);
        if (target != end_ && *target == '&') {
            at_ = target;
            return;
        }
        if (!between(target, end_).starts_with("/dev/null") && target != end_) facts_.writes = true;
        const char* stop = target;
        while (stop != end_ && !is_blank(*stop) && *stop != ';' && *stop != '|' && *stop != '&' && *stop != ')') ++stop;
        at_ = stop == at_ ? at_ : stop - 1;
    }
    /// `<<EOF`: what follows the line up to a line of that word is no command. `<<<` is none.
    void document() noexcept {
        at_ += 2;
        if (at_ != end_ && *at_ == '<') return;
        if (at_ != end_ && *at_ == '-') ++at_;
        at_ = skip_blanks(at_, end_);
        const char quote = at_ != end_ && (*at_ == '\'' || *at_ == '"') ? *at_++ : '\0';
        const char* stop = at_;
        while (stop != end_ && is_word(*stop)) ++stop;
        delimiter_ = between(at_, stop);
        at_ = stop;
        if (quote != '\0' && at_ != end_ && *at_ == quote) ++at_;
        has_document_ = true;
        if (at_ != end_)
            --at_;
        else
            at_ = end_ - 1;
    }
    void skip_document() noexcept {
        if (delimiter_.empty()) return;
        while (at_ != end_) {
            const char* stop = at_;
            while (stop != end_ && *stop != '\n') ++stop;
            const bool last = trim(between(at_, stop)) == delimiter_;
            at_ = stop == end_ ? stop : stop + 1;
            if (last) break;
        }
        delimiter_ = {};
    }

    [[nodiscard]] static std::string_view base_name(std::string_view word) noexcept {
        const auto slash = word.rfind('/');
        return slash == std::string_view::npos ? word : word.substr(slash + 1);
    }
    [[nodiscard]] static bool is_assignment(std::string_view word) noexcept {
        std::size_t i = 0;
        while (i < word.size() && is_word(word[i])) ++i;
        return i > 0 && i < word.size() && word[i] == '=' && !is_digit(word[0]);
    }
    /// Which word is the command: not `sudo`, `env A=b`, `timeout 5` and the like.
    [[nodiscard]] std::size_t command_word() const noexcept {
        std::size_t i = 0;
        while (i < word_count_) {
            const std::string_view word = words_[i];
            if (is_assignment(word)) {
                ++i;
            } else if (word == "sudo" || word == "time" || word == "env" || word == "nohup" || word == "command" ||
                       word == "exec" || word == "nice" || word == "then" || word == "do" || word == "else" ||
                       word == "if" || word == "while" || word == "until" || word == "!") {
                ++i;
                while (i < word_count_ && words_[i].starts_with('-')) ++i;
            } else if (word == "timeout") {
                ++i;
                while (i < word_count_ && (words_[i].starts_with('-') || is_digit(words_[i][0]))) ++i;
            } else {
                break;
            }
        }
        return i;
    }

    void judge() noexcept {
        if (commands_ == 0 && word_count_ > 0)
            is_loop_ = is_loop_ || words_[0] == "until" || words_[0] == "while" || words_[0] == "for";
        std::size_t first = command_word();
        if (first == word_count_) {  // nothing, a comment, or assignments
            part_is_nop_ = word_count_ == 0;
            return;
        }
        std::string_view word = base_name(words_[first]);
        while (!word.empty() && (word.front() == '(' || word.front() == '{')) word.remove_prefix(1);
        if (word.empty() && first + 1 < word_count_) word = base_name(words_[++first]);
        part_is_nop_ = word.starts_with(':') || word == "true" || word == "false" || word == "echo" || word == "printf";
        if (word == "cd" || word == "source" || word == "." || word == "export" || word == "set" || word == "pushd") {
            if (facts_.verb.empty()) facts_.verb = word;
            return;
        }
        const std::uint32_t hash = word_hash(word);
        if (shells.has(hash) && inner_command(first)) return;
        sleeps_ = sleeps_ || word == "sleep";
        ++commands_;
        if (commands_ == 1) {
            facts_.verb = word;
            facts_.waits = word == "sleep" || word == "wait";
            facts_.clock = word == "date" || word == "uptime" || word == "uuidgen";
            facts_.status = status_commands.has(hash);
            facts_.search = searching_commands.has(hash) || is_searching(first, word);
        }
        facts_.writes = facts_.writes || writing_commands.has(hash) || is_writing(first, word, hash);
        if (word == "sed") read_sed(first);
        if (word == "cat" && has_document_) facts_.writes = true;
        has_document_ = false;
    }
    [[nodiscard]] bool has_option(std::size_t from, std::string_view option) const noexcept {
        for (std::size_t i = from; i < word_count_; ++i)
            if (words_[i].starts_with(option)) return true;
        return false;
    }
    /// The first word behind the options, and behind what `-C` and `-c` take.
    [[nodiscard]] std::string_view subcommand(std::size_t command) const noexcept {
        for (std::size_t i = command + 1; i < word_count_; ++i) {
            if (words_[i] == "-C" || words_[i] == "-c")
                ++i;
            else if (!words_[i].starts_with('-'))
                return words_[i];
        }
        return {};
    }
    [[nodiscard]] bool is_searching(std::size_t first, std::string_view word) const noexcept {
        if (word == "git") return git_reading.has(subcommand(first));
        if (word == "sed") return has_option(first + 1, "-n");
        return word.starts_with("python") && has_option(first + 1, "-c");
    }
    [[nodiscard]] bool is_writing(std::size_t first, std::string_view word, std::uint32_t hash) const noexcept {
        if (word.starts_with("python") && first + 3 < word_count_ && words_[first + 1] == "-m" &&
            words_[first + 2] == "pip")
            return writing_subcommands.has(words_[first + 3]);
        if (word == "service") return word_count_ > first + 2 && writing_subcommands.has(words_[first + 2]);
        if (word == "stash") return false;
        if (word == "curl") return saves_answer(first);
        if (!writing_if.has(hash)) return false;
        const std::string_view sub = subcommand(first);
        if (word == "git" && (sub == "stash" || sub == "tag") && first + 2 < word_count_) {
            const std::string_view last = words_[word_count_ - 1];
            return last != "list" && last != "show" && last != "-l";
        }
        if (word == "uv" && sub == "pip") return true;
        return writing_subcommands.has(sub);
    }
    /// `curl -sO URL`, `curl -o FILE URL`: nothing is printed, and nothing is wrong.
    [[nodiscard]] bool saves_answer(std::size_t first) const noexcept {
        for (std::size_t i = first + 1; i < word_count_; ++i) {
            const std::string_view word = words_[i];
            const bool is_short = word.size() > 1 && word[0] == '-' && word[1] != '-';
            if (word == "--remote-name" || (is_short && word.find('O') != std::string_view::npos)) return true;
            if (word != "--output" && !(is_short && word.back() == 'o')) continue;
            return i + 1 < word_count_ && words_[i + 1] != "/dev/null";
        }
        return false;
    }
    void read_sed(std::size_t first) noexcept {
        for (std::size_t i = first + 1; i < word_count_; ++i) {
            std::string_view word = words_[i];
            if (word.starts_with("-i") || word.starts_with("--in-place")) facts_.writes = true;
            if (word.size() > 2 && (word[0] == '\'' || word[0] == '"')) word = word.substr(1, word.size() - 2);
            facts_.has_span = facts_.has_span || (word.size() > 1 && is_digit(word[0]) && word.back() == 'p');
        }
    }
    /// `bash -c '...'`: what counts is what stands in the quotes.
    [[nodiscard]] bool inner_command(std::size_t first) noexcept {
        if (is_inner_) return false;
        for (std::size_t i = first + 1; i + 1 < word_count_; ++i) {
            if (words_[i] != "-c" && words_[i] != "-lc") continue;
            std::string_view inner = words_[i + 1];
            if (inner.size() > 1 && (inner[0] == '\'' || inner[0] == '"')) inner = inner.substr(1, inner.size() - 2);
            CommandReader reader{inner};
            reader.is_inner_ = true;
            const CommandFacts found = reader.read(true);
            part_is_nop_ = found.nop;
            ++commands_;
            const bool writes = facts_.writes || found.writes;
            if (commands_ == 1) facts_ = found;
            facts_.writes = writes;
            return true;
        }
        return false;
    }

    const char* at_;
    const char* end_;
    CommandFacts facts_{};
    std::string_view words_[24];  ///< of the part
    std::size_t word_count_ = 0;
    std::string_view delimiter_{};
    int commands_ = 0;
    bool has_document_ = false;
    bool part_is_nop_ = false;
    bool special_ = false;  ///< something is expanded or grouped
    bool is_inner_ = false;
    bool is_loop_ = false;
    bool sleeps_ = false;
};

}  // namespace detail

/// `shell_syntax`: false for programs in other languages.
[[nodiscard]] inline CommandFacts command_facts(std::string_view command, bool shell_syntax) noexcept {
    return detail::CommandReader{command}.read(shell_syntax);
}

/// Whether the command is a query of a data base rather than a shell's.
[[nodiscard]] inline bool is_query(std::string_view command) noexcept {
    command = detail::trim(command);
    const char* end = command.data() + command.size();
    return detail::query_words.has(detail::between(command.data(), detail::word_end(command.data(), end)));
}

}  // namespace heeler::inline HEELER_ABI::loops

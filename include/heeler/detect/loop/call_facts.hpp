// Makes the facts of a tool call out of its name and its arguments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <heeler/core/list.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run_filter.hpp>
#include <heeler/detect/loop/arguments.hpp>
#include <heeler/detect/loop/command.hpp>
#include <heeler/detect/loop/facts.hpp>

namespace heeler::inline HEELER_ABI::loops {

namespace detail {

[[nodiscard]] constexpr std::uint32_t half(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}
/// Never 0, which stands for what is absent.
[[nodiscard]] constexpr std::uint32_t half_not_zero(std::uint64_t hash) noexcept {
    const std::uint32_t folded_hash = half(hash);
    return folded_hash != 0 ? folded_hash : 1;
}

/// The words of a tool's name, split at case changes and at what is no letter.
class NameTokens {
public:
    static constexpr std::size_t most = 8;

    explicit NameTokens(std::string_view name) noexcept {
        const char* at = name.data();
        const char* end = at + name.size();
        while (at != end && count_ < most) {
            if (!is_letter(*at)) {
                ++at;
                continue;
            }
            const char* first = at++;
            while (at != end && is_letter(*at) && !is_word_start(first, at, end)) ++at;
            hashes_[count_++] = word_hash(between(first, at));
        }
    }
    [[nodiscard]] bool has_any(const Words& words) const noexcept {
        for (std::size_t i = 0; i < count_; ++i)
            if (words.has(hashes_[i])) return true;
        return false;
    }
    [[nodiscard]] bool begins_with(const Words& words) const noexcept { return count_ > 0 && words.has(hashes_[0]); }
    [[nodiscard]] bool ends_with(const Words& words) const noexcept {
        return count_ > 0 && words.has(hashes_[count_ - 1]);
    }
    [[nodiscard]] bool has(std::uint32_t hash) const noexcept {
        for (std::size_t i = 0; i < count_; ++i)
            if (hashes_[i] == hash) return true;
        return false;
    }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }

private:
    /// "BashOutput", "readHTMLFile".
    [[nodiscard]] static bool is_word_start(const char* first, const char* at, const char* end) noexcept {
        if (!is_upper(*at)) return false;
        return !is_upper(at[-1]) || (at - first > 0 && end - at > 1 && is_lower(at[1]));
    }

    std::uint32_t hashes_[most]{};
    std::size_t count_ = 0;
};

inline constexpr Words waiting_names{"wait sleep poll await"};
inline constexpr Words watching_ends{"output status logs log stdin progress"};
inline constexpr Words reading_subcommands{"view read open cat list show get search"};
inline constexpr Words known_subcommands{
    "view read open cat list show get search create insert write edit replace append delete remove rename move "
    "update add set undo str_replace undo_edit patch apply copy save complete"};
inline constexpr Words reading_names{"get list read view show fetch describe lookup search query check find"};
inline constexpr Words sending_names{"send write put"};
inline constexpr Words typed_names{"input keys key keystrokes"};
inline constexpr Words replacing_names{"replace edit write"};
inline constexpr Words writing_names{
    "write edit create update delete remove insert replace append patch apply save put move rename mkdir submit send "
    "book cancel modify fix return exchange todo commit set add"};
inline constexpr Words clock_names{"date time clock now uptime random uuidgen"};
inline constexpr Words searching_names{"grep glob search find query list read ls get fetch sql select"};
inline constexpr Words shell_names{"bash sh shell zsh terminal exec execute command cmd"};
inline constexpr Words language_names{"python ipython sql jupyter node javascript repl mysql sqlite"};
inline constexpr Words version_names{"git hg svn"};

/// Collects the words and digit runs of a text that comes piece by piece.
class TokenCollector {
public:
    TokenCollector(TokenSet& to, const NameTokens& without, std::size_t& left) noexcept
        : to_{to}, without_{without}, left_{left} {}

    void put(std::string_view text) noexcept {
        text = text.substr(0, left_);
        left_ -= text.size();
        const char* at = text.data();
        const char* end_of_text = at + text.size();
        while (at != end_of_text) {
            if (size_ == 0) {
                while (at != end_of_text && !is_word(*at)) ++at;
                if (at == end_of_text) return;
                number_ = is_digit(*at);
            }
            const char* first = at;
            std::uint32_t hash = hash_;
            while (at != end_of_text && (number_ ? is_digit(*at) : is_word(*at)))
                hash = (hash ^ static_cast<unsigned char>(fold(*at++))) * 16777619u;
            hash_ = hash;
            size_ += static_cast<std::size_t>(at - first);
            if (at != end_of_text) end();
        }
    }
    void end() noexcept {
        const std::uint32_t hash = hash_ ^ (hash_ >> 15);
        if (size_ > 1 || (size_ == 1 && number_))
            if (!without_.has(hash)) to_.add(static_cast<std::uint16_t>(hash ^ (hash >> 16)));
        size_ = 0;
        hash_ = 2166136261u;
    }

private:
    TokenSet& to_;
    const NameTokens& without_;
    std::size_t& left_;  ///< bytes that are still looked at
    std::uint32_t hash_ = 2166136261u;
    std::size_t size_ = 0;
    bool number_ = false;
};

/// Takes the scalars of a call's arguments and adds up what is known of them.
class CallReader {
public:
    explicit CallReader(const NameTokens& name) noexcept : name_{name} {}

    void begin(const Scalar& scalar) noexcept {
        scalar_ = scalar;
        hasher_.reset();
        left_ = most_words_in;
        blanks_ = 0;
        size_ = 0;
        optional_ = scalar.depth == 1 && (scalar.role == KeyRole::free_text || scalar.role == KeyRole::description);
        if (optional_) own_ = TokenSet{};
        is_command_ = scalar.role == KeyRole::command && scalar.is_text && scalar.depth <= 2 &&
                      (scalar.depth == 1 || scalar.in_array);
        if (is_command_ && scalar.in_array) next_command_word(scalar.place);
        tokens_ = &(optional_ ? free_tokens_ : call_tokens_);
    }
    void put(char c) noexcept { put(std::string_view{&c, 1}); }
    void put(std::string_view text) noexcept {
        hasher_.put(text);
        size_ += text.size();
        if (optional_)
            for (const char c : text) blanks_ += c == ' ' ? 1 : 0;
        if (!scalar_.changing) tokens_->put(text);
        if (is_command_) put_command(text);
    }
    void end() noexcept {
        tokens_->end();
        if (scalar_.changing) return;
        const ScalarHasher::Hashes hashes = hasher_.finish();
        const bool for_people = optional_ && (scalar_.role == KeyRole::description || blanks_ >= 2 || size_ == 0);
        Sums& to = for_people ? dropped_ : kept_;
        to.add(scalar_.path, hashes);
        if (for_people) return merge(own_, dropped_tokens);
        if (optional_) merge(own_, tokens);
        if (scalar_.role == KeyRole::span)
            has_span = true;
        else
            without_span_ += text::combine(scalar_.path, hashes.typed);
        if (scalar_.role != KeyRole::command && scalar_.role != KeyRole::option && !optional_) ++others;
        note_edit(hashes.exact);
    }

    struct Sums {
        std::uint64_t exact = 0, typed = 0, shape = 0;
        std::uint32_t count = 0;
        void add(std::uint64_t path, const ScalarHasher::Hashes& hashes) noexcept {
            exact += text::combine(path, hashes.exact);
            typed += text::combine(path, hashes.typed);
            shape += text::combine(path, hashes.shape);
            ++count;
        }
    };
    /// What is for people counts where there is nothing else: of a tool for thinking the thought is all there is.
    [[nodiscard]] const Sums& sums() const noexcept { return kept_.count > 0 ? kept_ : dropped_; }
    [[nodiscard]] const TokenSet& all_tokens() const noexcept { return kept_.count > 0 ? tokens : dropped_tokens; }
    [[nodiscard]] std::uint64_t without_span() const noexcept { return without_span_; }
    [[nodiscard]] std::string_view command() const noexcept { return {command_, command_size_}; }

    TokenSet tokens{}, dropped_tokens{};
    std::uint64_t file = 0, old_text = 0, new_text = 0, whole = 0;
    std::uint32_t others = 0;  ///< scalars beside the command that say what it is to do
    bool has_span = false;

private:
    /// Of ["bash", "-lc", "git status"] the third is the command.
    void next_command_word(std::uint32_t place) noexcept {
        if (place == 2 && (command().ends_with("sh -c") || command().ends_with("sh -lc")))
            command_size_ = 0;
        else if (place > 0)
            put_command(" ");
    }
    void put_command(std::string_view text) noexcept {
        text = text.substr(0, std::size(command_) - command_size_);
        std::memcpy(command_ + command_size_, text.data(), text.size());
        command_size_ += text.size();
    }
    static void merge(const TokenSet& from, TokenSet& to) noexcept {
        for (std::size_t i = 0; i < from.count; ++i) to.add(from.tokens[i]);
    }
    void note_edit(std::uint64_t hash) noexcept {
        const KeyRole role = scalar_.role;
        if (role == KeyRole::path) file = text::combine(file, hash);
        if (role == KeyRole::old_text) old_text = text::combine(old_text, hash);
        if (role == KeyRole::new_text) new_text = text::combine(new_text, hash);
        if (role == KeyRole::whole) whole = text::combine(whole, hash);
    }

    static constexpr std::size_t most_words_in = 4096;  ///< bytes

    const NameTokens& name_;
    std::size_t left_ = most_words_in;
    TokenSet own_{};
    TokenCollector call_tokens_{tokens, name_, left_};
    TokenCollector free_tokens_{own_, name_, left_};
    TokenCollector* tokens_ = &call_tokens_;
    Scalar scalar_{};
    ScalarHasher hasher_;
    Sums kept_{}, dropped_{};
    std::uint64_t without_span_ = 0;
    std::size_t blanks_ = 0, size_ = 0;
    bool optional_ = false, is_command_ = false;
    std::size_t command_size_ = 0;
    char command_[4096];
};

[[nodiscard]] inline bool is_bare_word(std::string_view text) noexcept {
    for (const char c : text)
        if (!is_letter(c) && c != '_') return false;
    return !text.empty();
}

/// What the word tables say of a call.
struct Table {
    const NameTokens& name;
    std::string_view subcommand{};  ///< of a tool that has some
    bool has_command = false;
    CommandFacts command{};

    [[nodiscard]] CallKind kind() const noexcept {
        if (waits()) return CallKind::wait;
        if (!subcommand.empty() && reading_subcommands.has(subcommand)) return CallKind::read;
        if (!subcommand.empty()) return CallKind::write;
        if (has_command && command.writes) return CallKind::write;
        const bool reads =
            (name.begins_with(reading_names) || name.ends_with(reading_names)) && !name.has_any(replacing_names);
        if (name.begins_with(sending_names) && name.ends_with(typed_names)) return CallKind::read;  // of a program
        return name.has_any(writing_names) && !reads ? CallKind::write : CallKind::read;
    }
    [[nodiscard]] bool waits() const noexcept {
        if (has_command) return command.waits;
        if (!subcommand.empty()) return false;
        return name.has_any(waiting_names) ||
               (name.count() >= 2 && name.ends_with(watching_ends) && !name.has_any(version_names));
    }
    [[nodiscard]] bool tells_the_time() const noexcept {
        return has_command ? command.clock : name.count() <= 3 && name.has_any(clock_names);
    }
    [[nodiscard]] bool searches() const noexcept {
        return name.has_any(searching_names) || (has_command && command.search);
    }
};

[[nodiscard]] inline std::uint32_t command_line_hash(std::string_view line) noexcept {
    return half_not_zero(text::fingerprint_text(trim(line)));
}

/// The verbs of commands in one language are told apart, those of different tools as well.
[[nodiscard]] inline std::uint32_t verb_of(std::uint64_t tool, std::string_view word) noexcept {
    return half_not_zero(text::combine(tool, text::fingerprint_text(word)));
}

/// Of a short command, but for the paths, files and addresses that it names.
[[nodiscard]] inline std::uint32_t form_of(std::string_view command) noexcept {
    std::uint64_t sum = 0;
    if (command.size() > 200) return 0;
    while (!command.empty())
        if (const auto word = heeler::detail::take_word(command); word.find_first_of("/.") == std::string_view::npos)
            sum = text::combine(sum, text::fingerprint_text(word));
    return half_not_zero(sum);
}

inline void override_kind(CallFacts& facts, std::string_view name, const List<ToolRule>& rules) noexcept {
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (!heeler::detail::matches_glob(rules[i].tools, name)) continue;
        facts.rule = i < 255 ? static_cast<std::uint8_t>(i + 1) : std::uint8_t{0};
        const ToolTreatment treatment = rules[i].treatment;
        facts.exempt = treatment == ToolTreatment::exempt;
        facts.declared = treatment != ToolTreatment::as_named && !facts.exempt;
        if (!facts.declared) return;
        facts.nop = facts.clock = false;
        facts.kind = treatment == ToolTreatment::read    ? CallKind::read
                     : treatment == ToolTreatment::write ? CallKind::write
                                                         : CallKind::wait;
        return;
    }
}

[[nodiscard]] inline Table table_of(const NameTokens& name, std::string_view called, const CallReader& reader,
                                    std::string_view command) noexcept {
    Table table{name};
    if (is_bare_word(command) && reader.others > 0 && known_subcommands.has(command)) {
        table.subcommand = command;
    } else if (!command.empty()) {
        const bool other_language = name.has_any(language_names) && !command.starts_with(called);
        table.has_command = true;
        table.command = command_facts(command.substr(0, 4096), !other_language && !is_query(command));
    }
    return table;
}

inline void note_span(CallFacts& facts, const CallReader& reader, const Table& table, std::uint64_t tool) noexcept {
    if (facts.kind != CallKind::read || (!reader.has_span && !table.command.has_span)) return;
    facts.has_span = true;
    facts.resource = half_not_zero(text::combine(tool, reader.has_span ? reader.without_span() : reader.sums().shape));
}

inline void note_edit(CallFacts& facts, const CallReader& reader) noexcept {
    if (facts.kind != CallKind::write || reader.file == 0) return;
    facts.file = half_not_zero(reader.file);
    if (reader.old_text != 0) facts.old_text = half_not_zero(reader.old_text);
    if (reader.new_text != 0) facts.new_text = half_not_zero(reader.new_text);
    if (reader.whole != 0) facts.whole = half_not_zero(reader.whole);
}

[[nodiscard]] inline CallFacts facts_from(const CallReader& reader, const NameTokens& name, std::string_view called,
                                          std::string_view command, const Overrides& overrides) noexcept {
    constexpr std::size_t long_command = 80;
    const std::uint64_t tool = text::fingerprint_text(called.empty() ? "unknown" : called);
    const CallReader::Sums& sums = reader.sums();
    CallFacts facts;
    facts.exact = half(text::combine(tool, sums.exact));
    facts.typed = half(text::combine(tool, sums.typed));
    facts.shape = half(text::combine(tool, sums.shape));
    facts.tool = half_not_zero(tool);
    facts.name = token_of(called);
    facts.tokens = reader.all_tokens();
    const Table table = table_of(name, called, reader, trim(command));
    facts.kind = table.kind();
    facts.shell = table.has_command;
    if (facts.shell) facts.command = command_line_hash(trim(command).substr(0, trim(command).find('\n')));
    facts.nop = table.has_command && table.command.nop;
    facts.long_shell = table.has_command && trim(command).size() > long_command;
    facts.clock = table.tells_the_time();
    facts.search = table.searches();
    facts.status = table.has_command && table.command.status;
    facts.has_path = reader.file != 0;
    facts.verb = verb_of(tool, table.has_command ? table.command.verb : table.subcommand);
    if (facts.shell && facts.kind == CallKind::read) facts.resource = form_of(trim(command));
    override_kind(facts, called, overrides);
    note_span(facts, reader, table, tool);
    note_edit(facts, reader);
    return facts;
}

}  // namespace detail

/// Linear in the arguments, never allocates. Of commands and words the first 4 KiB are looked at, hashes are of all.
[[nodiscard]] inline CallFacts facts_of(const ToolCall& call, const Overrides& overrides) noexcept {
    const detail::NameTokens name{call.name};
    {
        detail::CallReader reader{name};
        if (detail::ArgumentWalker{call.args, reader}.walk())
            return detail::facts_from(reader, name, call.name, reader.command(), overrides);
    }
    detail::CallReader plain{name};
    plain.begin(detail::Scalar{});
    plain.put(call.args);
    plain.end();
    const bool is_command = name.has_any(detail::shell_names);
    return detail::facts_from(plain, name, call.name, is_command ? call.args : std::string_view{}, overrides);
}

}  // namespace heeler::inline HEELER_ABI::loops

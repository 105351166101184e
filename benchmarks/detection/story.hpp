// Makes up a recording: calls with their results, messages and output, with times between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recording.hpp"

namespace detection {

using Random = std::mt19937;

/// Where in a recording an episode of one kind begins.
struct Chapter {
    std::size_t line = 0;
    std::string name{};
};

class Story {
public:
    explicit Story(std::uint32_t seed) : random_{seed} {}

    // --- chance --------------------------------------------------------------------------------------------------
    [[nodiscard]] std::size_t below(std::size_t most) { return random_() % most; }
    [[nodiscard]] std::size_t between(std::size_t least, std::size_t most) { return least + below(most - least + 1); }
    [[nodiscard]] bool once_in(std::size_t times) { return below(times) == 0; }
    template <class T>
    [[nodiscard]] const T& one_of(const std::vector<T>& all) {
        return all[below(all.size())];
    }
    [[nodiscard]] std::string word() {
        return std::string{one_of(words)} + (once_in(3) ? std::to_string(below(900)) : "");
    }
    /// A word that no other call of it gives.
    [[nodiscard]] std::string name() { return std::string{one_of(words)} + "_" + std::to_string(++names_); }
    [[nodiscard]] std::string path() { return "src/" + std::string{one_of(words)} + "/" + name() + ".py"; }
    [[nodiscard]] std::string sentence(std::size_t count = 9) {
        std::string text = "The";
        while (count-- > 0) text += " " + std::string{one_of(words)};
        return text + " " + name() + ".";
    }
    [[nodiscard]] std::string code(std::size_t lines) {
        std::string text;
        for (std::size_t i = 0; i < lines; ++i)
            text += "    " + name() + " = " + std::string{one_of(words)} + "(" + std::to_string(below(1'000)) + ")\n";
        return text;
    }
    [[nodiscard]] std::string hex(std::size_t digits) {
        std::string text;
        while (digits-- > 0) text += "0123456789abcdef"[below(16)];
        return text;
    }

    // --- what happens --------------------------------------------------------------------------------------------
    /// The story goes on about something else.
    Story& chapter(std::string name) {
        chapters_.push_back({run_.lines.size(), std::move(name)});
        return *this;
    }
    Story& wait(double seconds) {
        at_ += seconds;
        return *this;
    }
    /// Returns the call's id.
    std::string call(std::string_view tool, std::string_view args) {
        wait(0.5 + double(below(80)) / 10);
        std::string id = "call_" + std::to_string(++calls_);
        add(Happening::Kind::call, args).name = tool;
        run_.lines.back().call_id = id;
        return id;
    }
    Story& result(const std::string& id, std::optional<bool> ok, std::string_view text) {
        wait(0.1 + double(below(20)) / 10);
        Happening& line = add(Happening::Kind::result, text);
        line.call_id = id;
        line.ok = ok;
        return *this;
    }
    Story& unit(std::string_view tool, std::string_view args, std::optional<bool> ok, std::string_view text) {
        return result(call(tool, args), ok, text);
    }
    Story& shell(std::string_view command, bool ok, std::string_view text) {
        return unit("bash", R"({"command": ")" + std::string{command} + R"("})", ok, text);
    }
    Story& says(std::string_view text) {
        wait(1);
        add(Happening::Kind::assistant, text);
        return *this;
    }
    Story& thinks(std::string_view text) {
        wait(1);
        add(Happening::Kind::thinking, text);
        return *this;
    }
    Story& is_told(std::string_view text) {
        add(Happening::Kind::user, text);
        return *this;
    }
    /// A piece of output; `unfinished`: its last line goes on.
    Story& prints(std::string_view text, bool unfinished = false) {
        add(Happening::Kind::output, text).ok = !unfinished;
        return *this;
    }
    Story& is_compacted() {
        add(Happening::Kind::compaction, "");
        return *this;
    }

    /// A step of ordinary work: something new is read, searched, changed or run.
    Story& works(std::size_t steps = 1) {
        while (steps-- > 0) {
            if (once_in(3)) says(sentence());
            switch (below(4)) {
                case 0:
                    unit("read_file", R"({"path": ")" + path() + R"("})", true, code(between(5, 30)));
                    break;
                case 1:
                    unit("grep", R"({"pattern": ")" + name() + R"("})", true, path() + ":12: " + code(1));
                    break;
                case 2:
                    unit("edit_file",
                         R"({"path": ")" + path() + R"(", "old": ")" + name() + R"(", "new": ")" + name() + R"("})",
                         true, "The file has been updated.");
                    break;
                default:
                    shell("python " + path(), true, sentence() + "\n" + code(2));
            }
        }
        return *this;
    }

    [[nodiscard]] std::size_t size() const noexcept { return run_.lines.size(); }
    [[nodiscard]] const std::vector<Chapter>& chapters() const noexcept { return chapters_; }
    /// What happened up to now.
    [[nodiscard]] const Recording& told() const noexcept { return run_; }

private:
    Happening& add(Happening::Kind kind, std::string_view text) {
        Happening& line = run_.lines.emplace_back();
        line.kind = kind;
        line.at = at_;
        line.text = text;
        return line;
    }

    static inline const std::vector<std::string_view> words{
        "parser",  "session", "window", "ledger",  "client", "buffer", "garden", "orbit",  "marble", "copper",
        "lantern", "bridge",  "meadow", "harbour", "signal", "thread", "packet", "cursor", "engine", "kernel",
        "socket",  "tensor",  "router", "planet",  "violet", "silver", "button", "canvas", "folder", "branch",
        "commit",  "release", "token",  "vector",  "matrix", "record", "column", "schema", "filter", "report"};

    Random random_;
    Recording run_;
    std::vector<Chapter> chapters_;
    double at_ = 0;
    std::size_t calls_ = 0;
    std::size_t names_ = 0;
};

}  // namespace detection

// The world outside the watchdog's processes: a log that only grows. What stands in it has happened, whoever dies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace crash {

/// One line of the log: a story's second, and words of which the first says what happened:
///   born N                    a process begins to play; N were before it
///   step N                    what follows belongs to this step of the story
///   point N before|after WHAT the process is at a point where it may be killed
///   asked VERB KEY RUN        the agent control was called
///   rejected VERB KEY RUN     and refused
///   effect VERB KEY RUN       and something happened to the run
///   sent KEY RUN KIND         people got an alert
///   unheard KEY RUN KIND      they did not
///   cleared ok|failed         the watchdog's own context was to be cleared
///   wrote RUN NUMBER          an agent got its checkpoint confirmed
///   stored|refused|failed RUN ...  what became of the run's row in a commit
///   over RUN                  a watchdog knew that the run is over
///   wrong I.. TEXT            somebody saw an invariant broken
///   killed, stopped           the process is gone, or stands still
struct Line {
    std::int64_t at = 0;
    std::vector<std::string> words;
    std::string text;

    [[nodiscard]] bool is(std::string_view what) const { return !words.empty() && words[0] == what; }
    [[nodiscard]] bool is(std::string_view what, std::string_view second) const {
        return is(what) && words.size() > 1 && words[1] == second;
    }
    [[nodiscard]] std::string word(std::size_t at_word) const {
        return at_word < words.size() ? words[at_word] : std::string{};
    }
};

/// The log. Lines of several processes stand in one order; a line is whole or not there. A killed process loses nothing
/// that it wrote, so nothing is synced: the power does not fail here.
class Outside {
public:
    explicit Outside(std::string path) : path_{std::move(path)} {}

    /// The story's second that the next lines carry.
    void at(std::int64_t second) noexcept { second_ = second; }

    void note(const std::string& text) const {
        const std::string line = std::to_string(second_) + " " + text + "\n";
        const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0 || ::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
        ::close(file);
    }

    /// All lines so far, of all processes.
    [[nodiscard]] const std::vector<Line>& lines() const {
        std::ifstream file(path_);
        file.seekg(read_);
        for (std::string text; std::getline(file, text);) {
            read_ += static_cast<std::streamoff>(text.size() + 1);
            Line line;
            std::istringstream words(text);
            words >> line.at;
            for (std::string word; words >> word;) line.words.push_back(word);
            line.text = std::move(text);
            if (line.is("step")) step_ = std::max(step_, std::stoi(line.word(1)));
            lines_.push_back(std::move(line));
        }
        return lines_;
    }

    /// The step that the story has come to.
    [[nodiscard]] int step() const {
        (void)lines();
        return step_;
    }

    /// Whether a line begins with these words.
    [[nodiscard]] bool has(std::string_view what, std::string_view second, std::string_view third = {}) const {
        for (const Line& line : lines())
            if (line.is(what, second) && (third.empty() || line.word(2) == third)) return true;
        return false;
    }

private:
    std::string path_;
    std::int64_t second_ = 0;
    mutable std::vector<Line> lines_;  // as far as the log was read
    mutable std::streamoff read_ = 0;
    mutable int step_ = 0;
};

}  // namespace crash

#include "metric.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>

#include <poll.h>
#include <re2/re2.h>

#include <heeler/agent/process_control.hpp>

namespace supervise {

namespace fs = std::filesystem;

using heeler::ErrorCode;

namespace {

class OutputLines final : public Metric {
public:
    std::string name() const override { return "output lines"; }
    bool reported() const override { return false; }
};

/// Counts every file that is new or has another size or time than at the sample before.
class FilesChanged final : public Metric {
public:
    explicit FilesChanged(std::string directory) : directory_(std::move(directory)) { look(); }

    std::string name() const override { return "files changed under " + directory_; }

    std::optional<std::int64_t> sample() override {
        changed_ += look();
        return changed_;
    }

private:
    struct Seen {
        fs::file_time_type time;
        std::uintmax_t size = 0;
        bool operator==(const Seen&) const = default;
    };
    static constexpr std::size_t max_files = 200000;

    std::int64_t look() {
        std::map<std::string, Seen> now;
        std::int64_t different = 0;
        std::error_code error;
        const auto skip = fs::directory_options::skip_permission_denied;
        fs::recursive_directory_iterator entry(directory_, skip, error);
        for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
            std::error_code gone;
            if (stopped() || now.size() >= max_files) break;
            if (!entry->is_regular_file(gone) || gone) continue;
            const Seen seen{entry->last_write_time(gone), entry->file_size(gone)};
            const std::string path = entry->path().string();
            const auto before = files_.find(path);
            if (before == files_.end() || before->second != seen) ++different;
            now.emplace(path, seen);
        }
        files_ = std::move(now);
        return different;
    }

    std::string directory_;
    std::map<std::string, Seen> files_;
    std::int64_t changed_ = 0;
};

/// Asks git for the number of commits on all branches.
class Commits final : public Metric {
public:
    explicit Commits(std::string repository) : repository_(std::move(repository)) {}

    std::string name() const override { return "commits in " + repository_; }

    std::optional<std::int64_t> sample() override {
        heeler::ProcessSpec spec;
        spec.argv = {"git", "-C", repository_, "rev-list", "--count", "--all"};
        spec.input = heeler::ProcessInput::none;
        spec.term_grace = std::chrono::milliseconds(200);
        spec.die_with_parent = true;
        auto git = heeler::ProcessControl::start(spec);
        if (!git) return std::nullopt;
        std::string text;
        for (int round = 0; round < 500 && git->alive() && !stopped(); ++round) {
            static_cast<void>(git->read_output([&](std::string_view chunk) { text += chunk.substr(0, 100); }));
            ::poll(nullptr, 0, 10);
        }
        static_cast<void>(git->read_output([&](std::string_view chunk) { text += chunk.substr(0, 100); }));
        if (git->alive()) static_cast<void>(git->terminate({}));
        if (git->exit_status() != 0) return std::nullopt;
        return std::strtoll(text.c_str(), nullptr, 10);
    }

private:
    std::string repository_;
};

/// The last number that a regular expression captured. Whatever it says, its time grows with the line only.
class MatchedNumber final : public Metric {
public:
    explicit MatchedNumber(const std::string& expression) : expression_(expression, options()) {}

    std::string name() const override { return "the number in /" + expression_.pattern() + "/"; }

    void see_line(std::string_view line) override {
        re2::StringPiece groups[2];
        const int wanted = expression_.NumberOfCapturingGroups() > 0 ? 2 : 1;
        if (!expression_.Match(line, 0, line.size(), RE2::UNANCHORED, groups, wanted)) return;
        const std::string number(groups[wanted - 1].data(), groups[wanted - 1].size());
        char* end = nullptr;
        const long long value = std::strtoll(number.c_str(), &end, 10);
        if (end == number.c_str()) return;
        const std::lock_guard<std::mutex> lock(mutex_);
        value_ = value;
    }

    std::optional<std::int64_t> sample() override {
        const std::lock_guard<std::mutex> lock(mutex_);
        return value_;
    }

    /// What is wrong with the expression; empty if nothing is.
    [[nodiscard]] std::string wrong() const {
        if (expression_.ok()) return {};
        const std::string& part = expression_.error_arg();
        const auto is = [&](std::string_view begin) { return std::string_view(part).starts_with(begin); };
        if (is("(?=") || is("(?!") || is("(?<"))
            return "looking ahead or behind (\"" + part +
                   "\") needs an engine that backtracks, which can take for ever";
        if (expression_.error_code() == RE2::ErrorBadEscape && part.size() > 1 && part[1] >= '1' && part[1] <= '9')
            return "a back-reference (\"" + part + "\") needs an engine that backtracks, which can take for ever";
        return "not a regular expression that RE2 knows: " + expression_.error();
    }

private:
    /// On bytes: a line that is no valid UTF-8 has numbers too.
    static RE2::Options options() {
        RE2::Options options(RE2::Latin1);
        options.set_log_errors(false);
        return options;
    }

    RE2 expression_;
    std::mutex mutex_;
    std::optional<std::int64_t> value_;
};

}  // namespace

heeler::Result<std::unique_ptr<Metric>> make_metric(const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::string kind = text.substr(0, colon);
    const std::string value = colon == std::string::npos ? "" : text.substr(colon + 1);
    const auto refuse = [&](const std::string& why) {
        return heeler::fail(ErrorCode::invalid_argument, "--metric " + text + ": " + why);
    };
    std::error_code error;
    if (text == "lines") return std::make_unique<OutputLines>();
    if ((kind == "files" || kind == "commits") && !fs::is_directory(value, error))
        return refuse("\"" + value + "\" is not a directory");
    if (kind == "files") return std::make_unique<FilesChanged>(value);
    if (kind == "commits") {
        auto commits = std::make_unique<Commits>(value);
        if (!commits->sample()) return refuse("git cannot count commits there");
        return commits;
    }
    if (kind != "match") return refuse("use lines, files:DIR, commits:REPO or match:REGEX");
    auto matched = std::make_unique<MatchedNumber>(value);
    if (std::string wrong = matched->wrong(); !wrong.empty()) return refuse(wrong);
    return matched;
}

}  // namespace supervise

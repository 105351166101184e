#include "metric.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <poll.h>

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
            if (!entry->is_regular_file(gone) || gone || now.size() >= max_files) continue;
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
        spec.term_grace = std::chrono::milliseconds(200);
        spec.die_with_parent = true;
        auto git = heeler::ProcessControl::start(spec);
        if (!git) return std::nullopt;
        std::string text;
        for (int round = 0; round < 500 && git->alive(); ++round) {
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

/// The last number that a regular expression captured.
class MatchedNumber final : public Metric {
public:
    explicit MatchedNumber(const std::string& expression)
        : text_(expression), expression_(expression, std::regex::ECMAScript | std::regex::optimize) {}

    std::string name() const override { return "the number in /" + text_ + "/"; }

    void see_line(std::string_view line) override {
        // The library's matcher needs stack for every character.
        const std::string head(line.substr(0, 1000));
        std::smatch found;
        try {
            if (!std::regex_search(head, found, expression_)) return;
        } catch (const std::regex_error&) {
            return;
        }
        const std::string number = found.size() > 1 ? found[1].str() : found[0].str();
        char* end = nullptr;
        const long long value = std::strtoll(number.c_str(), &end, 10);
        if (end != number.c_str()) value_ = value;
    }

    std::optional<std::int64_t> sample() override { return value_; }

private:
    std::string text_;
    std::regex expression_;
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
    try {
        return std::make_unique<MatchedNumber>(value);
    } catch (const std::regex_error& wrong) {
        return refuse(std::string("not a regular expression: ") + wrong.what());
    }
}

}  // namespace supervise

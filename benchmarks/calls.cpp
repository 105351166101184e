// A tool call and its result, 300 bytes together, with all rules on.
#include <heeler/text/fingerprint.hpp>

#include "allocations.hpp"
#include "compare.hpp"
#include "host.hpp"

namespace bench {
namespace {

/// One call of a coding agent and what it answered.
struct Turn {
    std::string args;
    std::string output;
};

/// Words that no other answer has.
std::string words(std::mt19937& random, std::size_t size) {
    std::string text;
    while (text.size() < size) {
        for (std::size_t letters = 2 + random() % 8; letters > 0; --letters)
            text += static_cast<char>('a' + static_cast<int>(random() % 26));
        text += random() % 8 == 0 ? '\n' : ' ';
    }
    return text;
}

/// Each with other arguments; the answers tell of a failure, each time the same one but for a number, or of something
/// else each time.
std::vector<Turn> turns(std::size_t count, bool fail) {
    std::mt19937 random{5};
    std::vector<Turn> all;
    for (std::size_t i = 0; i < count; ++i) {
        std::string args = R"({"path": "src/module_)" + std::to_string(i % 97) + R"(/handler.cpp", "offset": )" +
                           std::to_string(i * 40) + R"(, "limit": 40, "pattern": "on_request)";
        args.resize(std::max<std::size_t>(args.size(), 98), 'x');
        args += "\"}";
        std::string output = std::to_string(i) + ": ";
        if (fail) output += "error: no member of that name in the class; did you mean to call ";
        if (!fail) output += words(random, 300);
        while (output.size() + args.size() < 300) output += "the other one ";
        output.resize(300 - args.size());
        all.push_back({std::move(args), std::move(output)});
    }
    return all;
}

class Calls {
public:
    Calls(Effort effort, bool fail) : effort_{effort}, kennel_{0}, turns_{turns(many, fail)}, fail_{fail} {}

    void add(Rows& rows) {
        const std::vector old{more(1)};
        work(old, effort_.of(100'000, 3'000));
        const char* const what = fail_ ? "tool call + result, 300 bytes, all rules on" : "... that tells of no failure";
        rows.push_back(compare(
            effort_, what, 80.0, [&] { return timed(old, many); }, [&] { return hash_timed(); }));
        if (!fail_) return;
        rows.push_back(compare(
            effort_, "... the 100,000th against the 100th", 1.2, [&] { return timed(old, 100); },
            [&] { return young_timed(); }));
        rows.push_back({"... allocations of 1,000 such events", allocated(old), 0, 0.5, ""});
        work(old, effort_.of(900'000, 100));
        rows.push_back(compare(
            effort_, "... the millionth against the 100th", 1.2, [&] { return timed(old, 100); },
            [&] { return young_timed(); }));
        const std::vector herd{more(effort_.of(4'000, 50))};
        work(herd, effort_.of(100, 2));
        rows.push_back(compare(
            effort_, "... cold (4,000 runs in turn) against warm", 2.5, [&] { return timed(herd, 1); },
            [&] { return timed(old, many); }));
    }

private:
    static constexpr std::size_t many = 2'000;

    std::vector<heeler::RunHandle> more(std::size_t count) {
        kennel_.add(count);
        return {kennel_.runs.end() - static_cast<std::ptrdiff_t>(count), kennel_.runs.end()};
    }

    /// `each` turns for each run, one run after the other.
    void work(const std::vector<heeler::RunHandle>& runs, std::size_t each) {
        const heeler::Instant now{};
        for (std::size_t i = 0; i < each; ++i)
            for (const auto run : runs) {
                const Turn& turn = turns_[next_++ % many];
                kennel_.dog->observe(run, heeler::ToolCall{"read_file", turn.args, {}}, now);
                kennel_.dog->observe(run, heeler::ToolResult{true, turn.output, {}, {}}, now);
            }
    }

    /// For each thousand calls with their results, in the host's thread.
    double allocated(const std::vector<heeler::RunHandle>& runs) {
        const std::size_t thousands = effort_.of(100, 1);
        const std::size_t before = allocations();
        work(runs, thousands * 1'000);
        return static_cast<double>(allocations() - before) / static_cast<double>(thousands);
    }

    double young_timed() {
        const std::vector young{more(1)};
        work(young, 100);
        return timed(young, 100);
    }

    double timed(const std::vector<heeler::RunHandle>& runs, std::size_t each) {
        return time_one(runs.size() * each, [&] { work(runs, each); });
    }

    double hash_timed() const {
        volatile std::size_t size = 100;
        return time_one(8 * many, [&] {
            for (int pass = 0; pass < 8; ++pass)
                for (const Turn& turn : turns_) benchmark::DoNotOptimize(XXH3_64bits(turn.output.data(), size));
        });
    }

    Effort effort_;
    Kennel kennel_;
    std::vector<Turn> turns_;
    bool fail_;
    std::size_t next_ = 0;
};

}  // namespace

void add_calls(Effort effort, Rows& rows) {
    Calls{effort, true}.add(rows);
    Calls{effort, false}.add(rows);
}

}  // namespace bench

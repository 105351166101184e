// Output of 100-byte lines: split, fingerprinted twice, counted for all periods up to 64.
#include <heeler/text/fingerprint.hpp>

#include "compare.hpp"
#include "host.hpp"

namespace bench {
namespace {

constexpr std::size_t line_size = 100;
constexpr std::size_t lines_per_read = 40;  // 4 KiB, as a pipe gives them

/// Lines of words, as `bytes` of text; no two alike.
std::string log_text(std::size_t lines, bool digits) {
    std::mt19937 random{3};
    std::string text;
    for (std::size_t i = 0; i < lines; ++i) {
        std::string line =
            digits ? "2025-03-04T05:06:" + std::to_string(10 + i % 50) + " step " + std::to_string(i) : "";
        while (line.size() < line_size) {
            line += ' ';
            for (std::size_t size = 2 + random() % 8; size > 0; --size)
                line += static_cast<char>('a' + static_cast<int>(random() % 26));
        }
        line.resize(line_size);
        text += line;
        text += '\n';
    }
    return text;
}

class Lines {
public:
    Lines(Effort effort, bool digits)
        : effort_{effort}, text_{log_text(lines, digits)}, kennel_{0}, name_{digits ? " with digits" : ""} {}

    void add(Rows& rows, double budget) {
        const std::size_t fresh = 8;
        kennel_.add(fresh);
        const auto old = kennel_.runs;
        for (const auto run : old) feed(run, effort_.of(1'000'000, 2'000));
        rows.push_back(compare(
            effort_, "output line" + name_ + ", in 4 KiB reads", budget, [&] { return feed_timed(old, 800); },
            [&] { return hash_timed(); }));
        rows.push_back(compare(
            effort_, "... one line per call", 0, [&] { return feed_timed(old, 800, 1); },
            [&] { return hash_timed(); }));
        rows.push_back(compare(
            effort_, "... the millionth against the hundredth", 1.2, [&] { return feed_timed(old, 120); },
            [&] {
                kennel_.add(fresh);
                const std::vector young(kennel_.runs.end() - fresh, kennel_.runs.end());
                for (const auto run : young) feed(run, 120);
                return feed_timed(young, 120);
            }));
    }

private:
    static constexpr std::size_t lines = 4'000;

    void feed(heeler::RunHandle run, std::size_t count, std::size_t at_once = lines_per_read) {
        const std::string_view all{text_};
        for (std::size_t at = 0; count > 0; count -= std::min(count, at_once), at = (at + at_once) % lines)
            kennel_.dog->observe(run,
                                 heeler::Output{all.substr(at * (line_size + 1), at_once * (line_size + 1)), false},
                                 heeler::Instant{});
    }

    double feed_timed(const std::vector<heeler::RunHandle>& runs, std::size_t each,
                      std::size_t at_once = lines_per_read) {
        return time_one(runs.size() * each, [&] {
            for (const auto run : runs) feed(run, each, at_once);
        });
    }

    double hash_timed() const {
        volatile std::size_t size = line_size;
        return time_one(lines, [&] {
            for (std::size_t i = 0; i < lines; ++i)
                benchmark::DoNotOptimize(XXH3_64bits(text_.data() + i * (line_size + 1), size));
        });
    }

    Effort effort_;
    std::string text_;
    Kennel kennel_;
    std::string name_;
};

}  // namespace

void add_lines(Effort effort, Rows& rows) {
    Lines{effort, false}.add(rows, 6.0);
    Lines{effort, true}.add(rows, 18.0);
}

}  // namespace bench

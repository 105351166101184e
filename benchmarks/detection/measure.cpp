#include "measure.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace detection {

using heeler::Level;

Verdict judge(const Candidate& candidate, const Recording& run) {
    const std::unique_ptr<Judge> judge = candidate.make();
    Verdict verdict;
    Level last = Level::none;
    for (std::size_t i = 0; i < run.lines.size(); ++i) {
        const Level level = judge->see(run.lines[i]);
        if (level >= Level::nudge && last < Level::nudge) ++verdict.alarms;
        if (level >= Level::nudge && !verdict.nudge) {
            verdict.nudge = i;
            verdict.rule = judge->rule();
        }
        if (level == Level::stop && !verdict.stop) verdict.stop = i;
        last = level;
    }
    return verdict;
}

namespace {

double wilson(const Share& share, double side) {
    constexpr double z = 1.96;
    const double n = double(share.of);
    const double middle = share.value() + z * z / (2 * n);
    const double width = z * std::sqrt(share.value() * (1 - share.value()) / n + z * z / (4 * n * n));
    return std::clamp((middle + side * width) / (1 + z * z / n), 0.0, 1.0);
}

}  // namespace

double Share::low() const noexcept { return of == 0 ? 0 : wilson(*this, -1); }
double Share::high() const noexcept { return of == 0 ? 1 : wilson(*this, 1); }

std::string Share::text() const {
    return of == 0 ? "-" : fmt::format("{:.2f} [{:.2f}, {:.2f}]", value(), low(), high());
}

void Score::add(const Recording& run, const Verdict& verdict) {
    lines += run.lines.size();
    alarms += verdict.alarms;
    if (!run.label || run.label->uncertain) return;
    if (!run.label->loop) {
        ++healthy;
        false_alarms += verdict.nudge ? 1 : 0;
        falsely_stopped += verdict.stop ? 1 : 0;
        return;
    }
    ++loops;
    stopped += verdict.stop ? 1 : 0;
    if (!verdict.nudge) return;
    ++found;
    const auto calls = [&](std::size_t line) { return static_cast<std::ptrdiff_t>(calls_until(run, line)); };
    delays.push_back(calls(*verdict.nudge) - calls(run.label->first));
    premature += delays.back() < -1 ? 1 : 0;
}

std::ptrdiff_t Score::delay(int hundredths) const {
    if (delays.empty()) return 0;
    std::vector<std::ptrdiff_t> sorted = delays;
    std::sort(sorted.begin(), sorted.end());
    return sorted[std::min(sorted.size() - 1, sorted.size() * static_cast<std::size_t>(hundredths) / 100)];
}

}  // namespace detection

#include "goals.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "generator.hpp"
#include "judge.hpp"
#include "measure.hpp"

namespace detection {
namespace {

using heeler::Level;

bool say(bool met, std::string_view what, const std::string& measured) {
    fmt::print("{:<66} | {:<44} | {}\n", what, measured, met ? "yes" : "NO");
    std::fflush(stdout);
    return met;
}

std::string counts_of(const std::map<std::string, std::size_t>& counts) {
    std::string text;
    for (const auto& [name, count] : counts) text += fmt::format("    {:>4}  {}\n", count, name);
    return text;
}

/// In which chapter an alarm of each run fell, and how many were worth stopping for.
bool long_healthy_runs(const Scale& scale, const Candidate& judge_of) {
    std::map<std::string, std::size_t> chapters;
    std::size_t lines = 0, nudges = 0, stops = 0;
    for (std::size_t i = 0; i < scale.runs; ++i) {
        const Story story = healthy_run(scale.seed + static_cast<std::uint32_t>(i), scale.events);
        const std::unique_ptr<Judge> judge = judge_of.make();
        Level last = Level::none;
        lines += story.size();
        std::size_t chapter = 0;
        for (std::size_t line = 0; line < story.size(); ++line) {
            while (chapter + 1 < story.chapters().size() && story.chapters()[chapter + 1].line <= line) ++chapter;
            const Level level = judge->see(story.told().lines[line]);
            if (level >= Level::nudge && last < Level::nudge) {
                ++nudges;
                ++chapters[story.chapters()[chapter].name + ": " + judge->rule()];
            }
            stops += level == Level::stop && last != Level::stop ? 1 : 0;
            last = level;
        }
    }
    const double rate = 10'000.0 * double(nudges) / double(lines);
    const bool no_stop =
        say(stops == 0, fmt::format("{} healthy runs, {} events: none worth stopping", scale.runs, lines),
            fmt::format("{}", stops));
    const bool few = say(rate <= 0.3, "  nudges per 10,000 of these events, at most 0.3",
                         fmt::format("{:.2f} ({} in all)", rate, nudges));
    fmt::print("{}", counts_of(chapters));
    return no_stop && few;
}

/// Each healthy episode by itself, and which of them somebody is nudged for.
bool healthy_cases(const Scale& scale, const Candidate& judge_of, const std::vector<Episode>& episodes) {
    std::map<std::string, std::size_t> alarmed;
    std::size_t cases = 0, nudges = 0, stops = 0;
    for (const Episode& episode : episodes)
        for (std::size_t i = 0; i < scale.cases; ++i) {
            const Story story = healthy_case(episode, scale.seed + static_cast<std::uint32_t>(i));
            const Verdict verdict = judge(judge_of, story.told());
            ++cases;
            stops += verdict.stop ? 1 : 0;
            if (!verdict.nudge) continue;
            ++nudges;
            ++alarmed[episode.name + ": " + verdict.rule];
        }
    const bool no_stop =
        say(stops == 0, fmt::format("{} healthy cases: none worth stopping", cases), fmt::format("{}", stops));
    const bool few = say(nudges * 61 <= cases, "  nudges, at most 1 in 61 cases", fmt::format("{}", nudges));
    fmt::print("{}", counts_of(alarmed));
    return no_stop && few;
}

bool changing_polls(const Scale& scale, const Candidate& judge_of) {
    Story story{scale.seed};
    for (std::size_t i = 0; i < scale.polls; ++i)
        story.wait(10).unit(
            "get_build", R"({"build": "nightly"})", true,
            R"({"state": "running", "step": )" + std::to_string(i * 7) + R"(, "log": ")" + story.name() + R"("})");
    const Verdict verdict = judge(judge_of, story.told());
    return say(!verdict.nudge, fmt::format("{} polls whose result changes: no alarm", scale.polls),
               fmt::format("{}{}", verdict.alarms, verdict.nudge ? " by " + verdict.rule : ""));
}

std::string of_period(Story& story, std::size_t period) {
    std::string unit;
    while (unit.size() < period) unit += story.word() + (story.once_in(12) ? ".\n" : " ");
    unit.resize(period);
    return unit;
}

/// The characters of a chant after which it is spoken of; told in pieces of at most 20.
std::size_t spoken_after(Story& story, const Candidate& judge_of, std::size_t period) {
    const std::unique_ptr<Judge> judge = judge_of.make();
    Happening piece;
    piece.kind = Happening::Kind::output;
    piece.ok = false;  // its last line goes on
    piece.text = "## Plan\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\n" + story.code(40);
    Level level = judge->see(piece);
    const std::string unit = of_period(story, period);
    std::string chant;
    while (chant.size() < std::max<std::size_t>(5 * period, 600)) chant += unit;
    for (std::size_t at = 0; at < chant.size() && level < Level::nudge;) {
        piece.text = chant.substr(at, 1 + story.below(20));
        at += piece.text.size();
        level = judge->see(piece);
        if (level >= Level::nudge) return at;
    }
    return 0;
}

bool chants(const Scale& scale, const Candidate& judge_of) {
    Story story{scale.seed};
    std::size_t late = 0;
    std::string which;
    for (std::size_t i = 0; i < scale.chants; ++i) {
        const std::size_t period = 8 + i * 1'992 / std::max<std::size_t>(scale.chants - 1, 1);
        const std::size_t spoken = spoken_after(story, judge_of, period);
        const std::size_t due = std::max<std::size_t>(7 * period / 2, 400) + 20;
        if (spoken != 0 && spoken <= due) continue;
        if (++late <= 5) which += fmt::format(" {} ({})", period, spoken);
    }
    return say(late == 0, fmt::format("{} chants of 8 to 2,000 characters: in 3.5 periods or 400", scale.chants),
               fmt::format("{} late or missed{}", late, which));
}

/// Found by the end of the round in which it is due.
bool stuck_runs(const Scale& scale, const Candidate& judge_of, const std::vector<Pathology>& all) {
    Score score;
    std::map<std::string, std::size_t> late;
    std::size_t in_time = 0, runs = 0, kinds_in_time = 0;
    for (const Pathology& pathology : all) {
        std::size_t missed = 0;
        for (std::size_t i = 0; i < scale.cases; ++i) {
            std::vector<std::size_t> ends;
            const Recording run = stuck_run(pathology, scale.seed + static_cast<std::uint32_t>(i), ends);
            const Verdict verdict = judge(judge_of, run);
            score.add(run, verdict);
            ++runs;
            if (verdict.nudge && *verdict.nudge <= ends[pathology.due_in - 1]) {
                ++in_time;
            } else {
                ++missed;
                ++late[pathology.name + (verdict.nudge ? ", late by " + verdict.rule : ", missed")];
            }
        }
        kinds_in_time += missed == 0 ? 1 : 0;
    }
    const std::size_t kinds = all.size();
    const bool met =
        say(kinds_in_time * 48 >= 46 * kinds, fmt::format("{} kinds of loops found in time, at least 46 of 48", kinds),
            fmt::format("{} ({} of {} runs; {} found, {} stopped)", kinds_in_time, in_time, runs, score.found,
                        score.stopped));
    fmt::print("{}", counts_of(late));
    return met;
}

}  // namespace

bool over_harder(const Scale& scale) {
    const Candidate judge_of = recommended();
    fmt::print("seed {}\n\n{:<66} | {:<44} | met\n{:-<67}|{:-<46}|----\n", scale.seed, judge_of.name, "measured", "",
               "");
    const bool found = stuck_runs(scale, judge_of, harder_pathologies());
    return healthy_cases(scale, judge_of, harder_episodes()) && found;
}

bool over_generated(const Scale& whole, bool families_too, bool compared) {
    const auto all_of = [&](const Candidate& judge_of, const Scale& scale) {
        fmt::print("\n{:<66} | {:<44} | met\n{:-<67}|{:-<46}|----\n", judge_of.name, "measured", "", "");
        bool met = stuck_runs(scale, judge_of, pathologies());
        met = healthy_cases(scale, judge_of, healthy_episodes()) && met;
        met = changing_polls(scale, judge_of) && met;
        met = chants(scale, judge_of) && met;
        return long_healthy_runs(scale, judge_of) && met;
    };
    fmt::print("seed {}\n", whole.seed);
    const bool met = all_of(recommended(), whole);
    Scale smaller = whole;  // the others are there to compare with
    smaller.runs = std::min<std::size_t>(whole.runs, 50);
    if (compared)
        for (const Candidate& each : simple_ones()) static_cast<void>(all_of(each, smaller));
    if (families_too)
        for (const Candidate& each : families()) static_cast<void>(all_of(each, smaller));
    return met;
}

}  // namespace detection

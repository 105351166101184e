#include "loop_lister.hpp"

#include <variant>

#include <heeler/text/append.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>

#include "observed_text.hpp"

namespace replay {
namespace {

using heeler::text::append;

constexpr std::size_t longest_example = 200;

std::string counted(std::size_t count, std::string_view what) {
    return std::to_string(count) + " " + std::string{what} + (count == 1 ? "" : "s");
}

/// What has moved, in words.
std::string_view mover(const heeler::Observation& seen, bool edited) {
    if (std::holds_alternative<heeler::Message>(seen.event)) return "a message of the user";
    return edited ? "an edit" : "a result with something new";
}

}  // namespace

std::string text_of(const LoopCounts& counts) {
    std::string text = counted(counts.nudges + counts.stops, "loop");
    append(text, " (", std::to_string(counts.stops), " of level stop, ", std::to_string(counts.nudges),
           " of level nudge) in ", std::to_string(counts.files_with), " of ", counted(counts.files, "file"), " with ",
           counted(counts.runs, "run"));
    if (counts.unreadable > 0) append(text, "; ", counted(counts.unreadable, "file"), " could not be read");
    return text + "\n";
}

void LoopLister::after(const heeler::Loop::Memory& memory, const heeler::Loop::Settings& settings,
                       const heeler::Observation& seen) {
    if (run_.empty()) return;
    const heeler::loops::Ledger& ledger = memory.calls->ledger;
    const heeler::loops::Episode& now = ledger.episode;
    Run& run = runs_[run_];
    Episode& episode = run.episode;
    const bool edited = ledger.common.edits != run.edits;
    run.edits = ledger.common.edits;
    const bool same = now.open != 0 && episode.began.round == now.round && episode.began.at == now.at &&
                      episode.began.identity == now.identity;
    if (episode.open && !same)
        end(run_, episode, "ended by " + std::string{mover(seen, edited)} + ", event " + std::to_string(seen.index));
    if (now.open == 0) return;
    if (!episode.open) {
        episode = {true, now, {}, 0, 0, {}};
        episode.example = short_text(memory.example->text(), longest_example);
        if (episode.example.empty()) episode.example = text_of(seen, longest_example);
    }
    const auto finding = heeler::Loop{}.check(memory, settings, heeler::Run{}, heeler::Instant{});
    if (!finding || memory.calls->shown.last != seen.index) return;
    episode.last = memory.calls->shown.last;
    episode.rounds = memory.calls->shown.rounds;
    if (finding->level >= episode.finding.level || episode.last == 0) episode.finding = *finding;
}

void LoopLister::end(const std::string& run, Episode& episode, const std::string& how) {
    append(lines_, heeler::text::one_line(file_, 300), ": run ", heeler::text::shown_name(run, 140), ", events ",
           std::to_string(episode.began.first), " to ", std::to_string(episode.last), ": ",
           heeler::loops::words_of(episode.finding), "; level ", name_of(episode.finding.level), ", rule ",
           episode.finding.evidence.rule);
    if (episode.rounds > 0) append(lines_, ", ", counted(episode.rounds, "round"), " after it was found");
    append(lines_, "; ", how);
    if (!episode.example.empty()) append(lines_, "; example: ", episode.example);
    lines_ += '\n';
    ++(episode.finding.level == heeler::Level::stop ? stops_ : nudges_);
    episode = {};
}

std::string LoopLister::finish(LoopCounts& counts) {
    for (auto& [name, run] : runs_)
        if (run.episode.open) end(name, run.episode, "goes on to the end");
    counts.runs += runs_.size();
    counts.nudges += nudges_;
    counts.stops += stops_;
    if (nudges_ + stops_ > 0) ++counts.files_with;
    return std::move(lines_);
}

}  // namespace replay

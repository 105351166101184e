#include "silence.hpp"

#include <string>
#include <utility>
#include <vector>

#include <heeler/alert/silence.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/table.hpp>

#include "damage.hpp"
#include "decision_rows.hpp"
#include "print.hpp"
#include "run_view.hpp"

namespace ctl {

std::vector<heeler::text::TableRow> silence_rows(const heeler::List<heeler::DecisionRow>& silences,
                                                 heeler::Instant now) {
    std::vector<heeler::text::TableRow> rows;
    for (const heeler::DecisionRow& row : silences)
        rows.push_back({std::to_string(row.number), to_text(row.about),
                        heeler::text::rfc3339(*row.until) + " (" + relative(*row.until, now) + ")",
                        heeler::text::one_line(row.by, 128), relative(row.at, now),
                        heeler::text::one_line(heeler::text::redact(row.because), heeler::longest_because)});
    return rows;
}

Quit show_silences(const Options& options, Store& store, heeler::Instant now) {
    auto open = store.list();
    if (!open) return store_failed(open.error());
    heeler::List<heeler::DamagedRow> damaged;
    sift(*open, damaged);
    const Waiting waiting = sort_out(std::move(*open), now);
    if (options.json)
        for (const heeler::DecisionRow& row : waiting.silences) print_decision(row);
    else if (waiting.silences.empty())
        print("Nothing is silenced.\n");
    else
        print(heeler::text::to_table(silence_heads, silence_rows(waiting.silences, now)));
    return name_damage(damaged, options.json);
}

Quit unsilence(const Options& options, Store& store, heeler::Instant now) {
    auto open = store.list();
    if (!open) return store_failed(open.error());
    const Waiting waiting = sort_out(std::move(*open), now);
    for (const heeler::DecisionRow& row : waiting.silences) {
        if (row.number != options.silence) continue;
        const auto ended = store.commit(heeler::end_of_silence(row.number, options.by, now.wall));
        if (!ended) return store_failed(ended.error());
        print("silence " + std::to_string(row.number) + " of " + heeler::text::one_line(row.by, 128) + " about " +
              to_text(row.about) + " is over from the next cycle on\n");
        return {};
    }
    return {exit_run,
            "no silence " + std::to_string(options.silence) + " is in force; `silences` lists those that are"};
}

}  // namespace ctl

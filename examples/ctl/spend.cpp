#include "spend.hpp"

#include <cstdint>
#include <map>
#include <vector>

#include <heeler/core/spend.hpp>
#include <heeler/detect/spend_cap.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/rfc3339.hpp>
#include <heeler/text/shown_name.hpp>
#include <heeler/text/table.hpp>
#include <heeler/text/words.hpp>

#include "print.hpp"

namespace ctl {

namespace {

void add(heeler::Spent& sum, const heeler::SpendRow& row) {
    sum.tokens += row.tokens;
    sum.micro_usd += row.micro_usd;
}

std::map<std::string, heeler::Spent> by_owner(const heeler::List<heeler::SpendRow>& rows) {
    std::map<std::string, heeler::Spent> sums;
    for (const heeler::SpendRow& row : rows) add(sums[row.owner], row);
    return sums;
}

double usd(const heeler::Spent& sum) { return static_cast<double>(sum.micro_usd) / 1e6; }

std::string tokens(const heeler::Spent& sum) { return heeler::detail::words::grouped(static_cast<double>(sum.tokens)); }

std::string text_of(const heeler::Spent& sum) {
    return tokens(sum) + " tokens, " + heeler::detail::words::dollars(usd(sum));
}

}  // namespace

std::string spend_text(const heeler::List<heeler::SpendRow>& today) {
    std::vector<heeler::text::TableRow> rows;
    for (const auto& [owner, sum] : by_owner(today))
        rows.push_back({owner.empty() ? "-" : heeler::text::shown_name(owner, 80), tokens(sum),
                        heeler::detail::words::dollars(usd(sum))});
    if (rows.empty()) return {};
    return "Spent today (UTC):\n" + heeler::text::to_table({"Owner", "Tokens", "Money"}, rows);
}

void print_spend(const heeler::List<heeler::SpendRow>& today) {
    for (const auto& [owner, sum] : by_owner(today)) {
        heeler::text::JsonLine line;
        line.begin_object().key("type").string("spend").key("owner").string(owner);
        line.key("tokens").number(static_cast<double>(sum.tokens)).key("usd").number(usd(sum)).end_object();
        print(line);
    }
}

std::string spend_of(const RunView& view, Store& store) {
    if (!view.readable) return {};
    const std::string& first = view.facts.verdict->restarts.lineage;
    const heeler::Spent own = heeler::detail::spent_by(*view.facts.run.usage);
    heeler::Spent whole;
    if (const auto rows = store.spent(-1, {first.empty() ? view.row.id : first}))
        for (const heeler::SpendRow& row : *rows) add(whole, row);
    if (own == heeler::Spent{} && whole == heeler::Spent{}) return {};
    std::string text = text_of(own);
    if (!first.empty()) text += "; since `" + heeler::text::shown_name(first, 80) + "` " + text_of(whole);
    // How it stood to the nearest cap when it was looked at last.
    const heeler::RunSpend& near = *view.facts.run.spend;
    if (near.cap > 0 && near.of >= 1 && near.of < heeler::SpendCap::no_cap)
        text += "; cap " + std::string{heeler::SpendCap::sums[near.of - 1u]} + " " +
                heeler::SpendCap::amount(near.of - 1u, near.cap) +
                (near.is_over() ? ": reached, nobody is started for it" : "");
    return text;
}

}  // namespace ctl

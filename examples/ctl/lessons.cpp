#include "lessons.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <heeler/text/duration.hpp>
#include <heeler/text/table.hpp>

#include "print.hpp"
#include "run_view.hpp"

namespace ctl {

namespace {

using heeler::Instant;

constexpr std::size_t shown_identity_digits = 16;

std::string hexadecimal(std::uint64_t value) {
    std::string digits(shown_identity_digits, '0');
    for (auto at = digits.rbegin(); at != digits.rend(); ++at, value >>= 4) *at = "0123456789abcdef"[value & 15];
    return digits;
}

std::string wrong_text(const heeler::TallyRow& row) {
    std::string text = std::to_string(row.wrong);
    if (row.incidents == 0) return text;
    const double share = 100.0 * static_cast<double>(row.wrong) / static_cast<double>(row.incidents);
    return text + " (" + std::to_string(std::lround(share)) + " %)";
}

std::string tallies_text(const heeler::List<heeler::TallyRow>& tallies) {
    std::vector<heeler::text::TableRow> rows;
    for (const heeler::TallyRow& row : tallies)
        rows.push_back({row.class_name, condition_name(row.condition), std::to_string(row.incidents), wrong_text(row)});
    if (rows.empty()) return {};
    return "How often it was wrong:\n" +
           heeler::text::to_table({"Class", "Condition", "Incidents", "Marked wrong"}, rows);
}

std::string mutes_text(const heeler::List<heeler::MuteRow>& mutes, Instant now) {
    std::vector<heeler::text::TableRow> rows;
    for (const heeler::MuteRow& row : mutes)
        rows.push_back(
            {row.class_name, condition_name(row.condition), hexadecimal(row.identity), row.by, relative(row.at, now)});
    if (rows.empty()) return {};
    return "No finding any more:\n" + heeler::text::to_table({"Class", "Condition", "What", "Marked by", "When"}, rows);
}

}  // namespace

void print_lessons(const heeler::Snapshot& snapshot) {
    for (const heeler::TallyRow& row : snapshot.tallies) {
        heeler::text::JsonLine line;
        line.begin_object().key("type").string("tally").key("class").string(row.class_name);
        line.key("condition").string(condition_name(row.condition)).key("incidents").number(row.incidents);
        line.key("wrong").number(row.wrong).end_object();
        print(line);
    }
    for (const heeler::MuteRow& row : snapshot.mutes) {
        heeler::text::JsonLine line;
        line.begin_object().key("type").string("mute").key("class").string(row.class_name);
        line.key("condition").string(condition_name(row.condition)).key("what").string(hexadecimal(row.identity));
        line.key("by").string(row.by);
        line.key("at").string(heeler::text::rfc3339(row.at)).end_object();
        print(line);
    }
}

std::string lessons_text(const heeler::Snapshot& snapshot, Instant now) {
    std::string text = tallies_text(snapshot.tallies);
    if (!text.empty() && !snapshot.mutes.empty()) text += "\n";
    return text + mutes_text(snapshot.mutes, now);
}

}  // namespace ctl

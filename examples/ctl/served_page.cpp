#include "served_page.hpp"

#include <string_view>
#include <vector>

#include <heeler/alert/group.hpp>
#include <heeler/report/run_page_html.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/table.hpp>
#include <heeler/text/url_encoded.hpp>

#include "damage.hpp"
#include "decision_rows.hpp"
#include "silence.hpp"
#include "status.hpp"

namespace ctl {

namespace {

using heeler::text::append;
using heeler::text::TableRow;

std::string html(std::string_view text) {
    std::string out;
    heeler::detail::append_html(out, heeler::text::one_line(text, 1024));
    return out;
}

/// `links`: where the first cell of each row leads; empty: nowhere.
void put_table(std::string& out, std::string_view title, const TableRow& heads, const std::vector<TableRow>& rows,
               const std::vector<std::string>& links = {}) {
    if (rows.empty()) return;
    append(out, "<h2>", title, "</h2><div class=\"wide\"><table><thead><tr>");
    for (const std::string& head : heads) append(out, "<th scope=\"col\">", html(head), "</th>");
    out += "</tr></thead><tbody>\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out += "<tr>";
        for (std::size_t k = 0; k < rows[i].size(); ++k) {
            const bool links_on = k == 0 && !links.empty();
            append(out, "<td>", links_on ? "<a href=\"/run?id=" + links[i] + "\">" : "", html(rows[i][k]),
                   links_on ? "</a></td>" : "</td>");
        }
        out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
}

void put_form(std::string& out, const std::vector<RunView>& views) {
    out += "<h2>Decide</h2><form method=\"post\" action=\"/decide\"><label>Run <select name=\"run\">";
    for (const RunView& view : views)
        append(out, "<option value=\"", html(view.row.id), "\">", html(view.row.id), "</option>");
    out +=
        "</select></label> <label>What <select name=\"verb\"><option>ack</option><option>snooze</option>"
        "<option>continue</option><option>dismiss</option><option>pause</option><option>resume</option>"
        "<option>step</option>"
        "<option>freeze</option>"
        "<option>unfreeze</option><option>mark_stopped</option><option>mark_wrong</option></select></label> "
        "<label>For (a snooze) <input name=\"for\" size=\"5\" placeholder=\"2h\"></label> <label>Token <input "
        "name=\"token\" type=\"password\" required autocomplete=\"current-password\"></label> "
        "<button>Note it</button></form>\n";
}

std::vector<TableRow> alert_rows(std::span<Store> stores, heeler::Instant now) {
    std::vector<TableRow> rows;
    std::vector<heeler::AlertRow> alerts;
    for (Store& store : stores)
        if (const auto found = store.undelivered()) alerts.insert(alerts.end(), found->rows.begin(), found->rows.end());
    for (const heeler::AlertRow& row : alerts)
        rows.push_back({row.alert.run.id, row.state == heeler::AlertRow::State::pending ? "waits" : "given up",
                        row.alert.kind, relative(row.created_at, now), row.alert.summary, heeler::reason_of(row)});
    return rows;
}

void put_overview(std::string& out, const Options& options, std::span<Store> stores, heeler::Instant now) {
    auto seen = overview(options.all, stores, now);
    if (!seen) return append(out, "<p class=\"trouble\">", html(seen.error().message), "</p>\n");
    for (const heeler::DamagedRow& row : seen->damaged)
        append(out, "<p class=\"trouble\">", html(row.run), ": ", html(row.what), "</p>\n");
    const Waiting waiting = sort_out(std::move(seen->open), now);
    if (const std::string frozen = frozen_text(waiting, now); !frozen.empty())
        append(out, "<p class=\"trouble\">", html(frozen), "</p>\n");
    if (seen->views.empty()) out += "<p>No run is under way.</p>\n";
    const RunTable runs = table_of(seen->views, now);
    std::vector<std::string> links;
    for (const RunView& view : seen->views) links.push_back(heeler::text::url_encoded(view.row.id));
    put_table(out, "Runs", runs.heads, runs.rows, links);
    put_table(out, "Alerts that wait, or were given up", {"Run", "State", "Kind", "Since", "Summary", "Why"},
              alert_rows(stores, now));
    put_table(out, "Silences", silence_heads, silence_rows(waiting.silences, now));
    if (options.operate && !seen->views.empty()) put_form(out, seen->views);
}

}  // namespace

std::string served_page(const Options& options, std::span<Store> stores, const std::string& said, heeler::Instant now) {
    std::string out =
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\"><title>heeler</title><style>";
    append(out, heeler::detail::page_style,
           ".trouble{color:var(--critical)}thead th{white-space:nowrap}td,th{padding-left:.6rem}"
           "form{display:flex;flex-wrap:wrap;gap:.6rem;align-items:end}</style></head>\n<body><main><h1>heeler</h1>\n"
           "<p class=\"soft\">",
           heeler::text::rfc3339(now.wall), " <a href=\"/\">Look again</a></p>\n");
    if (!said.empty()) append(out, "<p role=\"status\">", html(said), "</p>\n");
    put_overview(out, options, stores, now);
    return out += "</main></body></html>\n";
}

}  // namespace ctl

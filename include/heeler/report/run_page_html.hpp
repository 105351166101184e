// One run on one page: a file that any browser shows, without script and without anything from elsewhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/last_value.hpp>
#include <heeler/report/run_page.hpp>
#include <heeler/report/run_page_style.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

/// As the text of an element or the value of a quoted attribute.
inline void append_html(std::string& out, std::string_view text) {
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    }
}

/// "0:07", "12:31", "3:04:05", "2d 3:04:05".
[[nodiscard]] inline std::string clock_text(Duration since) {
    const auto seconds = max_of<std::int64_t>(0, std::chrono::floor<std::chrono::seconds>(since).count());
    const std::int64_t days = seconds / 86'400, hours = seconds / 3'600 % 24, minutes = seconds / 60 % 60;
    const auto two = [](std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
    std::string text = days > 0 ? std::to_string(days) + "d " : std::string{};
    if (days > 0 || hours > 0) return text + std::to_string(hours) + ":" + two(minutes) + ":" + two(seconds % 60);
    return std::to_string(minutes) + ":" + two(seconds % 60);
}

/// How often the calls of one kind had one outcome.
struct PageUnit {
    std::string label{};
    std::size_t times = 0;
    WallTime first{}, last{};
};

class PageWriter {
public:
    explicit PageWriter(const RunPage& page) : page_{page}, length_{max_of(page.end - page.begin, Duration{1})} {
        for (const PageMark& mark : page.marks) {
            if (mark.unit == 0) continue;
            PageUnit& unit = units_[mark.unit];
            if (unit.times++ == 0) {
                unit.label = mark.label;
                unit.first = mark.at;
            }
            unit.last = mark.at;
        }
    }

    [[nodiscard]] std::string write() && {
        begin();
        facts();
        timeline();
        repeated();
        happened();
        calls();
        out_ += "</main></body></html>\n";
        return std::move(out_);
    }

private:
    static constexpr double left = 92, width = 1'000, lane_height = 22, curve_height = 46, axis_height = 20;
    static constexpr std::size_t repeats = 3;  ///< so often it is coloured

    // --- pieces ---
    template <class... Parts>
    void put(const Parts&... parts) {
        text::append(out_, parts...);
    }
    void say(std::string_view text, std::size_t most = 400) { append_html(out_, text::one_line(text, most)); }
    static std::string number(double value) {
        char digits[32];
        return {digits, static_cast<std::size_t>(std::snprintf(digits, sizeof digits, "%.1f", value))};
    }
    /// A value that people read: no more digits than it has.
    static std::string shown(double value) {
        char digits[32];
        return {digits, static_cast<std::size_t>(std::snprintf(digits, sizeof digits, "%.12g", value))};
    }
    [[nodiscard]] double x_of(WallTime at) const {
        const Duration since = min_of(max_of(at - page_.begin, Duration{}), length_);
        return left + width * static_cast<double>(since.count()) / static_cast<double>(length_.count());
    }
    [[nodiscard]] static std::string_view class_of(Severity severity) {
        return severity == Severity::critical ? "critical" : severity == Severity::warning ? "warning" : "calm";
    }
    [[nodiscard]] bool is_repeated(const PageMark& mark) const {
        return mark.unit != 0 && units_.at(mark.unit).times >= repeats;
    }
    /// The same for equal units on every page, and far apart for others.
    static std::string hue_of(std::uint64_t unit) { return std::to_string(unit * 0x9E3779B97F4A7C15u % 360); }
    [[nodiscard]] static bool is_listed(const PageMark& mark) {
        return mark.lane != PageLane::beat && mark.lane != PageLane::call && mark.lane != PageLane::message;
    }

    // --- parts of the page ---
    void begin() {
        put("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
            "<meta name=\"referrer\" content=\"no-referrer\"><title>");
        say(page_.title);
        put("</title><style>", page_style, "</style></head>\n<body><main><h1>");
        say(page_.title);
        put("</h1>\n<p class=\"soft\">", text::rfc3339(page_.begin), " to ", text::rfc3339(page_.end), ", ",
            text::spoken(page_.end - page_.begin), "</p>\n");
    }

    void facts() {
        if (page_.facts.empty()) return;
        put("<table class=\"facts\">");
        for (const Detail& fact : page_.facts) {
            put("<tr><th scope=\"row\">");
            say(fact.name);
            put("</th><td>");
            say(fact.value, 2'000);
            put("</td></tr>");
        }
        put("</table>\n");
    }

    void timeline() {
        double height = axis_height;
        for (const PageCurve& curve : page_.curves) height += curve.points.empty() ? 0 : curve_height;
        std::vector<PageLane> lanes;
        for (std::size_t i = 0; i < count_of<PageLane>; ++i) {
            const auto lane = static_cast<PageLane>(i);
            if (std::any_of(page_.marks.begin(), page_.marks.end(),
                            [&](const PageMark& mark) { return mark.lane == lane; }))
                lanes.push_back(lane);
        }
        height += lane_height * static_cast<double>(lanes.size());
        put("<h2>Timeline</h2>\n<div class=\"wide\"><svg role=\"group\" aria-label=\"Timeline\" viewBox=\"0 0 ",
            number(left + width + 24), " ", number(height + 4), "\">\n");
        axis(height);
        double y = axis_height;
        for (const PageLane lane : lanes) {
            draw(lane, y);
            y += lane_height;
        }
        for (const PageCurve& curve : page_.curves) {
            if (curve.points.empty()) continue;
            draw(curve, y);
            y += curve_height;
        }
        put("</svg></div>\n");
        if (page_.left_out > 0)
            put("<p class=\"soft\">", std::to_string(page_.left_out),
                " more calls, messages and signs of life were left out: there is no room for more.</p>\n");
    }

    void name(std::string_view text, double y) {
        put("<text class=\"name\" x=\"", number(left - 8), "\" y=\"", number(y), "\">");
        say(text, 40);
        put("</text>");
    }

    /// At most ten moments that people count in.
    void axis(double height) {
        using namespace std::chrono_literals;
        constexpr Duration steps[] = {1s,    2s,    5s, 10s, 15s, 30s, 1min, 2min, 5min,    10min,
                                      15min, 30min, 1h, 2h,  3h,  6h,  12h,  24h,  24h * 2, 24h * 7};
        Duration step = length_ / 10 + Duration{1};
        for (const Duration each : steps)
            if (length_ / each <= 10) {
                step = each;
                break;
            }
        for (Duration at{}; at <= length_; at += step) {
            const std::string x = number(x_of(page_.begin + at));
            put("<path class=\"grid\" d=\"M", x, " ", number(axis_height - 4), "V", number(height),
                "\"/><text class=\"tick\" x=\"", x, "\" y=\"12\">", clock_text(at), "</text>\n");
        }
    }

    void draw(PageLane lane, double y) {
        name(name_of(lane), y + 15);
        if (lane == PageLane::beat) return strokes(lane, y);
        for (std::size_t i = 0; i < page_.marks.size(); ++i)
            if (page_.marks[i].lane == lane) draw(page_.marks[i], i, y);
        put("\n");
    }

    /// All in one element: there may be many thousands, and one in a pixel is enough.
    void strokes(PageLane lane, double y) {
        put("<path class=\"beat\" d=\"");
        double last = -1;
        for (const PageMark& mark : page_.marks) {
            const double x = x_of(mark.at);
            if (mark.lane != lane || x - last < 0.5) continue;
            put("M", number(x), " ", number(y + 6), "v10");
            last = x;
        }
        put("\"/>\n");
    }

    void draw(const PageMark& mark, std::size_t index, double y) {
        const bool links = is_listed(mark);
        const bool is_bar = mark.lasts > Duration{} || mark.lane == PageLane::call || mark.lane == PageLane::state;
        const double x = x_of(mark.at), length = max_of(x_of(mark.at + mark.lasts) - x, 1.5);
        if (links) {
            put("<a href=\"#e", std::to_string(index), "\" aria-label=\"", clock_text(mark.at - page_.begin), " ");
            say(mark.label, 160);
            put("\">");
        }
        if (is_bar)
            put("<rect x=\"", number(x), "\" y=\"", number(y + 4), "\" width=\"", number(length), "\" height=\"14\" ");
        else
            put("<circle cx=\"", number(x), "\" cy=\"", number(y + 11), "\" r=\"5\" ");
        if (is_repeated(mark))
            put("class=\"again\" style=\"--h:", hue_of(mark.unit), "\">");
        else
            put("class=\"", name_of(mark.lane), " ", class_of(mark.severity), "\">");
        put("<title>", clock_text(mark.at - page_.begin), " ");
        say(mark.label, 160);
        put("</title>", is_bar ? "</rect>" : "</circle>");
        if (mark.lane == PageLane::state && length > 60) {
            put("<text x=\"", number(x + 5), "\" y=\"", number(y + 15), "\">");
            say(mark.label, static_cast<std::size_t>(length / 7));
            put("</text>");
        }
        if (links) put("</a>");
    }

    void draw(const PageCurve& curve, double y) {
        double most = 0, least = 0;
        for (const PagePoint& point : curve.points) {
            most = max_of(most, point.value);
            least = min_of(least, point.value);
        }
        name(curve.name, y + 22);
        const double span = most > least ? most - least : 1;
        const auto height_of = [&](double value) { return y + 40 - 34 * (value - least) / span; };
        put("<path class=\"curve\" d=\"");
        bool first = true;
        for (const PagePoint& point : curve.points) {
            const std::string x = number(x_of(point.at));
            put(first ? "M" : "H", x, first ? " " : "V", number(height_of(point.value)));
            first = false;
        }
        put("H", number(left + width), "\"/><text class=\"value\" x=\"", number(left + width), "\" y=\"",
            number(height_of(curve.points.back().value) < y + 16 ? y + 20 : height_of(curve.points.back().value) - 4),
            "\">", shown(curve.points.back().value), "</text>\n");
    }

    /// What was called again and again, most often first.
    void repeated() {
        std::vector<std::pair<std::uint64_t, const PageUnit*>> most;
        for (const auto& [unit, known] : units_)
            if (known.times >= repeats) most.emplace_back(unit, &known);
        if (most.empty()) return;
        std::sort(most.begin(), most.end(), [](const auto& a, const auto& b) {
            return a.second->times != b.second->times ? a.second->times > b.second->times
                                                      : a.second->first < b.second->first;
        });
        if (most.size() > 12) most.resize(12);
        put("<h2>Repeated</h2>\n<ul class=\"legend\">");
        for (const auto& [unit, known] : most) {
            put("<li><span class=\"swatch\" style=\"--h:", hue_of(unit), "\"></span><b>", std::to_string(known->times),
                " times</b> <code>");
            say(known->label, 240);
            put("</code> <span class=\"soft\">", clock_text(known->first - page_.begin), " to ",
                clock_text(known->last - page_.begin), "</span></li>\n");
        }
        put("</ul>\n");
    }

    void happened() {
        put("<h2>What happened</h2>\n<ol class=\"events\">\n");
        bool any = false;
        for (std::size_t i = 0; i < page_.marks.size(); ++i) {
            const PageMark& mark = page_.marks[i];
            if (!is_listed(mark)) continue;
            any = true;
            put("<li class=\"", class_of(mark.severity), "\">");
            if (mark.text.empty()) {
                put("<p id=\"e", std::to_string(i), "\">");
                headline(mark);
                put("</p>");
            } else {
                put("<details><summary>");
                headline(mark);
                const bool has_table = mark.text.find("\n| ") != std::string::npos;  // it is scrolled, not wrapped
                put("</summary><pre id=\"e", std::to_string(i), has_table ? "\" class=\"table\">" : "\">");
                append_html(out_, text::sanitise(mark.text, 16'384));
                put("</pre></details>");
            }
            put("</li>\n");
        }
        put(any ? "" : "<li>Nothing that the watchdog had to do with.</li>", "</ol>\n");
    }

    void headline(const PageMark& mark) {
        put("<time>", clock_text(mark.at - page_.begin), "</time> <b>", name_of(mark.lane), "</b> ");
        say(mark.label);
    }

    void calls() {
        std::size_t count = 0;
        for (const PageMark& mark : page_.marks) count += !is_listed(mark) && mark.lane != PageLane::beat ? 1 : 0;
        if (count == 0) return;
        put("<h2>Calls and messages</h2>\n<details><summary>All ", std::to_string(count),
            "</summary><ol class=\"calls\">\n");
        for (const PageMark& mark : page_.marks) {
            if (is_listed(mark) || mark.lane == PageLane::beat) continue;
            put("<li><time>", clock_text(mark.at - page_.begin), "</time> ");
            if (is_repeated(mark)) put("<span class=\"swatch\" style=\"--h:", hue_of(mark.unit), "\"></span>");
            put("<code>");
            say(mark.label, 240);
            put("</code></li>\n");
        }
        put("</ol></details>\n");
    }

    const RunPage& page_;
    Duration length_;
    std::map<std::uint64_t, PageUnit> units_;
    std::string out_;
};

}  // namespace detail

/// The whole file, in UTF-8. It refers to nothing outside itself; whatever the run said stays text.
[[nodiscard]] inline std::string to_html(const RunPage& page) { return detail::PageWriter{page}.write(); }

}  // namespace heeler::inline HEELER_ABI

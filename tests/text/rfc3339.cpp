#include <heeler/text/rfc3339.hpp>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>

#include <heeler/text/duration.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

std::string read_back(std::string_view text) {
    const auto moment = text::parse_timestamp(text);
    return moment ? text::rfc3339(*moment) : "absent";
}

/// Another time zone for the process, while it lives.
struct Zone {
    explicit Zone(const char* name) {
        if (const char* value = std::getenv("TZ")) before = value;
        ::setenv("TZ", name, 1);
        ::tzset();
    }
    ~Zone() {
        before.empty() ? ::unsetenv("TZ") : ::setenv("TZ", before.c_str(), 1);
        ::tzset();
    }
    std::string before;
};

}  // namespace

TEST_CASE("moments are read with every zone and fraction") {
    const std::string morning = "2026-01-31T09:05:00.000Z";
    for (const char* same :
         {"2026-01-31T09:05:00Z", "2026-01-31t09:05:00z", "2026-01-31 09:05:00", "2026-01-31T09:05:00",
          "2026-01-31T16:05:00+07:00", "2026-01-31T16:05:00+0700", "2026-01-31 16:05:00+07",
          "2026-01-31T03:35:00-05:30", "2026-01-31T09:05:00.0000009Z", "2026-01-31T09:04:60Z"})
        CHECK(read_back(same) == morning);
    CHECK(read_back("2026-01-31T09:05:00.25+00:00") == "2026-01-31T09:05:00.250Z");
    CHECK(read_back("2026-01-31T09:05:00,123456") == "2026-01-31T09:05:00.123Z");
    CHECK(read_back("2024-02-29T00:00:00Z") == "2024-02-29T00:00:00.000Z");
    CHECK(read_back("2026-01-01T00:00:00+01:00") == "2025-12-31T23:00:00.000Z");
    CHECK(text::parse_rfc3339("2026-01-31T09:05:00.123456Z") == WallTime{1'769'850'300'123'456us});
}

TEST_CASE("a moment that no calendar names is shown as the nearest") {
    CHECK(text::rfc3339(WallTime::min()) == "0000-01-01T00:00:00.000Z");
    CHECK(text::rfc3339(WallTime::max()) == "9999-12-31T23:59:59.999Z");
    CHECK(read_back("9999-12-31T23:59:59.999Z") == "9999-12-31T23:59:59.999Z");
    CHECK(read_back("0000-01-01T00:00:00Z") == "0000-01-01T00:00:00.000Z");
}

TEST_CASE("days have the names that the calendar of the standard library gives them") {
    using namespace std::chrono;
    const sys_days final_day{year{9999} / December / 31};
    int wrong = 0;
    for (sys_days day{year{0} / January / 1}; day <= final_day; day += days{1}) {
        const year_month_day date{day};
        const text::CalendarDay named = text::calendar_day(day.time_since_epoch().count());
        wrong +=
            named.year == int{date.year()} && named.month == unsigned{date.month()} && named.day == unsigned{date.day()}
                ? 0
                : 1;
    }
    CHECK(wrong == 0);
}

TEST_CASE("what is no moment is absent") {
    for (const char* wrong : {"",
                              "now",
                              "2026-01-31",
                              "2026-01-31T",
                              "2026-01-31T09:05",
                              "2026-13-01T00:00:00Z",
                              "2026-02-29T00:00:00Z",
                              "2026-01-31T24:00:00Z",
                              "2026-01-31T09:60:00Z",
                              "2026-01-31T09:05:61Z",
                              "2026-01-31T09:05:00.Z",
                              "2026-01-31T09:05:00+7",
                              "2026-01-31T09:05:00+07:",
                              "2026-01-31T09:05:00+24:00",
                              "2026-01-31T09:05:00Z ",
                              "+026-01-31T09:05:00Z",
                              "20260131T090500Z",
                              "nan",
                              "inf",
                              "-inf",
                              "1e300",
                              "-1e300",
                              "0x10",
                              "17 ",
                              " 17",
                              "253402300800"})
        CHECK(read_back(wrong) == "absent");
    CHECK_FALSE(text::parse_rfc3339("1769850300"));
}

TEST_CASE("seconds since 1970 are moments too") {
    CHECK(read_back("0") == "1970-01-01T00:00:00.000Z");
    CHECK(read_back("1769850300") == "2026-01-31T09:05:00.000Z");
    CHECK(read_back("1769850300.25") == "2026-01-31T09:05:00.250Z");
    CHECK(read_back("1.7698503e9") == "2026-01-31T09:05:00.000Z");
    CHECK(read_back("-1") == "1969-12-31T23:59:59.000Z");
}

TEST_CASE("the time zone of the process plays no part [A-75] [M-006]") {
    const Zone bangkok{"Asia/Bangkok"};
    CHECK(read_back("2026-01-31T09:05:00") == "2026-01-31T09:05:00.000Z");
}

// Prints what heeler costs, each row next to its baseline of the same run and to its budget.
#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "compare.hpp"

namespace {

std::string number(double value, std::string_view unit) {
    return fmt::format("{:.{}f}{}{}", value, value < 100 ? 1 : 0, unit.empty() ? "" : " ", unit);
}

void print(const bench::Row& row, bool judged) {
    const bool compared = row.baseline > 0;
    fmt::print("{:<50} | {:>12} | {:>10} | {:>7}", row.what, number(row.measured, row.unit),
               compared ? number(row.baseline, row.unit) : "-", compared ? fmt::format("{:.2f}", row.ratio()) : "-");
    if (judged)
        fmt::print(" | {:>10} | {}",
                   row.budget <= 0 ? "-"
                   : compared      ? fmt::format("{:.1f}", row.budget)
                                   : number(row.budget, row.unit),
                   row.budget <= 0 ? ""
                   : row.holds()   ? "yes"
                                   : "NO");
    fmt::print("\n");
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Effort effort;
    std::string_view only;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument{argv[i]};
        if (argument == "--quick") {
            effort.quick = true;
        } else if (argument.starts_with("--only=")) {
            only = argument.substr(7);
        } else if (argument.starts_with("--postgres=")) {
            effort.postgres = argument.substr(11);
        } else {
            fmt::print(stderr,
                       "usage: heeler_bench [--quick] [--postgres=URL] "
                       "[--only=beats|lines|calls|chants|ticks|judgements|memory|flushes|trees]\n");
            return 64;
        }
    }
    struct Group {
        std::string_view name;
        void (*add)(bench::Effort, bench::Rows&);
    };
    constexpr Group groups[] = {
        {"beats", bench::add_beats},   {"lines", bench::add_lines},     {"calls", bench::add_calls},
        {"chants", bench::add_chants}, {"ticks", bench::add_ticks},     {"judgements", bench::add_judgements},
        {"memory", bench::add_memory}, {"flushes", bench::add_flushes}, {"trees", bench::add_trees}};
    fmt::print("{:<50} | {:>12} | {:>10} | {:>7}{}\n", "row", "measured", "baseline", "ratio",
               effort.quick ? "" : " |     budget | holds");
    std::size_t count = 0;
    std::size_t broken = 0;
    for (const Group& group : groups) {
        if (!only.empty() && only != group.name) continue;
        bench::Rows rows;
        group.add(effort, rows);
        for (const bench::Row& row : rows) {
            print(row, !effort.quick);
            broken += row.holds() ? 0 : 1;
        }
        count += rows.size();
    }
    if (effort.quick)
        fmt::print("{} rows, measured once: no times to go by\n", count);
    else
        fmt::print("{} rows, {} outside their budget\n", count, broken);
    return 0;
}

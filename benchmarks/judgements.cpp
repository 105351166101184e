// One run whose time has come: judged, without I/O.
#include <array>

#include <heeler/cycle/judge.hpp>
#include <heeler/run/fold.hpp>
#include <heeler/run/registry.hpp>

#include "allocations.hpp"
#include "compare.hpp"
#include "host.hpp"

namespace bench {
namespace {

using namespace heeler;
using namespace heeler::detail;

/// A run that has done a little of everything.
class Patient {
public:
    Patient() : handle_{add()}, watched_{*registry_.table().find(handle_)} {
        Folder fold{watched_, at(1)};
        std::string text;
        for (int i = 0; i < 300; ++i) text += "line number " + std::to_string(i * i) + "\n";
        fold(Output{text, false});
        fold(ToolCall{"read_file", R"({"path":"a"})", {}});
        fold(ToolResult{true, "some text", {}, {}});
        fold(Usage{100, 50, 1, 0, 0.01});
    }

    /// The moment `seconds` after the registration.
    static Instant at(std::int64_t seconds) {
        return {Elapsed{std::chrono::seconds{seconds}}, WallTime{std::chrono::seconds{seconds}}};
    }

    Judged judge(Instant now) { return Judge{watched_, now}(); }

private:
    RunHandle add() {
        RunClass rules = all_rules();
        rules.interval.fixed = 600s;  // the judgements of this benchmark take no sample
        RunSpec spec;
        spec.id = "patient";
        spec.expected = 7200s;
        spec.timeout = 7200s;
        if (!registry_.define(std::move(rules), at(0))) std::abort();
        const auto handle = registry_.add(std::move(spec), "all", at(0));
        if (!handle) std::abort();
        return *handle;
    }

    RunTable<WatchedRun> table_;
    Registry registry_{table_};
    RunHandle handle_;
    WatchedRun& watched_;
};

void add(Effort effort, Rows& rows, const std::string& what, Instant now, Status status, double most_ns) {
    Patient patient;
    if (patient.judge(now).shows.status != status) std::abort();
    const std::size_t count = effort.of(20'000, 100);
    rows.push_back(compare(
        effort, what, most_ns,
        [&] {
            return time_one(count, [&] {
                for (std::size_t i = 0; i < count; ++i) benchmark::DoNotOptimize(patient.judge(now));
            });
        },
        [] { return 0.0; }));
    const std::size_t before = allocations();
    benchmark::DoNotOptimize(patient.judge(now));
    rows.push_back({"... allocations", static_cast<double>(allocations() - before), 0, 0, ""});
}

}  // namespace

void add_judgements(Effort effort, Rows& rows) {
    add(effort, rows, "one due run judged, quiet", Patient::at(2), Status::healthy, 1'000);
    // Timed out and silent at once: several findings, and a rung is decided.
    add(effort, rows, "one due run judged, speaking", Patient::at(7'300), Status::timeout, 5'000);
}

}  // namespace bench

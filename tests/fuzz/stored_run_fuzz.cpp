// Whatever a store says of a run, it is read or refused: each value that has a name keeps one, and what was read is
// written and read again as it is.
#include <heeler/explain/explain.hpp>
#include <heeler/run/heartbeat_log.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/text/record_numbers.hpp>

#include "support/fuzz.hpp"

using namespace heeler;

namespace {

template <class Read>
std::string written(Read&& archive) {
    ArchiveWriter writer{Instant{}};
    archive(writer);
    return writer.take();
}

void check_names(const detail::RunMemory& run) {
    require(!name_of(run.run.state).empty() && !name_of(run.skip).empty(), "a state has a name");
    require(!name_of(run.shown.status).empty() && !name_of(run.shown.level).empty(), "what is shown has a name");
    require(!name_of(run.checkpoints->last.reason).empty(), "the reason of a checkpoint has a name");
    require(static_cast<int>(run.run.metric) <= static_cast<int>(MetricKind::undefined), "a metric is one of three");
}

void check_names(const detail::Verdict& verdict) {
    require(static_cast<int>(verdict.incident.phase) <= static_cast<int>(Phase::waiting), "an incident has a phase");
    require(static_cast<int>(verdict.told.begin) <= static_cast<int>(detail::Beginning::unsaid), "so has what is told");
    for (const Condition& condition : verdict.conditions_seen)
        require(Condition::is_key(condition.key()), "a condition has a key");
    require(Condition::is_key(verdict.cause.key()) && Condition::is_key(verdict.marks.found.key()), "also these");
}

/// Reads it, twice if it can be read.
template <class Value, class Archive, class Check>
void read(std::string_view bytes, Archive archive, Check check) {
    Value value;
    ArchiveReader reader{bytes, Instant{}};
    archive(value, reader);
    check(value);
    if (!reader.ok() || !reader.at_end()) return;
    const std::string once = written([&](auto& to) { archive(value, to); });
    Value again;
    ArchiveReader second{once, Instant{}};
    archive(again, second);
    require(second.ok() && second.at_end(), "what was written can be read");
    require(written([&](auto& to) { archive(again, to); }) == once, "and is the same");
}

void read_report(std::string_view facts) {
    History known;
    known.row.emplace().facts = facts;
    known.row->id = "r";
    (void)detail::stored_report(known, Instant{});
}

/// Records of the library are JSON, and read without a parser.
void read_records(const std::string& record) {
    List<HeartbeatRow> rows;
    detail::read_heartbeats(record, rows);
    for (std::size_t i = 1; i < rows.size(); ++i) require(rows[i - 1].number < rows[i].number, "rows are in order");
    text::RecordNumbers names{record, "messages", 16};
    for (std::size_t left = record.size() + 1; !names.over(); --left) {
        require(left > 0, "reading comes to an end");
        (void)names.next();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return 0;
    const std::string_view bytes = as_text(data + 1, size - 1);
    switch (data[0] % 4) {
        case 0:
            read<detail::RunMemory>(
                bytes, [](detail::RunMemory& run, auto& a) { run.archive_facts(a); },
                [](const detail::RunMemory& run) {
                    check_names(run);
                    check_names(*run.verdict);
                });
            read_report(bytes);
            break;
        case 1:
            read<RunSpec>(
                bytes, [](RunSpec& spec, auto& a) { detail::archive_spec(a, spec); },
                [](const RunSpec& spec) {
                    require(static_cast<int>(spec.metric) <= static_cast<int>(MetricKind::undefined), "a metric");
                });
            (void)detail::SpecBytes{bytes}.decoded();
            (void)detail::SpecBytes{bytes}.parent();
            require(detail::SpecBytes{bytes}.tags() == detail::SpecBytes{bytes}.decoded().tags,
                    "tags alone are the same");
            break;
        case 2:
            read<detail::Verdict>(
                bytes, [](detail::Verdict& verdict, auto& a) { a(verdict); },
                [](const detail::Verdict& verdict) { check_names(verdict); });
            break;
        default:
            read_records(std::string{bytes});
            break;
    }
    return 0;
}

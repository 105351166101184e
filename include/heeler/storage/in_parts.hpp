// Stores a batch in parts after the store refused a row of it, so that only the runs at fault are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What a commit changes along with a run, and only with it.
struct RelatedRows {
    List<std::uint64_t> applied{};
    List<MuteRow> mutes{};
    List<TallyRow> tallies{};

    void add_to(Batch& batch) const {
        append_all(batch.applied, applied);
        append_all(batch.mutes, mutes);
        append_all(batch.tallies, tallies);
    }
};

/// Whether a batch must be on the disk when it is acknowledged.
[[nodiscard]] inline bool must_be_durable(const Batch& batch) noexcept {
    const auto is_durable = [](const RunBatch& run) {
        return run.row.version == 0 || run.row.ended_at || run.row.spec || !run.checkpoints.empty() ||
               !run.interventions.empty() || !run.actions.empty() || !run.alerts.empty();
    };
    return batch.durable || !batch.decisions.empty() || !batch.applied.empty() || !batch.mutes.empty() ||
           detail::any_of(batch.runs, is_durable);
}

/// What became of the runs of a batch, by their places in it.
struct Parted {
    List<bool> stored{};
    Conflicts conflicts{};
    List<std::pair<std::size_t, Error>> faults{};  ///< of single runs
    std::optional<Error> error{};                  ///< of anything else that was not stored
    bool any = false;                              ///< something was stored
};

/// Writes a batch. A commit that answered an error may have happened all the same: the store is asked, and answers for
/// it.
[[nodiscard]] inline Result<Conflicts> commit_for_certain(StorePort& store, const Batch& batch) {
    auto written = store.commit(batch);
    const ErrorCode code = written ? ErrorCode::fenced : written.error().code;
    if (code == ErrorCode::fenced || code == ErrorCode::unstorable) return written;
    bool any = false;
    Conflicts others;
    for (const RunBatch& run : batch.runs) {
        const auto found = store.history(run.row.id);
        if (!found || (!any && others.size() > 2)) return written;
        const bool ours =
            found->row && found->row->version == run.row.version + 1 && found->row->facts == run.row.facts;
        if (!ours) others.push_back(run.row.id);
        any |= ours;
    }
    return any ? Result<Conflicts>{std::move(others)} : written;
}

/// Whether one row may be the reason for it: what it holds, or a broken place of the disk.
[[nodiscard]] inline bool may_be_of_a_row(ErrorCode code) noexcept {
    return code == ErrorCode::unstorable || code == ErrorCode::io || code == ErrorCode::corrupt;
}

/// Divides until each run at fault stands alone. While nothing works it tries the largest part every now and then, and
/// gives up soon: then the store refuses everything, and no run is at fault. What is no matter of what the rows hold
/// is given up when both halves have failed.
class InParts {
public:
    /// `related(place)` belongs to the run at that place, `rest` to none.
    template <class RelatedOf>
    InParts(StorePort& store, const Batch& whole, Batch rest, const RelatedOf& related) : store_{store}, whole_{whole} {
        for (std::size_t place = 0; place < whole.runs.size(); ++place) related_.push_back(&related(place));
        parted_.stored.resize(whole.runs.size());
        if (!rest.empty()) store_rest(std::move(rest));
    }

    [[nodiscard]] Parted write() {
        add_halves({0, whole_.runs.size()});
        int failed_in_a_row = 0;
        ErrorCode code = ErrorCode::unstorable;
        for (int tries = 0; !todo_.empty() && tries < most_tries; ++tries) {
            const bool largest = failed_in_a_row >= many_in_a_row || (code != ErrorCode::unstorable && !parted_.any);
            const Part part = largest ? todo_.front() : todo_.back();
            todo_.erase(largest ? todo_.begin() : todo_.end() - 1);
            failed_in_a_row = largest ? 0 : failed_in_a_row;
            const auto answer = commit_for_certain(store_, batch_of(part));
            code = answer ? ErrorCode::unstorable : answer.error().code;
            if (answer) {
                failed_in_a_row = 0;
                note(part, *answer);
            } else if (!may_be_of_a_row(code) || (code != ErrorCode::unstorable && !parted_.any && tries > 0)) {
                parted_.error = answer.error();
                return std::move(parted_);
            } else if (part.count == 1) {
                ++failed_in_a_row;
                parted_.faults.emplace_back(part.first, answer.error());
            } else {
                add_halves(part);
            }
        }
        if (!todo_.empty() && !parted_.error)
            parted_.error = Error{ErrorCode::unstorable,
                                  "the store refuses too many runs at once; those that are "
                                  "left wait for the next cycle"};
        return std::move(parted_);
    }

private:
    static constexpr int most_tries = 200;
    static constexpr int many_in_a_row = 8;

    /// Runs beside each other.
    struct Part {
        std::size_t first = 0;
        std::size_t count = 0;
    };

    void store_rest(Batch rest) {
        rest.durable = must_be_durable(rest);
        const auto answer = store_.commit(rest);
        if (!answer) parted_.error = answer.error();
        parted_.any = answer.has_value();
    }

    void add_halves(Part part) {
        const std::size_t half = part.count / 2;
        if (part.count > half) todo_.push_back({part.first + half, part.count - half});
        if (half > 0) todo_.push_back({part.first, half});
    }

    [[nodiscard]] Batch batch_of(Part part) const {
        Batch batch;
        batch.lease = whole_.lease;
        for (std::size_t place = part.first; place < part.first + part.count; ++place) {
            batch.runs.push_back(whole_.runs[place]);
            related_[place]->add_to(batch);
        }
        batch.durable = must_be_durable(batch);
        return batch;
    }

    void note(Part part, const Conflicts& conflicts) {
        parted_.any = true;
        for (std::size_t i = part.first; i < part.first + part.count; ++i) parted_.stored[i] = true;
        append_all(parted_.conflicts, conflicts);
    }

    StorePort& store_;
    const Batch& whole_;
    List<const RelatedRows*> related_;
    List<Part> todo_;  ///< the largest first
    Parted parted_;
};

}  // namespace heeler::inline HEELER_ABI::detail

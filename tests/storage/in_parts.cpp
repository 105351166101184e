#include <heeler/storage/in_parts.hpp>

#include <set>
#include <string>

#include "support/catch.hpp"

using namespace heeler;

namespace {

/// Refuses batches with certain runs.
struct Picky final : detail::StorePort {
    std::set<std::string> refused;
    std::vector<std::string> stored;
    std::vector<std::uint64_t> applied;
    bool takes_rest = true;
    int commits = 0;
    ErrorCode with = ErrorCode::unstorable;

    Result<Snapshot> load() override { return Snapshot{}; }
    Result<List<DecisionRow>> list() override { return List<DecisionRow>{}; }
    Result<Conflicts> commit(const Batch& batch) override {
        ++commits;
        if (batch.runs.empty() && !takes_rest) return fail(ErrorCode::unstorable, "rest");
        for (const RunBatch& run : batch.runs)
            if (refused.count(run.row.id) != 0) return fail(with, run.row.id);
        for (const RunBatch& run : batch.runs) stored.push_back(run.row.id);
        applied.insert(applied.end(), batch.applied.begin(), batch.applied.end());
        return Conflicts{};
    }
    Result<History> history(std::string_view) override { return History{}; }
    Result<std::optional<AlertRow>> alert(AlertKey) override { return std::nullopt; }
    Result<Lease> claim(Claimant, Duration) override { return Lease{}; }
    Result<void> release(const Lease&) override { return {}; }
    Result<Claimed> claim_runs(const Claim&) override { return Claimed{}; }
    Result<List<HolderRow>> holders() override { return List<HolderRow>{}; }
};

Batch batch_of(std::size_t runs) {
    Batch batch;
    for (std::size_t i = 0; i < runs; ++i) {
        batch.runs.emplace_back();
        batch.runs.back().row.id = "r" + std::to_string(i);
    }
    return batch;
}

detail::Parted write(Picky& store, const Batch& batch, Batch rest = {}) {
    std::vector<detail::RelatedRows> related(batch.runs.size());
    for (std::size_t i = 0; i < related.size(); ++i) related[i].applied = {i};
    return detail::InParts{store, batch, std::move(rest),
                           [&](std::size_t i) -> const detail::RelatedRows& { return related[i]; }}
        .write();
}

}  // namespace

TEST_CASE("only the runs at fault are left out of a batch, with what belongs to them [M-008]", "[storage]") {
    Picky store;
    store.refused = {"r3", "r500", "r999"};
    const auto parted = write(store, batch_of(1000));
    REQUIRE(parted.faults.size() == 3);
    CHECK((parted.faults[0].first == 3 && parted.faults[1].first == 500 && parted.faults[2].first == 999));
    CHECK(parted.faults[1].second.message == "r500");
    CHECK((parted.any && !parted.error));
    CHECK(store.stored.size() == 997);
    CHECK(store.applied.size() == 997);
    CHECK(std::count(store.applied.begin(), store.applied.end(), 500u) == 0);
    CHECK((!parted.stored[3] && parted.stored[4]));
    CHECK(store.commits <= 60);
}

TEST_CASE("runs at fault beside each other do not hide the others", "[storage]") {
    Picky store;
    for (int i = 0; i < 40; ++i) store.refused.insert("r" + std::to_string(i));
    const auto parted = write(store, batch_of(1000));
    CHECK(parted.any);
    CHECK(store.stored.size() == 960);
    CHECK(parted.faults.size() == 40);
}

TEST_CASE("a store that refuses everything is not asked about each run", "[storage]") {
    Picky store;
    const Batch batch = batch_of(100'000);
    for (const RunBatch& run : batch.runs) store.refused.insert(run.row.id);
    const auto parted = write(store, batch);
    CHECK_FALSE(parted.any);
    CHECK(parted.error);
    CHECK(store.commits <= 200);
}

TEST_CASE("a place of the disk that cannot be written holds up one run, and no other [M-008]", "[storage]") {
    Picky store;
    store.with = GENERATE(ErrorCode::io, ErrorCode::corrupt);
    store.refused = {GENERATE("r0", "r3", "r999")};
    const auto parted = write(store, batch_of(1000));
    REQUIRE(parted.faults.size() == 1);
    CHECK(parted.faults[0].second.code == store.with);
    CHECK((parted.any && !parted.error));
    CHECK(store.stored.size() == 999);
    CHECK(store.commits <= 25);
}

TEST_CASE("a store that is gone is given up after both halves", "[storage]") {
    Picky store;
    store.with = GENERATE(ErrorCode::io, ErrorCode::busy, ErrorCode::lost);
    const Batch batch = batch_of(1000);
    for (const RunBatch& run : batch.runs) store.refused.insert(run.row.id);
    const auto parted = write(store, batch);
    CHECK_FALSE(parted.any);
    REQUIRE(parted.error);
    CHECK(parted.error->code == store.with);
    CHECK(store.commits <= 2);
}

TEST_CASE("what belongs to no run is stored by itself", "[storage]") {
    Picky store;
    store.refused = {"r1"};
    Batch rest;
    rest.applied = {77};
    store.takes_rest = GENERATE(true, false);
    const auto parted = write(store, batch_of(2), rest);
    CHECK((parted.stored[0] && !parted.stored[1]));
    CHECK(parted.error.has_value() == !store.takes_rest);
    CHECK(std::count(store.applied.begin(), store.applied.end(), 77u) == (store.takes_rest ? 1 : 0));
}

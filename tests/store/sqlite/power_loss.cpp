// What a power failure leaves of a store in SQLite: at each sync, of all that was written since the one before, any
// part may be lost, whatever the order in which it was written.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <sqlite3.h>

#include <heeler/store/sqlite_store.hpp>

#include "support/catch.hpp"
#include "support/lossy_disk.hpp"
#include "support/real_process.hpp"

namespace {

using heeler_test::LossyDisk;

/// The files at one moment, and what the store had promised by then.
struct Failure {
    LossyDisk::Image image;
    std::size_t kept = 0;   ///< so many batches must be there
    std::size_t tried = 0;  ///< and no more can be
};

constexpr std::size_t batches = 40;

/// Each batch changes one of three runs, and says in its audit which one it was. Two of three are durable.
[[nodiscard]] heeler::Batch numbered(std::size_t number) {
    heeler::Batch batch;
    heeler::RunBatch& run = batch.runs.emplace_back();
    run.row.id = "run-" + std::to_string(number % 3);
    run.row.version = number / 3;
    run.row.facts = "facts " + std::to_string(number);
    if (number < 3) run.row.spec = "spec";
    run.row.memory = std::string(3000, static_cast<char>('a' + number % 26));
    run.audit.push_back({{}, "batch", {}, std::to_string(number)});
    batch.durable = number % 3 != 2;
    return batch;
}

/// Somebody else writes what is in the log into the file, as SQLite itself does with a long log.
void checkpoint_log(const std::string& path) {
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
    CHECK(sqlite3_exec(handle, "PRAGMA wal_checkpoint(RESTART)", nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(handle);
}

[[nodiscard]] std::vector<Failure> all_failures() {
    heeler_test::ScratchDirectory scratch;
    const std::string path = scratch / "store.db";
    std::vector<Failure> failures;
    std::minstd_rand lot{1};
    std::size_t kept = 0, tried = 0;
    const LossyDisk* on = nullptr;
    LossyDisk disk{path, [&] {
                       if (on == nullptr) return;
                       failures.push_back({on->after_power_failure([] { return false; }), kept, tried});
                       failures.push_back({on->after_power_failure([&] { return lot() % 2 == 0; }), kept, tried});
                       failures.push_back({on->after_power_failure([&] { return lot() % 16 != 0; }), kept, tried});
                   }};
    on = &disk;
    heeler::SqliteStore store{path};
    for (std::size_t number = 0; number < batches; ++number) {
        const heeler::Batch batch = numbered(number);
        ++tried;
        const auto stored = store.commit(batch);
        REQUIRE(stored);
        REQUIRE(stored->empty());
        if (batch.durable) kept = number + 1;
        if (number % 7 == 6) checkpoint_log(path);
    }
    return failures;
}

void write_out(const LossyDisk::Image& image, const std::string& path) {
    for (const auto& [end, bytes] : image) std::ofstream{path + end, std::ios::binary} << bytes;
}

[[nodiscard]] bool is_whole(const std::string& path) {
    sqlite3* handle = nullptr;
    std::string said;
    REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
    const auto hear = [](void* to, int, char** values, char**) {
        *static_cast<std::string*>(to) += values[0];
        return 0;
    };
    sqlite3_exec(handle, "PRAGMA integrity_check", hear, &said, nullptr);
    sqlite3_close(handle);
    return said == "ok";
}

/// The batches that are there, in order.
[[nodiscard]] std::vector<std::size_t> batches_in(heeler::SqliteStore& store) {
    std::vector<std::size_t> found;
    for (std::size_t run = 0; run < 3; ++run) {
        const auto history = store.history("run-" + std::to_string(run));
        REQUIRE(history);
        CHECK(history->damaged.empty());
        for (const heeler::AuditRow& row : history->audit) found.push_back(std::stoul(row.body));
        if (history->row) CHECK(history->row->facts == "facts " + history->audit.back().body);
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

TEST_CASE("a power failure takes no batch from SQLite that was answered as durable, nor one before it", "[store]") {
    const std::vector<Failure> failures = all_failures();
    CHECK(failures.size() > 4 * batches);
    std::size_t lost = 0;
    for (const Failure& failure : failures) {
        heeler_test::ScratchDirectory scratch;
        const std::string path = scratch / "store.db";
        write_out(failure.image, path);
        heeler::SqliteStore store{path};
        const auto loaded = store.load();
        INFO("after " << failure.kept << " of " << failure.tried
                      << " batches: " << (loaded ? "" : loaded.error().message));
        REQUIRE(loaded);
        CHECK(loaded->damaged.empty());
        const std::vector<std::size_t> found = batches_in(store);
        REQUIRE(found.size() >= failure.kept);
        REQUIRE(found.size() <= failure.tried);
        for (std::size_t i = 0; i < found.size(); ++i) REQUIRE(found[i] == i);
        REQUIRE(is_whole(path));
        lost += found.size() < failure.tried ? 1 : 0;
    }
    CHECK(lost > batches / 2);  // the disk does lose what it may
}

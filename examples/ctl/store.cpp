#include "store.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include <heeler/store/sqlite_store.hpp>

namespace ctl {

namespace {

using heeler::ErrorCode;
using heeler::Result;

template <class Kept>
class StoreOn final : public Store {
public:
    explicit StoreOn(Kept kept) : kept_{std::move(kept)} {}

    Result<heeler::Snapshot> load() override { return kept_.load(); }
    Result<std::vector<heeler::DecisionRow>> list() override { return kept_.list(); }
    Result<heeler::Conflicts> commit(const heeler::Batch& batch) override { return kept_.commit(batch); }
    Result<heeler::History> history(std::string_view run) override { return kept_.history(run); }
    Result<std::vector<heeler::RunRow>> runs() override { return kept_.runs(); }
    Result<std::vector<heeler::AlertRow>> undelivered() override { return kept_.undelivered(); }

private:
    Kept kept_;
};

/// A store would be begun at a path where there is none.
Result<void> check_file(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    const auto status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
        return heeler::fail(ErrorCode::io, "store " + path +
                                               ": it does not exist; check the path, or start a watchdog "
                                               "on it first");
    if (error) return heeler::fail(ErrorCode::io, "store " + path + ": " + error.message());
    if (fs::is_directory(status))
        return heeler::fail(ErrorCode::not_a_store, "store " + path + ": it is a directory; name the file in it");
    if (fs::is_regular_file(status) && fs::file_size(path, error) == 0 && !error)
        return heeler::fail(ErrorCode::not_a_store, "store " + path +
                                                        ": the file is empty; check the path, or start a "
                                                        "watchdog on it first");
    return {};
}

}  // namespace

Result<std::unique_ptr<Store>> open_store(const std::string& sqlite_file) {
    if (const auto there = check_file(sqlite_file); !there) return tl::unexpected<heeler::Error>(there.error());
    constexpr heeler::SqliteSettings patient{.busy_timeout = std::chrono::seconds{10}};
    return std::make_unique<StoreOn<heeler::SqliteStore>>(heeler::SqliteStore{sqlite_file, patient});
}

}  // namespace ctl

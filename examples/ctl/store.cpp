#include "store.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include <heeler/engine/edge.hpp>
#include <heeler/store/sqlite_store.hpp>
#ifdef HEELER_HAS_POSTGRES
#include <heeler/store/postgres_store.hpp>
#endif

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
    Result<heeler::Listed<heeler::RunRow>> runs() override { return kept_.runs(); }
    Result<heeler::Listed<heeler::AlertRow>> undelivered() override { return kept_.undelivered(); }
    Result<std::vector<heeler::HolderRow>> holders() override { return kept_.holders(); }
    heeler::detail::StorePort& port() override { return port_; }

private:
    Kept kept_;
    heeler::detail::StoreEdge<Kept> port_{kept_};
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

Result<std::unique_ptr<Store>> open_sqlite(const std::string& path) {
    if (const auto there = check_file(path); !there) return tl::unexpected<heeler::Error>(there.error());
    constexpr heeler::SqliteSettings patient{.busy_timeout = std::chrono::seconds{10}};
    return std::make_unique<StoreOn<heeler::SqliteStore>>(heeler::SqliteStore{path, patient});
}

#ifdef HEELER_HAS_POSTGRES
/// A schema without tables would become a store.
Result<void> check_schema(const std::string& connection, const heeler::PostgresSettings& settings) {
    if (const auto usable = heeler::detail::check_settings(settings); !usable) return usable;
    const auto address = heeler::detail::read_address(connection, settings.schema);
    if (!address) return tl::unexpected<heeler::Error>(address.error());
    const auto opened = heeler::detail::open_postgres(*address, settings, false);
    if (opened) return {};
    if (opened.error().code != ErrorCode::lost) return tl::unexpected<heeler::Error>(opened.error());
    return heeler::fail(ErrorCode::lost, "store " + address->name +
                                             ": it holds no store; check the URL and --schema, "
                                             "or start a watchdog on it first");
}

Result<std::unique_ptr<Store>> open_postgres(const common::StorePlace& place) {
    heeler::PostgresSettings settings;
    settings.schema = place.schema;
    settings.lock_timeout = std::chrono::seconds{4};
    if (const auto there = check_schema(place.postgres, settings); !there)
        return tl::unexpected<heeler::Error>(there.error());
    return std::make_unique<StoreOn<heeler::PostgresStore>>(heeler::PostgresStore{place.postgres, settings});
}
#else
Result<std::unique_ptr<Store>> open_postgres(const common::StorePlace&) {
    return heeler::fail(ErrorCode::unsupported, "this program was built without PostgreSQL");
}
#endif

}  // namespace

Result<std::unique_ptr<Store>> open_store(const common::StorePlace& place) {
    return place.postgres.empty() ? open_sqlite(place.sqlite_file) : open_postgres(place);
}

}  // namespace ctl

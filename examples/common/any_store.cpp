#include "any_store.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <heeler/spend.hpp>
#include <heeler/store/memory_store.hpp>
#include <heeler/store/sqlite_store.hpp>
#ifdef HEELER_HAS_POSTGRES
#include <heeler/store/postgres_store.hpp>
#endif

namespace common {

using heeler::ErrorCode;
using heeler::Result;

struct AnyStore::Kept {
    Kept() = default;
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    virtual ~Kept() = default;

    virtual Result<heeler::Snapshot> load() = 0;
    virtual Result<heeler::List<heeler::DecisionRow>> list() = 0;
    virtual Result<heeler::Conflicts> commit(const heeler::Batch& batch) = 0;
    virtual Result<heeler::History> history(std::string_view run) = 0;
    virtual Result<std::optional<heeler::AlertRow>> alert(heeler::AlertKey which) = 0;
    virtual Result<heeler::List<heeler::SpendRow>> spent(std::int64_t day,
                                                         const std::vector<std::string>& lineages) = 0;
    virtual Result<heeler::Lease> claim(heeler::Claimant who, heeler::Duration length) = 0;
    virtual Result<void> release(const heeler::Lease& lease) = 0;
    virtual Result<heeler::Claimed> claim_runs(const heeler::Claim& claim) = 0;
    virtual Result<heeler::List<heeler::HolderRow>> holders() = 0;
    [[nodiscard]] virtual std::string place() const = 0;
    virtual Result<heeler::Listed<heeler::RunRow>> runs() = 0;
    virtual Result<heeler::Listed<heeler::AlertRow>> undelivered() = 0;
    virtual Result<heeler::Pruned> prune(const heeler::Retention& retention) = 0;
    virtual Result<void> compact() = 0;
};

namespace {

template <class Store>
class KeptIn final : public AnyStore::Kept {
public:
    explicit KeptIn(Store store) : store_{std::move(store)} {}

    Result<heeler::Snapshot> load() override { return store_.load(); }
    Result<heeler::List<heeler::DecisionRow>> list() override { return store_.list(); }
    Result<heeler::Conflicts> commit(const heeler::Batch& batch) override { return store_.commit(batch); }
    Result<heeler::History> history(std::string_view run) override { return store_.history(run); }
    Result<std::optional<heeler::AlertRow>> alert(heeler::AlertKey which) override { return store_.alert(which); }
    Result<heeler::List<heeler::SpendRow>> spent(std::int64_t day, const std::vector<std::string>& lineages) override {
        return store_.spent(day, lineages);
    }
    Result<heeler::Lease> claim(heeler::Claimant who, heeler::Duration length) override {
        return store_.claim(who, length);
    }
    Result<void> release(const heeler::Lease& lease) override { return store_.release(lease); }
    Result<heeler::Claimed> claim_runs(const heeler::Claim& claim) override { return store_.claim_runs(claim); }
    Result<heeler::List<heeler::HolderRow>> holders() override { return store_.holders(); }
    [[nodiscard]] std::string place() const override {
        if constexpr (heeler::HasPlace<Store>)
            return store_.place();
        else
            return {};
    }
    Result<heeler::Listed<heeler::RunRow>> runs() override {
        if constexpr (requires { store_.runs(); })
            return store_.runs();
        else
            return heeler::fail(ErrorCode::unsupported, "a store in memory lists no runs");
    }
    Result<heeler::Listed<heeler::AlertRow>> undelivered() override {
        if constexpr (requires { store_.undelivered(); })
            return store_.undelivered();
        else
            return heeler::fail(ErrorCode::unsupported, "a store in memory lists no alerts");
    }
    Result<heeler::Pruned> prune(const heeler::Retention& retention) override {
        if constexpr (requires { store_.prune(retention); })
            return store_.prune(retention);
        else
            return heeler::fail(ErrorCode::unsupported, "a store in memory ends with its process");
    }
    Result<void> compact() override {
        if constexpr (requires { store_.compact(); })
            return store_.compact();
        else
            return heeler::fail(ErrorCode::unsupported, "only an SQLite file is made smaller");
    }

private:
    Store store_;
};

template <class Store>
std::shared_ptr<AnyStore::Kept> keep(Store store) {
    return std::make_shared<KeptIn<Store>>(std::move(store));
}

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
#else
Result<AnyStore> without_postgres() {
    return heeler::fail(ErrorCode::unsupported, "this program was built without PostgreSQL");
}
#endif

}  // namespace

AnyStore::AnyStore(std::shared_ptr<Kept> kept) noexcept : kept_{std::move(kept)} {}

Result<AnyStore> AnyStore::at(const StorePlace& place) {
    if (place.postgres.empty()) return in_file(place.sqlite_file);
#ifdef HEELER_HAS_POSTGRES
    heeler::PostgresSettings settings;
    settings.schema = place.schema;
    return AnyStore{keep(heeler::PostgresStore{place.postgres, settings})};
#else
    return without_postgres();
#endif
}

AnyStore AnyStore::in_file(const std::string& path) {
    return AnyStore{path.empty() ? keep(heeler::MemoryStore{}) : keep(heeler::SqliteStore{path})};
}

Result<AnyStore> AnyStore::existing(const StorePlace& place) {
    if (place.postgres.empty()) {
        if (const auto there = check_file(place.sqlite_file); !there)
            return tl::unexpected<heeler::Error>(there.error());
        constexpr heeler::SqliteSettings patient{.busy_timeout = std::chrono::seconds{10}};
        return AnyStore{keep(heeler::SqliteStore{place.sqlite_file, patient})};
    }
#ifdef HEELER_HAS_POSTGRES
    heeler::PostgresSettings patient;
    patient.schema = place.schema;
    patient.lock_timeout = std::chrono::seconds{4};
    if (const auto there = check_schema(place.postgres, patient); !there)
        return tl::unexpected<heeler::Error>(there.error());
    return AnyStore{keep(heeler::PostgresStore{place.postgres, patient})};
#else
    return without_postgres();
#endif
}

Result<heeler::Snapshot> AnyStore::load() { return kept_->load(); }

Result<heeler::List<heeler::DecisionRow>> AnyStore::list() { return kept_->list(); }

Result<heeler::Conflicts> AnyStore::commit(const heeler::Batch& batch) { return kept_->commit(batch); }

Result<heeler::History> AnyStore::history(std::string_view run) { return kept_->history(run); }

Result<std::optional<heeler::AlertRow>> AnyStore::alert(heeler::AlertKey which) { return kept_->alert(which); }

Result<heeler::List<heeler::SpendRow>> AnyStore::spent(std::int64_t day, const std::vector<std::string>& lineages) {
    return kept_->spent(day, lineages);
}

Result<heeler::Lease> AnyStore::claim(heeler::Claimant who, heeler::Duration length) {
    return kept_->claim(who, length);
}

Result<void> AnyStore::release(const heeler::Lease& lease) { return kept_->release(lease); }

Result<heeler::Claimed> AnyStore::claim_runs(const heeler::Claim& claim) { return kept_->claim_runs(claim); }

std::string AnyStore::place() const { return kept_->place(); }
Result<heeler::List<heeler::HolderRow>> AnyStore::holders() { return kept_->holders(); }

Result<heeler::Listed<heeler::RunRow>> AnyStore::runs() { return kept_->runs(); }

Result<heeler::Listed<heeler::AlertRow>> AnyStore::undelivered() { return kept_->undelivered(); }

Result<heeler::Pruned> AnyStore::prune(const heeler::Retention& retention) { return kept_->prune(retention); }

Result<void> AnyStore::compact() { return kept_->compact(); }

}  // namespace common

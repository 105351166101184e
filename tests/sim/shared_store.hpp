// The store that all watchdogs of a world share, whatever kind of store it is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/ports.hpp>
#include <heeler/engine/edge.hpp>

namespace sim {

/// Copies are the same store. It lists no holders, so that a watchdog without a name does not look for another one.
class SharedStore {
public:
    template <class Store>
    explicit SharedStore(std::unique_ptr<Store> store) {
        auto kept = std::make_shared<Kept<Store>>(std::move(store));
        port_ = std::shared_ptr<heeler::detail::StorePort>(kept, &kept->edge);
        spent_ = [kept](std::int64_t day, const std::vector<std::string>& lineages) {
            return kept->store->spent(day, lineages);
        };
    }

    [[nodiscard]] auto load() { return port_->load(); }
    [[nodiscard]] auto list() { return port_->list(); }
    [[nodiscard]] auto commit(const heeler::Batch& batch) { return port_->commit(batch); }
    [[nodiscard]] auto history(std::string_view run) const { return port_->history(run); }
    [[nodiscard]] auto alert(heeler::AlertKey which) const { return port_->alert(which); }
    [[nodiscard]] auto claim(heeler::Claimant who, heeler::Duration length) { return port_->claim(who, length); }
    [[nodiscard]] auto release(const heeler::Lease& lease) { return port_->release(lease); }
    [[nodiscard]] auto claim_runs(const heeler::Claim& claim) { return port_->claim_runs(claim); }
    [[nodiscard]] heeler::Result<heeler::List<heeler::SpendRow>> spent(std::int64_t day,
                                                                       const std::vector<std::string>& lineages) {
        return spent_(day, lineages);
    }

private:
    template <class Store>
    struct Kept {
        explicit Kept(std::unique_ptr<Store> inner) : store{std::move(inner)} {}
        std::unique_ptr<Store> store;
        heeler::detail::StoreEdge<Store> edge{*store};
    };

    std::shared_ptr<heeler::detail::StorePort> port_;
    std::function<heeler::Result<heeler::List<heeler::SpendRow>>(std::int64_t, const std::vector<std::string>&)> spent_;
};

}  // namespace sim

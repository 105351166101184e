// Which client has which run.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/run.hpp>

#include "connection.hpp"

namespace serve {

using Client = std::shared_ptr<Connection>;

/// Thread-safe.
class Holders {
public:
    struct Held {
        Client client;
        heeler::RunHandle handle{};
    };

    /// It has said hello: from now on other threads know of it.
    void joined(Client client) {
        const std::lock_guard one{lock_};
        clients_.insert(std::move(client));
    }
    /// Its runs have nobody from now on.
    void left(const Client& client) {
        const std::lock_guard one{lock_};
        clients_.erase(client);
        std::erase_if(runs_, [&](const auto& each) { return each.second.client == client; });
    }

    void take(const std::string& run, Held held) {
        const std::lock_guard one{lock_};
        runs_.insert_or_assign(run, std::move(held));
    }
    void release(std::string_view run) {
        const std::lock_guard one{lock_};
        if (const auto found = runs_.find(run); found != runs_.end()) runs_.erase(found);
    }
    [[nodiscard]] std::optional<Held> of(std::string_view run) const {
        const std::lock_guard one{lock_};
        const auto found = runs_.find(run);
        return found == runs_.end() ? std::nullopt : std::optional{found->second};
    }
    [[nodiscard]] std::vector<Client> all() const {
        const std::lock_guard one{lock_};
        return {clients_.begin(), clients_.end()};
    }

private:
    mutable std::mutex lock_;
    std::set<Client> clients_;
    std::map<std::string, Held, std::less<>> runs_;
};

}  // namespace serve

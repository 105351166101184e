// Finds the handle of a run by its id.
#pragma once

#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include <heeler/core/run.hpp>
#include <heeler/text/fingerprint.hpp>

namespace heeler::inline v0 {

/// May be called from any thread.
class RunIndex {
public:
    [[nodiscard]] std::optional<RunHandle> find(std::string_view id) const {
        const std::shared_lock guard{lock_};
        const auto it = handles_.find(id);
        if (it == handles_.end()) return std::nullopt;
        return it->second;
    }
    void add(std::string_view id, RunHandle handle) {
        const std::lock_guard guard{lock_};
        handles_.insert_or_assign(std::string{id}, handle);
    }
    void remove(std::string_view id) {
        const std::lock_guard guard{lock_};
        if (const auto it = handles_.find(id); it != handles_.end()) handles_.erase(it);
    }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view id) const noexcept { return fingerprint_text(id); }
    };

    mutable std::shared_mutex lock_;
    std::unordered_map<std::string, RunHandle, Hash, std::equal_to<>> handles_;
};

}  // namespace heeler::inline v0

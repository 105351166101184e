// That a watchdog without a name is the only one on its store, where the store can tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/batch.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Holds the lease of `unnamed_holder` for this process. It guards against a mistake and fences nobody off: nothing is
/// written under that lease, and while the store cannot be asked the watchdog goes on. One call at a time.
class SoleWatchdog {
public:
    SoleWatchdog(StorePort& store, ProcessPort& process) : store_{store}, process_{process} {}

    /// Asks the store when that is due. An error, in every call: another process without a name has the lease.
    [[nodiscard]] Result<void> check(Instant now) {
        if (!store_.lists_holders || now.elapsed < ask_at_) return answer();
        const std::string owner = process_.identity();
        if (owner.empty()) return answer();
        const auto lease = claim(owner);
        ask_at_ = now.elapsed + (lease ? renew_every : ask_again);
        if (!lease) return answer();
        refusal_.reset();
        // Others can only have come between when it had run out; given back by one of this process, it grew by one.
        if (epoch_ != 0 && lease->epoch > epoch_ + 1 && now.elapsed > runs_out_) {
            refusal_ = Error{ErrorCode::busy,
                             "another watchdog without a name worked on this store in between" + std::string{advice}};
            ask_at_ = now.elapsed;
        }
        epoch_ = lease->epoch;
        runs_out_ = now.elapsed + length;
        return answer();
    }

    /// What the last check answered.
    [[nodiscard]] Result<void> answer() const {
        if (refusal_) return tl::unexpected<Error>(*refusal_);
        return {};
    }

    void leave() {
        if (epoch_ != 0) (void)store_.release({std::string{unnamed_holder}, epoch_});
        epoch_ = 0;
        ask_at_ = Elapsed::min();
    }

private:
    static constexpr Duration length = std::chrono::seconds{60};
    static constexpr Duration renew_every = std::chrono::seconds{20};
    static constexpr Duration ask_again = std::chrono::seconds{5};
    static constexpr std::string_view advice =
        ": each would judge and recover the same runs. Give each its own name (EngineSettings::holder), or run one";

    [[nodiscard]] Result<Lease> claim(const std::string& owner) {
        auto lease = store_.claim({unnamed_holder, owner}, length);
        if (lease || lease.error().code != ErrorCode::busy) return lease;
        const auto rows = store_.holders();  // the store may be busy for other reasons
        if (!rows) return lease;
        refusal_.reset();
        for (const HolderRow& row : *rows)
            if (row.name == unnamed_holder && row.live && row.owner != owner) return claim_from(row, owner);
        return lease;
    }

    /// A process that ended without giving the lease back is not waited for, if it ran on this machine.
    [[nodiscard]] Result<Lease> claim_from(const HolderRow& other, const std::string& owner) {
        if (process_.is_over(other.owner) && store_.release({other.name, other.epoch})) {
            auto lease = store_.claim({unnamed_holder, owner}, length);
            if (lease) return lease;
        }
        refusal_ = taken_by(other);
        epoch_ = 0;
        return tl::unexpected<Error>(*refusal_);
    }

    /// An identity is host/boot/namespace/pid/start.
    [[nodiscard]] static Error taken_by(const HolderRow& other) {
        const std::string_view owner = other.owner;
        const std::size_t start = owner.rfind('/');
        const std::size_t pid = owner.rfind('/', start == 0 ? 0 : start - 1);
        std::string who = "process " + text::sanitise(owner, 128);
        if (start != std::string_view::npos && pid != std::string_view::npos)
            who = "process " + text::sanitise(owner.substr(pid + 1, start - pid - 1), 20) + " on host " +
                  text::sanitise(owner.substr(0, owner.find('/')), 64);
        const auto left = std::chrono::ceil<std::chrono::seconds>(other.left).count();
        return Error{ErrorCode::busy, "another watchdog without a name works on this store, in " + who +
                                          ", for at least " + std::to_string(left) + " s more" + std::string{advice}};
    }

    StorePort& store_;
    ProcessPort& process_;
    std::optional<Error> refusal_;
    std::uint64_t epoch_ = 0;  ///< 0: it has no lease
    Elapsed ask_at_ = Elapsed::min();
    Elapsed runs_out_ = Elapsed::min();
};

}  // namespace heeler::inline HEELER_ABI::detail

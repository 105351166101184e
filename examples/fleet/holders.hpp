// Who holds the runs, looked at again and again: which runs had no live watchdog, and for how long.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "database.hpp"

namespace fleet {

/// Runs that were without a live watchdog at once.
struct Orphaned {
    std::string holder;  ///< who had held them; empty: nobody yet
    long runs = 0;
    double seconds = 0;  ///< until the last of them was held again, from above
};

/// Moments are seconds by the server's clock.
class Holders {
public:
    explicit Holders(Database& database) : database_{database} {}

    [[nodiscard]] double now() { return database_.number("SELECT extract(epoch FROM clock_timestamp())"); }

    /// A moment in the life of a holder.
    struct Moment {
        double at = 0;
        std::string epoch;
        long acting = 0;  ///< so many actions of it are stored as intended, and have no outcome yet
    };
    [[nodiscard]] Moment moment(const std::string& name);

    /// From then on nobody counts as watched who is held by this one under its lease of then.
    void gone(const std::string& name, const Moment& then) { gone_.insert_or_assign({name, then.epoch}, then.at); }

    /// Looks once. True while runs are alive.
    bool look();
    /// No more looks: what is open is over.
    void close();

    [[nodiscard]] const std::vector<Orphaned>& orphaned() const noexcept { return over_; }
    /// How many runs each one held at the last look.
    [[nodiscard]] const std::map<std::string, long>& held() const noexcept { return held_; }
    [[nodiscard]] long alive() const noexcept { return alive_; }

private:
    using Term = std::pair<std::string, std::string>;  ///< holder and epoch

    struct Open {
        double since = 0;
        long runs = 0;
    };

    void end(const Term& term, const Open& open, double at) {
        over_.push_back({term.first, open.runs, at - open.since});
    }

    Database& database_;
    std::map<Term, double> gone_;
    std::map<Term, Open> open_;
    std::vector<Orphaned> over_;
    std::map<std::string, long> held_;
    long alive_ = 0;
    double looked_at_ = 0;
};

}  // namespace fleet

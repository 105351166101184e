// What really happened to the runs of a recording, beside what the watchdog made of them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/time.hpp>
#include <heeler/engine/events.hpp>
#include <heeler/report/metrics.hpp>

namespace replay {

class Truths {
public:
    /// Absent: the run was healthy throughout.
    void tell(std::string_view run, std::optional<heeler::Duration> stalled_at);
    [[nodiscard]] bool any() const noexcept { return !runs_.empty(); }

    void note(const heeler::Event& event, heeler::Duration t);
    /// How the run ended: its `final_status`.
    void note_end(std::string_view run, std::string_view status);

    [[nodiscard]] heeler::Metrics measured() const;

private:
    [[nodiscard]] heeler::RunFacts* about(std::string_view run, heeler::Duration t);

    std::map<std::string, heeler::RunFacts, std::less<>> runs_;
};

}  // namespace replay

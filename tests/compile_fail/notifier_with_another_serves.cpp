// expect: heeler: `serves` of a Notifier is `heeler::Result<void> serves(std::string_view route) const` (README: Routes)
// A notifier that says for a route only yes or no: nobody would read what to do.
#include <heeler/core/concepts.hpp>

struct Pager {
    static constexpr std::string_view name = "pager";

    heeler::Result<heeler::Receipt> send(const heeler::Alert&);
    bool serves(std::string_view) const;
};

static_assert(heeler::check_notifier<Pager>());

// expect: heeler: a Notifier needs `static constexpr std::string_view name` (README: Write a notifier)
// A notifier that has no name to be shown by.
#include <heeler/core/concepts.hpp>

struct Pager {
    heeler::Result<heeler::Receipt> send(const heeler::Alert&);
};

static_assert(heeler::check_notifier<Pager>());

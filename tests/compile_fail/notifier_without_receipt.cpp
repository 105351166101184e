// expect: heeler: a Notifier needs `heeler::Result<heeler::Receipt> send(const heeler::Alert&)` (README: Write a notifier)
// A notifier whose failures would be lost.
#include <heeler/core/concepts.hpp>

struct Pager {
    static constexpr std::string_view name = "pager";

    void send(const heeler::Alert&);
};

static_assert(heeler::check_notifier<Pager>());

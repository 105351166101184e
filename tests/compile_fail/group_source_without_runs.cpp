// expect: heeler: a source of many runs needs `heeler::Result<std::vector<heeler::PolledRun>> poll(std::span<const heeler::RunCursor>)` (README: Write a source)
// A source of one run where one of many is needed.
#include <heeler/core/source.hpp>

struct Transcript {
    heeler::Result<heeler::Polled> poll(std::string_view cursor);
};

static_assert(heeler::check_group_source<Transcript>());

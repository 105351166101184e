// expect: heeler: the `list` of a source of many runs must be `heeler::Result<std::vector<heeler::RunSpec>> list()` (README: Write a source)
// A list of names where one of runs is needed.
#include <span>

#include <heeler/core/source.hpp>

struct Workers {
    heeler::Result<std::vector<heeler::PolledRun>> poll(std::span<const heeler::RunCursor> runs);
    heeler::Result<std::vector<std::string>> list();
};

static_assert(heeler::check_group_source<Workers>());

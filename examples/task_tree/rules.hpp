// The tracker's own rules: who may change what, and what makes sense. Whatever does not is thrown as `Refused`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "change.hpp"
#include "database.hpp"

namespace tracker {

/// Unless this person, agent or run may do that, watched or not.
void check_actor(Database& database, const Change& change, const Actor& actor);

/// Unless the tenant has such an agent, and it can be given work.
void check_employable(Database& database, const std::string& tenant, const std::string& agent);

/// Unless it is one of those that are known.
void check_one_of(std::string_view what, const std::string& value, std::span<const std::string_view> known);

/// Ids stand in paths, and in records on one line.
void check_id(const char* what, const std::string& id);

/// Unless it says something, in at most so many bytes.
void check_text(const char* what, const std::string& text, std::size_t most);

/// "there is no WHAT 'ID'"
[[noreturn]] void missing(const char* what, const std::string& id);
[[nodiscard]] std::string in_quotes(std::string_view text);

/// The tenant of an issue that must be there.
[[nodiscard]] std::string tenant_of(Database& database, const std::string& issue);

/// Who has a run, on what, and how it stands.
struct RunRow {
    std::string issue{}, agent{}, status{}, tenant{};
};

/// Of a run that must be there.
[[nodiscard]] RunRow run_row(Database& database, const std::string& id);

/// "ISS-7", once.
[[nodiscard]] std::string next_id(Database& database, std::string_view prefix);

/// Of the tracker itself, or of somebody. It changes nothing that a watch looks at.
void add_comment(Database& database, const std::string& issue, std::string_view author, std::string_view text);

}  // namespace tracker

// Names a node of a task tree.
#pragma once

#include <string>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI {

/// A node of a task tree. Ids are unique within a tenant; nothing crosses from one tenant to another.
struct NodeRef {
    std::string tenant{};
    std::string id{};

    friend bool operator==(const NodeRef&, const NodeRef&) = default;
    friend auto operator<=>(const NodeRef&, const NodeRef&) = default;
};

}  // namespace heeler::inline HEELER_ABI

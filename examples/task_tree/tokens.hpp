// By which words people and agents are known. All of them follow from one key, so that they outlive a restart.
#pragma once

#include <filesystem>
#include <string>

namespace tracker {

class Tokens {
public:
    /// `file` holds the key, for this user only; it is made where it is missing. Throws if it cannot be had.
    explicit Tokens(const std::filesystem::path& file);

    /// Of whoever may do everything.
    [[nodiscard]] std::string of_person() const;
    /// Of one agent of one tenant.
    [[nodiscard]] std::string of_agent(const std::string& tenant, const std::string& agent) const;

private:
    std::string key_;
};

/// Where an agent finds its own.
inline constexpr const char* token_variable = "HEELER_TASK_TREE_TOKEN";

}  // namespace tracker

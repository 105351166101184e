// The directory that holds the state of one run name: lock, record of the child, database, output, snapshots, reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <heeler/core/result.hpp>
#include <heeler/posix/file_descriptor.hpp>
#include <heeler/posix/process_identity.hpp>
#include <heeler/posix/regular_file.hpp>

#include "exit_status.hpp"

namespace supervise {

/// The command that was started last, as it was recorded before it ran.
struct ChildRecord {
    heeler::ProcessIdentity identity;
    std::string boot;         ///< id of the system's boot: identities mean nothing after another one
    std::string run;          ///< run id
    std::string output_file;  ///< empty: output went through a pipe that is gone
    std::string command;      ///< for people

    /// Whether anything of it still runs.
    [[nodiscard]] bool alive() const;
};

/// Created and locked by `open_run_directory`; the lock lasts as long as the process.
class RunDirectory {
public:
    /// `below`: the directory of the run in the state directory, where commands may have made anything.
    RunDirectory(std::string state, std::string below, heeler::FileDescriptor lock)
        : state_(std::move(state)), below_(std::move(below)), lock_(std::move(lock)) {}

    [[nodiscard]] heeler::FilePlace place(const std::string& name) const { return {state_, below_ + "/" + name}; }
    [[nodiscard]] std::string file(const std::string& name) const { return place(name).path(); }

    /// The last record, if there is one. A damaged one is an error: who knows what runs.
    [[nodiscard]] heeler::Result<std::optional<ChildRecord>> read_child() const;

    /// Durable when it returns.
    [[nodiscard]] heeler::Result<void> write_child(const ChildRecord& record) const;

    /// The command is over and nothing of it is left.
    void forget_child() const;

private:
    std::string state_;
    std::string below_;
    heeler::FileDescriptor lock_;
};

/// `state_directory`/runs/`name`, locked against a second instance; or how to end and why.
[[nodiscard]] std::variant<RunDirectory, Quit> open_run_directory(const std::string& state_directory,
                                                                  const std::string& name);

/// The id of the system's boot; empty where it has none.
[[nodiscard]] std::string boot_id();

}  // namespace supervise

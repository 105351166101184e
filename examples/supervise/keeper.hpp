// A small process that ends the command when heeler-supervise itself was killed, so that nobody is left unwatched.
#pragma once

#include <heeler/core/result.hpp>
#include <heeler/posix/file_descriptor.hpp>
#include <heeler/posix/process_identity.hpp>

namespace supervise {

/// Outlives its owner just long enough to end what it was told to watch. Start it before any thread and any file.
class Keeper {
public:
    [[nodiscard]] static heeler::Result<Keeper> start();

    /// From now on, when the owner ends in whatever way, the family of this process is ended too.
    [[nodiscard]] heeler::Result<void> watch(const heeler::ProcessIdentity& identity);

private:
    explicit Keeper(heeler::FileDescriptor line) : line_(std::move(line)) {}

    heeler::FileDescriptor line_;
};

}  // namespace supervise

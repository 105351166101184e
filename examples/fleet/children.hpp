// The processes that heeler-fleet starts of itself. None outlives it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <heeler/posix/child_process.hpp>

#include "options.hpp"

namespace fleet {

class Children {
public:
    /// What they say goes to files in a folder of its own.
    explicit Children(const Options& options);
    Children(const Children&) = delete;
    Children& operator=(const Children&) = delete;
    /// Kills who is left.
    ~Children();

    /// Throws if it cannot be started.
    void start(const std::string& name, const std::vector<std::string>& role);
    void signal(const std::string& name, int number) const;
    /// Kills it and waits until the system knows no more of it.
    void kill(const std::string& name);
    /// Throws if one has ended by itself.
    void check();
    /// Lets all of them end in order, and waits.
    void end();
    /// What it said, at most the beginning.
    [[nodiscard]] std::string said(const std::string& name) const;

private:
    [[nodiscard]] std::string file_of(const std::string& name) const { return folder_ + "/" + name; }

    const Options& options_;
    std::string folder_;
    std::map<std::string, heeler::ChildProcess> alive_;
};

}  // namespace fleet

// How an agent's hooks reach a heeler-watch that runs: a socket of the person's own, one line each way.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <heeler/core/result.hpp>

namespace watch {

/// What an agent tells of by a hook.
struct HookEvent {
    std::string agent;
    std::string session;  ///< its own name for the session, or for the sub-agent
    std::string name;     ///< "PostToolUse"
    std::string call;     ///< the same for the same tool with the same input; empty: it is about no call
};

/// Where the socket is: in $XDG_RUNTIME_DIR, else among the state.
[[nodiscard]] std::string hook_socket_path();

/// Asked what to tell the agent, in a thread of its own; `told` afterwards, if the agent's hook has taken the answer.
class HookListener {
public:
    virtual ~HookListener() = default;
    [[nodiscard]] virtual std::string answer(const HookEvent& event) = 0;
    virtual void told(const HookEvent& event) = 0;
};

/// Listens until it is destroyed. Nobody but the person whose process this is can reach it.
class HookSocket {
public:
    /// Errors: `io`; `busy` if another one listens there.
    [[nodiscard]] static heeler::Result<std::unique_ptr<HookSocket>> listen(const std::string& path,
                                                                            HookListener& listener);
    HookSocket(const HookSocket&) = delete;
    HookSocket& operator=(const HookSocket&) = delete;
    ~HookSocket();

private:
    struct Parts;
    explicit HookSocket(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

/// Of an agent's hook: reads what happened from standard input, tells it, and prints what the agent is to read. Takes
/// 20 ms at most once it has read; whatever goes wrong, the agent goes on as if there was no hook.
void run_hook(const std::string& agent);

}  // namespace watch

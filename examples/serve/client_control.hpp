// What the watchdog does to agents, asked of the clients that have them.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/clock/system_clock.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/agent_control.hpp>
#include <heeler/core/result.hpp>

#include "holders.hpp"

namespace serve {

/// An agent control. A client is asked by a line under the action's key, and answers by one. Who is slow with it holds
/// nobody up: the engine asks again, and is answered once the client has, or its patience is over. Thread-safe.
class ClientControl {
public:
    /// The engine is held up for a `moment`, in which most clients answer.
    ClientControl(Holders& holders, heeler::Duration patience, heeler::Duration moment)
        : holders_{holders}, patience_{patience}, moment_{moment} {}

    using Asked = const heeler::ActionRequest&;
    heeler::Result<heeler::ActionDone> inject(Asked request) { return ask("inject", request); }
    heeler::Result<heeler::ActionDone> pause(Asked request) { return ask("pause", request); }
    heeler::Result<heeler::ActionDone> resume(Asked request) { return ask("resume", request); }
    heeler::Result<heeler::ActionDone> isolate(Asked request) { return ask("isolate", request); }
    heeler::Result<heeler::ActionDone> snapshot(Asked request) { return ask("snapshot", request); }
    heeler::Result<heeler::ActionDone> terminate(Asked request) { return ask("terminate", request); }
    heeler::Result<heeler::ActionDone> spawn(Asked request) { return ask("spawn", request); }
    /// Nobody but a client knows what has become of an action that was not answered: all are asked at once, and waited
    /// for 2 s, for which the engine is held up.
    heeler::Result<heeler::Found> find(std::string_view key);
    heeler::Result<heeler::StopProof> prove_stopped(std::string_view run);

    /// A client's answer. Error: that was not asked of it, or there is no such outcome.
    heeler::Result<void> answer(const Client& from, std::string_view asked, std::string_view outcome, std::string note);
    /// What a client had not answered may have happened.
    void left(const Client& client);

private:
    struct Answer {
        std::string outcome;
        std::string note;
    };
    struct Ask {
        std::string run;
        Client to{};  ///< nobody yet, or nobody any more
        heeler::Elapsed since{};
        std::optional<Answer> answer{};
        bool gone = false;  ///< the client, without an answer
    };
    using Said = std::map<Client, std::string>;  ///< what each answered to a question; nothing so far

    heeler::Result<heeler::ActionDone> ask(std::string_view verb, const heeler::ActionRequest& request);
    [[nodiscard]] heeler::Result<void> send(std::string_view verb, const heeler::ActionRequest& request, Ask& ask);
    [[nodiscard]] bool owes_answer(const Client& client) const;
    /// What each of them says, all asked at once; nothing: it did not answer in time.
    [[nodiscard]] std::vector<std::string> question(const std::vector<Client>& clients, std::string_view verb,
                                                    std::string_view key, std::string_view value);

    Holders& holders_;
    heeler::Duration patience_;
    heeler::Duration moment_;
    std::mutex lock_;
    std::condition_variable answered_;
    std::map<std::string, Ask, std::less<>> asks_;  ///< by what they are asked under
    std::map<std::string, Said, std::less<>> questions_;
};

}  // namespace serve

// What clients ask for, carried out and answered.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include <heeler/engine/watchdog.hpp>
#include <heeler/notify/log_notifier.hpp>
#include <heeler/text/json_writer.hpp>

#include "../common/any_store.hpp"
#include "../common/channels.hpp"
#include "../common/json_object.hpp"
#include "client_control.hpp"
#include "clock.hpp"
#include "holders.hpp"

namespace serve {

using Dog = heeler::Watchdog<Clock, common::AnyStore, common::WithChannels<heeler::LogNotifier>>;

/// The first line that each client is told.
[[nodiscard]] std::string greeting();

/// What somebody is told who asked, under this id (as JSON), for what cannot be.
[[nodiscard]] std::string error_line(const std::string& id, heeler::ErrorCode code, std::string_view message);

/// One thread.
class Requests {
public:
    using Tell = std::function<void(const heeler::CycleReport&)>;

    /// `tell` is told of the cycles that clients ask for, where the clock stands.
    Requests(Dog& dog, Holders& holders, ClientControl& control, Clock clock, std::string preset, Tell tell)
        : dog_{dog},
          holders_{holders},
          control_{control},
          clock_{std::move(clock)},
          preset_{std::move(preset)},
          tell_{std::move(tell)} {}

    void obey(const Client& client, const Line& line);

private:
    using JsonLine = heeler::text::JsonLine;
    using Request = common::JsonObject;
    using Handler = void (Requests::*)(const Client&, const Request&, JsonLine&);

    [[nodiscard]] static Handler handler_of(std::string_view operation);
    void carry_out(const Client& client, const Request& request, JsonLine& answer);
    [[nodiscard]] heeler::RunHandle run_of(const Client& client, const Request& request) const;
    void take_run(const Client& client, const Request& request, JsonLine& answer, bool anew);

    void hello(const Client& client, const Request& request, JsonLine& answer);
    void start(const Client& client, const Request& request, JsonLine& answer);
    void attach(const Client& client, const Request& request, JsonLine& answer);
    void observe(const Client& client, const Request& request, JsonLine& answer);
    void heartbeat(const Client& client, const Request& request, JsonLine& answer);
    void state(const Client& client, const Request& request, JsonLine& answer);
    void checkpoint(const Client& client, const Request& request, JsonLine& answer);
    void expect(const Client& client, const Request& request, JsonLine& answer);
    void finish(const Client& client, const Request& request, JsonLine& answer);
    void decide(const Client& client, const Request& request, JsonLine& answer);
    void status(const Client& client, const Request& request, JsonLine& answer);
    void explain(const Client& client, const Request& request, JsonLine& answer);
    void report(const Client& client, const Request& request, JsonLine& answer);
    void describe(const Client& client, const Request& request, JsonLine& answer);
    void answer(const Client& client, const Request& request, JsonLine& answer);
    void move_clock(const Client& client, const Request& request, JsonLine& answer);
    void put_next(JsonLine& answer);

    template <class What>
    void tell(heeler::RunHandle run, const Request& request, const What& what);

    Dog& dog_;
    Holders& holders_;
    ClientControl& control_;
    Clock clock_;
    std::string preset_;
    Tell tell_;
    common::JsonParser parser_;
    bool answers_later_ = false;
    std::atomic<bool> is_judging_{false};
    std::jthread judging_;  ///< a cycle, in which the client that asked for it is asked as well
};

}  // namespace serve

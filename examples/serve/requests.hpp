// What clients ask for, carried out and answered.
#pragma once

#include <string>
#include <string_view>

#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/notify/log_notifier.hpp>
#include <heeler/text/json_writer.hpp>

#include "../common/any_store.hpp"
#include "../common/channels.hpp"
#include "../common/json_object.hpp"
#include "client_control.hpp"
#include "holders.hpp"

namespace serve {

using Dog = heeler::Watchdog<heeler::SystemClock, common::AnyStore, common::WithChannels<heeler::LogNotifier>>;

/// The first line that each client is told.
[[nodiscard]] std::string greeting();

/// One thread.
class Requests {
public:
    Requests(Dog& dog, Holders& holders, ClientControl& control, std::string preset)
        : dog_{dog}, holders_{holders}, control_{control}, preset_{std::move(preset)} {}

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
    void state(const Client& client, const Request& request, JsonLine& answer);
    void checkpoint(const Client& client, const Request& request, JsonLine& answer);
    void finish(const Client& client, const Request& request, JsonLine& answer);
    void decide(const Client& client, const Request& request, JsonLine& answer);
    void status(const Client& client, const Request& request, JsonLine& answer);
    void explain(const Client& client, const Request& request, JsonLine& answer);
    void report(const Client& client, const Request& request, JsonLine& answer);
    void describe(const Client& client, const Request& request, JsonLine& answer);
    void answer(const Client& client, const Request& request, JsonLine& answer);

    template <class What>
    void tell(heeler::RunHandle run, const Request& request, const What& what);

    Dog& dog_;
    Holders& holders_;
    ClientControl& control_;
    std::string preset_;
    common::JsonParser parser_;
};

}  // namespace serve

#include "serve.hpp"

#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <signal.h>

#include <httplib.h>
#include <sys/socket.h>

#include <heeler/clock/system_clock.hpp>
#include <heeler/explain/explain.hpp>
#include <heeler/report/run_page_html.hpp>
#include <heeler/report/stored_page.hpp>
#include <heeler/store/stored_names.hpp>
#include <heeler/text/one_line.hpp>

#include "../common/door.hpp"
#include "../common/loopback_guard.hpp"
#include "../common/own_port.hpp"
#include "../common/parse_duration.hpp"
#include "../common/scratch.hpp"
#include "../common/token.hpp"
#include "decide.hpp"
#include "find_run.hpp"
#include "print.hpp"
#include "run_view.hpp"
#include "served_page.hpp"

namespace ctl {

namespace {

using httplib::Request;
using httplib::Response;

constexpr std::size_t longest_body = std::size_t{1} << 16;
constexpr std::size_t at_once = 4;
constexpr const char* html_type = "text/html; charset=utf-8";

/// One request at a time: a store is one connection.
class Service {
public:
    Service(const Options& options, std::span<Store> stores)
        : options_{options}, stores_{stores}, token_{options.operate ? common::make_token() : std::string{}} {
        http_.new_task_queue = [] { return new httplib::ThreadPool(at_once); };
        http_.set_address_family(AF_UNIX);
        http_.set_keep_alive_max_count(1);
        http_.set_write_timeout(5);
        http_.set_payload_max_length(longest_body);
        http_.set_default_headers(
            {{"Cache-Control", "no-store"},
             {"X-Content-Type-Options", "nosniff"},
             {"X-Frame-Options", "DENY"},
             {"Referrer-Policy", "no-referrer"},
             {"Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'"}});
        http_.set_pre_routing_handler([this](const Request& request, Response& response) {
            if (common::is_for_us(request, port_)) return httplib::Server::HandlerResponse::Unhandled;
            refuse(response, 403, "only requests to http://127.0.0.1 or http://localhost are answered");
            return httplib::Server::HandlerResponse::Handled;
        });
        http_.Get("/", [this](const Request&, Response& response) { show(response, {}); });
        http_.Get("/run", [this](const Request& request, Response& response) { show_run(request, response); });
        if (options.operate)
            http_.Post("/decide", [this](const Request& request, Response& response) { note(request, response); });
    }

    /// Answers until it is interrupted. The signals are blocked.
    [[nodiscard]] Quit run(const sigset_t& interruptions) {
        std::optional<common::Door> door;
        try {
            door.emplace(options_.port, common::DoorRules{2 * longest_body, at_once, {}, {}});
        } catch (const std::exception&) {
            return {exit_usage, "--port " + std::to_string(options_.port) + " is taken; 0 takes any"};
        }
        const common::Scratch scratch{"heeler-ctl"};
        const std::string place = scratch.path() / "serve";
        if (!http_.bind_to_port(place, 1)) return {exit_usage, "no socket can be had at " + place};
        port_ = std::to_string(door->port());
        print("http://127.0.0.1:" + port_ + "/\n");
        if (options_.operate) print("token: " + token_ + "\n");
        std::fflush(stdout);
        std::thread answering = common::answering(http_);
        door->open(place);
        int interrupted = 0;
        sigwait(&interruptions, &interrupted);
        http_.stop();
        door->close();
        answering.join();
        return {};
    }

private:
    static void refuse(Response& response, int status, const std::string& why) {
        response.status = status;
        response.set_content(why + "\n", "text/plain; charset=utf-8");
    }
    void show(Response& response, const std::string& said) {
        const std::lock_guard guard{lock_};
        if (!options_.operate) response.set_header("Refresh", "5");  // else it would take away what is typed
        response.set_content(served_page(options_, stores_, said, heeler::SystemClock{}.now()), html_type);
    }
    void show_run(const Request& request, Response& response) {
        const std::lock_guard guard{lock_};
        const heeler::Instant now = heeler::SystemClock{}.now();
        const std::string id = request.get_param_value("id");
        auto store = store_of(stores_, id);
        if (const auto* const quit = std::get_if<Quit>(&store)) return refuse(response, 404, quit->message);
        auto found = find_run(std::get<Store>(store), id);
        if (const auto* const quit = std::get_if<Quit>(&found)) return refuse(response, 404, quit->message);
        const auto& known = std::get<heeler::History>(found);
        if (!view_of(*known.row, {}, now).readable)
            return refuse(response, 500, "the run's facts were written by another version of heeler, or are damaged");
        response.set_content(to_html(heeler::stored_page(heeler::detail::stored_report(known, now), known, now.wall)),
                             html_type);
    }

    void note(const Request& request, Response& response) {
        if (!common::same_token(request.get_param_value("token"), token_))
            return refuse(response, 403, "that is not the token that heeler-ctl printed");
        Options decision = options_;
        decision.run = request.get_param_value("run");
        const std::string verb = request.get_param_value("verb");
        const auto named = heeler::detail::value_named<heeler::Verb>(verb);
        // Which are about more than a run, or need a number.
        if (!named || *named == heeler::Verb::silence || *named == heeler::Verb::limit)
            return refuse(response, 400, "'" + heeler::text::one_line(verb, 60) + "' is nothing that can be decided");
        decision.verb = *named;
        if (decision.verb == heeler::Verb::snooze) {
            const auto length = common::parse_duration(request.get_param_value("for"));
            if (!length) return refuse(response, 400, length.error().message);
            decision.lasts_for = *length;
        }
        std::string said;
        {
            const std::lock_guard guard{lock_};
            auto store = store_of(stores_, *decision.run);
            if (const auto* const quit = std::get_if<Quit>(&store)) {
                said = quit->message;
            } else {
                const Noted noted = note_decision(decision, std::get<Store>(store), heeler::SystemClock{}.now());
                said = noted.answer.empty() ? noted.quit.message : noted.answer;
            }
        }
        show(response, said);
    }

    const Options& options_;
    std::span<Store> stores_;
    std::string token_;
    std::string port_;
    std::mutex lock_;
    httplib::Server http_;
};

}  // namespace

Quit serve(const Options& options, std::span<Store> stores) {
    sigset_t interruptions;
    sigemptyset(&interruptions);
    sigaddset(&interruptions, SIGINT);
    sigaddset(&interruptions, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &interruptions, nullptr);  // in the threads that answer, too
    return Service{options, stores}.run(interruptions);
}

}  // namespace ctl

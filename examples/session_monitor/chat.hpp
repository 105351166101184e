// Both directions of talk: alerts to people, and what the watchdog tells a session.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/action.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>
#include <heeler/deliver/session_alert.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/rfc3339.hpp>

namespace monitor {

/// Stands for a chat: prints each alert, and appends it to a file as a line of JSON.
class Chat {
public:
    static constexpr std::string_view name = "chat";

    explicit Chat(std::filesystem::path file) : file_{std::move(file)} {}

    heeler::Result<heeler::Receipt> send(const heeler::Alert& alert) {
        const std::string text = format_session_alert(alert);
        heeler::JsonLine line;
        line.begin_object().key("at").string(heeler::rfc3339(alert.at)).key("kind").string(alert.kind);
        line.key("key").string(alert.key).key("to").string(alert.to).key("session").string(alert.run.id);
        line.key("severity").string(name_of(alert.severity)).key("issues").begin_array();
        for (const std::string& issue : alert.issues) line.string(issue);
        line.end_array().key("text").string(text).end_object();
        std::ofstream file{file_, std::ios::app};
        if (!(file << line.text() << '\n' << std::flush))
            return heeler::fail(heeler::ErrorCode::delivery_failed, "cannot write " + file_.string());
        std::printf("%s\n\n", text.c_str());
        std::fflush(stdout);
        return heeler::Receipt{};
    }

private:
    std::filesystem::path file_;
};

/// What the watchdog may do to sessions: leave a message. The session reads it between two steps.
class Inboxes {
public:
    explicit Inboxes(std::filesystem::path directory) : directory_{std::move(directory)} {}

    heeler::Result<heeler::ActionDone> inject(const heeler::ActionRequest& request) const {
        std::filesystem::path session = directory_ / request.run;
        if (!std::filesystem::exists(session))  // one that was there before: its run is `name#2`
            session = directory_ / request.run.substr(0, request.run.rfind('#'));
        const std::filesystem::path inbox = session / "inbox";
        std::ofstream file{inbox, std::ios::app};
        if (file << request.text << std::flush) return heeler::ActionDone{inbox.string()};
        return heeler::fail(heeler::ErrorCode::failed, "cannot write " + inbox.string());
    }

private:
    std::filesystem::path directory_;
};

}  // namespace monitor

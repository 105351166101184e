// Both directions of talk: alerts to people, and what the watchdog tells a session.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/alert/session_alert.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>
#include <heeler/posix/regular_file.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/rfc3339.hpp>

namespace monitor {

/// Stands for a chat: prints each alert, and appends it to a file as a line of JSON.
class Chat {
public:
    static constexpr std::string_view name = "chat";

    explicit Chat(heeler::FilePlace file) : file_{std::move(file)} {}

    heeler::Result<heeler::Receipt> send(const heeler::Alert& alert) {
        const std::string text = format_session_alert(alert);
        heeler::text::JsonLine line;
        line.begin_object().key("at").string(heeler::text::rfc3339(alert.at)).key("kind").string(alert.kind);
        line.key("key").string(alert.key).key("to").string(alert.to).key("session").string(alert.run.id);
        line.key("project").string(alert.run.project);
        line.key("severity").string(name_of(alert.severity)).key("issues").begin_array();
        for (const std::string& issue : alert.issues) line.string(issue);
        line.end_array().key("text").string(text).end_object();
        const auto written = heeler::append_text(file_, std::string{line.text()} + '\n',
                                                 std::numeric_limits<std::uint64_t>::max(), 0600);
        if (!written) return heeler::fail(heeler::ErrorCode::delivery_failed, written.error().message);
        std::printf("%s\n\n", text.c_str());
        std::fflush(stdout);
        return heeler::Receipt{};
    }

private:
    heeler::FilePlace file_;
};

/// What the watchdog may do to sessions: leave a message. The session reads it between two steps.
class Inboxes {
public:
    explicit Inboxes(std::filesystem::path directory) : directory_{std::move(directory)} {}

    heeler::Result<heeler::ActionDone> inject(const heeler::ActionRequest& request) const {
        std::string session{request.run};
        if (!heeler::lies_there({directory_.string(), session}))  // one that was there before: its run is `name#2`
            session = session.substr(0, session.rfind('#'));
        const heeler::FilePlace inbox{directory_.string(), session + "/inbox"};
        const auto written = heeler::append_text(inbox, request.text, longest_inbox);
        if (!written) return tl::unexpected<heeler::Error>(written.error());
        return heeler::ActionDone{inbox.path()};
    }

private:
    static constexpr std::uint64_t longest_inbox = 1 << 20;

    std::filesystem::path directory_;
};

}  // namespace monitor

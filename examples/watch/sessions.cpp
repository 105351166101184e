#include "sessions.hpp"

#include <filesystem>
#include <string_view>
#include <utility>

#include <heeler/clock/system_clock.hpp>
#include <heeler/posix/regular_file.hpp>
#include <heeler/source/transcript.hpp>
#include <heeler/text/sanitise.hpp>

namespace watch {

namespace {

constexpr std::size_t most_of_head = 256U << 10;
constexpr std::size_t longest_task = 256;
/// A file that was not written to for so long has nothing that it did not have before: neither a line, nor a turn that
/// is over by now.
constexpr heeler::Duration nothing_new = heeler::TranscriptLogSettings{}.settles + std::chrono::minutes{1};

heeler::RunSpec spec_of(const SessionFile& file, const heeler::Conversation& told) {
    heeler::RunSpec spec;
    spec.name = file.id;
    spec.task = heeler::text::sanitise(told.task(), longest_task);
    // Some name the folder of a project's sessions after it, and their files say nothing of it.
    const std::string folder = file.place.name.substr(0, file.place.name.find('/'));
    spec.project = heeler::text::sanitise(told.directory().empty() ? folder : told.directory(), longest_task);
    spec.tags = {file.agent};
    spec.parent = file.parent;
    spec.started_at = told.began();
    return spec;
}

/// What the beginning of a session's file says. Absent: it is no session that somebody has told anything yet.
std::optional<heeler::RunSpec> spec_of_file(const SessionFile& file) {
    const auto head = heeler::read_head(file.place, most_of_head);
    if (!head || !*head) return std::nullopt;
    const std::string_view text{**head};
    heeler::Transcript transcript;
    std::vector<std::string_view> lines;
    for (std::size_t at = 0, end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', at)) {
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    bool known = false;
    for (const std::string_view line : lines) known = known || transcript.recognise(line);
    if (!known) return std::nullopt;
    for (const std::string_view line : lines) static_cast<void>(transcript.read(line));
    const heeler::Conversation& told = transcript.conversation();
    if (told.task().empty() && text.size() < most_of_head) return std::nullopt;
    return spec_of(file, told);
}

/// The same of the first events of a folder.
std::optional<heeler::RunSpec> spec_of_folder(const SessionFile& file) {
    heeler::TranscriptFolderSettings beginning;
    beginning.read_bytes = most_of_head;
    heeler::TranscriptFolder<heeler::SystemClock> events{file.place, beginning};
    if (!events.poll({}) || events.format().empty() || events.conversation().task().empty()) return std::nullopt;
    return spec_of(file, events.conversation());
}

}  // namespace

std::optional<Sessions::Session> Sessions::open(const SessionFile& file) {
    const auto known = no_sessions_.find(file.id);
    if (known != no_sessions_.end() && known->second == file.changed) return std::nullopt;
    auto spec = file.is_folder ? spec_of_folder(file) : spec_of_file(file);
    if (!spec) {
        no_sessions_[file.id] = file.changed;
        return std::nullopt;
    }
    no_sessions_.erase(file.id);
    Session session{*std::move(spec), file.agent, file.changed, {}};
    if (file.is_folder)
        session.log = std::make_unique<Log>(std::in_place_index<1>, file.place);
    else
        session.log = std::make_unique<Log>(std::in_place_index<0>, file.place);
    return session;
}

heeler::Result<std::vector<heeler::RunSpec>> Sessions::list() {
    const auto files = find_session_files(home_, agents_, heeler::SystemClock{}.now().wall - live_);
    if (!files) return tl::unexpected<heeler::Error>(files.error());
    const std::lock_guard guard{lock_};
    std::map<std::string, Session, std::less<>> live;
    std::vector<heeler::RunSpec> listed;
    for (const SessionFile& file : *files) {
        auto known = sessions_.find(file.id);
        std::optional<Session> session;
        if (known != sessions_.end())
            session = std::move(known->second);
        else
            session = open(file);
        if (!session || live.contains(file.id)) continue;
        session->changed = file.changed;
        listed.push_back(session->spec);
        live.emplace(file.id, *std::move(session));
    }
    sessions_ = std::move(live);
    return listed;
}

bool Sessions::has_no_news(const Session& session) {
    const heeler::WallTime now = heeler::SystemClock{}.now().wall;
    return !session.behind && session.read == session.changed && session.changed + nothing_new < now;
}

heeler::Result<std::vector<heeler::PolledRun>> Sessions::poll(std::span<const heeler::RunCursor> runs) {
    const std::lock_guard guard{lock_};
    std::vector<heeler::PolledRun> found;
    for (const heeler::RunCursor& run : runs) {
        const auto session = sessions_.find(run.name);
        if (session == sessions_.end() || has_no_news(session->second)) continue;
        auto polled = std::visit([&](auto& log) { return log.poll(run.cursor); }, *session->second.log);
        session->second.behind = polled && polled->more;
        if (polled) session->second.read = session->second.changed;
        found.push_back({run.run, std::move(polled)});
    }
    return found;
}

std::vector<SessionRow> Sessions::rows() const {
    const std::lock_guard guard{lock_};
    std::vector<SessionRow> rows;
    for (const auto& [id, session] : sessions_)
        rows.push_back({id, session.agent, std::filesystem::path{session.spec.project}.filename().string(),
                        std::visit([](const auto& log) { return log.totals(); }, *session.log), session.changed});
    return rows;
}

bool Sessions::is_live(const std::string& id) const {
    const std::lock_guard guard{lock_};
    return sessions_.contains(id);
}

bool Sessions::behind() const {
    const std::lock_guard guard{lock_};
    for (const auto& [id, session] : sessions_)
        if (session.behind) return true;
    return false;
}

}  // namespace watch

// Whatever a client says, it is answered line by line, with clean JSON, and the same however its bytes come; then the
// watchdog can still judge what it was told.
#include <algorithm>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>

#include <heeler/posix/file_descriptor.hpp>

#include "../../examples/common/presets.hpp"
#include "support/fuzz.hpp"

// What reads the bytes is compiled here, for the fuzzer to see its branches.
#include "../../examples/common/event_lines.cpp"
#include "../../examples/common/json_object.cpp"
#include "../../examples/common/run_spec.cpp"
#include "../../examples/common/time_text.cpp"
#include "../../examples/common/told.cpp"
#include "../../examples/serve/client_control.cpp"
#include "../../examples/serve/connection.cpp"
#include "../../examples/serve/protocol.cpp"
#include "../../examples/serve/requests.cpp"
#include "../../examples/serve/said.cpp"

namespace {

/// A heeler-serve with one client, and no thread.
class Served {
public:
    Served() {
        int ends[2];
        require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0, "a socket");
        client_ = heeler::FileDescriptor{ends[0]};
        server_ = heeler::FileDescriptor{ends[1]};
        for (const std::string& name : common::preset_names())
            require(dog_.define(*common::preset_named(name)).has_value(), "a preset can be defined");
        dog_.attach(control_);
        connection_ = std::make_shared<serve::Connection>(server_.get(), server_.get(), [] {});
        holders_.joined(connection_);
    }

    /// What the client is answered if it says this in pieces of so many bytes, and goes.
    std::string hear(std::string_view said, std::size_t piece) {
        std::string answers;
        for (; !said.empty(); said.remove_prefix(std::min(piece, said.size()))) {
            const auto part = said.substr(0, piece);
            require(::send(client_.get(), part.data(), part.size(), 0) == static_cast<ssize_t>(part.size()), "sent");
            hear_some(answers);
        }
        ::shutdown(client_.get(), SHUT_WR);
        hear_some(answers);
        require(connection_->is_over(), "it sees that the client has gone");
        return answers;
    }

    void judge() { static_cast<void>(dog_.tick()); }

private:
    void hear_some(std::string& answers) {
        connection_->read([&](const serve::Line& line) { requests_.obey(connection_, line); });
        while (connection_->owes()) {
            connection_->pass_on();
            char part[4096];
            ssize_t count = 0;
            while ((count = ::read(client_.get(), part, sizeof part)) > 0)
                answers.append(part, static_cast<std::size_t>(count));
        }
    }

    heeler::FileDescriptor client_, server_;
    serve::Holders holders_;
    serve::ClientControl control_{holders_, std::chrono::milliseconds{1}, std::chrono::milliseconds{1}};
    serve::Dog dog_{serve::Clock{}, common::AnyStore::in_file({}),
                    common::WithChannels<heeler::LogNotifier>{heeler::LogNotifier{}, common::Channels{}}};
    serve::Requests requests_{dog_, holders_, control_, {}, "recommended", [](const heeler::CycleReport&) {}};
    serve::Client connection_;
};

struct Answer {
    std::string id;
    bool refused;
    bool operator==(const Answer&) const = default;
};

std::vector<Answer> answers_of(std::string_view text) {
    std::vector<Answer> answers;
    common::JsonParser parser;
    while (!text.empty()) {
        const auto end = text.find('\n');
        require(end != std::string_view::npos, "an answer is a whole line");
        require(is_clean(text.substr(0, end)), "an answer is clean text");
        try {
            const common::JsonObject line = parser.parse(text.substr(0, end));
            simdjson::dom::element id, ok, error;
            require(line.fields().at_key("id").get(id) == simdjson::SUCCESS, "an answer says what it answers");
            const bool refused = line.fields().at_key("error").get(error) == simdjson::SUCCESS;
            require(refused != (line.fields().at_key("ok").get(ok) == simdjson::SUCCESS), "it is ok, or an error");
            answers.push_back({simdjson::minify(id), refused});
        } catch (const common::BadLine&) {
            require(false, "an answer is JSON");
        }
        text.remove_prefix(end + 1);
    }
    return answers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto said = as_text(data, size);
    Served at_once;
    const auto answers = answers_of(at_once.hear(said, 32'768));
    const auto lines = static_cast<std::size_t>(std::count(said.begin(), said.end(), '\n'));
    require(answers.size() <= lines + 1, "a line has at most one answer");
    at_once.judge();
    Served in_pieces;
    require(answers_of(in_pieces.hear(said, 3)) == answers, "the same, however the bytes come");
    return 0;
}

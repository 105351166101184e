#include <heeler/posix/regular_file.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "support/catch.hpp"
#include "support/real_process.hpp"

using heeler::ErrorCode;
using heeler::FilePlace;

namespace {

namespace fs = std::filesystem;

/// A host's folder, and in it the folder of an agent, who makes there what it likes.
struct AgentFolder {
    AgentFolder() {
        fs::create_directory(scratch / "host");
        fs::create_directory(scratch / "host/agent");
        std::ofstream{scratch / "secret"} << "secret\n";
    }

    /// Makes it under `name`; false if this is a machine where that cannot be made.
    void make(const std::string& what, const std::string& name) const {
        const std::string path = scratch / ("host/" + name);
        if (what == "pipe") REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        if (what == "directory") fs::create_directory(path);
        if (what == "link") fs::create_symlink(scratch / "secret", path);
        if (what == "link to nothing") fs::create_symlink(scratch / "made", path);
        if (what == "link to a device") fs::create_symlink("/dev/zero", path);
        if (what == "socket") {
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            path.copy(address.sun_path, sizeof address.sun_path - 1);
            const heeler::FileDescriptor socket{::socket(AF_UNIX, SOCK_STREAM, 0)};
            REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        }
    }

    [[nodiscard]] FilePlace place(const std::string& name) const { return {scratch / "host", name}; }
    [[nodiscard]] std::string content(const std::string& name) const {
        return heeler_test::file_content(scratch / name);
    }

    heeler_test::ScratchDirectory scratch;
};

}  // namespace

TEST_CASE("nothing but a regular file is opened, at once and with a word about what it is") {
    const std::string what = GENERATE("pipe", "directory", "link", "link to nothing", "link to a device", "socket");
    const AgentFolder folder;
    folder.make(what, "agent/it");
    const FilePlace it = folder.place("agent/it");
    const auto begin = std::chrono::steady_clock::now();
    const auto refused = [](const auto& answer) {
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == ErrorCode::invalid_argument);
        return answer.error().message;
    };
    const std::string kind = what == "pipe" ? "named pipe" : what.substr(0, what.find(' '));
    for (const std::string& message : {refused(heeler::read_head(it, 100)), refused(heeler::append_text(it, "x", 100)),
                                       refused(heeler::open_regular(it, O_RDWR | O_CREAT))})
        CHECK(message == "'" + it.path() + "' is a " + kind + ", but only regular files are opened");
    CHECK(heeler::lies_there(it));
    CHECK(folder.content("secret") == "secret\n");
    CHECK_FALSE(fs::exists(folder.scratch / "made"));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{60});
}

TEST_CASE("no link is followed on the way below the host's folder, and each one above it") {
    const AgentFolder folder;
    fs::create_directory(folder.scratch / "elsewhere");
    std::ofstream{folder.scratch / "elsewhere/it"} << "theirs";
    fs::create_directory_symlink(folder.scratch / "elsewhere", folder.scratch / "host/session");
    const FilePlace below = folder.place("session/it");
    CHECK(heeler::read_head(below, 100).error().code == ErrorCode::invalid_argument);
    CHECK(heeler::append_text(below, "x", 100).error().code == ErrorCode::invalid_argument);
    CHECK_FALSE(heeler::replace_file(below, "x"));
    CHECK_FALSE(heeler::lies_there(below));
    CHECK(folder.content("elsewhere/it") == "theirs");
    CHECK(heeler::read_head({folder.scratch / "host/session", "it"}, 100) == "theirs");
    CHECK(heeler::read_head(std::string{folder.scratch / "host/session/it"}, 100) == "theirs");
}

TEST_CASE("a name cannot lead out of its folder") {
    const AgentFolder folder;
    const std::string name =
        GENERATE("../secret", "agent/../../secret", "/etc/passwd", "", ".", "..", "agent/", "agent//x");
    CHECK(heeler::read_head(folder.place(name), 100).error().code == ErrorCode::invalid_argument);
    CHECK(heeler::append_text(folder.place(name), "x", 100).error().code == ErrorCode::invalid_argument);
    CHECK(heeler::replace_file(folder.place(name), "x").error().code == ErrorCode::invalid_argument);
    CHECK_FALSE(heeler::lies_there(folder.place(name)));
}

TEST_CASE("only the beginning of a file is read, however long it is") {
    const AgentFolder folder;
    std::ofstream{folder.scratch / "host/agent/it"} << "0123456789";
    fs::resize_file(folder.scratch / "host/agent/it", 1'000'000'000'000);
    CHECK(heeler::read_head(folder.place("agent/it"), 10) == "0123456789");
    CHECK(heeler::read_head(folder.place("agent/none"), 10)->has_value() == false);
    CHECK(heeler::read_head(folder.place("none/none"), 10)->has_value() == false);
}

TEST_CASE("text is appended up to a limit, and never to a file with a second name") {
    const AgentFolder folder;
    const FilePlace it = folder.place("agent/it");
    CHECK(heeler::append_text(it, "12345", 8));
    const auto full = heeler::append_text(it, "6789", 8);
    REQUIRE_FALSE(full);
    CHECK(full.error().code == ErrorCode::rejected);
    CHECK(heeler::append_text(it, "678", 8));
    CHECK(folder.content("host/agent/it") == "12345678");
    CHECK_FALSE(heeler::append_text(it, "x", 4));

    fs::create_hard_link(folder.scratch / "secret", folder.scratch / "host/agent/other");
    const auto second = heeler::append_text(folder.place("agent/other"), "x", 100);
    REQUIRE_FALSE(second);
    CHECK(second.error().code == ErrorCode::invalid_argument);
    CHECK(folder.content("secret") == "secret\n");
}

TEST_CASE("a file that is written as a whole replaces what lies there and what was left of an earlier try") {
    const std::string what = GENERATE("nothing", "pipe", "link", "link to nothing", "link to a device", "socket");
    const AgentFolder folder;
    folder.make(what, "agent/it");
    folder.make(what, "agent/it.new");
    CHECK(heeler::replace_file(folder.place("agent/it"), "whole\n", 0600));
    CHECK(fs::is_regular_file(fs::symlink_status(folder.scratch / "host/agent/it")));
    CHECK((fs::status(folder.scratch / "host/agent/it").permissions() & fs::perms::group_read) == fs::perms::none);
    CHECK(folder.content("host/agent/it") == "whole\n");
    CHECK(folder.content("secret") == "secret\n");
    CHECK_FALSE(fs::exists(folder.scratch / "made"));
    CHECK_FALSE(heeler::lies_there(folder.place("agent/it.new")));
}

TEST_CASE("a directory under the name of a file that is written is an error, and nothing is left behind") {
    const AgentFolder folder;
    folder.make("directory", "agent/it");
    CHECK(heeler::replace_file(folder.place("agent/it"), "x").error().code == ErrorCode::io);
    CHECK_FALSE(heeler::lies_there(folder.place("agent/it.new")));
}

#include "common/own_socket.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <unistd.h>

#include "support/catch.hpp"
#include "support/real_process.hpp"

TEST_CASE("whoever finds a socket can connect to it") {
    const heeler_test::ScratchDirectory scratch;
    const std::string path = scratch / "socket";
    const auto address = common::socket_address(path);
    REQUIRE(address);
    for (int i = 0; i < 500; ++i) {
        bool reached = false;
        std::thread client{[&] {
            while (::access(path.c_str(), F_OK) != 0) {
            }
            reached = common::reaches(common::new_socket(), *address);
        }};
        const auto listening = common::listen_at(path, "a test");
        client.join();
        ::unlink(path.c_str());
        REQUIRE(listening);
        REQUIRE(reached);
    }
}

TEST_CASE("no file that is no socket is replaced by one, nor is what its name ends like") {
    const heeler_test::ScratchDirectory scratch;
    for (const char* const name : {"socket", "socket~"}) {
        std::ofstream{scratch / name} << "kept";
        const auto listening = common::listen_at(scratch / "socket", "a test");
        REQUIRE_FALSE(listening);
        CHECK(listening.error().message == (scratch / name) + " is there, and is no socket: name another place");
        CHECK(std::filesystem::file_size(scratch / name) == 4);
        std::filesystem::remove(scratch / name);
    }
    CHECK(common::listen_at(scratch / "socket", "a test"));
}

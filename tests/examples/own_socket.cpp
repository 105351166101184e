#include "common/own_socket.hpp"

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

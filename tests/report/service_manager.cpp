#include <heeler/report/service_manager.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// A service manager's socket: real, of this test.
class Manager {
public:
    explicit Manager(std::string name) : name_{std::move(name)} {
        sockaddr_un place{};
        place.sun_family = AF_UNIX;
        std::memcpy(place.sun_path, name_.data(), name_.size());
        if (name_[0] == '@') place.sun_path[0] = '\0';
        socket_ = FileDescriptor{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
        const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
        REQUIRE(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&place), size) == 0);
    }
    Manager(const Manager&) = delete;
    Manager& operator=(const Manager&) = delete;
    ~Manager() {
        if (name_[0] == '/') ::unlink(name_.c_str());
    }

    [[nodiscard]] const std::string& name() const { return name_; }

    /// The next message; empty: there is none.
    [[nodiscard]] std::string next() const {
        char text[1024];
        const ssize_t size = ::recv(socket_.get(), text, sizeof text, 0);
        return size < 0 ? "" : std::string(text, static_cast<std::size_t>(size));
    }

private:
    std::string name_;
    FileDescriptor socket_;
};

std::string own_name(const char* what) { return std::string{what} + "-" + std::to_string(::getpid()); }

std::string own_path() { return (std::filesystem::temp_directory_path() / own_name("heeler-notify")).string(); }

}  // namespace

TEST_CASE("a service manager hears of each change, at a path and in the abstract space") {
    for (const std::string& name : {own_path(), own_name("@heeler/notify")}) {
        const Manager manager{name};
        const ServiceManager told{name};
        CHECK(told.present());
        CHECK(told.ready());
        CHECK(told.status("3 runs\nREADY=1"));
        CHECK(told.alive());
        CHECK(told.stopping());
        CHECK(told.extend(90s));
        CHECK(told.extend(1500us));
        CHECK(told.extend(-1s));
        CHECK(manager.next() == "READY=1");
        const std::string status = manager.next();
        CHECK(status.starts_with("STATUS=3 runs"));
        CHECK(status.find('\n') == std::string::npos);  // one line, so that it sets nothing else
        CHECK(manager.next() == "WATCHDOG=1");
        CHECK(manager.next() == "STOPPING=1");
        CHECK(manager.next() == "EXTEND_TIMEOUT_USEC=90000000");
        CHECK(manager.next() == "EXTEND_TIMEOUT_USEC=1500");
        CHECK(manager.next().empty());
    }
}

TEST_CASE("without a service manager nothing is sent, and nothing fails") {
    const ServiceManager nobody;
    CHECK_FALSE(nobody.present());
    CHECK_FALSE(nobody.alive_every());
    CHECK(nobody.ready());
    CHECK(nobody.alive());
}

TEST_CASE("an address that is none, or where nobody listens, is an error") {
    CHECK(ServiceManager{"relative"}.ready().error().code == ErrorCode::invalid_argument);
    CHECK(ServiceManager{"vsock:2:1234"}.ready().error().code == ErrorCode::invalid_argument);
    CHECK(ServiceManager{"@"}.ready().error().code == ErrorCode::invalid_argument);
    CHECK(ServiceManager{"/" + std::string(200, 'x')}.ready().error().code == ErrorCode::invalid_argument);
    CHECK(ServiceManager{own_path()}.ready().error().code == ErrorCode::failed);
}

TEST_CASE("a service manager that does not read holds nobody up") {
    const Manager manager{own_name("@heeler/slow")};
    const ServiceManager told{manager.name()};
    bool full = false;
    for (int i = 0; i < 100'000 && !full; ++i) full = !told.alive();
    CHECK(full);
}

TEST_CASE("a sign of life is due at half the time that the manager waits, in this process alone") {
    const auto from = [](const char* socket, const char* length, const std::string& pid) {
        ::setenv("NOTIFY_SOCKET", socket, 1);
        ::setenv("WATCHDOG_USEC", length, 1);
        pid.empty() ? ::unsetenv("WATCHDOG_PID") : ::setenv("WATCHDOG_PID", pid.c_str(), 1);
        return ServiceManager::take_from_environment();
    };
    const std::string own = std::to_string(::getpid());
    CHECK(from("/x", "30000000", own).alive_every() == 15s);
    CHECK(from("/x", "30000000", "").alive_every() == 15s);
    CHECK(std::getenv("NOTIFY_SOCKET") == nullptr);  // nobody who is started later speaks for this process
    CHECK(std::getenv("WATCHDOG_USEC") == nullptr);
    CHECK(std::getenv("WATCHDOG_PID") == nullptr);
    CHECK_FALSE(from("/x", "30000000", own + "1").alive_every());
    CHECK_FALSE(from("", "30000000", own).alive_every());
    for (const char* wrong : {"", "0", "-5", "1e6", "99999999999999999999"})
        CHECK_FALSE(from("/x", wrong, own).alive_every());
    CHECK_FALSE(ServiceManager::take_from_environment().present());
}

// Whom a channel talks to: a server with the right certificate, and nobody else.
#include <csignal>
#include <cstdlib>
#include <string>

#include <poll.h>
#include <stdlib.h>  // NOLINT: mkdtemp
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <heeler/notify/webhook_notifier.hpp>
#include <heeler/posix/child_process.hpp>

#include "contract/channel_contract.hpp"
#include "support/catch.hpp"

namespace {

/// A server on 127.0.0.1 that shows a certificate of its own making, and writes down what it is sent.
class TlsServer {
public:
    /// `who`: whom the certificate is for.
    explicit TlsServer(const std::string& who) {
        char place[] = "/tmp/heeler_tls_XXXXXX";
        if (::mkdtemp(place) == nullptr) return;
        directory_ = place;
        const std::string make =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
            "-subj /CN=heeler -addext subjectAltName=" +
            who + " -keyout " + directory_ + "/key -out " + certificate() + " 2>/dev/null";
        if (std::system(make.c_str()) != 0) return;
        auto started = heeler::start_child({{"python3", "-c", program, certificate(), directory_ + "/key", taken()}});
        if (!started) return;
        child_ = *std::move(started);
        char c = 0;
        pollfd said{child_.output.get(), POLLIN, 0};
        while (::poll(&said, 1, 60'000) == 1 && ::read(said.fd, &c, 1) == 1 && c >= '0' && c <= '9') port_ += c;
    }
    TlsServer(const TlsServer&) = delete;
    TlsServer& operator=(const TlsServer&) = delete;
    ~TlsServer() {
        if (child_.identity.pid > 0) {
            static_cast<void>(::kill(child_.identity.pid, SIGKILL));
            static_cast<void>(::waitpid(child_.identity.pid, nullptr, 0));
        }
        if (!directory_.empty()) static_cast<void>(std::system(("rm -rf " + directory_).c_str()));
    }

    [[nodiscard]] bool works() const noexcept { return !port_.empty(); }
    [[nodiscard]] std::string url() const { return "https://127.0.0.1:" + port_ + "/alerts"; }
    [[nodiscard]] std::string certificate() const { return directory_ + "/certificate"; }
    [[nodiscard]] bool was_told() const {
        struct stat found {};
        return ::stat(taken().c_str(), &found) == 0;
    }

private:
    static constexpr const char* program = R"(
import http.server, ssl, sys
class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        with open(sys.argv[3], "ab") as taken:
            taken.write(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        self.send_response(204)
        self.end_headers()
    def log_message(self, *words):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Hook)
secret = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
secret.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = secret.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
)";

    [[nodiscard]] std::string taken() const { return directory_ + "/taken"; }

    std::string directory_, port_;
    heeler::ChildProcess child_{};
};

[[nodiscard]] heeler::Result<heeler::Receipt> tell(const TlsServer& server, const std::string& trusted) {
    heeler::WebhookSettings settings;
    settings.url = server.url();
    settings.secret = heeler_test::channel_secret;
    settings.transfer.ca_file = trusted;
    return heeler::WebhookNotifier{settings}.send(heeler::notifier_contract::example_alert());
}

}  // namespace

TEST_CASE("nothing is said to a server whose certificate is another's, or nobody's that is trusted") {
    const TlsServer right{"IP:127.0.0.1"};
    const TlsServer other{"DNS:hooks.example.com"};
    if (!right.works() || !other.works()) HEELER_SKIP("python3 with ssl, or openssl, is missing");
    const auto told = tell(right, right.certificate());
    INFO((told ? std::string{} : told.error().message));
    CHECK((told && right.was_told()));
    const auto refused = [](const heeler::Result<heeler::Receipt>& answer) {
        REQUIRE_FALSE(answer);
        INFO(answer.error().message);
        CHECK(answer.error().code == heeler::ErrorCode::delivery_failed);
        CHECK(answer.error().message.find(heeler_test::channel_secret) == std::string::npos);
    };
    refused(tell(other, other.certificate()));  // trusted, with another name
    refused(tell(other, right.certificate()));
    refused(tell(other, ""));
    CHECK_FALSE(other.was_told());
}

// heeler_bad_network SERVER SEED PER_MILLE HELD_MS APPLICATION: between a PostgreSQL server, which listens in the
// directory SERVER, and its clients. So many statements of clients whose application's name begins with APPLICATION are
// held for up to HELD_MS, or cut before or after the server has done them. Says first in which directory it listens;
// in the end, with its standard input, what it did.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>

#include <poll.h>
#include <unistd.h>

#include "support/statement_proxy.hpp"

using heeler_test::Fate;
using heeler_test::Statement;

namespace {

void serve(const std::string& server, std::uint32_t seed, std::uint32_t per_mille, int held_ms,
           const std::string& application) {
    std::array<long, 4> met{};
    {
        heeler_test::StatementProxy proxy{server};
        proxy.rule([&, random = std::mt19937{seed}](const Statement& statement) mutable {
            if (!statement.application.starts_with(application)) return Fate::pass;
            const bool struck = random() % 1000 < per_mille;
            const std::size_t fate = struck ? 1 + random() % 3 : 0;
            ++met[fate];
            return static_cast<Fate>(fate);
        });
        std::printf("%s\n", proxy.directory().c_str());
        std::fflush(stdout);
        pollfd input{STDIN_FILENO, POLLIN, 0};
        while (::poll(&input, 1, held_ms) == 0) proxy.release();
    }
    std::printf("%ld passed, %ld held, %ld cut before, %ld cut after\n", met[0], met[1], met[2], met[3]);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) return 2;
    try {
        const auto number = [&](int at) { return static_cast<std::uint32_t>(std::strtoul(argv[at], nullptr, 10)); };
        serve(argv[1], number(2), number(3), static_cast<int>(number(4)), argv[5]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "heeler_bad_network: %s\n", error.what());
        return 1;
    }
}

#include "tokens.hpp"

#include <cerrno>
#include <fstream>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

#include <heeler/text/hmac.hpp>
#include <heeler/text/sha256.hpp>

#include "../common/token.hpp"

namespace tracker {
namespace {

constexpr std::size_t key_size = 64;

[[noreturn]] void no_key(const std::filesystem::path& file, const char* why) {
    throw std::runtime_error{file.string() + ", the key of all tokens, " + why};
}

/// Unless it is there.
void make_key(const std::filesystem::path& file) {
    const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made < 0 && errno == EEXIST) return;
    if (made < 0) no_key(file, "cannot be made");
    const std::string key = common::make_token() + common::make_token();
    const bool written = ::write(made, key.data(), key.size()) == static_cast<ssize_t>(key.size());
    ::close(made);
    if (!written) no_key(file, "cannot be written");
}

std::string token_for(const std::string& key, const std::string& whom) {
    return heeler::text::sha256_hex(heeler::text::hmac_sha256(key, whom));
}

}  // namespace

Tokens::Tokens(const std::filesystem::path& file) {
    make_key(file);
    std::ifstream known{file};
    std::getline(known, key_);
    if (key_.size() != key_size) no_key(file, "is damaged: remove it, and everybody gets a new token");
}

std::string Tokens::of_person() const { return token_for(key_, "person"); }

std::string Tokens::of_agent(const std::string& tenant, const std::string& agent) const {
    return token_for(key_, "agent\n" + tenant + "\n" + agent);  // ids have no line breaks
}

}  // namespace tracker

#include "message_input.hpp"

#include <cerrno>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include <heeler/text/json_writer.hpp>

namespace supervise {

namespace {

std::string message_of(std::string_view text) {
    heeler::text::JsonLine line;
    line.begin_object().key("type").string("user").key("message").begin_object();
    line.key("role").string("user").key("content").begin_array();
    line.begin_object().key("type").string("text").key("text").string(text).end_object();
    line.end_array().end_object().key("parent_tool_use_id").null();
    return std::move(line.end_object()).text() + "\n";
}

std::size_t first_of_text(std::string_view text) { return text.find_first_not_of(" \t\r\n"); }

}  // namespace

heeler::Result<MessageInput> MessageInput::open(heeler::FileDescriptor given) {
    auto pipe = heeler::make_pipe();
    if (!pipe) return tl::unexpected<heeler::Error>(std::move(pipe.error()));
    heeler::set_non_blocking(pipe->writer);
    return MessageInput(std::move(given), std::move(*pipe));
}

MessageInput::MessageInput(heeler::FileDescriptor given, heeler::Pipe pipe)
    : given_(std::move(given)), pipe_(std::move(pipe)) {
    if (!given_) end();
}

void MessageInput::move() {
    if (given_ && pending_.size() < most_given) read_given();
    if (!pending_.empty()) write_pending();
}

void MessageInput::say(std::string_view text) {
    pending_ += message_of(text);
    write_pending();
}

void MessageInput::read_given() {
    pollfd ready{given_.get(), POLLIN, 0};
    if (::poll(&ready, 1, 0) <= 0) return;
    char chunk[65536];
    const ssize_t read = ::read(given_.get(), chunk, sizeof chunk);
    if (read < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (read > 0) held_.append(chunk, static_cast<std::size_t>(read));
    const bool over = read <= 0 || held_.size() > most_given;
    const std::size_t begin = first_of_text(held_);
    has_task_ = has_task_ || begin != std::string::npos;
    if (begin != std::string::npos && held_[begin] == '{') {
        if (over && !held_.ends_with('\n')) held_ += '\n';
        const std::size_t lines = held_.rfind('\n') + 1;  // npos + 1 is 0
        pending_ += held_.substr(0, lines);
        held_.erase(0, lines);
    }
    if (!over) return;
    given_.close();
    if (first_of_text(held_) != std::string::npos) pending_ += message_of(std::exchange(held_, {}));
    // Who was given nothing to do would wait for ever.
    if (!has_task_) end();
}

void MessageInput::write_pending() {
    if (ended()) return pending_.clear();
    const ssize_t written = heeler::write_quietly(pipe_.writer, pending_);
    if (written > 0) pending_.erase(0, static_cast<std::size_t>(written));
    if (written >= 0 || errno == EINTR || errno == EAGAIN) return;
    pending_.clear();  // it reads no more
    end();
}

}  // namespace supervise

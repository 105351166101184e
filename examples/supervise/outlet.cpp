#include "outlet.hpp"

#include <algorithm>
#include <cerrno>
#include <thread>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace supervise {

namespace {

/// Small enough that a slow reader is seen to make progress.
constexpr std::size_t portion = 16384;
constexpr std::size_t spare_for_lines = std::size_t{1} << 18;

/// False if nobody listens any more.
bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            pollfd ready{descriptor, POLLOUT, 0};
            ::poll(&ready, 1, 1000);
        } else if (written < 0 && errno != EINTR) {
            return false;
        } else if (written > 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    return true;
}

}  // namespace

Outlet::Outlet(int descriptor) : state_(std::make_shared<State>()) {
    if (auto made = heeler::make_pipe()) {
        state_->room = std::move(*made);
        heeler::set_non_blocking(state_->room.reader);
        heeler::set_non_blocking(state_->room.writer);
    }
    // Nobody can end a write to a reader that stands still: the end of the program must not wait for this thread.
    std::thread([state = state_, descriptor] { write_out(state, descriptor); }).detach();
}

Outlet::~Outlet() {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stopped = true;
    state_->changed.notify_all();
}

void Outlet::write_out(const std::shared_ptr<State>& state, int descriptor) {
    std::unique_lock<std::mutex> lock(state->mutex);
    std::string taken;
    while (true) {
        state->changed.wait(lock, [&] { return state->stopped || !state->pending.empty(); });
        if (state->stopped) return;
        taken.swap(state->pending);
        state->in_hand = taken.size();
        for (std::size_t done = 0; done < taken.size() && !state->nobody && !state->stopped;) {
            const auto part = std::string_view(taken).substr(done, portion);
            lock.unlock();
            const bool heard = write_all(descriptor, part);
            lock.lock();
            const bool was_full = state->waiting() >= limit;
            done += part.size();
            state->in_hand -= part.size();
            state->written += part.size();
            state->nobody = !heard;
            if (was_full && state->waiting() < limit) static_cast<void>(heeler::write_quietly(state->room.writer, "r"));
            state->changed.notify_all();
        }
        taken.clear();
        state->in_hand = 0;
        state->changed.notify_all();
    }
}

std::size_t Outlet::room() const {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    return limit - std::min(limit, state_->waiting());
}

std::size_t Outlet::waiting() const {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    return state_->waiting();
}

void Outlet::put(std::string_view output) {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    if (state_->nobody) return;
    state_->pending += output;
    state_->owed = state_->written + state_->waiting();
    state_->changed.notify_all();
}

bool Outlet::owes() const {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    return state_->written < state_->owed && !state_->nobody;
}

bool Outlet::closed() const {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    return state_->nobody;
}

void Outlet::offer(std::string_view line) {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    if (state_->nobody) return;
    if (state_->waiting() + line.size() > limit + spare_for_lines) {
        ++state_->left_out;
        return;
    }
    if (state_->left_out != 0)
        state_->pending +=
            fmt::format("heeler: {} lines were left out: nobody read them\n", std::exchange(state_->left_out, 0));
    state_->pending += line;
    state_->changed.notify_all();
}

int Outlet::room_fd() const noexcept { return state_->room.reader.get(); }

void Outlet::note_room() noexcept {
    char bytes[64];
    while (::read(state_->room.reader.get(), bytes, sizeof bytes) == static_cast<ssize_t>(sizeof bytes)) {
    }
}

bool Outlet::drained(heeler::Duration patience) {
    std::unique_lock<std::mutex> lock(state_->mutex);
    while (state_->waiting() != 0 && !state_->nobody) {
        const std::uint64_t before = state_->written;
        const auto moved = [&] { return state_->waiting() == 0 || state_->nobody || state_->written != before; };
        if (!state_->changed.wait_for(lock, patience, moved)) return false;
    }
    return true;
}

void say_at_once(const std::string& line) {
    Outlet errors(STDERR_FILENO);
    errors.offer(line + "\n");
    errors.drained(std::chrono::seconds(2));
}

}  // namespace supervise

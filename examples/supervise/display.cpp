#include "display.hpp"

#include <cerrno>
#include <cstdio>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <heeler/text/sanitise.hpp>

namespace supervise {

namespace {

void write_all(int number, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(number, text.data(), text.size());
        if (written < 0 && errno == EAGAIN) {
            pollfd ready{number, POLLOUT, 0};
            ::poll(&ready, 1, 1000);
        } else if (written < 0 && errno != EINTR) {
            return;  // nobody listens any more; the command goes on
        } else if (written > 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        }
    }
}

std::size_t terminal_width() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col - 1U : 79U;
}

std::string one_line(std::string_view text) {
    std::string line = heeler::sanitise(text, 4096);
    for (char& c : line)
        if (c == '\n' || c == '\t') c = ' ';
    return line;
}

}  // namespace

std::string short_duration(heeler::Duration length) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(length).count();
    if (seconds < 60) return fmt::format("{}s", seconds);
    if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
    if (seconds < 86400) return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
    return fmt::format("{}d{}h", seconds / 86400, seconds / 3600 % 24);
}

std::string status_text(const StatusView& view, std::size_t width) {
    std::string text = fmt::format("{} {} {}, {} line{}", view.name, view.status, short_duration(view.running),
                                   view.lines, view.lines == 1 ? "" : "s");
    if (!view.metric.empty())
        text += fmt::format(", {} {}", view.value ? std::to_string(*view.value) : std::string("no"), view.metric);
    text += fmt::format(", quiet {}", short_duration(view.quiet));
    if (!view.doing.empty()) text += ", " + view.doing;
    if (view.next > heeler::Duration::zero()) text += fmt::format(", next check in {}", short_duration(view.next));
    return std::string(heeler::utf8_head(one_line(text), width));
}

Display::Display() : terminal_(::isatty(STDERR_FILENO) == 1) {}

void Display::pass(std::string_view output) {
    if (output.empty()) return;
    clear();
    write_all(STDOUT_FILENO, output);
    line_open_ = output.back() != '\n';
}

void Display::say(std::string_view line) {
    clear();
    std::string text = line_open_ && terminal_ ? "\n" : "";
    line_open_ = line_open_ && !terminal_;
    text += "heeler: " + one_line(line) + "\n";
    write_all(STDERR_FILENO, text);
}

void Display::show(const StatusView& view, heeler::Duration every) {
    if (terminal_) {
        if (line_open_) return;
        std::string text = status_text(view, terminal_width());
        if (shown_ && text == last_text_) return;
        write_all(STDERR_FILENO, "\r\x1b[K" + text);
        last_text_ = std::move(text);
        shown_ = true;
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (view.status == last_status_ && now - last_plain_ < every) return;
    last_status_ = view.status;
    last_plain_ = now;
    say(status_text(view, 200));
}

void Display::clear() {
    if (shown_) write_all(STDERR_FILENO, "\r\x1b[K");
    shown_ = false;
}

}  // namespace supervise

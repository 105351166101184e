#include "display.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <heeler/text/sanitise.hpp>

namespace supervise {

namespace {

/// A terminal, or one pipe for both.
bool same_place(int one, int other) {
    struct stat first {};
    struct stat second {};
    return ::fstat(one, &first) == 0 && ::fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

std::size_t terminal_width(int terminal) {
    winsize size{};
    return ::ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col - 1U : 79U;
}

std::string one_line(std::string_view text) {
    std::string line = heeler::text::sanitise(text, 4096);
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
    return std::string(heeler::text::utf8_head(one_line(text), width));
}

Display::Display(int notes)
    : output_(std::make_shared<Outlet>(STDOUT_FILENO)),
      errors_(same_place(STDOUT_FILENO, STDERR_FILENO) ? output_ : std::make_shared<Outlet>(STDERR_FILENO)),
      notes_(same_place(notes, STDERR_FILENO)   ? errors_
             : same_place(notes, STDOUT_FILENO) ? output_
                                                : std::make_shared<Outlet>(notes)),
      terminal_(::isatty(notes) == 1 ? notes : -1) {}

Display::~Display() { notes_->drained(std::chrono::seconds(2)); }

void Display::pass(std::string_view text, Outlet& to) {
    if (text.empty()) return;
    clear();
    to.put(text);
    if (&to == notes_.get()) line_open_ = text.back() != '\n';
}

void Display::say(std::string_view line) {
    clear();
    std::string text = line_open_ && terminal_ >= 0 ? "\n" : "";
    line_open_ = line_open_ && terminal_ < 0;
    text += "heeler: " + one_line(line) + "\n";
    notes_->offer(text);
}

void Display::show(const StatusView& view, heeler::Duration every) {
    if (terminal_ >= 0) {
        if (line_open_ || notes_->waiting() != 0) return;
        std::string text = status_text(view, terminal_width(terminal_));
        if (shown_ && text == last_text_) return;
        notes_->offer("\r\x1b[K" + text);
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

void Display::tell(std::string_view text) {
    clear();
    notes_->offer(text);
}

void Display::clear() {
    if (shown_) notes_->offer("\r\x1b[K");
    shown_ = false;
}

}  // namespace supervise

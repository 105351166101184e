#include "end_notes.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

namespace supervise {

namespace {

std::optional<EndNote> note_of(const std::string& line) {
    std::istringstream words(line);
    EndNote note;
    std::string state;
    std::string status;
    if (!(words >> state >> status >> note.at >> note.run)) return std::nullopt;
    const auto known = heeler::run_state_named(state);
    if (!known || !is_terminal(*known)) return std::nullopt;
    note.state = *known;
    int number = 0;
    if (std::from_chars(status.data(), status.data() + status.size(), number).ec == std::errc{}) note.status = number;
    return note;
}

}  // namespace

std::string EndNote::text() const {
    return fmt::format("{}, {}, at {}", name_of(state),
                       status ? fmt::format("status {}", *status) : std::string("status unknown"), at);
}

EndNotes::EndNotes(heeler::FilePlace place) : place_(std::move(place)) {
    const auto text = heeler::read_head(place_, 1 << 20);
    std::istringstream file(text && *text ? **text : std::string());
    for (std::string line; std::getline(file, line);)
        if (auto note = note_of(line)) notes_.push_back(std::move(*note));
}

heeler::Result<void> EndNotes::put(EndNote note) {
    std::erase_if(notes_, [&](const EndNote& each) { return each.run == note.run; });
    notes_.push_back(std::move(note));
    return write();
}

void EndNotes::forget(const std::string& run) {
    std::erase_if(notes_, [&](const EndNote& each) { return each.run == run; });
    if (notes_.empty())
        ::unlink((place_.folder + "/" + place_.name).c_str());
    else
        static_cast<void>(write());
}

const EndNote* EndNotes::of(const std::string& run) const {
    const auto found = std::find_if(notes_.begin(), notes_.end(), [&](const EndNote& each) { return each.run == run; });
    return found == notes_.end() ? nullptr : &*found;
}

heeler::Result<void> EndNotes::write() const {
    std::string text;
    for (const EndNote& note : notes_)
        text += fmt::format("{} {} {} {}\n", name_of(note.state),
                            note.status ? std::to_string(*note.status) : std::string("-"), note.at, note.run);
    return heeler::replace_file(place_, text, 0600);
}

}  // namespace supervise

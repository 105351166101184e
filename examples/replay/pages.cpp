#include "pages.hpp"

#include <fstream>
#include <variant>

#include <heeler/detect/loop/explain.hpp>
#include <heeler/explain/explanation_text.hpp>
#include <heeler/report/run_page_html.hpp>

namespace replay {

void Pages::before(const heeler::Loop::Memory& memory, const heeler::Loop::Settings& settings,
                   const heeler::Observation& seen) {
    if (run_.empty()) return;
    const heeler::Explanation why = heeler::Loop::explain(memory, settings, seen);
    if (why.verdict.level >= heeler::Level::nudge) why_[run_] = "\n" + to_text(why);
}

void Pages::happened(const heeler::Event& event, heeler::WallTime at) {
    std::string why;
    if (const auto* status = std::get_if<heeler::StatusEvent>(&event))
        for (const heeler::Finding& finding : status->findings)
            if (finding.kind == heeler::Loop::kind) why = why_[status->run];
    for (auto& [run, recorder] : runs_) recorder.happened(event, at, why);
}

std::string Pages::next_file() const {
    if (written_.empty()) return file_;
    const auto slash = file_.rfind('/');
    const auto dot = file_.rfind('.');
    const bool has_ending = dot != std::string::npos && dot != 0 && (slash == std::string::npos || dot > slash + 1);
    const std::string number = "-" + std::to_string(written_.size() + 1);
    return has_ending ? file_.substr(0, dot) + number + file_.substr(dot) : file_ + number;
}

heeler::Result<void> Pages::write(const heeler::Report& report, heeler::WallTime at) {
    const auto known = runs_.find(report.run);
    if (known == runs_.end()) return {};
    const std::string path = next_file();
    std::ofstream file{path, std::ios::binary | std::ios::trunc};
    file << heeler::to_html(known->second.page(report, at));
    file.close();
    if (!file) return heeler::fail(heeler::ErrorCode::io, "--html: '" + path + "' cannot be written");
    written_.push_back(path);
    return {};
}

}  // namespace replay

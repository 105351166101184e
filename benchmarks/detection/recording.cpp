#include "recording.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include <simdjson.h>
#include <zlib.h>

namespace detection {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

struct CloseGzip {
    void operator()(gzFile file) const { gzclose(file); }
};

/// zlib passes on what is not compressed as it is.
std::string read_file(const std::filesystem::path& path) {
    const std::unique_ptr<std::remove_pointer_t<gzFile>, CloseGzip> file{gzopen(path.c_str(), "rb")};
    if (file == nullptr) throw std::runtime_error("cannot read " + path.string());
    std::string content;
    std::vector<char> buffer(1 << 18);
    for (;;) {
        const int size = gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
        if (size < 0) throw std::runtime_error("cannot unpack " + path.string());
        if (size == 0) return content;
        content.append(buffer.data(), static_cast<std::size_t>(size));
    }
}

template <class EachLine>
void for_each_line(const std::filesystem::path& path, EachLine&& each) {
    const std::string content = read_file(path);
    simdjson::dom::parser parser;
    for (std::size_t at = 0; at < content.size();) {
        const std::size_t end = std::min(content.find('\n', at), content.size());
        const std::string line = content.substr(at, end - at);
        at = end + 1;
        object fields;
        if (!line.empty() && !parser.parse(line).get(fields)) each(fields);
    }
}

std::string text_of(object fields, const char* key) {
    element value;
    if (fields[key].get(value) || value.is_null()) return {};
    std::string_view text;
    return value.get(text) ? simdjson::minify(value) : std::string{text};
}
std::optional<bool> flag_of(object fields, const char* key) {
    bool value = false;
    return fields[key].get(value) ? std::nullopt : std::optional{value};
}
double number_of(object fields, const char* key, double otherwise) {
    double value = 0;
    return fields[key].get(value) ? otherwise : value;
}

Happening read_line(object fields, double last) {
    using Kind = Happening::Kind;
    Happening line;
    line.at = std::max(last, number_of(fields, "t", last));
    line.call_id = text_of(fields, "call_id");
    const std::string type = text_of(fields, "type");
    if (type == "tool_call") {
        line.kind = Kind::call;
        line.name = text_of(fields, "name");
        line.text = text_of(fields, "args");
    } else if (type == "tool_result") {
        line.kind = Kind::result;
        line.text = text_of(fields, "output");
        line.sha = text_of(fields, "output_sha");
        line.ok = flag_of(fields, "ok");
    } else if (type == "message") {
        const std::string role = text_of(fields, "role");
        line.kind = role == "assistant" ? Kind::assistant : role.starts_with("assistant") ? Kind::thinking : Kind::user;
        line.name = role;
        line.text = text_of(fields, "text");
    } else if (type == "output") {
        line.kind = Kind::output;
        line.text = text_of(fields, "text");
    } else if (type == "compaction") {
        line.kind = Kind::compaction;
    }
    return line;
}

Recording read_run(const std::filesystem::path& path) {
    Recording run;
    run.source = path.parent_path().filename().string();
    run.name = path.filename().string();
    run.name.erase(run.name.find(".jsonl"));
    bool header = true;
    for_each_line(path, [&](object fields) {
        if (!std::exchange(header, false))
            run.lines.push_back(read_line(fields, run.lines.empty() ? 0 : run.lines.back().at));
    });
    return run;
}

std::map<std::string, Label> read_labels(const std::filesystem::path& folder) {
    std::map<std::string, Label> labels;
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with("labels") || !name.ends_with(".jsonl")) continue;
        for_each_line(entry.path(), [&](object fields) {
            Label label;
            label.loop = flag_of(fields, "loop").value_or(false);
            label.uncertain = flag_of(fields, "uncertain").value_or(false);
            label.first = static_cast<std::size_t>(number_of(fields, "first_event", 0));
            label.kind = text_of(fields, "kind");
            labels[text_of(fields, "source") + "/" + text_of(fields, "id")] = label;
        });
    }
    return labels;
}

}  // namespace

std::size_t calls_until(const Recording& run, std::size_t line) {
    std::size_t calls = 0;
    for (std::size_t i = 0; i <= line && i < run.lines.size(); ++i)
        calls += run.lines[i].kind == Happening::Kind::call ? 1 : 0;
    return calls;
}

Recording disguised(Recording run, Disguise disguise) {
    std::map<std::string, std::string> names;
    for (Happening& line : run.lines) {
        const bool result = line.kind == Happening::Kind::result;
        if (disguise == Disguise::later) line.at += 1'000'000;
        if (disguise == Disguise::warning && result)
            line.text.insert(0, "warning: cannot create a temporary file in /var/cache: permission denied\n");
        if (disguise == Disguise::footer && result) line.text += "\n(the shell stands in its first directory again)";
        if (disguise == Disguise::opaque_names && line.kind == Happening::Kind::call)
            line.name = names.try_emplace(line.name, "tool" + std::to_string(names.size())).first->second;
        if (disguise == Disguise::carriage_returns && result)
            for (std::size_t at = 0; (at = line.text.find('\n', at)) != std::string::npos; at += 2)
                line.text.insert(at, "\r");
    }
    return run;
}

std::vector<Recording> read_recordings(const std::string& folder) {
    std::vector<Recording> runs;
    if (!std::filesystem::is_directory(folder)) throw std::runtime_error(folder + " is no folder");
    for (const auto& entry : std::filesystem::recursive_directory_iterator{std::filesystem::path{folder} / "runs"})
        if (entry.is_regular_file() && entry.path().filename().string().find(".jsonl") != std::string::npos)
            runs.push_back(read_run(entry.path()));
    std::sort(runs.begin(), runs.end(), [](const Recording& a, const Recording& b) { return a.id() < b.id(); });
    const std::map<std::string, Label> labels = read_labels(folder);
    for (Recording& run : runs)
        if (const auto found = labels.find(run.id()); found != labels.end()) run.label = found->second;
    return runs;
}

}  // namespace detection

// Whatever is written reads back, on one line of valid UTF-8.
#include <heeler/text/canonical_args.hpp>
#include <heeler/text/json_string.hpp>
#include <heeler/text/json_writer.hpp>

#include <cmath>
#include <cstring>

#include "support/fuzz.hpp"

using namespace heeler;

namespace {

struct Sink {
    std::string text;
    void put(std::string_view part) { text += part; }
    void put(char c) { text += c; }
};

std::string repaired(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        std::uint32_t value = 0;
        if (const auto size = character_size(text, value); size != 0) {
            out += text.substr(0, size);
            text.remove_prefix(size);
        } else {
            out += text::replacement_character;
            text.remove_prefix(text::decode_utf8(text, 0).size);
        }
    }
    return out;
}

bool is_one_line(std::string_view json) {
    while (!json.empty()) {
        std::uint32_t c = 0;
        const auto size = character_size(json, c);
        if (size == 0 || c < 0x20 || (c >= 0x7F && c < 0xA0)) return false;
        json.remove_prefix(size);
    }
    return true;
}

void check_string(std::string_view text) {
    std::string json;
    text::append_json_string(json, text);
    require(is_one_line(json), "a JSON string is one line of valid UTF-8");
    Sink sink;
    const char* at = json.data() + 1;
    const char* end = json.data() + json.size();
    require(json[0] == '"' && detail::read_json_string(at, end, sink) && at == end,
            "a JSON string ends where it should");
    require(sink.text == repaired(text), "a JSON string reads back");
}

void check_number(double value) {
    std::string json;
    text::append_json_number(json, value);
    if (!std::isfinite(value)) return require(json == "null", "JSON has no such number");
    require(std::strtod(json.c_str(), nullptr) == value, "a number reads back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    check_string(as_text(data, size));
    double number = 0;
    if (size >= sizeof number) std::memcpy(&number, data, sizeof number);
    check_number(number);
    check_number(std::trunc(number));

    text::JsonLine line;
    std::string open;
    line.begin_object();
    for (std::size_t at = 0; at + 1 < size; at += 2) {
        const auto choice = data[at] % 7;
        if (choice == 6 && !open.empty()) {
            if (open.back() == '{')
                line.end_object();
            else
                line.end_array();
            open.pop_back();
            continue;
        }
        if (open.empty() || open.back() == '{') line.key(as_text(data + at, size - at < 9 ? size - at : 9));
        if (choice == 0)
            line.string(as_text(data + at, 2));
        else if (choice == 1)
            line.number(number + data[at + 1]);
        else if (choice == 2)
            line.number(int{data[at + 1]} - 128);
        else if (choice == 3 && open.size() < 50)
            line.begin_object(), open += '{';
        else if (choice == 4 && open.size() < 50)
            line.begin_array(), open += '[';
        else
            line.boolean(choice == 5);
    }
    for (; !open.empty(); open.pop_back())
        if (open.back() == '{')
            line.end_object();
        else
            line.end_array();
    line.end_object();
    detail::TwoHashes hashes{};
    require(is_one_line(line.text()), "a line is one line of valid UTF-8");
    require(detail::ArgumentScanner(line.text()).scan(hashes), "a line is one JSON object");
    return 0;
}

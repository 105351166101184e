// Any bytes are safe to fingerprint; one value written in two ways counts as the same, another value does not.
#include <heeler/text/canonical_args.hpp>

#include <vector>

#include "support/fuzz.hpp"

using namespace heeler;

namespace {

struct Value {
    enum Kind { number, text, array, object } kind = number;
    std::string scalar;
    std::vector<Value> items;
};

class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
    std::uint8_t byte() {
        if (size_ == 0) return 0;
        --size_;
        return *data_++;
    }
    Value value(int depth) {
        const auto choice = byte();
        Value made;
        made.kind = static_cast<Value::Kind>(choice % (depth > 0 ? 4 : 2));
        made.scalar = std::to_string(byte());
        if (made.kind == Value::text)
            for (int i = choice / 16; i > 0; --i) made.scalar += static_cast<char>(' ' + byte() % 95);
        if (made.kind == Value::array || made.kind == Value::object)
            for (int i = choice / 4 % 8; i > 0; --i) made.items.push_back(value(depth - 1));
        return made;
    }

private:
    const std::uint8_t* data_;
    std::size_t size_;
};

void write_string(std::string& out, const std::string& text, bool other_way) {
    out += '"';
    for (const char c : text) {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
        if (other_way && c % 2 == 0)
            out += escaped;
        else if (c == '"' || c == '\\')
            out.append({'\\', c});
        else
            out += c;
    }
    out += '"';
}

/// The other way has its keys in reverse, white space, and escapes.
void write(std::string& out, const Value& value, bool other_way) {
    const std::string_view space = other_way ? " \n" : "";
    if (value.kind == Value::number) out += value.scalar;
    if (value.kind == Value::text) write_string(out, value.scalar, other_way);
    if (value.kind != Value::array && value.kind != Value::object) return;
    const bool object = value.kind == Value::object;
    out.append(object ? "{" : "[").append(space);
    for (std::size_t i = 0; i < value.items.size(); ++i) {
        const auto index = other_way && object ? value.items.size() - 1 - i : i;
        if (i > 0) out.append(",").append(space);
        if (object) write_string(out, "key" + std::to_string(index), other_way);
        if (object) out.append(space).append(":").append(space);
        write(out, value.items[index], other_way);
        out.append(space);
    }
    out += object ? '}' : ']';
}

std::string written(const Value& value, bool other_way) {
    std::string out;
    write(out, value, other_way);
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = as_text(data, size);
    const auto raw = text::fingerprint_call("tool", bytes);
    require(text::fingerprint_call("tool", " \n" + std::string(bytes) + "\t") == raw,
            "outer white space does not matter");
    require(text::fingerprint_call("other", bytes).exact != raw.exact, "the name matters");

    Value root = Input(data, size).value(5);
    root.kind = Value::object;
    const auto first = text::fingerprint_call("tool", written(root, false));
    require(text::fingerprint_call("tool", written(root, true)) == first, "how a value is written does not matter");

    Value changed = root;
    changed.items.push_back({Value::text, "12 more", {}});
    const auto more = text::fingerprint_call("tool", written(changed, false));
    require(more.exact != first.exact, "one member more matters");
    changed.items.back().scalar = "7 more";
    const auto other = text::fingerprint_call("tool", written(changed, false));
    require(other.exact != more.exact && other.normal == more.normal, "numbers matter in the exact fingerprint only");
    return 0;
}

// Any bytes, any cap: clean, within the cap, stable, and impossible to break out of a quotation with.
#include <heeler/text/sanitise.hpp>

#include "support/fuzz.hpp"

using namespace heeler;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::size_t cap = data[0] | (std::size_t{data[1]} % 4) << 8;
    const auto text = as_text(data + 2, size - 2);

    const auto clean = text::sanitise(text, cap);
    require(is_clean(clean), "sanitised text is clean");
    require(clean.size() <= cap, "the cap holds");
    require(text::sanitise(clean, cap) == clean, "sanitising twice changes nothing");
    const auto whole = text::sanitise(text, text.size() * 3);
    require(is_clean(whole) && text::sanitise(whole, whole.size()) == whole, "uncapped text is clean and stable");
    if (is_clean(text)) require(whole == text, "clean text is left alone");

    const auto quoted = text::quoted_lines(text, cap);
    require(is_clean(quoted) && quoted.substr(0, 2) == "| ", "a quotation is clean and starts with its prefix");
    for (std::size_t at = quoted.find('\n'); at != std::string::npos; at = quoted.find('\n', at + 1))
        require(quoted.compare(at + 1, 2, "| ") == 0, "every quoted line has its prefix");

    const auto checked = check_run_id(text);
    require(checked.has_value() == valid_run_id(text), "both checks of a run id agree");
    if (!checked) require(is_clean(checked.error().message), "the error about a run id is clean");
    return 0;
}

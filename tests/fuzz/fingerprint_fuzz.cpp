// Any line is safe to fingerprint; another number or more white space changes the exact fingerprint only.
#include <heeler/text/fingerprint.hpp>

#include "support/fuzz.hpp"

using namespace heeler;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const auto text = as_text(data + 2, size - 2);
    const auto split = text.size() * data[0] / 255;
    std::string front(text.substr(0, split));
    std::string back(text.substr(split));
    if (data[1] >= 250) front.insert(0, 1000 * (data[1] - 249u), 'k').append(4000, 'z');

    const auto line = [&](std::string_view middle) {
        return text::fingerprint_line(front + std::string(middle) + back);
    };
    const auto first = line(" 17 x ");
    const auto second = line("  04242\tx ");
    const auto masked = line(" # x ");
    require(first.exact != second.exact && first.exact != masked.exact, "the exact fingerprint sees every byte");
    require(first.normal == second.normal, "numbers and white space are masked");
    require(first.normal == masked.normal, "a number is masked as a number sign");
    require(first.normal != line(" 17 y ").normal, "words are not masked");
    return 0;
}

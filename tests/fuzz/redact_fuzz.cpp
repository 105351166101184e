// A secret that is planted in any surroundings never survives, and redacting twice changes nothing.
#include <heeler/text/redact.hpp>
#include <heeler/text/sanitise.hpp>

#include <iterator>

#include "support/fuzz.hpp"

using namespace heeler;

namespace {

constexpr std::string_view canary = "Zq7CanaryX93kd";
constexpr std::string_view exact_canary = "<<named|value>>";

struct Plant {
    std::string_view before;
    std::string_view after;
};

constexpr Plant plants[] = {{"Authorization: Bearer ", ""},
                            {"bearer ", ","},
                            {"password=", "&x=1"},
                            {"\"api_key\": \"", "\""},
                            {"SECRET: '", "'"},
                            {"--token ", ""},
                            {"sk-", ""},
                            {"ghp_", "."},
                            {"glpat-", ""},
                            {"xoxb-", ""},
                            {"http://bob:", "@host/"},
                            {"eyJhbGciOi.eyJzdWIi.", ""},
                            {"Authorization: Basic ", ""},
                            {"{\\\"token\\\":\\\"", "\\\"}"},
                            {"sk_live_", "'"},
                            {"https://hooks.slack.com/services/T0/B0/", ""},
                            {"curl -u bob:", " x"},
                            {"curl -su 'bob:", "'"},
                            {"mysql -p", ""},
                            {"DB_PASS=", ""},
                            {"Cookie: a=b; c=", ";"},
                            {"postgres://bob:a#b/", "@host/"},
                            {"password:\n  ", "\n"}};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const auto& plant = plants[data[0] % std::size(plants)];
    const auto surroundings = as_text(data + 2, size - 2);
    // Surroundings that hold it themselves, in a sequence that nobody sees or seen, prove nothing.
    if (surroundings.find("nary") != std::string_view::npos) return 0;
    if (text::sanitise(surroundings, 100000).find("nary") != std::string::npos) return 0;
    const auto split = surroundings.size() * data[1] / 255;

    std::string text(surroundings.substr(0, split));
    text.append("\n").append(plant.before).append(canary).append(plant.after).append(" ");
    text.append(surroundings.substr(split)).append(exact_canary);

    text::Redactor redactor;
    require(redactor.add(exact_canary).has_value(), "a value is accepted");
    const auto shown = redactor.redact(text);
    require(shown.find("Canary") == std::string::npos, "a planted secret is redacted");
    require(shown.find(exact_canary) == std::string::npos, "a named value is redacted");
    require(redactor.redact(shown) == shown, "redacting twice changes nothing");

    const auto evidence = redactor.evidence_text(text, 100);
    require(is_clean(evidence), "evidence is clean");
    require(evidence.find("Canary") == std::string::npos, "evidence shows no secret");
    require(evidence.size() <= 400 + 50, "evidence is short");
    return 0;
}

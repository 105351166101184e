#include <heeler/alert/text.hpp>

#include <string>

#include <heeler/alert/json.hpp>
#include <heeler/testing/contract/notifier_contract.hpp>

#include "support/catch.hpp"

using heeler::fit_text;
using heeler::TextUnit;

TEST_CASE("what fits is left as it is, in the channel's own units") {
    const std::string siren = "\xF0\x9F\x9A\xA8";
    CHECK(fit_text(siren + siren, 8, TextUnit::byte) == siren + siren);
    CHECK(fit_text(siren + siren, 2, TextUnit::character) == siren + siren);
    CHECK(fit_text(siren + siren, 4, TextUnit::utf16) == siren + siren);
    CHECK(fit_text(siren + siren, 3, TextUnit::utf16) == siren);
    CHECK(fit_text("abc", 0, TextUnit::byte).empty());
}

TEST_CASE("what does not fit is cut in whole characters, and the rest is counted") {
    const std::string text = std::string(100, 'a');
    CHECK(fit_text(text, 60, TextUnit::byte) == std::string(40, 'a') + "\n[60 more left out]");
    for (std::size_t most = 0; most < 120; ++most)
        for (const TextUnit unit : {TextUnit::byte, TextUnit::character, TextUnit::utf16}) {
            std::string mixed;
            for (int i = 0; i < 40; ++i) mixed += i % 3 == 0 ? "\xF0\x9F\x9A\xA8" : i % 3 == 1 ? "\xC3\xA4" : "x";
            const std::string cut = fit_text(mixed, most, unit);
            CHECK(heeler::text::valid_utf8(cut));
            std::size_t units = 0;
            for (std::size_t at = 0; at < cut.size();) {
                const auto next = heeler::text::decode_utf8(cut, at);
                units += unit == TextUnit::byte ? next.size : unit == TextUnit::utf16 && next.value > 0xFFFF ? 2 : 1;
                at += next.size;
            }
            CHECK(units <= most);
        }
}

TEST_CASE("an alert's message says which run, what is wrong, and what is done about it") {
    CHECK(heeler::format_alert(heeler::notifier_contract::example_alert()) ==
          "\xE2\x9A\xA0 run-1 is STALLED\nRun: run-1\nName: nightly refactor\nWork item: issue-7\nProject: tools\n"
          "\xE2\x80\xA2 no progress in 2 intervals\nSeen: 2 samples without a change\nNext: verified in 60 s");
    heeler::Alert bare;
    bare.kind = "watchdog.store_down";
    CHECK(heeler::format_alert(bare) == "\xE2\x9A\xA0 watchdog.store_down");
}

TEST_CASE("an alert's JSON is bounded, and says what it left out") {
    heeler::Alert alert = heeler::notifier_contract::example_alert();
    alert.issues.assign(1000, std::string(20'000, 'x'));
    const std::string json = heeler::alert_json(alert);
    CHECK(json.size() < 2'000'000);
    CHECK_THAT(json, ContainsSubstring(R"("left_out":900)"));
}

TEST_CASE("an alert's JSON says which run, with the tags that people route by") {
    heeler::Alert alert = heeler::notifier_contract::example_alert();
    alert.tags = {"worker", "team \"night\""};
    CHECK(
        heeler::alert_json(alert) ==
        R"({"version":1,"key":"run-1/1/begin","kind":"run.unhealthy","severity":"warning","to":"","run":{"id":"run-1",)"
        R"("name":"nightly refactor","work_item":"issue-7","project":"tools","tags":["worker","team \"night\""]},)"
        R"("summary":"run-1 is STALLED","issues":["no progress in 2 intervals"],"details":{)"
        R"("seen":"2 samples without a change","next":"verified in 60 s"},"at":"1970-01-01T00:00:00.000Z","attempt":1})");
    CHECK_THAT(heeler::alert_json({}), ContainsSubstring(R"("tags":[]})"));
    alert.tags.assign(1000, std::string(20'000, 'x'));
    CHECK_THAT(heeler::alert_json(alert), ContainsSubstring(R"("left_out":900)"));
}

#include <heeler/notify/webhook_notifier.hpp>

#include <string>

#include "contract/channel_contract.hpp"
#include "support/catch.hpp"
#include "support/json_lines.hpp"
#include "support/loopback.hpp"

using heeler::WebhookNotifier;
using heeler::WebhookSettings;
using heeler_test::channel_secret;
using heeler_test::HttpSeen;

namespace {

WebhookSettings webhook_settings(const std::string& url) {
    WebhookSettings settings;
    settings.url = url + "/hooks/" + std::string{channel_secret};
    settings.secret = channel_secret;
    return settings;
}

}  // namespace

TEST_CASE("a webhook keeps the contract of channels") {
    heeler_test::check_channel<WebhookNotifier>(webhook_settings, "ok");
}

TEST_CASE("a webhook's receiver knows a repeated alert, and who sent it") {
    const heeler_test::LoopbackHttp server{[](const HttpSeen&) { return heeler_test::http_answer(204, ""); }};
    WebhookSettings settings = webhook_settings(server.url());
    settings.secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    settings.headers = {"X-Team: night"};
    WebhookNotifier webhook{settings};
    heeler::Alert alert = heeler::notifier_contract::example_alert();
    alert.tags = {"worker", "night"};
    REQUIRE(webhook.send(alert));
    alert.attempt = 2;
    REQUIRE(webhook.send(alert));
    alert.key = "a key with\nlines";
    REQUIRE(webhook.send(alert));
    const auto seen = server.seen();
    REQUIRE(seen.size() == 3);
    CHECK(seen[0].method == "POST");
    CHECK(seen[0].path == "/hooks/" + std::string{channel_secret});
    CHECK(seen[0].header("Idempotency-Key") == "run-1/1/begin");
    CHECK(seen[1].header("Idempotency-Key") == "run-1/1/begin");
    CHECK(seen[2].header("Idempotency-Key") == heeler::text::sha256_hex("a key with\nlines"));
    CHECK(seen[0].header("X-Team") == "night");
    CHECK(seen[0].header("Content-Type") == "application/json");
    CHECK_THAT(seen[0].body, ContainsSubstring(R"("key":"run-1/1/begin")") && ContainsSubstring(R"("attempt":1)") &&
                                 ContainsSubstring(R"("issues":["no progress in 2 intervals"])") &&
                                 ContainsSubstring(R"("tags":["worker","night"])") &&
                                 ContainsSubstring(R"("details":{"seen":"2 samples without a change")"));
    const std::string signed_text =
        seen[0].header("webhook-id") + "." + seen[0].header("webhook-timestamp") + "." + seen[0].body;
    const std::string key = *heeler::text::from_base64("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    CHECK(seen[0].header("webhook-signature") ==
          "v1," + heeler::text::base64(heeler::text::hmac_sha256(key, signed_text)));
}

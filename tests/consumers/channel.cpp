// Has a channel that reaches people, of the component `http`: a program of its own, linked with what that one needs.
#include <heeler/notify/telegram_notifier.hpp>

int main() {
    heeler::TelegramSettings settings;
    settings.api = "http://127.0.0.1:1";  // nobody listens there
    settings.token = "123:token";
    settings.chat = "-1001234567";
    heeler::TelegramNotifier people{settings};
    heeler::Alert alert;
    alert.summary = "nightly-refactor is stalled";
    const auto receipt = people.send(alert);
    return !receipt && receipt.error().code == heeler::ErrorCode::delivery_failed ? 0 : 1;
}

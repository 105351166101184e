// How a watchdog is opened, set up and closed.
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <pthread.h>

#include <heeler/c/watchdog.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/settings/engine_settings.hpp>
#include <heeler/settings/name_regex_settings.hpp>
#include <heeler/settings/overlay.hpp>
#include <heeler/source/json_settings.hpp>
#include <heeler/store/memory_store.hpp>
#include <heeler/store/sqlite_store.hpp>
#include <heeler/store/store_place.hpp>
#include <heeler/tree/watch/named_presets.hpp>
#ifdef HEELER_HAS_POSTGRES
#include <heeler/store/postgres_store.hpp>
#endif

namespace heeler::inline HEELER_ABI::c {

unsigned forks() noexcept {
    static std::atomic<unsigned> count{0};
    static const int counted =
        ::pthread_atfork(nullptr, nullptr, [] { count.fetch_add(1, std::memory_order_relaxed); });
    static_cast<void>(counted);
    return count.load(std::memory_order_relaxed);
}

namespace {

constexpr unsigned all_verbs =
    HEELER_INJECT | HEELER_PAUSE | HEELER_RESUME | HEELER_ISOLATE | HEELER_SNAPSHOT | HEELER_TERMINATE | HEELER_SPAWN;

/// The preset with these settings; each of them that cannot be taken is named.
RunClass class_of(std::string_view preset, std::string_view settings) {
    auto rules = preset_named(preset);
    if (!rules) {
        std::string known;
        for (const std::string& name : preset_names()) known += (known.empty() ? "; known are " : ", ") + name;
        refuse(ErrorCode::invalid_argument, "there is no preset " + in_quotes(preset) + known);
    }
    // Who starts a run means it, with tags or without.
    if (auto& filter = rules->applicability.filter) filter->untagged = true;
    if (settings.empty()) return *std::move(rules);
    const auto given = settings_from_json(settings);
    if (!given) refuse(given.error().code, "settings: " + given.error().message);
    std::string wrong;
    for (const SettingFault& fault : overlay(*rules, *given)) wrong += (wrong.empty() ? "" : "; ") + fault.message;
    if (!wrong.empty()) refuse(ErrorCode::invalid_argument, "settings: " + wrong);
    return *std::move(rules);
}

void check_control(const heeler_options& options) {
    if ((options.verbs & ~all_verbs) != 0)
        refuse(ErrorCode::invalid_argument,
               "`verbs` has a bit that is no heeler_verb: " + std::to_string(options.verbs & ~all_verbs));
    if ((options.act == nullptr) != (options.verbs == 0))
        refuse(ErrorCode::invalid_argument, options.act == nullptr ? "`verbs` names what `act` does, which is null"
                                                                   : "`verbs` is 0: name what `act` can do");
}

Opened on_store(std::string_view store, const HostClock& clock, HostNotifier notifier, EngineSettings settings) {
    StorePlace place;
    if (store == "memory") {
        const MemoryStore rows;
        return {OwnLedger{rows}, AnyWatchdog{clock, rows, std::move(notifier), std::move(settings)}};
    }
    if (!read_store(store, place))
        refuse(ErrorCode::invalid_argument, "there is no store " + in_quotes(heeler::detail::open_address(store)) +
                                                "; it must be memory, sqlite:PATH or postgres:URL");
    if (place.postgres.empty())
        return {OwnLedger{SqliteStore{place.sqlite_file}},
                AnyWatchdog{clock, SqliteStore{place.sqlite_file}, std::move(notifier), std::move(settings)}};
#ifdef HEELER_HAS_POSTGRES
    return {OwnLedger{PostgresStore{place.postgres}},
            AnyWatchdog{clock, PostgresStore{place.postgres}, std::move(notifier), std::move(settings)}};
#else
    refuse(ErrorCode::unsupported, "this library was built without PostgreSQL");
#endif
}

/// Reads the store now, so that whoever opens it learns what is wrong with it.
void read_now(AnyWatchdog& dog) {
    const auto nobody = dog.find("");
    if (!nobody && nobody.error().code != ErrorCode::unknown_run) throw Refused{nobody.error()};
}

std::unique_ptr<heeler_watchdog> opened_with(const heeler_options& options) {
    check_control(options);
    EngineSettings settings;
    settings.holder = text(options.holder);
    const std::string preset{options.preset == nullptr || *options.preset == '\0' ? "recommended" : options.preset};
    RunClass rules = class_of(preset, text(options.settings));
    HostClock clock{options};
    auto [spend, dog] = on_store(text(options.store), clock, HostNotifier{options}, std::move(settings));
    std::unique_ptr<heeler_watchdog> opened{
        new heeler_watchdog{std::move(clock), HostControl{options}, std::move(spend), std::move(dog), preset,
                            !text(options.holder).empty(), forks(), options.tell, options.context}};
    if (options.act != nullptr || options.find != nullptr || options.prove_stopped != nullptr)
        taken(opened->dog.attach(opened->control));
    opened->dog.attach(*opened->spend.ledger);
    if (options.wake != nullptr)
        opened->dog.wake_with([wake = options.wake, context = options.context] {
            const StrictCallback strict;
            wake(context);
        });
    taken(opened->dog.define(std::move(rules)));
    read_now(opened->dog);
    return opened;
}

}  // namespace

}  // namespace heeler::inline HEELER_ABI::c

using namespace heeler::c;

const char* heeler_version(void) { return HEELER_C_VERSION; }

const char* heeler_error_text(void) { return last_words().data(); }

void heeler_string_free(char* text) { delete[] text; }

int heeler_open(const heeler_options* options, heeler_watchdog** opened) {
    return answered([&] {
        check_pointer(opened, "opened");
        *opened = opened_with(struct_of(options, "heeler_options")).release();
    });
}

int heeler_define(heeler_watchdog* watchdog, const char* preset, const char* settings) {
    return with(watchdog, [&](heeler_watchdog& it) { taken(it.dog.define(class_of(text(preset), text(settings)))); });
}

int heeler_close(heeler_watchdog* watchdog) {
    if (watchdog == nullptr) return HEELER_OK;
    return with(watchdog, [](heeler_watchdog& it) {
        if (it.in_cycle.exchange(true))
            refuse(heeler::ErrorCode::busy, "a cycle is under way; close the watchdog after it");
        const std::unique_ptr<heeler_watchdog> freed{&it};
        const auto stored = it.shares_store ? it.dog.leave() : it.dog.flush();
        if (stored) return;
        const bool busy = stored.error().code == heeler::ErrorCode::busy;  // which says that it is still open
        refuse(busy ? heeler::ErrorCode::timed_out : stored.error().code, stored.error().message);
    });
}

int heeler_describe(heeler_watchdog* watchdog, char** description) {
    return with(watchdog, [&](heeler_watchdog& it) {
        check_pointer(description, "text");
        *description = handed_out(it.dog.describe());
    });
}

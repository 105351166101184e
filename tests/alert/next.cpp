#include <heeler/alert/next.hpp>

#include <random>
#include <set>
#include <string>
#include <vector>

#include <heeler/core/archive.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/slowed.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::Fate;
using detail::News;
using detail::Telling;
using detail::Told;

namespace next_test {

namespace {

Instant at(Duration since) {
    Instant now = bench::start;
    now.elapsed += since;
    now.wall += since;
    return now;
}

std::string words_of(const Telling& telling) {
    std::string text;
    const auto add = [&](bool is_said, const std::string& what) {
        if (is_said) text += (text.empty() ? "" : ", ") + what;
    };
    std::string level;
    if (telling.level.level != 0)
        level = " " + std::to_string(telling.level.level) + " " + std::string{name_of(telling.level.cause)};
    const std::string after = telling.silence == 0 ? "" : " after " + std::to_string(telling.silence);
    add(telling.escalation, "escalation" + level);
    add(telling.unhealthy, "unhealthy");
    add(telling.recovered, "recovered");
    add(telling.ends != 0, "edge_over");
    add(telling.begins != nullptr, "edge");
    add(telling.goes_on, "goes_on" + level + after);
    add(telling.held_back, "held back");
    return text;
}

/// An incident, open or over.
Incident incident(std::uint32_t number, bool open) {
    Incident made;
    made.number = number;
    made.phase = number == 0 ? Phase::none : open ? Phase::climbing : Phase::closed;
    return made;
}

/// One look at a run whose incident was `before` and is `after`.
News look(const Incident& before, const Incident& after) {
    News news;
    news.before = before;
    news.after = after;
    news.looked = true;
    return news;
}
News goes_on() { return look(incident(1, true), incident(1, true)); }
News begins() {
    News news = look(incident(0, false), incident(1, true));
    news.acts = true;
    return news;
}
News ends() {
    News news = look(incident(1, true), incident(1, false));
    news.recovered = true;
    return news;
}

/// People read, so long ago, that the first incident began.
Told told(Duration ago = 1h) {
    Told known;
    known.incident = known.heard = true;
    known.last = at(-ago).wall;
    return known;
}

struct Row {
    const char* name;
    Told told;
    News news;
    std::string says;
};

template <class Change>
auto with(auto value, Change&& change) {
    change(value);
    return value;
}

AlertSettings patient() {
    AlertSettings settings;
    settings.cooldown = 30min;
    return settings;
}

void check(const AlertSettings& settings, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        CAPTURE(row.name);
        CHECK(words_of(detail::next(row.told, row.news, settings, at(0s))) == row.says);
    }
}

}  // namespace

TEST_CASE("an incident is told once when it begins and once when it is over", "[alert]") {
    const Told silenced = with(told(), [](Told& t) {
        t.heard = false;
        t.begin = detail::Beginning::unsaid;
        t.unheard.edit() = {7, 1, 0, true, false};
    });
    check(
        patient(),
        {
            {"it begins", {}, begins(), "unhealthy"},
            {"and nothing is done", {}, with(begins(), [](News& n) { n.acts = false; }), ""},
            {"and everything is frozen",
             {},
             with(begins(), [](News& n) { n.acts = false, n.tells = true; }),
             "unhealthy"},
            {"it goes on", told(), goes_on(), ""},
            {"another begins", told(),
             with(begins(),
                  [](News& n) {
                      n.before = incident(1, false);
                      n.after = incident(2, true);
                  }),
             "unhealthy"},
            {"within the cooldown", with(told(10min), [](Told& t) { t.incident = false; }), begins(), "held back"},
            {"it is over", told(), ends(), "recovered"},
            {"it is over within the cooldown", told(10min), ends(), ""},
            {"the cooldown is over now", told(), look(incident(1, false), incident(1, false)), "recovered"},
            {"it is over before they could read it", told(), with(ends(), [](News& n) { n.pending = 1; }), ""},
            {"nobody has read it", with(told(), [](Told& t) { t.dead = true, t.heard = false; }), ends(), ""},
            {"somebody has read another one of it", with(told(), [](Told& t) { t.dead = true; }), ends(), "recovered"},
            {"a person has closed it", told(), with(ends(), [](News& n) { n.recovered = false; }), ""},
            {"it is snoozed", told(), with(ends(), [](News& n) { n.snoozed = true; }), ""},
            {"it was silenced", silenced, ends(), ""},
            {"the silence is over", silenced, with(goes_on(), [](News& n) { n.silence_over = true; }), "unhealthy"},
            {"and somebody is on it", with(silenced, [](Told& t) { t.acknowledged = true; }),
             with(goes_on(), [](News& n) { n.silence_over = true; }), ""},
        });
}

TEST_CASE("what trouble above the run keeps back is told when that is over", "[alert]") {
    const Told kept = with(told(), [](Told& t) {
        t.heard = false;
        t.begin = detail::Beginning::inhibited;
        t.last.reset();
    });
    check({}, {{"it goes on above", kept, with(goes_on(), [](News& n) { n.inhibited = true; }), ""},
               {"it is over above", kept, goes_on(), "unhealthy"},
               {"it is over here before", kept, ends(), ""}});
}

TEST_CASE("an escalation goes from level to level until somebody is on it", "[alert]") {
    AlertSettings settings;
    settings.escalation = {three_levels(), 4h};
    const auto levels = [](std::uint32_t told, Duration next) {
        return with(next_test::told(), [&](Told& t) { t.levels.edit() = {at(next).elapsed, 1, told, told, {}}; });
    };
    const News escalates = with(goes_on(), [](News& n) { n.acts = n.escalates = true; });
    check(settings, {{"it begins", {}, with(begins(), [](News& n) { n.escalates = true; }), "escalation 1 escalated"},
                     {"nobody has had the time", levels(1, 1s), goes_on(), ""},
                     {"nobody is on it", levels(1, 0s), goes_on(), "goes_on 2 nobody acknowledged it"},
                     {"nobody could be reached", with(levels(1, 10min), [](Told& t) { t.dead = true; }), goes_on(),
                      "goes_on 2 nobody received it"},
                     {"it is asked for again", levels(2, 1s), escalates, "escalation 2 escalated"},
                     {"all were told", levels(3, 0s), goes_on(), ""},
                     {"it is frozen", levels(1, 0s), with(goes_on(), [](News& n) { n.frozen = true; }), ""},
                     {"it waits", levels(1, 0s), with(goes_on(), [](News& n) { n.waiting = n.run_waits = true; }),
                      "goes_on 2 nobody acknowledged it"},
                     {"somebody is on it", with(levels(1, 1h), [](Told& t) { t.acknowledged = true; }), goes_on(), ""},
                     {"and it did not help", with(levels(1, 0s), [](Told& t) { t.acknowledged = true; }), goes_on(),
                      "goes_on 1 the acknowledgement is over"},
                     {"a silence swallowed it and is over",
                      with(levels(1, 1h),
                           [](Told& t) {
                               t.unheard.edit() = {7, 1, 0, false, true};
                           }),
                      with(goes_on(), [](News& n) { n.silence_over = true; }), "goes_on 1 a silence is over after 7"}});
}

TEST_CASE("a condition with an alert of its own is told when it begins, and those who read it that it is over",
          "[alert]") {
    AlertSettings settings = patient();
    settings.renotify_every = 1h;
    const ConditionBits input = bit_of(Condition::needs_input), silent = bit_of(Condition::silent);
    const auto sent = [](const Condition& condition, Duration ago) {
        return with(Told{}, [&](Told& t) {
            t.edges.push_back({at(-ago).wall, 0, condition, {}});
            t.last = at(-ago).wall;
        });
    };
    const auto found = [](ConditionBits bits) {
        return with(look(incident(0, false), incident(0, false)), [&](News& n) { n.found = bits; });
    };
    check(settings, {{"it begins", {}, found(input), "edge"},
                     {"one stands before it", {}, found(input | silent), "edge"},
                     {"it goes on", sent(Condition::needs_input, 40min), found(input), ""},
                     {"it is repeated", sent(Condition::silent, 1h), found(silent), "edge"},
                     {"not for whoever is on it",
                      with(sent(Condition::silent, 1h), [](Told& t) { t.acknowledged = true; }), found(silent), ""},
                     {"nor what is not said again", sent(Condition::needs_input, 2h), found(input), ""},
                     {"it is over", sent(Condition::silent, 40min), found(0), "edge_over"},
                     {"nobody asked for its end", sent(Condition::needs_input, 40min), found(0), ""},
                     {"it is over within the cooldown", sent(Condition::silent, 20min), found(0), ""},
                     {"the run waits", sent(Condition::silent, 40min),
                      with(found(0), [](News& n) { n.waiting = n.run_waits = true; }), ""},
                     {"it is not known", sent(Condition::silent, 40min),
                      with(found(0), [](News& n) { n.silence_known = false; }), ""},
                     {"nobody has it", with(sent(Condition::silent, 40min), [&](Told& t) { t.dead_edges = silent; }),
                      found(0), ""},
                     {"it was silenced",
                      with(sent(Condition::silent, 40min),
                           [&](Told& t) {
                               t.unheard.edit() = {7, 0, silent, false, false};
                           }),
                      found(0), ""}});
}

namespace {

/// A run, its troubles and its operators, over some hours; and people, who read what reaches them.
class Story {
public:
    explicit Story(std::uint32_t seed) : random_{seed} {
        settings_.tell_people = !one_of(8);
        settings_.cooldown = one_of(2) ? Duration{} : 30min;
        settings_.renotify_every = one_of(3) ? Duration{1h} : Duration{};
        if (one_of(2)) settings_.escalation = {three_levels(), one_of(2) ? Duration{4h} : Duration{}};
        if (one_of(3)) settings_.outbox.retry = false;
    }

    void live(int steps) {
        for (int i = 0; i < steps; ++i) {
            change();
            step(10min);
            if (one_of(12)) restart();
        }
        // From here on nothing keeps anything back, and the ladder has come to its end.
        silenced_ = snoozed_ = frozen_ = inhibited_ = refused_ = waits_ = false;
        told_.acknowledged = false;
        for (int i = 0; i < 8; ++i) step(10min, i == 4);
    }

    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
    [[nodiscard]] std::size_t said() const noexcept { return said_; }

private:
    enum class What { escalation, unhealthy, end, edge, goes_on };
    struct Sent {
        What what;
        std::uint32_t incident;
        ConditionBits edge;
        std::string kind;
        WallTime at;
        int tries = 0;
    };

    [[nodiscard]] bool one_of(unsigned count) { return random_() % count == 0; }
    void fail(std::string why) {
        if (fault_.empty()) fault_ = std::move(why);
    }

    void change() {
        if (one_of(3)) in_trouble_ = !in_trouble_;
        if (one_of(5)) found_ ^= bit_of(Condition::silent);
        if (one_of(8)) found_ ^= bit_of(Condition::needs_input);
        if (one_of(6)) waits_ = !waits_;
        if (one_of(6)) silenced_ = !silenced_;
        if (one_of(8)) snoozed_ = !snoozed_;
        if (one_of(8)) frozen_ = !frozen_;
        if (one_of(6)) inhibited_ = !inhibited_;
        if (one_of(4)) refused_ = !refused_;
        if (one_of(8) && (incident_.open() || told_.end_is_awaited(settings_))) acknowledge();
    }
    void acknowledge() {
        told_.acknowledged = true;
        if (settings_.escalation.levels.empty()) return;
        told_.levels.edit().next.reset();
        if (settings_.escalation.ack_lasts > Duration{})
            told_.levels.edit().next = at(now_).elapsed + settings_.escalation.ack_lasts;
    }

    /// What the ladder makes of it. A snooze keeps it from doing anything.
    [[nodiscard]] News judge(bool must_escalate) {
        News news = look(incident_, incident_);
        news.found = found_;
        news.pending = static_cast<std::uint32_t>(pending_.size());
        news.snoozed = snoozed_;
        news.frozen = frozen_;
        news.inhibited = inhibited_;
        news.run_waits = news.waiting = waits_;
        news.silence_over = !silenced_ && !frozen_ && !snoozed_ && told_.unheard->silence != 0;
        if (waits_) return news;
        if (in_trouble_ && !incident_.open()) {
            const bool again = incident_.number > 0 && one_of(2);
            news.after = incident(again ? incident_.number : incident_.number + 1, true);
            news.acts = true;
        } else if (in_trouble_) {
            news.acts = must_escalate || one_of(4);
            news.tells = !news.acts && frozen_;
        } else if (incident_.open()) {
            news.after.phase = Phase::closed;
            news.recovered = true;
        }
        news.escalates = news.acts && (must_escalate || one_of(2));
        if (!snoozed_ || !(news.acts || news.tells)) return news;
        news.acts = news.tells = news.escalates = false;
        news.after = incident_;
        return news;
    }

    void step(Duration length, bool must_escalate = false) {
        now_ += length;
        for (const Fate& fate : std::exchange(fates_, {})) told_.take_in(fate, incident_, settings_);
        const News news = judge(must_escalate);
        const Telling telling = detail::next(told_, news, settings_, at(now_));
        if (news.snoozed && !words_of(telling).empty()) fail("a snoozed run is spoken of");
        went_on_ = 0;
        for (const detail::ToldAlert& each : told_.edges) went_on_ |= bit_of(each.edge);
        told_ = telling.told;
        ConditionBits going = telling.ends;
        for (const detail::ToldAlert& each : told_.edges) going |= bit_of(each.edge);
        known_edges_ &= going;
        incident_ = news.after;
        send(telling, news.before);
        ++said_;
        deliver();
    }

    void send(const Telling& telling, const Incident& before) {
        if (telling.recovered && !known_.contains(before.number)) fail("an end without a beginning");
        if ((telling.ends & ~known_edges_) != 0) fail("a condition ends that never began");
        const bool repeats = settings_.renotify_every > Duration{};
        if (telling.unhealthy && !repeats && is_asked(What::unhealthy, incident_.number, 0))
            fail("two keys for one incident");
        if (telling.begins != nullptr && (went_on_ & bit_of(telling.begins->condition)) != 0 &&
            is_asked(What::edge, 0, bit_of(telling.begins->condition)))
            fail("two keys for one condition");
        if (telling.escalation) ask(What::escalation, incident_.number, name_of(AlertKind::escalation));
        if (telling.unhealthy) ask(What::unhealthy, incident_.number, name_of(AlertKind::unhealthy));
        if (telling.recovered) ask(What::end, 0, name_of(AlertKind::recovered));
        if (telling.ends != 0) known_edges_ &= ~telling.ends, ask(What::end, 0, name_of(AlertKind::recovered));
        if (telling.begins != nullptr) {
            ask(What::edge, 0, telling.begins->kind);
            pending_.back().edge = bit_of(telling.begins->condition);
        }
        if (telling.goes_on) ask(What::goes_on, incident_.number, name_of(AlertKind::escalation));
    }
    [[nodiscard]] bool is_asked(What what, std::uint32_t incident, ConditionBits edge) const {
        for (const Sent& sent : pending_)
            if (sent.what == what && sent.incident == incident && sent.edge == edge) return true;
        return false;
    }
    void ask(What what, std::uint32_t incident, std::string_view kind) {
        pending_.push_back({what, incident, 0, std::string{kind}, at(now_).wall});
    }

    /// As the courier does it: silence first, then trouble above, then the channel.
    void deliver() {
        std::vector<Sent> later;
        for (Sent& sent : std::exchange(pending_, {})) {
            Fate fate{Fate::What::delivered, {}, sent.kind, sent.at, 0};
            const bool begins = sent.what == What::unhealthy && told_.begin == detail::Beginning::on_its_way &&
                                !told_.heard && sent.at == at(now_).wall;
            if (sent.what == What::escalation && frozen_ && sent.tries == 0)
                fate.what = Fate::What::unsaid;
            else if (silenced_ && sent.tries == 0)
                fate = {Fate::What::silenced, {}, sent.kind, sent.at, 7};
            else if (inhibited_ && begins && sent.tries == 0)
                fate.what = Fate::What::inhibited;
            else if (refused_ && ++sent.tries < 3 && settings_.outbox.retry) {
                later.push_back(std::move(sent));
                continue;
            } else if (refused_)
                fate.what = Fate::What::dead;
            else
                read(sent);
            fates_.push_back(std::move(fate));
        }
        pending_ = std::move(later);
    }

    void read(const Sent& sent) {
        for (const detail::ToldAlert& each : told_.edges)
            if (bit_of(each.edge) == sent.edge && each.at == sent.at) known_edges_ |= sent.edge;
        if (sent.incident != 0) known_.insert(sent.incident);
    }

    /// All that is durable.
    void restart() {
        ArchiveWriter to{at(now_)};
        to(told_);
        const std::string bytes = to.take();
        ArchiveReader from{bytes, at(now_)};
        Told read;
        from(read);
        if (!from.ok() || !from.at_end() || !(read == told_)) fail("what was told is not saved");
        told_ = read;
    }

public:
    /// In the end, whoever is in trouble is known to be.
    [[nodiscard]] bool is_known() const {
        return !incident_.open() || !settings_.tell_people || known_.contains(incident_.number);
    }

private:
    std::mt19937 random_;
    AlertSettings settings_;
    Told told_;
    Incident incident_;
    Duration now_{};
    std::vector<Sent> pending_;
    std::vector<Fate> fates_;
    std::set<std::uint32_t> known_;  ///< incidents of which people have read something
    ConditionBits known_edges_ = 0, found_ = 0, went_on_ = 0;
    bool in_trouble_ = false, waits_ = false, silenced_ = false, snoozed_ = false, frozen_ = false, inhibited_ = false,
         refused_ = false;

    std::string fault_;
    std::size_t said_ = 0;
};

}  // namespace

TEST_CASE("in no story is an end told without a beginning, a beginning under two keys, or lasting trouble forgotten",
          "[alert]") {
    const std::uint32_t stories = heeler_test::is_slowed ? 20'000 : 100'000;
    std::size_t said = 0;
    for (std::uint32_t seed = 1; seed <= stories; ++seed) {
        Story story{seed};
        story.live(24);
        said += story.said();
        if (story.fault().empty() && story.is_known()) continue;
        FAIL("story " << seed << ": " << (story.fault().empty() ? "trouble that nobody knows of" : story.fault()));
    }
    CHECK(said > stories);
}

}  // namespace next_test

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
            {"it is over within the cooldown", told(10min), ends(), "recovered"},
            {"it is told of later", told(), look(incident(1, false), incident(1, false)), "recovered"},
            {"it is told of later, and the run waits by now", told(),
             with(look(incident(1, false), incident(1, false)), [](News& n) { n.waiting = n.run_waits = true; }),
             "recovered"},
            {"it is told of later, and nothing is known by now", told(),
             with(look(incident(1, false), incident(1, false)), [](News& n) { n.waiting = n.held = true; }), ""},
            {"it is over, and nobody was told yet, when another begins within the cooldown",
             with(told(10min), [](Told& t) { t.incident = false; }),
             with(begins(), [](News& n) { n.before = incident(1, false), n.after = incident(2, true); }), "held back"},
            {"the cooldown is over, and nothing is done now", with(Told{}, [](Told& t) { t.begin_held = true; }),
             goes_on(), "unhealthy"},
            {"it is given up within the cooldown", with(told(10min), [](Told& t) { t.incident = t.heard = false; }),
             with(begins(), [](News& n) { n.ends_run = n.is_final = true; }), "unhealthy"},
            {"it is given up while trouble above it is known",
             with(told(), [](Told& t) { t.heard = false, t.begin = detail::Beginning::inhibited; }),
             with(goes_on(), [](News& n) { n.acts = n.ends_run = n.is_final = n.inhibited = true; }), "unhealthy"},
            {"it is given up, and people know of it: they read that the run is over", told(10min),
             with(goes_on(), [](News& n) { n.acts = n.ends_run = n.is_final = true; }), ""},
            {"it comes back while they are still to read that it was over",
             with(told(),
                  [](Told& t) {
                      t.incident = false;
                      t.asked.push_back({at(-1min).wall, 1, {}, "run.recovered", true});
                  }),
             with(look(incident(1, false), incident(1, true)), [](News& n) { n.acts = true, n.pending = 1; }), ""},
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
                     {"and nobody received it", with(levels(1, 1h), [](Told& t) { t.dead = true; }),
                      with(goes_on(), [](News& n) { n.frozen = true; }), "goes_on 2 nobody received it"},
                     {"it waits", levels(1, 0s), with(goes_on(), [](News& n) { n.waiting = n.run_waits = true; }),
                      "goes_on 2 nobody acknowledged it"},
                     {"it is part of what people know of many", levels(1, 0s),
                      with(goes_on(), [](News& n) { n.inhibited = true; }), ""},
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
    check(
        settings,
        {{"it begins", {}, found(input), "edge"},
         {"one stands before it", {}, found(input | silent), "edge"},
         {"it goes on", sent(Condition::needs_input, 40min), found(input), ""},
         {"it is repeated", sent(Condition::silent, 1h), found(silent), "edge"},
         {"not for whoever is on it", with(sent(Condition::silent, 1h), [](Told& t) { t.acknowledged = true; }),
          found(silent), ""},
         {"nor what is not said again", sent(Condition::needs_input, 2h), found(input), ""},
         {"it is over", sent(Condition::silent, 40min), found(0), "edge_over"},
         {"nobody asked for its end", sent(Condition::needs_input, 40min), found(0), ""},
         {"it is over within the cooldown", sent(Condition::silent, 20min), found(0), "edge_over"},
         {"trouble within the cooldown", sent(Condition::overdue, 20min), found(silent), ""},
         {"what waits for a person is told within the cooldown", sent(Condition::overdue, 20min), found(input), "edge"},
         {"the run waits", sent(Condition::silent, 40min),
          with(found(0), [](News& n) { n.waiting = n.run_waits = true; }), ""},
         {"it is not known", sent(Condition::silent, 40min), with(found(0), [](News& n) { n.silence_known = false; }),
          ""},
         {"nothing of it can be read yet", sent(Condition::unobservable, 40min),
          with(found(0), [](News& n) { n.readable = false; }), ""},
         {"it can be read again, and more is not known yet", sent(Condition::unobservable, 40min),
          with(found(0),
               [](News& n) {
                   n.waiting = true;
                   n.silence_known = false;
               }),
          "edge_over"},
         {"nobody has it", with(sent(Condition::silent, 40min), [&](Told& t) { t.dead_edges = silent; }), found(0), ""},
         {"it was silenced",
          with(sent(Condition::silent, 40min),
               [&](Told& t) {
                   t.unheard.edit() = {7, 0, silent, false, false};
               }),
          found(0), ""}});
}

TEST_CASE("where several are told that it is over, it is not told again because one of them could not be reached",
          "[alert]") {
    const auto fates = GENERATE(std::vector{Fate::What::dead, Fate::What::delivered},
                                std::vector{Fate::What::delivered, Fate::What::dead},
                                std::vector{Fate::What::delivered, Fate::What::silenced});
    const std::string kind{name_of(AlertKind::recovered)};
    Told told = next_test::told();
    told.incident = false;
    for (std::size_t i = 0; i < fates.size(); ++i) told.ask({at(0s).wall, 1, {}, kind, true});
    const AlertSettings settings;
    for (const Fate::What what : fates) told.take_in({what, {}, kind, at(0s).wall, 7}, incident(1, false), settings);
    News later = look(incident(1, false), incident(1, false));
    later.interval = 60s;
    later.silence_over = true;
    CHECK(words_of(detail::next(told, later, settings, at(1h))).empty());
    CHECK(told.asked.empty());
}

namespace {

/// A run, its troubles and its operators, over some days; and people, who read what reaches them.
class Story {
public:
    explicit Story(std::uint32_t seed) : random_{seed}, flaps_{seed % 2 == 0} {
        settings_.tell_people = !one_of(8);
        settings_.cooldown = one_of(2) ? Duration{} : one_of(2) ? Duration{30min} : Duration{2h};
        settings_.renotify_every = one_of(3) ? Duration{1h} : Duration{};
        if (one_of(2)) settings_.escalation = {three_levels(), one_of(2) ? Duration{4h} : Duration{}};
        if (one_of(3)) settings_.outbox.retry = false;
        settings_.outbox.inhibit = true;
    }

    void live(int steps) {
        constexpr Duration lengths[] = {1s, 1min, 10min, 40min, 3h};
        for (int i = 0; i < steps; ++i) {
            change();
            step(lengths[random_() % 5]);
            if (one_of(6)) restart();
        }
        // From here on nothing keeps anything back: a freeze keeps back deeds.
        silences_.clear();
        snoozed_ = inhibited_ = refused_ = waits_ = false;
        is_calm_ = true;
        for (int i = 0; i < 10; ++i) step(1h);
        judge_the_end();
    }

    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
    [[nodiscard]] std::size_t read() const noexcept { return read_; }

private:
    enum class What { escalation, unhealthy, recovered, edge, edge_over, ended };
    struct Sent {
        What what;
        std::uint32_t incident;
        ConditionBits edge;
        std::string kind;
        WallTime at;
        bool gives_up = false;
        bool critical = false;
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
        if (one_of(6)) silences_.insert(++newest_silence_);
        if (one_of(4) && !silences_.empty())
            silences_.erase(one_of(2) ? silences_.begin() : std::prev(silences_.end()));
        if (one_of(8)) snoozed_ = !snoozed_;
        if (one_of(60)) dismissed_ = true;
        if (one_of(8)) frozen_ = !frozen_;
        if (one_of(6)) inhibited_ = !inhibited_;
        if (one_of(4)) refused_ = !refused_;
        if (over_) return;
        if (one_of(8) && (incident_.open() || told_.end_is_awaited(settings_))) acknowledge();
        if (one_of(40) && incident_.open()) mark_wrong();
        if (one_of(60)) finish();
    }
    void acknowledge() {
        told_.acknowledged = true;
        if (settings_.escalation.levels.empty()) return;
        told_.levels.edit().next.reset();
        if (settings_.escalation.ack_lasts > Duration{})
            told_.levels.edit().next = at(now_).elapsed + settings_.escalation.ack_lasts;
    }
    /// Whoever says so knows.
    void mark_wrong() {
        told_.close();
        told_.acknowledged = in_trouble_ = believes_ = owes_escalation_ = false;
        incident_.phase = Phase::none;
        wrong_ = incident_.number;
    }
    void finish() {
        over_ = true;
        incident_.phase = incident_.number == 0 ? Phase::none : Phase::closed;
        told_.end(false);
    }
    [[nodiscard]] bool is_snoozed() const noexcept { return snoozed_ || dismissed_; }

    /// What the ladder makes of it. A snooze keeps it from doing anything.
    [[nodiscard]] News judge() {
        News news = look(incident_, incident_);
        news.interval = 10min;
        news.found = found_;
        news.pending = static_cast<std::uint32_t>(pending_.size());
        news.snoozed = is_snoozed();
        news.frozen = frozen_;
        news.inhibited = inhibited_;
        news.run_waits = news.waiting = waits_;
        const std::uint64_t silence = told_.unheard->silence;
        news.silence_over = !silences_.contains(silence) && !is_snoozed() && silence != 0;
        if (waits_) return news;
        if (in_trouble_ && !incident_.open()) {
            const bool again = incident_.number > 0 && incident_.number != wrong_ && one_of(2);
            news.after = incident(again ? incident_.number : incident_.number + 1, true);
            news.acts = true;
        } else if (in_trouble_) {
            news.acts = one_of(4) || (owes_escalation_ && !frozen_);
            news.tells = !news.acts && frozen_;
        } else if (incident_.open()) {
            news.after.phase = Phase::closed;
            news.recovered = true;
        }
        news.escalates = news.acts && (one_of(2) || (owes_escalation_ && !frozen_));
        news.ends_run = news.acts && !is_calm_ && one_of(12);
        news.is_final = news.ends_run;
        if (!is_snoozed() || !(news.acts || news.tells)) return news;
        news.acts = news.tells = news.escalates = news.ends_run = news.is_final = false;
        news.after = incident_;
        return news;
    }
    /// That nothing is known of a run that waits ends nothing.
    void note_flapping(News& news) const {
        news.flaps = *told_.flaps;
        if (flaps_ && !waits_) news.flaps.look(10min, news.after.open(), now_ - news.flaps.at, now_);
        if (news.flaps.found && settings_.tell_people) news.found |= bit_of(Condition::flapping);
        news.is_urgent = news.is_final;
    }

    /// A rung that came to nothing asks for a person, between two looks.
    [[nodiscard]] News absorb() {
        News news;
        news.before = news.after = incident_;
        news.interval = 10min;
        news.pending = static_cast<std::uint32_t>(pending_.size());
        news.acts = news.escalates = true;
        return news;
    }

    void take_in() {
        for (const Fate& fate : std::exchange(fates_, {})) told_.take_in(fate, incident_, settings_);
    }

    void step(Duration length) {
        now_ += length;
        take_in();
        if (over_) {
            tell_the_end();
            return deliver();
        }
        News news = judge();
        note_flapping(news);
        tell(news);
        deliver();
        if (over_ || !incident_.open() || is_snoozed() || frozen_ || !one_of(10)) return;
        now_ += 1s;
        take_in();
        tell(absorb());
        deliver();
    }

    void tell(const News& news) {
        const Telling telling = detail::next(told_, news, settings_, at(now_));
        if (news.snoozed && !words_of(telling).empty()) fail("a snoozed run is spoken of");
        told_ = telling.told;
        incident_ = news.after;
        if (news.snoozed && news.pending == 0) who_keeps_words_off_looks();
        if (news.acts && news.escalates) owes_escalation_ = frozen_;
        if (!incident_.open()) owes_escalation_ = false;
        send(telling, news);
        if (!news.ends_run || frozen_) return;
        gives_up_ = settings_.tell_people || news.escalates;
        finish();
        tell_the_end();
    }

    void who_keeps_words_off_looks() {
        if (!incident_.open()) believes_ = false;
        ConditionBits going = 0;
        for (const detail::ToldAlert& each : told_.edges) going |= bit_of(each.edge);
        believed_edges_ &= going;
    }

    void tell_the_end() {
        if (told_.end_waits && pending_.empty() && is_snoozed()) believes_ = gives_up_ = false, believed_edges_ = 0;
        if (!told_.tells_end(settings_, static_cast<std::uint32_t>(pending_.size()), is_snoozed())) return;
        ask(What::ended, incident_.number, name_of(AlertKind::ended));
        told_.ask({at(now_).wall, incident_.number, {}, std::string{name_of(AlertKind::ended)}, true, true});
    }

    void send(const Telling& telling, const News& news) {
        const bool gives_up = news.acts && news.ends_run && !frozen_;
        if (telling.escalation) ask(What::escalation, incident_.number, name_of(AlertKind::escalation), gives_up);
        if (telling.unhealthy) ask(What::unhealthy, incident_.number, name_of(AlertKind::unhealthy), gives_up);
        if (telling.recovered && !believes_) fail("an end without a beginning");
        if ((telling.ends & ~believed_edges_) != 0) fail("a condition ends that never began");
        if (telling.recovered) ask(What::recovered, incident_.number, name_of(AlertKind::recovered));
        for (const ConditionAlert& edge : settings_.conditions)
            if ((telling.ends & bit_of(edge.condition)) != 0) {
                ask(What::edge_over, 0, edge.over);
                pending_.back().edge = bit_of(edge.condition);
            }
        if (telling.begins != nullptr) {
            ask(What::edge, 0, telling.begins->kind);
            pending_.back().edge = bit_of(telling.begins->condition);
        }
        if (telling.goes_on) ask(What::escalation, incident_.number, name_of(AlertKind::escalation));
    }
    void ask(What what, std::uint32_t incident, std::string_view kind, bool gives_up = false) {
        pending_.push_back({what, incident, 0, std::string{kind}, at(now_).wall, gives_up, one_of(3)});
    }

    /// As the courier does it: silence first, then trouble above, then the channel.
    void deliver() {
        std::vector<Sent> later;
        for (Sent& sent : std::exchange(pending_, {})) {
            Fate fate{Fate::What::delivered, {}, sent.kind, sent.at, 0};
            if (sent.what == What::escalation && frozen_ && sent.tries == 0)
                fate.what = Fate::What::frozen;
            else if (!silences_.empty() && sent.what == What::ended) {
                later.push_back(std::move(sent));
                continue;
            } else if (!silences_.empty())
                fate.what = Fate::What::silenced, fate.silence = *silences_.begin();
            else if (inhibited_ && is_inhibited(sent))
                fate.what = Fate::What::inhibited;
            else if (refused_ && ++sent.tries < 3 && settings_.outbox.retry) {
                later.push_back(std::move(sent));
                continue;
            } else if (refused_)
                fate.what = Fate::What::dead;
            else
                read(sent);
            if (fate.what == Fate::What::inhibited && sent.gives_up) fail("that a run is given up is kept back");
            fates_.push_back(std::move(fate));
        }
        pending_ = std::move(later);
    }
    [[nodiscard]] bool is_inhibited(const Sent& sent) const {
        if (sent.kind != name_of(AlertKind::unhealthy) || sent.critical || sent.tries > 0) return false;
        Told known = told_;
        for (const Fate& fate : fates_) known.take_in(fate, incident_, settings_);
        const detail::ToldAlert* const said = known.find_asked(sent.at, sent.kind);
        return known.begin == detail::Beginning::on_its_way && !known.heard && !known.end_told &&
               (said == nullptr || said->incident != 0);
    }

    void read(const Sent& sent) {
        ++read_;
        if (is_over_read_) fail("something is said of a run that people know to be over");
        switch (sent.what) {
            case What::escalation:
            case What::unhealthy:
                if (last_end_ && sent.at < *last_end_) fail("a beginning after its end");
                if (sent.incident != wrong_ || incident_.open() || incident_.number > wrong_) believes_ = true;
                if (sent.gives_up) gives_up_ = is_over_read_ = false, knows_it_is_given_up_ = true;
                break;
            case What::recovered:
                if (last_end_ && *last_end_ == sent.at) fail("two ends of one moment");
                believes_ = false;
                last_end_ = sent.at;
                break;
            case What::edge:
                if (edge_is_awaited(sent.edge)) believed_edges_ |= sent.edge;
                break;
            case What::edge_over:
                believed_edges_ &= ~sent.edge;
                break;
            case What::ended:
                if (!believes_ && believed_edges_ == 0 && !gives_up_)
                    fail("the end of a run that nobody worried about");
                believes_ = gives_up_ = false;
                believed_edges_ = 0;
                is_over_read_ = true;
                break;
        }
    }
    [[nodiscard]] bool edge_is_awaited(ConditionBits bit) const {
        for (const ConditionAlert& edge : settings_.conditions)
            if (bit_of(edge.condition) == bit) return !edge.over.empty();
        return false;
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

    /// What lasts is known, and what is believed lasts.
    void judge_the_end() {
        if (over_ && gives_up_) fail("a run is given up and nobody knows");
        if (!settings_.tell_people || dismissed_) return;
        if (over_) {
            if ((believes_ || believed_edges_ != 0) && !knows_it_is_given_up_) fail("the end of a run is not told");
            return;
        }
        if (incident_.open() && !believes_ && !told_.acknowledged) fail("trouble that nobody knows of");
        if (!incident_.open() && believes_ && found_ == 0) fail("trouble that is over and believed to last");
        if ((believed_edges_ & bit_of(Condition::flapping)) != 0) fail("a run is believed to flap");
        const ConditionBits silent = bit_of(Condition::silent), input = bit_of(Condition::needs_input);
        if ((found_ & silent) == 0 && (believed_edges_ & silent) != 0) fail("a silence is believed to last");
        const bool is_first = (found_ & silent) != 0 && (found_ & input) == 0 && !told_.acknowledged;
        if (is_first && (believed_edges_ & silent) == 0) fail("a silence that nobody knows of");
    }

    std::mt19937 random_;
    bool flaps_;  ///< that is looked for
    AlertSettings settings_;
    Told told_;
    Incident incident_;
    Duration now_{};
    std::vector<Sent> pending_;
    std::vector<Fate> fates_;
    std::set<std::uint64_t> silences_;  ///< that stand
    std::uint64_t newest_silence_ = 0;
    std::uint32_t wrong_ = 0;           ///< the incident that a person said was none
    std::optional<WallTime> last_end_;  ///< of the incident, that people read
    ConditionBits believed_edges_ = 0, found_ = 0;
    bool believes_ = false;  ///< people do, of the incident
    bool in_trouble_ = false, waits_ = false, snoozed_ = false, dismissed_ = false, frozen_ = false, inhibited_ = false,
         refused_ = false;
    bool is_calm_ = false;          ///< nothing is given up any more
    bool owes_escalation_ = false;  ///< the ladder, since everything was frozen
    bool over_ = false, gives_up_ = false, is_over_read_ = false, knows_it_is_given_up_ = false;

    std::string fault_;
    std::size_t read_ = 0;
};

}  // namespace

TEST_CASE("whatever happens, people read what lasts, no end without its beginning, and no beginning after its end",
          "[alert]") {
    const std::uint32_t stories = heeler_test::is_slowed ? 1'500 : 100'000;
    std::size_t read = 0;
    for (std::uint32_t seed = 1; seed <= stories; ++seed) {
        Story story{seed};
        story.live(24);
        read += story.read();
        if (!story.fault().empty()) FAIL("story " << seed << ": " << story.fault());
    }
    CHECK(read > stories);
}

TEST_CASE("who reads of an incident only after the next one, which nobody was told of, reads that all is well") {
    const AlertSettings settings = patient();
    const auto waits = [](News news) { return with(news, [](News& it) { it.pending = 1; }); };
    Told known = detail::next({}, begins(), settings, at(0s)).told;
    known = detail::next(known, waits(ends()), settings, at(60s)).told;
    News again = look(incident(1, false), incident(2, true));
    again.acts = true;
    const Telling held = detail::next(known, waits(again), settings, at(120s));
    CHECK(words_of(held) == "held back");
    News over = look(incident(2, true), incident(2, false));
    over.recovered = true;
    known = detail::next(held.told, waits(over), settings, at(180s)).told;
    known.take_in({Fate::What::delivered, {}, std::string{name_of(AlertKind::unhealthy)}, at(0s).wall},
                  incident(2, false), settings);
    const News quiet = look(incident(2, false), incident(2, false));
    CHECK(words_of(detail::next(known, quiet, settings, at(240s))) == "recovered");
}

TEST_CASE("what may have arrived before it was given up was read: people are told that it is over", "[alert]") {
    for (const bool may_be : {false, true}) {
        const std::string kind{name_of(AlertKind::unhealthy)};
        Told known = detail::next({}, begins(), patient(), at(0s)).told;
        if (may_be) known.take_in({Fate::What::perhaps, {}, kind, at(0s).wall}, incident(1, true), patient());
        CHECK_FALSE(known.heard);
        known.take_in({Fate::What::dead, {}, kind, at(0s).wall}, incident(1, true), patient());
        CHECK(known.dead);
        CHECK(words_of(detail::next(known, ends(), patient(), at(60s))) == (may_be ? "recovered" : ""));
    }
}

TEST_CASE("a first word that was left out with its rung is told with what is done next", "[alert]") {
    AlertSettings settings = patient();
    settings.cooldown = {};
    Told known = detail::next({}, with(begins(), [](News& n) { n.escalates = true; }), settings, at(0s)).told;
    CHECK(words_of(detail::next(known, with(goes_on(), [](News& n) { n.acts = true; }), settings, at(1s))).empty());
    known.take_in({Fate::What::unsaid, {}, std::string{name_of(AlertKind::escalation)}, at(0s).wall}, incident(1, true),
                  settings);
    CHECK(words_of(detail::next(known, goes_on(), settings, at(1s))).empty());
    CHECK(words_of(detail::next(known, with(goes_on(), [](News& n) { n.acts = true; }), settings, at(1s))) ==
          "unhealthy");
}

TEST_CASE("a word that is left out leaves the first one, which is on its way, to be told and to be taken back",
          "[alert]") {
    AlertSettings settings = patient();
    settings.cooldown = {};
    Told known = detail::next({}, begins(), settings, at(0s)).told;
    const auto asks = [](News& n) { n.acts = n.escalates = true; };
    known = detail::next(known, with(goes_on(), asks), settings, at(1s)).told;
    known.take_in({Fate::What::unsaid, {}, std::string{name_of(AlertKind::escalation)}, at(1s).wall}, incident(1, true),
                  settings);
    CHECK(known.incident);
    known.take_in({Fate::What::delivered, {}, std::string{name_of(AlertKind::unhealthy)}, at(0s).wall},
                  incident(1, false), settings);
    CHECK(known.heard);
    CHECK(words_of(detail::next(known, ends(), settings, at(60s))) == "recovered");
}

TEST_CASE("a first word that was left out because nothing may be done is told by itself, within the cooldown, too",
          "[alert]") {
    Told known = detail::next({}, with(begins(), [](News& n) { n.escalates = true; }), patient(), at(0s)).told;
    known.take_in({Fate::What::frozen, {}, std::string{name_of(AlertKind::escalation)}, at(0s).wall}, incident(1, true),
                  patient());
    CHECK(words_of(detail::next(known, goes_on(), patient(), at(1s))) == "unhealthy");
}

TEST_CASE("of a run that flaps people are told that, once, and not that one more incident began [M-201]", "[alert]") {
    const auto flapping = [](News news) {
        news.flaps.found = true;
        news.found = bit_of(Condition::flapping);
        return news;
    };
    const Told knows = with(Told{}, [](Told& t) {
        t.read = bit_of(Condition::flapping);
        t.edges.push_back({at(-1h).wall, 0, Condition::flapping, {}});
        t.flaps.edit().found = true;
    });
    const Told kept = detail::next(knows, flapping(begins()), {}, at(-60s)).told;
    const auto critical = [](News& n) { n.is_urgent = true; };
    check({}, {
                  {"it begins to flap", told(), flapping(ends()), "recovered, edge"},
                  {"with an incident", {}, flapping(begins()), "edge"},
                  {"another begins", knows, flapping(begins()), ""},
                  {"which cannot wait", knows, with(flapping(begins()), critical), "unhealthy"},
                  {"or could, and cannot now", kept, with(flapping(goes_on()), critical), "unhealthy"},
                  {"it asks for a person", knows, with(flapping(begins()), [](News& n) { n.escalates = true; }),
                   "escalation"},
                  {"it is over", kept, flapping(ends()), ""},
                  {"it flaps no more, and is ill", kept, goes_on(), "unhealthy, edge_over"},
                  {"it flaps no more, and is well", knows, look(incident(1, false), incident(1, false)), "edge_over"},
                  {"they read of the incident before", with(knows, [](Told& t) { t.incident = t.heard = true; }),
                   flapping(ends()), "recovered"},
              });
    CHECK(detail::next(knows, flapping(begins()), {}, at(0s)).held_by == "flapping");
    CHECK(detail::next(knows, flapping(begins()), {}, at(0s)).flapping);
    CHECK_FALSE(detail::next(kept, flapping(goes_on()), {}, at(0s)).flapping);
    CHECK(detail::next(kept, flapping(goes_on()), {}, at(0s)).held_by.empty());
    AlertSettings without;
    without.conditions.clear();
    CHECK(words_of(detail::next({}, flapping(begins()), without, at(0s))) == "unhealthy");
}

}  // namespace next_test

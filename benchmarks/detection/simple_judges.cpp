#include <algorithm>
#include <cctype>
#include <deque>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "judge.hpp"

namespace detection {
namespace {

using heeler::Level;
using Kind = Happening::Kind;

/// A call and, once it has arrived, its result.
struct Unit {
    std::string call{};
    std::string result{};
    bool failed = false;
    bool answered = false;
};

bool says_error(std::string_view text) {
    std::string head{text.substr(0, 300)};
    std::transform(head.begin(), head.end(), head.begin(), [](unsigned char c) { return std::tolower(c); });
    return head.find("error") != std::string::npos || head.find("traceback") != std::string::npos ||
           head.find("not found") != std::string::npos || head.find("failed") != std::string::npos;
}

/// Keeps the newest units and asks about them when a call was made or answered. An alarm holds until the next unit.
class OfUnits : public Judge {
public:
    Level see(const Happening& line) override {
        if (line.kind == Kind::call) {
            units_.push_back({line.name + ' ' + line.text, {}, false, false});
            if (units_.size() > 12) units_.pop_front();
            ids_.push_back(line.call_id);
            if (ids_.size() > units_.size()) ids_.pop_front();
        } else if (line.kind == Kind::result) {
            if (Unit* unit = answered_by(line); unit != nullptr) {
                unit->result = line.text;
                unit->failed = line.ok == false || (!line.ok && says_error(line.text));
                unit->answered = true;
            }
        } else {
            return level_;
        }
        if (line.kind == Kind::call && !of_calls_alone()) return level_;  // its result is not known yet
        return level_ = is_loop(units_) ? Level::nudge : Level::none;
    }

protected:
    using Units = std::deque<Unit>;
    [[nodiscard]] virtual bool of_calls_alone() const { return false; }
    [[nodiscard]] virtual bool is_loop(const Units& units) const = 0;

    /// Whether `same` holds for each of the newest `count` units and the one `period` before it.
    template <class Same>
    [[nodiscard]] static bool repeats(const Units& units, std::size_t count, std::size_t period, Same&& same) {
        if (units.size() < count + period) return false;
        for (std::size_t i = units.size() - count; i < units.size(); ++i)
            if (!same(units[i], units[i - period])) return false;
        return true;
    }
    [[nodiscard]] static bool same_pair(const Unit& a, const Unit& b) {
        return a.answered && b.answered && a.call == b.call && a.result == b.result;
    }

private:
    [[nodiscard]] Unit* answered_by(const Happening& line) {
        for (std::size_t i = 0; i < units_.size(); ++i)
            if (!units_[i].answered && (line.call_id.empty() || line.call_id == ids_[i])) return &units_[i];
        return nullptr;
    }

    Units units_;
    std::deque<std::string> ids_;
    Level level_ = Level::none;
};

template <std::size_t Count>
class IdenticalCalls : public OfUnits {
    [[nodiscard]] bool of_calls_alone() const override { return true; }
    [[nodiscard]] bool is_loop(const Units& units) const override {
        return repeats(units, Count - 1, 1, [](const Unit& a, const Unit& b) { return a.call == b.call; });
    }
};

class CallAndResult : public OfUnits {
    [[nodiscard]] bool is_loop(const Units& units) const override { return repeats(units, 2, 1, same_pair); }
};

/// Four equal pairs, three equal calls that fail, or two pairs in turn three times.
class PairsErrorsAlternation : public OfUnits {
    [[nodiscard]] bool is_loop(const Units& units) const override {
        const auto same_failing = [](const Unit& a, const Unit& b) { return a.call == b.call && a.failed && b.failed; };
        return repeats(units, 3, 1, same_pair) || repeats(units, 2, 1, same_failing) || repeats(units, 4, 2, same_pair);
    }
};

/// The same failure four times in a row, digits aside.
class SameError : public OfUnits {
    [[nodiscard]] bool is_loop(const Units& units) const override {
        return repeats(units, 3, 1, [](const Unit& a, const Unit& b) {
            return a.failed && b.failed && masked(a.result) == masked(b.result);
        });
    }
    [[nodiscard]] static std::string masked(std::string_view text) {
        std::string all;
        for (const char c : text.substr(0, 2'000)) all += c >= '0' && c <= '9' ? '#' : c;
        return all;
    }
};

/// The words of the newest four units are those of the four before them, to 90 %.
class SimilarWindows : public OfUnits {
    [[nodiscard]] bool is_loop(const Units& units) const override {
        if (units.size() < 8 || !units.back().answered) return false;
        const auto words = [&](std::size_t from) {
            std::set<std::string> all;
            for (std::size_t i = from; i < from + 4; ++i) add_words(units[i].call + ' ' + units[i].result, all);
            return all;
        };
        const std::set<std::string> before = words(units.size() - 8), now = words(units.size() - 4);
        std::size_t common = 0;
        for (const std::string& word : now) common += before.count(word);
        return common * 10 >= (before.size() + now.size() - common) * 9;
    }
    static void add_words(std::string_view text, std::set<std::string>& words) {
        std::string word;
        for (const char c : text.substr(0, 4'000)) {
            if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
                word += c;
            } else if (!word.empty()) {
                words.insert(std::exchange(word, {}));
            }
        }
        if (!word.empty()) words.insert(word);
    }
};

/// A piece of 50 characters stands ten times in what was said, at most 250 characters apart on the average.
class TailChant : public Judge {
public:
    Level see(const Happening& line) override {
        if (line.kind != Kind::assistant && line.kind != Kind::thinking && line.kind != Kind::output) {
            if (line.kind == Kind::call) begin_anew();
            return level_;
        }
        for (const char c : line.text) take(c);
        return level_;
    }

private:
    void begin_anew() {
        text_.clear();
        places_.clear();
        level_ = Level::none;
    }
    void take(char c) {
        text_ += c;
        if (text_.size() > 100'000) begin_anew();
        if (text_.size() < piece) return;
        auto& places = places_[std::hash<std::string_view>{}(std::string_view{text_}.substr(text_.size() - piece))];
        places.push_back(text_.size());
        if (places.size() >= 10 && places.back() - places[places.size() - 10] <= 9 * 5 * piece) level_ = Level::nudge;
    }

    static constexpr std::size_t piece = 50;
    std::string text_;
    std::unordered_map<std::size_t, std::vector<std::size_t>> places_;
    Level level_ = Level::none;
};

/// Any of them.
class Union : public Judge {
public:
    explicit Union(const std::vector<Candidate>& all) {
        for (const Candidate& each : all) judges_.push_back(each.make());
    }
    Level see(const Happening& line) override {
        Level level = Level::none;
        for (const auto& each : judges_) level = std::max(level, each->see(line));
        return level;
    }

private:
    std::vector<std::unique_ptr<Judge>> judges_;
};

}  // namespace

std::vector<Candidate> simple_ones() {
    std::vector<Candidate> all{
        {"identical call x3", [] { return std::make_unique<IdenticalCalls<3>>(); }},
        {"identical call x5", [] { return std::make_unique<IdenticalCalls<5>>(); }},
        {"call + result x3", [] { return std::make_unique<CallAndResult>(); }},
        {"4 pairs, 3 errors or ABABAB", [] { return std::make_unique<PairsErrorsAlternation>(); }},
        {"tail chants", [] { return std::make_unique<TailChant>(); }},
        {"similarity of windows", [] { return std::make_unique<SimilarWindows>(); }},
        {"same error x4", [] { return std::make_unique<SameError>(); }},
    };
    all.push_back({"union of the simple ones", [all] { return std::make_unique<Union>(all); }});
    return all;
}

}  // namespace detection

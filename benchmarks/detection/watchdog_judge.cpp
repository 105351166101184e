#include <heeler/detect/loop.hpp>
#include <heeler/detect/loop_detector.hpp>
#include <heeler/recover/watch_ladder.hpp>
#include <heeler/settings/presets.hpp>

#include <array>
#include <chrono>
#include <stdexcept>
#include <utility>
#include <variant>

#include "../host.hpp"
#include "judge.hpp"

namespace detection {
namespace {

using namespace heeler;

class WatchdogJudge : public Judge {
public:
    explicit WatchdogJudge(RunClass rules) : dog_{bench::StandingClock{}, bench::NoStore{}, bench::NoNotifier{}} {
        const std::string name = rules.name;
        RunSpec spec;
        spec.id = "run";
        if (!dog_.define(std::move(rules))) throw std::runtime_error("the class is refused");
        const auto run = dog_.start(std::move(spec), name);
        if (!run) throw std::runtime_error(run.error().message);
        run_ = *run;
    }

    Level see(const Happening& line) override {
        const auto passed = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(line.at));
        dog_.clock().at = {Elapsed{passed}, WallTime{passed}};
        tell(line);
        for (const Event& event : dog_.tick(TickCause::on_demand).events)
            if (const auto* status = std::get_if<StatusEvent>(&event)) take(*status);
        return level_;
    }

    [[nodiscard]] std::string rule() const override { return rule_; }

private:
    void tell(const Happening& line) {
        using Kind = Happening::Kind;
        switch (line.kind) {
            case Kind::call:
                return observe(ToolCall{line.name, line.text, line.call_id});
            case Kind::result:
                return observe(ToolResult{line.ok, line.text, line.call_id, line.sha});
            case Kind::assistant:
                return observe(Message{true, line.text});
            case Kind::thinking:
                return observe(Message{true, line.text});
            case Kind::user:
                return observe(Message{false, line.text});
            case Kind::output:
                return observe(Output{line.text, line.ok == false});
            case Kind::compaction:
                return observe(Compaction{});
            case Kind::other:
                return;
        }
    }
    template <class What>
    void observe(What what) {
        dog_.observe(run_, what, dog_.clock().at);
    }

    void take(const StatusEvent& status) {
        level_ = Level::none;
        for (const Finding& finding : status.findings) {
            if (finding.condition != Condition::loop_detected || finding.level < level_) continue;
            level_ = finding.level;
            rule_ = std::string{finding.kind} + "." + std::string{finding.evidence.rule};
        }
    }

    bench::Dog dog_;
    RunHandle run_{};
    Level level_ = Level::none;
    std::string rule_{};
};

}  // namespace

Candidate watchdog(std::string name, RunClass rules) {
    rules.ladder = WatchLadder{};
    return {std::move(name), [rules] { return std::make_unique<WatchdogJudge>(rules); }};
}

Candidate recommended() { return watchdog("recommended", presets::recommended()); }

std::vector<Candidate> families() {
    using All = Loop::Settings;
    struct Family {
        std::string_view name;
        bool& (*on)(All&);
    };
    static constexpr std::array<Family, 17> each{{
        {"repeat", [](All& s) -> bool& { return s.repeat.on; }},
        {"cycle", [](All& s) -> bool& { return s.cycle.on; }},
        {"near", [](All& s) -> bool& { return s.near.on; }},
        {"similar", [](All& s) -> bool& { return s.similar.on; }},
        {"errclass", [](All& s) -> bool& { return s.errclass.on; }},
        {"write", [](All& s) -> bool& { return s.write.on; }},
        {"nop", [](All& s) -> bool& { return s.nop.on; }},
        {"fruitless", [](All& s) -> bool& { return s.fruitless.on; }},
        {"coverage", [](All& s) -> bool& { return s.coverage.on; }},
        {"oscillation", [](All& s) -> bool& { return s.oscillation.on; }},
        {"infra", [](All& s) -> bool& { return s.infra.on; }},
        {"frozen_poll", [](All& s) -> bool& { return s.frozen_poll.on; }},
        {"call_only", [](All& s) -> bool& { return s.call_only.on; }},
        {"compaction", [](All& s) -> bool& { return s.compaction.on; }},
        {"monologue", [](All& s) -> bool& { return s.monologue.on; }},
        {"chant", [](All& s) -> bool& { return s.chant.on; }},
        {"sentences", [](All& s) -> bool& { return s.sentences.on; }},
    }};
    const auto with = [](std::string name, const All& settings) {
        RunClass rules = presets::recommended();
        rules.detectors.turn_off<LoopDetector<Line>>().turn_on<Loop>(settings);
        return watchdog(std::move(name), std::move(rules));
    };
    std::vector<Candidate> all;
    for (const Family& chosen : each) {
        All alone;
        for (const Family& other : each) other.on(alone) = other.name == chosen.name;
        all.push_back(with("only " + std::string{chosen.name}, alone));
    }
    for (const Family& chosen : each) {
        All without;
        chosen.on(without) = false;
        all.push_back(with("without " + std::string{chosen.name}, without));
    }
    return all;
}

}  // namespace detection

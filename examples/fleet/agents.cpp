#include "agents.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "database.hpp"
#include "lives.hpp"
#include "standard_input.hpp"

namespace fleet {

namespace {

/// What agents are told to execute, for many of them at once.
constexpr const char* checkpoint =
    "UPDATE agent_progress p SET last_checkpoint = clock_timestamp(), last_step = 'step ' || a.step, "
    "completed_steps = p.completed_steps || to_jsonb(a.step) FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS "
    "a(run, attempt, step) WHERE p.run = a.run AND p.attempt = a.attempt AND p.status = 'in_progress'";
/// An agent whose row is being claimed would wait; the others must not wait with it.
constexpr const char* heartbeat =
    "UPDATE agent_progress p SET last_heartbeat = clock_timestamp() WHERE p.run IN (SELECT p.run FROM "
    "unnest($1::text[], "
    "$2::bigint[], $3::bigint[]) AS a(run, attempt, step) JOIN agent_progress p ON p.run = a.run "
    "AND p.attempt = a.attempt AND p.status = 'in_progress' FOR UPDATE OF p SKIP LOCKED)";
constexpr const char* complete =
    "UPDATE agent_progress p SET status = 'completed', completed_by = p.attempt, completed_at = clock_timestamp() "
    "FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS a(run, attempt, step) WHERE p.run = a.run "
    "AND p.attempt = a.attempt AND p.status = 'in_progress'";
constexpr const char* note_stall =
    "INSERT INTO fleet_stalls(run, attempt, checkpoints) SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[]) "
    "ON CONFLICT DO NOTHING";

struct Agent {
    std::string run;
    std::uint64_t attempt = 1;
    Life life;
    int done = 0;
    double next = 0;   ///< when it does something; later than any: never
    double wrote = 0;  ///< when it was to write last
};

/// Agents that do the same.
struct Group {
    std::vector<std::string> runs;
    std::vector<std::uint64_t> attempts;
    std::vector<int> steps;

    void add(const Agent& agent) {
        runs.push_back(agent.run);
        attempts.push_back(agent.attempt);
        steps.push_back(agent.done);
    }
    /// How many rows were changed.
    long write(Database& database, const char* sql) const {
        if (runs.empty()) return 0;
        return database.change(sql, {array_of(runs), array_of(attempts), array_of(steps)});
    }
};

class Agents {
public:
    explicit Agents(const Options& options)
        : times_{options.pace}, database_{options}, lives_{all_lives(options.runs, options.stalls, options.seed)} {
        for (std::size_t i = 0; i < lives_.size(); ++i) {
            Agent agent{run_name(static_cast<int>(i)), 1, lives_[i].agent, 0, 0, 0};
            agent.next = times_.every * agent.life.first;
            agents_.push_back(std::move(agent));
        }
    }

    void play() {
        while (!input_closed(std::chrono::milliseconds{200})) {
            now_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
            try {
                begin_continuations();
                for (Agent& agent : agents_)
                    if (agent.next <= now_) act(agent);
                write();
            } catch (const ConnectionLost&) {  // what could not be written is written in the next round
            }
        }
        database_.change(
            "INSERT INTO fleet_agents(late_tried, late_counted, refused, worst_gap) VALUES ($1, $2, $3, $4)",
            {std::to_string(late_tried_), std::to_string(late_counted_), std::to_string(refused_),
             std::to_string(worst_gap_)});
    }

private:
    static constexpr double never = 1e12;

    /// Whoever was started since the last look, under the number that its row was claimed with.
    void begin_continuations() {
        for (const auto& row :
             database_.ask("UPDATE fleet_spawns s SET begun = true FROM agent_progress p WHERE NOT s.begun AND "
                           "p.run = s.run AND p.claim_key = s.key RETURNING s.run, p.attempt")) {
            const auto number = static_cast<std::size_t>(std::atoi(row[0].c_str() + 4));
            Agent& agent = agents_[number];
            const std::uint64_t attempt = std::strtoull(row[1].c_str(), nullptr, 10);
            if (attempt <= agent.attempt) continue;
            if (agent.life.end == End::wakes) late_.add(agent);
            agent.attempt = attempt;
            agent.life = life_of(lives_[number], attempt);
            agent.done = 0;
            agent.wrote = 0;
            agent.next = now_ + times_.every * agent.life.first / 2;
        }
    }

    void act(Agent& agent) {
        if (agent.wrote > 0) worst_gap_ = std::max(worst_gap_, now_ - agent.wrote);
        agent.wrote = now_;
        agent.next += times_.every;
        if (agent.done < agent.life.checkpoints) {
            ++agent.done;
            checkpoints_.add(agent);
            if (agent.done < agent.life.checkpoints || agent.life.end == End::completes) return;
            stalled_.add(agent);
            if (agent.life.end != End::waits) agent.next = never;
        } else if (agent.life.end == End::waits) {
            heartbeats_.add(agent);
        } else {
            completed_.add(agent);
            agent.next = never;
        }
    }

    void write() {
        // A stall is on record before anybody can see it.
        stalled_.write(database_, note_stall);
        stalled_ = {};
        for (auto& [group, sql] : {std::pair{&checkpoints_, checkpoint}, std::pair{&completed_, complete}}) {
            refused_ += static_cast<long>(group->runs.size()) - group->write(database_, sql);
            *group = {};
        }
        heartbeats_.write(database_, heartbeat);
        heartbeats_ = {};
        late_counted_ += late_.write(database_, checkpoint);
        late_tried_ += static_cast<long>(late_.runs.size());
        late_ = {};
    }

    Times times_;
    Database database_;
    std::vector<Lives> lives_;
    std::vector<Agent> agents_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    double now_ = 0;
    Group checkpoints_, completed_, heartbeats_, stalled_, late_;
    long late_tried_ = 0;    ///< writes of agents that had been replaced
    long late_counted_ = 0;  ///< of these, those that changed something
    long refused_ = 0;       ///< writes of agents that should have been current, and were not
    double worst_gap_ = 0;   ///< between two writes of one agent: how late this process was
};

}  // namespace

void play_agents(const Options& options) { Agents{options}.play(); }

}  // namespace fleet

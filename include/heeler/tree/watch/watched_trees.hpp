// The trees of one host, as all who look at them share them; and by which names runs are about nodes.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/engine/engine.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/sha256.hpp>
#include <heeler/tree/encoding.hpp>
#include <heeler/tree/task_tree_rule.hpp>
#include <heeler/tree/tree_host.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// A run about a node: in words where that is short and cannot be taken for another.
[[nodiscard]] inline std::string run_id_about(std::string_view what, const NodeRef& node) {
    std::string id = text::concat(what, ":", node.tenant, "/", node.id);
    const bool plain = id.size() <= 100 && node.tenant.find('/') == std::string::npos && text::one_line(id, 128) == id;
    if (plain) return id;
    text::JsonLine both;
    both.begin_array().string(node.tenant).string(node.id).end_array();
    return text::concat(what, "#", text::sha256_hex(both.text()));
}
[[nodiscard]] inline std::string watch_id(const NodeRef& node) { return run_id_about("tree", node); }
[[nodiscard]] inline std::string orphan_id(const NodeRef& node) { return run_id_about("orphan", node); }

/// What a run of this kind remembers.
template <class Rule>
[[nodiscard]] std::optional<typename Rule::Memory> memory_of(const Engine& engine, std::string_view run) {
    const auto handle = engine.handle_of(run);
    const auto saved = handle ? engine.recall(*handle, Rule::kind) : std::nullopt;
    return saved ? decoded<typename Rule::Memory>(*saved) : std::nullopt;
}

/// The trees of a host as they were told last. Any thread; the host is asked by one at a time.
class WatchedTrees {
public:
    WatchedTrees(Engine& of, std::unique_ptr<TreePort> host) : engine{of}, host_{std::move(host)} {}

    [[nodiscard]] TreePort& host() noexcept { return *host_; }

    /// Calls `use(tree)` with what the host tells now. An error: nothing is known.
    template <class Use>
    [[nodiscard]] auto with_news(Use&& use) -> decltype(use(std::declval<const TaskTree&>())) {
        const std::lock_guard guard{lock_};
        if (auto good = refresh(); !good) return tl::unexpected<Error>(std::move(good.error()));
        return use(tree_);
    }

    /// Whether this agent can be given work. Errors: `unknown_run`, `conflict`, or the host's own.
    [[nodiscard]] Result<void> check_employable(const NodeRef& agent) {
        const auto standing = host_->agent(agent);
        if (!standing) return tl::unexpected<Error>(standing.error());
        if (*standing == AgentStanding::active) return {};
        return fail(ErrorCode::conflict, text::concat("the agent `", text::sanitise(agent.id, 160),
                                                      "` cannot be given work: it is ", name_of(*standing)));
    }

    /// What a watch knows; absent: it was never armed, or is not held here.
    [[nodiscard]] std::optional<WatchState> state_of(std::string_view watch) const {
        return memory_of<TaskTreeRule>(engine, watch);
    }

    Engine& engine;

private:
    [[nodiscard]] Result<void> refresh() {
        auto changes = host_->changes(cursor_);
        if (!changes) return tl::unexpected<Error>(std::move(changes.error()));
        cursor_ = std::move(changes->cursor);
        tree_.apply(*std::move(changes));
        return {};
    }

    std::unique_ptr<TreePort> host_;
    std::mutex lock_;
    TaskTree tree_;
    std::string cursor_;
};

}  // namespace heeler::inline HEELER_ABI::detail

#include "host.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace replay {

using heeler::Duration;
using heeler::ErrorCode;
using heeler::Result;

Host::Host(std::shared_ptr<StoreBackend> backend, heeler::WallTime epoch)
    : epoch_{epoch},
      clock_{heeler::Instant{heeler::Elapsed{}, epoch}},
      backend_{std::move(backend)},
      store_{backend_, process_} {
    build();
}

void Host::build() {
    handles_.clear();
    dog_.emplace(clock_, store_, notifier_);
    spend_.reset();
    dog_->attach(control_);
    dog_->attach(issues_);
    dog_->attach(context_);
    if (!mailboxes_.empty()) dog_->attach(mailboxes_);
    for (const auto& [name, rules] : classes_) {
        count_spend(rules);
        static_cast<void>(dog_->define(rules));
    }
    build_trees();
}

void Host::count_spend(const heeler::RunClass& rules) {
    if (spend_ || rules.detectors.find<heeler::SpendCap>() == nullptr) return;
    spend_.emplace(store_);
    dog_->attach(*spend_);
}

void Host::build_trees() {
    if (!tree_rules_) return;
    trees_.emplace(*dog_, tree_, *tree_rules_);
    orphans_.emplace(*trees_);
    trees_->on_record([this](const heeler::AuditRow& row) { records_.push_back(row); });
}

heeler::TreeWatch& Host::watch_trees(const heeler::RunClass& rules) {
    if (trees_) return *trees_;
    tree_rules_ = rules;
    build_trees();
    return *trees_;
}

void Host::set_time(Duration t) {
    t_ = t;
    clock_.set({heeler::Elapsed{boot_ + t}, epoch_ + t});
    mailboxes_.set_time(t);
}

void Host::send(heeler::Mail mail) {
    if (mailboxes_.empty()) dog_->attach(mailboxes_);
    mailboxes_.put(std::move(mail));
}

std::optional<Duration> Host::next_deadline() {
    const auto deadline = dog_->next_deadline();
    if (!deadline) return std::nullopt;
    return deadline->time_since_epoch() - boot_;
}

Result<void> Host::define(const heeler::RunClass& rules) {
    classes_.insert_or_assign(rules.name, rules);
    count_spend(rules);
    return dog_->define(rules);
}

bool Host::completion_ends(std::string_view run) const {
    const auto known = runs_.find(run);
    if (known == runs_.end()) return true;
    const auto rules = classes_.find(known->second.class_name);
    return rules == classes_.end() || rules->second.completion_ends;
}

Result<void> Host::start(const heeler::RunSpec& spec, const heeler::RunClass& rules) {
    const bool defined = !classes_.insert_or_assign(rules.name, rules).second;
    count_spend(rules);
    const auto started = defined ? dog_->start(spec, std::string_view{rules.name}) : dog_->start(spec, rules);
    if (!started) return tl::unexpected<heeler::Error>(started.error());
    handles_.insert_or_assign(spec.id, *started);
    attach_source(spec.id, *started);
    if (started->not_stored) return tl::unexpected<heeler::Error>(*started->not_stored);
    return {};
}

Result<heeler::RunHandle> Host::find(std::string_view run) {
    if (const auto known = handles_.find(run); known != handles_.end()) return known->second;
    auto found = dog_->find(run);
    if (!found) return found;
    handles_.emplace(run, *found);
    attach_source(run, *found);
    return found;
}

Result<void> Host::polls(const std::string& run, bool ok) {
    const bool is_new = sources_.find(run) == sources_.end();
    sources_[run].ok = ok;
    const auto handle = find(run);
    if (!handle) return tl::unexpected<heeler::Error>(handle.error());
    if (is_new) attach_source(run, *handle);
    return {};
}

void Host::attach_source(std::string_view run, heeler::RunHandle handle) {
    if (const auto source = sources_.find(run); source != sources_.end())
        static_cast<void>(dog_->attach(handle, source->second));
}

Result<void> Host::start_again(bool keep_store) {
    for (auto& [id, run] : runs_)
        if (const auto found = dog_->find(id); !found && found.error().code == ErrorCode::ended)
            run.state = heeler::RunState::terminated;
    static_cast<void>(dog_->flush());  // an orderly end; of a process that died it stores nothing
    orphans_.reset();
    trees_.reset();
    dog_.reset();
    process_->start_again();
    boot_ += std::chrono::hours{7};
    set_time(t_);
    backend_->start_again(keep_store);
    build();
    if (!keep_store) return register_again();
    for (const auto& [id, run] : runs_) static_cast<void>(find(id));  // loads what the store holds
    return {};
}

Result<void> Host::register_again() {
    Result<void> all;
    for (const auto& [id, run] : runs_) {
        if (is_terminal(run.state)) continue;
        if (auto started = start(run.spec, classes_.at(run.class_name)); !started) all = std::move(started);
    }
    return all;
}

}  // namespace replay

// What is kept by name and found again.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/config.hpp>
#include <heeler/core/list.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// One name that stands in a `NameTable`.
struct NameLink {
    std::string_view name{};  ///< in the entry that this is part of
    std::size_t hash = 0;
    NameLink* next = nullptr;  ///< in the same chain
};

/// Finds links by name and owns none: all of a `NameMap` that is the same whatever it keeps.
class NameTable {
public:
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    [[nodiscard]] NameLink* find(std::string_view name) const noexcept {
        if (size_ == 0) return nullptr;
        const std::size_t hash = hash_of(name);
        NameLink* link = chains_[chain_of(hash)];
        while (link != nullptr && (link->hash != hash || link->name != name)) link = link->next;
        return link;
    }

    [[nodiscard]] NameLink* first() const noexcept { return size_ == 0 ? nullptr : first_from(0); }

    [[nodiscard]] NameLink* after(const NameLink& link) const noexcept {
        return link.next != nullptr ? link.next : first_from(chain_of(link.hash) + 1);
    }

    /// For one more.
    void make_room() {
        if (size_ == chains_.size()) grow();
    }

    /// A name that does not stand in it, after `make_room`.
    void add(NameLink& link) noexcept {
        link.hash = hash_of(link.name);
        put(link);
        ++size_;
    }

    /// A link that stands in it.
    void remove(const NameLink& link) noexcept {
        NameLink** at = &chains_[chain_of(link.hash)];
        while (*at != &link) at = &(*at)->next;
        *at = link.next;
        --size_;
    }

    void swap(NameTable& other) noexcept {
        chains_.swap(other.chains_);
        std::swap(size_, other.size_);
    }

private:
    [[nodiscard]] static std::size_t hash_of(std::string_view name) noexcept {
        return std::hash<std::string_view>{}(name);
    }

    /// There are as many chains as a power of two.
    [[nodiscard]] std::size_t chain_of(std::size_t hash) const noexcept { return hash & (chains_.size() - 1); }

    [[nodiscard]] NameLink* first_from(std::size_t chain) const noexcept {
        for (; chain < chains_.size(); ++chain)
            if (chains_[chain] != nullptr) return chains_[chain];
        return nullptr;
    }

    void put(NameLink& link) noexcept {
        NameLink*& head = chains_[chain_of(link.hash)];
        link.next = head;
        head = &link;
    }

    void grow() {
        List<NameLink*> before(chains_.empty() ? 8 : 2 * chains_.size());
        chains_.swap(before);
        for (NameLink* link : before) {
            while (link != nullptr) {
                NameLink& moved = *link;
                link = link->next;
                put(moved);
            }
        }
    }

    List<NameLink*> chains_;
    std::size_t size_ = 0;
};

/// Where one stands in a map, or behind its end: all of an iterator that is the same whatever the map keeps.
struct NameCursor {
    const NameTable* table;
    NameLink* at;

    void operator++() noexcept { at = table->after(*at); }
    [[nodiscard]] bool operator==(const NameCursor& other) const noexcept { return at == other.at; }
};

/// In no order: who shows what stands in it sorts first. What it keeps never moves. In place of a standard map, of
/// which each kind of value costs who includes this a hundred functions more.
template <class T>
class NameMap {
public:
    struct Entry {
        const std::string first;
        T second{};
        HEELER_ACCESSOR ~Entry() = default;
    };

    template <class E>
    struct Cursor : NameCursor {
        [[nodiscard]] HEELER_ACCESSOR E& operator*() const noexcept { return static_cast<Node*>(at)->entry; }
        [[nodiscard]] HEELER_ACCESSOR E* operator->() const noexcept { return &static_cast<Node*>(at)->entry; }
    };
    using iterator = Cursor<Entry>;
    using const_iterator = Cursor<const Entry>;

    HEELER_ACCESSOR NameMap() = default;
    HEELER_ACCESSOR NameMap(NameMap&& other) noexcept { table_.swap(other.table_); }
    NameMap& operator=(NameMap&& other) noexcept {
        NameMap moved{std::move(other)};
        table_.swap(moved.table_);
        return *this;
    }
    HEELER_ACCESSOR ~NameMap() { clear(); }

    [[nodiscard]] HEELER_ACCESSOR std::size_t size() const noexcept { return table_.size(); }
    [[nodiscard]] HEELER_ACCESSOR bool empty() const noexcept { return table_.size() == 0; }
    [[nodiscard]] HEELER_ACCESSOR iterator begin() noexcept { return {{&table_, table_.first()}}; }
    [[nodiscard]] HEELER_ACCESSOR iterator end() noexcept { return {{&table_, nullptr}}; }
    [[nodiscard]] HEELER_ACCESSOR const_iterator begin() const noexcept { return {{&table_, table_.first()}}; }
    [[nodiscard]] HEELER_ACCESSOR const_iterator end() const noexcept { return {{&table_, nullptr}}; }
    [[nodiscard]] HEELER_ACCESSOR iterator find(std::string_view name) noexcept {
        return {{&table_, table_.find(name)}};
    }
    [[nodiscard]] HEELER_ACCESSOR const_iterator find(std::string_view name) const noexcept {
        return {{&table_, table_.find(name)}};
    }
    [[nodiscard]] HEELER_ACCESSOR bool contains(std::string_view name) const noexcept {
        return table_.find(name) != nullptr;
    }

    T& operator[](std::string_view name) {
        if (NameLink* const known = table_.find(name)) return static_cast<Node*>(known)->entry.second;
        return add(name);
    }

    /// Whether the name is new; of one that is known the value stays.
    bool emplace(std::string_view name, T value) {
        if (table_.find(name) != nullptr) return false;
        add(name) = std::move(value);
        return true;
    }

    HEELER_ACCESSOR void erase(std::string_view name) noexcept {
        if (NameLink* const known = table_.find(name)) drop(known);
    }
    HEELER_ACCESSOR void erase(iterator at) noexcept { drop(at.at); }

    void clear() noexcept {
        NameTable gone;
        gone.swap(table_);
        for (NameLink* link = gone.first(); link != nullptr;) {
            NameLink* const next = gone.after(*link);
            delete static_cast<Node*>(link);
            link = next;
        }
    }

private:
    struct Node : NameLink {
        HEELER_ACCESSOR explicit Node(std::string_view key) : entry{std::string{key}} { name = entry.first; }
        HEELER_ACCESSOR ~Node() = default;
        Entry entry;
    };

    T& add(std::string_view name) {
        table_.make_room();
        Node* const node = new Node(name);
        table_.add(*node);
        return node->entry.second;
    }

    void drop(NameLink* link) noexcept {
        table_.remove(*link);
        delete static_cast<Node*>(link);
    }

    NameTable table_;
};

}  // namespace heeler::inline HEELER_ABI::detail

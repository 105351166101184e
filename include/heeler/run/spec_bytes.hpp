// A registered `RunSpec` as bytes: how it is stored, and kept in memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/archive.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// `RunSpec` as bytes; the host's long texts live in the store, and encoded once in memory. The id comes
/// first, then the name.
template <class A>
void archive_spec(A& a, RunSpec& spec) {
    std::string name = spec.name == spec.id ? std::string{} : spec.name;
    a(spec.id, name, spec.task, spec.work_item, spec.expected, spec.timeout, spec.plan, spec.tags, spec.shared_run,
      spec.parent, spec.metric, spec.metric_name, spec.project, spec.origin, spec.interactive, spec.created_at,
      spec.started_at, spec.start_unknown, spec.contract, spec.owner, spec.single_prompt, spec.continues);
    if (a.is_loading()) spec.name = name.empty() ? spec.id : std::move(name);
}

/// A registered `RunSpec`, encoded, in one block. Never moves. What a host leaves out is zeros, mostly at the end:
/// these are only counted.
class SpecBytes {
public:
    SpecBytes() = default;
    SpecBytes(SpecBytes&& other) noexcept : block_{std::exchange(other.block_, nullptr)} {}
    SpecBytes& operator=(SpecBytes other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~SpecBytes() { delete[] block_; }
    explicit SpecBytes(std::string_view bytes) {
        const std::size_t last = bytes.find_last_not_of('\0') + 1;
        const auto zeros = static_cast<unsigned char>(detail::min_of<std::size_t>(bytes.size() - last, most_zeros));
        const auto size = static_cast<std::uint32_t>(bytes.size() - zeros);
        const std::size_t head = size < 256 ? 2 : 1 + sizeof size;
        block_ = new char[head + size];
        block_[0] = static_cast<char>(head == 2 ? zeros : zeros | is_long);
        if (head == 2)
            block_[1] = static_cast<char>(size);
        else
            std::memcpy(block_ + 1, &size, sizeof size);
        std::memcpy(block_ + head, bytes.data(), size);
    }

    [[nodiscard]] std::string bytes() const {
        return std::string{kept()}.append(block_ != nullptr ? static_cast<unsigned char>(block_[0]) & most_zeros : 0u,
                                          '\0');
    }
    [[nodiscard]] std::string_view id() const {
        std::string_view first;
        ArchiveReader{kept(), Instant{}}(first);
        return first;
    }
    [[nodiscard]] std::string_view name() const {
        std::string_view first, second;
        ArchiveReader{kept(), Instant{}}(first, second);
        return second.empty() ? first : second;
    }
    [[nodiscard]] std::vector<std::string> tags() const {
        const std::string whole = bytes();  // a tag may be empty
        std::vector<std::string> tags;
        static_cast<void>(read_parent(whole, tags));
        return tags;
    }
    [[nodiscard]] std::string_view parent() const {
        std::vector<std::string> tags;
        return read_parent(kept(), tags);
    }
    [[nodiscard]] RunSpec decoded() const {
        RunSpec spec;
        const std::string whole = bytes();
        ArchiveReader reader{whole, Instant{}};
        archive_spec(reader, spec);
        return spec;
    }

private:
    /// Nothing else is decoded for it than what stands before it.
    [[nodiscard]] static std::string_view read_parent(std::string_view bytes, std::vector<std::string>& tags) {
        std::string_view id, name, task, work_item, parent;
        std::optional<Duration> expected, timeout;
        std::vector<std::int64_t> plan;
        std::vector<std::string> shared_run;
        ArchiveReader{bytes, Instant{}}(id, name, task, work_item, expected, timeout, plan, tags, shared_run, parent);
        return parent;
    }

    /// The block begins with how many zeros are left out, and with the size of the rest: in one byte, or in four.
    static constexpr unsigned char most_zeros = 127, is_long = 128;

    [[nodiscard]] std::string_view kept() const noexcept {
        if (block_ == nullptr) return {};
        if ((static_cast<unsigned char>(block_[0]) & is_long) == 0)
            return {block_ + 2, static_cast<unsigned char>(block_[1])};
        std::uint32_t size = 0;
        std::memcpy(&size, block_ + 1, sizeof size);
        return {block_ + 1 + sizeof size, size};
    }

    char* block_ = nullptr;  // owned
};

}  // namespace heeler::inline HEELER_ABI::detail

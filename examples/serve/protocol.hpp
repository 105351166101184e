// What clients may say: the operations, and the keys of each. The checks are made from this, and the schema, which has
// what the server says as well (said.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "../common/json_object.hpp"

namespace serve {

inline constexpr std::string_view protocol_name = "heeler";
/// Grows when a client of an older version could misunderstand what it is told. New keys and operations are no such.
inline constexpr std::int64_t protocol_version = 1;

/// Bytes of a line; what is longer is skipped, and its client told so.
inline constexpr std::size_t longest_line = std::size_t{4} << 20;

enum class Type : std::uint8_t { text, whole, number, truth, seconds, time, texts, wholes, others, any };

struct Key {
    std::string_view name;
    Type type = Type::text;
    bool required = false;
};

struct Operation {
    std::string_view name;
    std::span<const Key> keys;
};

/// Null: there is none of this name.
[[nodiscard]] const Operation* operation_named(std::string_view name);

/// Throws `BadLine` if the line lacks a key, or has one that the operation does not know. Types are looked at where
/// values are read.
void check_keys(const Operation& operation, const common::JsonObject& line);

/// Throws `BadLine`: there is no such operation, but perhaps one like it.
[[noreturn]] void refuse_operation(std::string_view name);

/// As JSON Schema, an operation or a kind of lines of the server a line.
[[nodiscard]] std::string protocol_schema();

}  // namespace serve

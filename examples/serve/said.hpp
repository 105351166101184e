// What the server says: the kinds of lines, and what each holds. The schema is made from this, and every line that the
// tests hear is held against the schema.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <heeler/text/json_writer.hpp>

namespace serve {

enum class Is : std::uint8_t { text, whole, number, truth, texts, id, object, objects };

enum class There : std::uint8_t { always, or_null, sometimes };

/// What an object may hold besides its fields.
enum class Rest : std::uint8_t { nothing, numbers, anything };

struct Field;

struct Form {
    std::span<const Field> fields{};
    Rest rest = Rest::nothing;
};

struct Field {
    std::string_view name;
    Is is = Is::text;
    There there = There::always;
    std::span<const std::string_view> words{};  ///< a text is one of them; none: it is any
    Form form{};                                ///< of an object, or of each of several
};

/// The name is that of its definition in the schema.
struct Kind {
    std::string_view name;
    Form form;
};

/// Of all lines but answers.
[[nodiscard]] std::span<const Kind> kinds_of_lines();

/// What stands under `ok` in the answer to this operation.
[[nodiscard]] Form answer_to(std::string_view operation);

void put_schema(heeler::text::JsonLine& line, const Form& form);

}  // namespace serve

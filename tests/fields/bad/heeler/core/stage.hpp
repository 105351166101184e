// Goes by the order of its values on purpose.
#pragma once

enum class Stage : unsigned char { first, second, third };
enum class Level : unsigned char { low, high };

constexpr bool is_late(Stage stage) { return stage >= Stage::second; }
constexpr bool is_early(Stage stage) { return Stage::second > stage; }
constexpr bool is_middle(Stage stage) { return stage == Stage::second; }
constexpr bool is_high(Level level) { return level > Level::low; }

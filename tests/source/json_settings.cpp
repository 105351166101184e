#include <heeler/source/json_settings.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/stat.h>

#include "support/catch.hpp"

using namespace heeler;

namespace {

std::string refusal_of(std::string_view text) {
    const auto settings = settings_from_json(text);
    REQUIRE_FALSE(settings);
    CHECK(settings.error().code == ErrorCode::invalid_argument);
    return settings.error().message;
}

std::string nested(std::size_t objects) {
    std::string text;
    for (std::size_t i = 0; i < objects; ++i) text += "{\"a\":";
    return text + "1" + std::string(objects, '}');
}

class Folder {
public:
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "heeler-settings-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::filesystem::path file(const char* name, const std::string& content) const {
        std::ofstream{path_ / name, std::ios::binary} << content;
        return path_ / name;
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace

TEST_CASE("settings keep their order and their types [M-186]") {
    const auto settings = settings_from_json(
        R"({"whole": 60, "number": 1.5, "yes": true, "text": "aé", "none": null, "parts": {"b": 2, "a": 1}, "list": [1, 2]})");
    REQUIRE(settings);
    REQUIRE(settings->size() == 7);
    const auto& all = *settings;
    CHECK(all[0].name == "whole");
    CHECK(*all[0].value.get<std::int64_t>() == 60);
    CHECK(*all[1].value.get<double>() == 1.5);
    CHECK(*all[2].value.get<bool>());
    CHECK(*all[3].value.get<std::string>() == "a\xC3\xA9");
    CHECK(all[4].value.is_null());
    const auto* parts = all[5].value.get<SettingValue::Object>();
    REQUIRE(parts);
    REQUIRE(parts->size() == 2);
    CHECK((*parts)[0].name == "b");
    CHECK((*parts)[1].name == "a");
    CHECK(*all[6].value.get<std::string>() == "[1,2]");
    CHECK(all[0].written.empty());
}

TEST_CASE("a name that stands twice is twice in the settings [M-186]") {
    const auto settings = settings_from_json(R"({"a": 1, "a": 2})");
    REQUIRE(settings);
    REQUIRE(settings->size() == 2);
    CHECK(*(*settings)[1].value.get<std::int64_t>() == 2);
}

TEST_CASE("numbers are as large as JSON allows [M-186]") {
    const auto settings = settings_from_json(R"({"a": -9223372036854775808, "b": 18446744073709551615, "c": 1e300})");
    REQUIRE(settings);
    CHECK(*(*settings)[0].value.get<std::int64_t>() == INT64_MIN);
    CHECK(*(*settings)[1].value.get<double>() == 18446744073709551615.0);
    CHECK(*(*settings)[2].value.get<double>() == 1e300);
}

TEST_CASE("an object without settings, and a byte order mark, are fine [M-186]") {
    CHECK(settings_from_json("{}")->empty());
    CHECK(settings_from_json("\xEF\xBB\xBF {\"a\": 1}\n")->size() == 1);
}

TEST_CASE("what is not JSON is said with its place [M-186]") {
    CHECK_THAT(refusal_of("{\"a\": 1,\n \"b\" 2}"), ContainsSubstring("not JSON: line 2, column 6: "));
    CHECK_THAT(refusal_of("{\"a\": tru}"), ContainsSubstring("line 1, column 7: "));
    CHECK_THAT(refusal_of("{\"a\": 1,}"), ContainsSubstring("line 1, column 9: "));
    CHECK_THAT(refusal_of("{'a': 1}"), ContainsSubstring("line 1, column 2: "));
    for (const char* text : {"", " ", "{", "{\"a\": 1", "{\"a\": 1} x", "{\"a\": \"\xFF\"}", "{\"a\": NaN}", "nul"})
        CHECK_THAT(refusal_of(text), ContainsSubstring("not JSON: "));
}

TEST_CASE("anything but one object is refused [M-186]") {
    CHECK(refusal_of("[1, 2]") == "settings are [1,2]; they must be one JSON object");
    CHECK(refusal_of("7") == "settings are 7; they must be one JSON object");
    CHECK(refusal_of("null") == "settings are null; they must be one JSON object");
}

TEST_CASE("size and depth are limited [M-186]") {
    CHECK(settings_from_json(nested(deepest_settings - 1)));
    CHECK_THAT(refusal_of(nested(deepest_settings + 1)), ContainsSubstring("too deep"));
    CHECK_THAT(refusal_of(std::string(100'000, '[')), ContainsSubstring("not JSON"));
    const std::string open = "{\"a\": \"";
    const std::string close = "\"}";
    const std::size_t rest = largest_settings - open.size() - close.size();
    CHECK(settings_from_json(open + std::string(rest, 'x') + close));
    CHECK_THAT(refusal_of(open + std::string(rest + 1, 'x') + close), ContainsSubstring("larger than 1048576 bytes"));
}

TEST_CASE("settings are read from regular files only [M-186]") {
    const Folder folder;
    const auto good = settings_from_file(folder.file("good.json", "{\"a\": 1}"));
    REQUIRE(good);
    CHECK(good->size() == 1);

    const auto missing = settings_from_file(folder.path() / "missing.json");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::io);
    CHECK_THAT(missing.error().message, ContainsSubstring("missing.json' does not exist"));

    REQUIRE(::mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
    for (const std::filesystem::path& path :
         {folder.path(), folder.path() / "pipe", std::filesystem::path{"/dev/null"}}) {
        const auto refused = settings_from_file(path);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::io);
        CHECK_THAT(refused.error().message, ContainsSubstring("is no regular file"));
    }
}

TEST_CASE("a bad file is named [M-186]") {
    const Folder folder;
    const auto bad = settings_from_file(folder.file("bad.json", "{\n  \"a\" 1\n}"));
    REQUIRE_FALSE(bad);
    CHECK(bad.error().code == ErrorCode::invalid_argument);
    CHECK_THAT(bad.error().message, ContainsSubstring("bad.json': not JSON: line 2, column 7: "));
    const auto large = settings_from_file(folder.file("large.json", std::string(largest_settings + 1, ' ')));
    REQUIRE_FALSE(large);
    CHECK_THAT(large.error().message, ContainsSubstring("large.json': settings are larger than"));
}

#include <heeler/text/canonical_args.hpp>

#include <set>
#include <string>

#include "support/catch.hpp"

using namespace heeler;

namespace {

text::Fingerprint call(std::string_view args) { return text::fingerprint_call("tool", args); }

}  // namespace

TEST_CASE("key order and white space do not matter [M-057]") {
    CHECK(call(R"({"a":1,"b":"x"})") == call(R"( { "b" : "x" , "a" : 1 } )"));
    CHECK(call(R"({"a":{"c":[1,{"x":1,"y":2}],"d":2},"b":null})") ==
          call("{\n\t\"b\":null,\"a\":{\"d\":2,\"c\":[ 1 ,{\"y\":2,\"x\":1}\r\n]}}"));
    CHECK(call("{}") == call(" { } "));
    CHECK(call("[1,2]") == call("[ 1, 2 ]"));
}

TEST_CASE("values, types, names, nesting and array order matter [M-057]") {
    const char* const different[] = {R"({})",
                                     R"([])",
                                     R"({"a":1})",
                                     R"({"a":2})",
                                     R"({"b":1})",
                                     R"({"a":"1"})",
                                     R"({"a":1.0})",
                                     R"({"a":[1]})",
                                     R"({"a":[1,2]})",
                                     R"({"a":[2,1]})",
                                     R"({"a":[[1],2]})",
                                     R"({"a":null})",
                                     R"({"a":"null"})",
                                     R"({"a":true})",
                                     R"({"a":{}})",
                                     R"({"a":[]})",
                                     R"({"a":""})",
                                     R"({"a":{"a":1}})",
                                     R"({"a":"x\ny"})",
                                     R"({"a":"xy"})",
                                     R"({"a":"x y"})",
                                     R"({"a":1,"b":2})",
                                     R"({"a":2,"b":1})",
                                     R"({"a":{"b":1},"c":2})",
                                     R"({"a":{"b":1,"c":2}})",
                                     R"([{"a":1}])",
                                     R"({"a":1,"a":1})",
                                     ""};
    std::set<std::uint64_t> seen;
    for (const auto* args : different) seen.insert(call(args).exact);
    CHECK(seen.size() == std::size(different));
}

TEST_CASE("a call without a tool name is one to \"unknown\" [M-057]") {
    CHECK(text::fingerprint_call("", "{}") == text::fingerprint_call("unknown", "{}"));
    CHECK(text::fingerprint_call("a", "{}").exact != text::fingerprint_call("b", "{}").exact);
    CHECK(text::fingerprint_call("a", "{}").normal != text::fingerprint_call("b", "{}").normal);
    CHECK(text::fingerprint_call("tool1", "{}").normal != text::fingerprint_call("tool2", "{}").normal);
}

TEST_CASE("input that is no object counts as its text [M-057]") {
    const auto text =
        GENERATE(as<std::string>{}, "ls -la", "\"quoted\"", "42", "null", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
                 "[1,]", "{\"a\":1}x", "{\"a\":\"", "{\"a\":\"\\", "{\"a\":\"\\u12", "{\"a\":\"\\q\"}", "{\"a\":nope}",
                 "{a:1}", "{\"a\":\"x\ny\"}", "[1}", "{\"a\":\"\\ud800\\u12\"}");
    const auto line = text::fingerprint_line(text);
    CHECK(call(text).exact == text::combine(text::fingerprint_text("tool"), line.exact));
    CHECK(call(" " + text + "\n") == call(text));
    CHECK(call(text).exact != call(text + "?").exact);
}

TEST_CASE("how a string is escaped does not matter [M-057]") {
    CHECK(call(R"({"a":"\u0041\/b"})") == call(R"({"a":"A/b"})"));
    CHECK(call(R"({"\u0061":1})") == call(R"({"a":1})"));
    CHECK(call(R"(["\u00e9\u20AC\ud83d\udc15"])") == call("[\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x90\x95\"]"));
    CHECK(call(R"(["\u000a"])") == call(R"(["\n"])"));
    CHECK(call(R"(["\ud83dA"])").exact != call(R"(["A"])").exact);
    CHECK(call(R"(["\ud83d\u0041"])") == call(R"(["\ud83dA"])"));
    for (const std::size_t size : {1000u, 1023u, 1024u, 1025u, 5000u}) {
        const std::string text(size, 'k');
        CHECK(call("[\"" + text + "\"]") == call("[\"\\u006b" + text.substr(1) + "\"]"));
        CHECK(call("[\"" + text + "\"]").exact != call("[\"" + text + "k\"]").exact);
    }
}

TEST_CASE("numbers in values are masked in the normal fingerprint [M-057]") {
    const auto first = call(R"({"path":"log7.txt","offset":100,"more":["id 3f2a9c1"]})");
    const auto second = call(R"({"offset":2500,"more":["id 99"],"path":"log12.txt"})");
    CHECK(first.normal == second.normal);
    CHECK(first.exact != second.exact);
    CHECK(first.normal != call(R"({"path":"txt7.log","offset":100,"more":["id 3f2a9c1"]})").normal);
    CHECK(call(R"({"a1":1})").normal != call(R"({"a2":1})").normal);
    CHECK(call(R"({"a":"1"})").normal != call(R"({"a":1})").normal);
    CHECK(call("sleep 5").normal == call("sleep 10").normal);
}

TEST_CASE("nesting up to the limit is understood, deeper is text [M-057]") {
    const auto nested = [](std::size_t depth, const std::string& inner) {
        return std::string(depth, '[') + inner + std::string(depth, ']');
    };
    CHECK(call(nested(max_argument_depth, " ")) == call(nested(max_argument_depth, "")));
    CHECK(call(nested(max_argument_depth + 1, " ")).exact != call(nested(max_argument_depth + 1, "")).exact);
    CHECK(call(nested(1'000'000, "1")).exact != call(nested(1'000'000, "2")).exact);
    std::string objects;
    for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
    CHECK(call(objects).exact != call(objects + "1").exact);
}

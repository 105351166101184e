#include <heeler/core/on_demand.hpp>

#include <string>
#include <utility>

#include <heeler/core/archive.hpp>

#include "support/catch.hpp"

using namespace heeler;

TEST_CASE("what was never written reads as its default and takes one pointer") {
    const OnDemand<std::string> none;
    CHECK_FALSE(none);
    CHECK(none->empty());
    CHECK(sizeof none == sizeof(void*));
}

TEST_CASE("a copy of what was written is one of its own, and what was taken is gone") {
    OnDemand<std::string> text;
    text.edit() = "as it was";
    const OnDemand<std::string> before = text;
    text.edit() += ", and more";
    CHECK(*before == "as it was");
    text = before;
    CHECK(*text == "as it was");
    CHECK(text.take() == "as it was");
    CHECK_FALSE(text);
    text = OnDemand<std::string>{};
    CHECK(text.take().empty());
}

TEST_CASE("what was never written is saved as that") {
    OnDemand<std::string> none, text, loaded;
    text.edit() = "kept";
    ArchiveWriter to{Instant{}};
    to(none, text);
    loaded.edit() = "older";
    ArchiveReader from{to.bytes(), Instant{}};
    from(loaded);
    CHECK_FALSE(loaded);
    from(loaded);
    CHECK(*loaded == "kept");
    CHECK((from.ok() && from.at_end()));
}

// Alerts go to whoever has the tag that they are addressed to.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/callback.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI {

/// Somebody who may be told. `tell` answers whether they got it.
struct TaggedRecipient {
    std::string name{};
    std::vector<std::string> tags{};
    Callback<Result<void>(const Alert&)> tell{};
};

/// Sends each alert to all who have its route (`Alert::to`) as a tag or as their name. Who there is, is asked each
/// time, so that nobody need be told of those who come and go. Nobody with the tag is `no_recipient`, which is tried
/// again like any failure; the receipt says how many were told, and who. Of those who could not be told the first error
/// counts if nobody was. One thread at a time; `list` and `tell` are called in it and may throw.
class TaggedRecipients {
public:
    static constexpr std::string_view name = "tagged";

    explicit TaggedRecipients(Callback<std::vector<TaggedRecipient>()> list) : list_{std::move(list)} {}

    [[nodiscard]] Result<Receipt> send(const Alert& alert) {
        Receipt receipt{0};
        Result<void> failed;
        for (const TaggedRecipient& each : list_()) {
            if (!is_meant(each, alert.to)) continue;
            auto told = detail::guarded(ErrorCode::delivery_failed, each.name, [&] { return each.tell(alert); });
            if (told)
                receipt.add({1, {each.name}}, name);
            else if (failed)
                failed = std::move(told);
        }
        if (receipt.recipients > 0) return receipt;
        if (!failed) return tl::unexpected<Error>(std::move(failed.error()));
        return fail(ErrorCode::no_recipient, "nobody has the tag `" + alert.to + "`; give it to whoever is to be told");
    }

private:
    [[nodiscard]] static bool is_meant(const TaggedRecipient& one, const std::string& route) {
        if (one.name == route) return true;
        for (const std::string& tag : one.tags)
            if (tag == route) return true;
        return false;
    }

    Callback<std::vector<TaggedRecipient>()> list_;
};

}  // namespace heeler::inline HEELER_ABI

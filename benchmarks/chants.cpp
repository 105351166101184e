// Streamed text, looked through for chants and paraphrases of any period.
#include <heeler/text/fingerprint.hpp>

#include "compare.hpp"
#include "host.hpp"

namespace bench {
namespace {

using namespace heeler;

/// What a model thinks aloud: prose in lines of no fixed length.
std::string thoughts(std::size_t size) {
    std::mt19937 random{23};
    std::string text;
    while (text.size() < size) {
        for (std::size_t letters = 2 + random() % 8; letters > 0; --letters)
            text += static_cast<char>('a' + static_cast<int>(random() % 26));
        text += random() % 12 == 0 ? ".\n" : " ";
    }
    return text;
}

class Chants {
public:
    explicit Chants(Effort effort) : effort_{effort}, text_{thoughts(effort.of(1 << 18, 1 << 13))}, kennel_{1} {}

    void add(Rows& rows) {
        for (const std::size_t piece : {std::size_t{20}, std::size_t{1'000}})
            rows.push_back(compare(
                effort_, "streamed text, pieces of " + std::to_string(piece) + ", a character", piece == 20 ? 0 : 1.5,
                [&] { return stream_timed(piece); }, [&] { return hash_timed(); }));
        rows.push_back(compare(
            effort_, "messages of 2,000 characters, a character", 1.5, [&] { return messages_timed(); },
            [&] { return hash_timed(); }));
    }

private:
    template <class Tell>
    double timed(std::size_t piece, Tell&& tell) {
        return time_one(text_.size(), [&] {
            const std::string_view all{text_};
            for (std::size_t at = 0; at < all.size(); at += piece) tell(all.substr(at, piece));
        });
    }
    double stream_timed(std::size_t piece) {
        return timed(piece, [&](std::string_view text) {
            kennel_.dog->observe(kennel_.runs[0], Output{text, true}, Instant{});
        });
    }
    double messages_timed() {
        return timed(2'000, [&](std::string_view text) {
            kennel_.dog->observe(kennel_.runs[0], Message{true, text}, Instant{});
        });
    }

    double hash_timed() const {
        volatile std::size_t size = 100;
        return time_one(text_.size() / 100, [&] {
            for (std::size_t i = 0; i < text_.size() / 100; ++i)
                benchmark::DoNotOptimize(XXH3_64bits(text_.data() + 100 * i, size));
        });
    }

    Effort effort_;
    std::string text_;
    Kennel kennel_;
};

}  // namespace

void add_chants(Effort effort, Rows& rows) { Chants{effort}.add(rows); }

}  // namespace bench

// Says what came of a tool call: a failure, nothing, a bare "done", or information, and which other outcomes equal it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <heeler/detect/loop/banners.hpp>
#include <heeler/detect/loop/call_facts.hpp>
#include <heeler/detect/loop/error_key.hpp>
#include <heeler/detect/loop/facts.hpp>
#include <heeler/detect/loop/learned.hpp>
#include <heeler/detect/loop/lines.hpp>
#include <heeler/detect/loop/outcome_class.hpp>
#include <heeler/detect/loop/result_facts.hpp>
#include <heeler/detect/loop/short_answers.hpp>
#include <heeler/detect/loop/word_table.hpp>

namespace heeler::inline HEELER_ABI::loops {

namespace detail {

/// The first lines of a text as one line.
class Joined {
public:
    Joined(LineReader reader, std::uint32_t lines) noexcept {
        for (std::string_view line; lines > 0 && size_ < text_.size() && reader.next(line); --lines) {
            if (size_ > 0) text_[size_++] = ' ';
            line = line.substr(0, text_.size() - size_);
            std::memcpy(text_.data() + size_, line.data(), line.size());
            size_ += line.size();
        }
    }
    [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }

private:
    std::array<char, 400> text_;
    std::size_t size_ = 0;
};

/// The lines of an answer from one of the first on, with what is known of them already.
class AnswerLines {
public:
    AnswerLines(std::string_view output, const ResultFacts& result, std::uint32_t first, std::uint32_t lines,
                std::size_t bytes) noexcept
        : output_{output},
          result_{result},
          bytes_{bytes},
          left_{first < ResultFacts::head_lines ? lines : 0},
          next_{first},
          reader_{output, output.size()} {}
    [[nodiscard]] bool next() noexcept {
        if (left_ == 0 || bytes_ == 0) return false;
        --left_;
        if (next_ < ResultFacts::head_lines) {
            facts_ = &result_.head[next_++];
            text_ = output_.substr(facts_->begin < output_.size() ? facts_->begin : output_.size(), facts_->size);
        } else {
            // The newest was the last of the first ones.
            if (facts_ != nullptr)
                reader_ = LineReader{output_, static_cast<std::size_t>(text_.data() + text_.size() - output_.data())};
            facts_ = nullptr;
            if (!reader_.next(text_)) return false;
        }
        text_ = text_.substr(0, bytes_);
        bytes_ -= text_.size();
        return true;
    }

    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    [[nodiscard]] std::uint16_t said() const noexcept {
        const bool whole = facts_ != nullptr && facts_->size == text_.size();
        return whole && was_searched(*facts_, output_.size()) ? facts_->said : said_in(text_);
    }
    /// Who warns tells of none, which is known already of a line whose words are.
    [[nodiscard]] bool tells_failure() const noexcept {
        if (facts_ != nullptr && was_searched(*facts_, output_.size())) return (facts_->said & said_strong) != 0;
        return (said_in(text_) & said_strong) != 0 && !is_warning(text_);
    }
    [[nodiscard]] std::uint32_t shape() const noexcept {
        const bool known = facts_ != nullptr && text_.size() <= masked_head;
        return known ? facts_->shape : static_cast<std::uint32_t>(shape_hash(text_));
    }

private:
    std::string_view output_;
    const ResultFacts& result_;
    std::size_t bytes_;
    std::uint32_t left_;
    std::uint32_t next_;
    LineReader reader_;
    const LineFacts* facts_ = nullptr;  ///< of the newest line, if it is one of the first
    std::string_view text_{};
};

/// An outcome in the making: what is known of the call, the answer, and its text.
class Classifier {
public:
    Classifier(Learned& learned, const CallFacts& call, const ResultFacts& result, std::string_view output,
               bool made_before) noexcept
        : learned_{learned},
          call_{call},
          result_{result},
          output_{output},
          made_before_{made_before},
          tokens_{call.tokens} {}

    [[nodiscard]] Outcome classify() {
        body_ = body_of(learned_, call_, result_);
        drop_command_line();
        split_exit_code();
        Outcome made;
        made.lines = body_.lines;
        made.length = body_.length;
        made.novelty = result_.told(body_.sum);
        made.outcome = class_of_outcome();
        if (made.outcome == OutcomeClass::negative || made.outcome == OutcomeClass::infra) note_failure(made);
        made.key = key_of(made);
        if (made.outcome == OutcomeClass::info) {
            if (is_measurement()) {
                made.key = half(text::combine(made.key, result_.measured));
                made.novelty = half(text::combine(made.novelty, result_.measured));
            }
            made.is_news_if_new = !call_.clock && !call_.nop;
            made.becomes_wait = is_pending();
        }
        for (std::size_t i = 0; i < result_.hashed; ++i) learned_.seen.add(result_.shapes[i]);
        return made;
    }

private:
    // --- the text ---------------------------------------------------------------------------------------------------
    /// A terminal prints the command before what that printed.
    void drop_command_line() noexcept {
        std::string_view line = first_line(body_);
        if (!call_.shell || line.empty()) return;
        if (line.starts_with("$ ") || line.starts_with("# ") || line.starts_with("> ")) line.remove_prefix(2);
        if (command_line_hash(line) == call_.command) take_first(body_, result_);
    }
    /// Some agents put "Exit code 1" before what a failed command printed.
    void split_exit_code() noexcept {
        failure_ = body_;
        if (is_exit_code(first_line(failure_)) && failure_.lines > 0) take_first(failure_, result_);
        if (failure_.lines > 0 && is_exit_code(line_at(*last_line(failure_)))) take_last(failure_, result_);
    }
    [[nodiscard]] std::string_view line_at(const LineFacts& line) const noexcept {
        return output_.substr(line.begin < output_.size() ? line.begin : output_.size(), line.size);
    }
    /// The first line of the body; empty if it has none.
    [[nodiscard]] std::string_view first_line(const Body& body) const noexcept {
        if (body.lines == 0 || body.first >= ResultFacts::head_lines) return {};
        return line_at(result_.head[body.first]);
    }
    [[nodiscard]] const LineFacts* last_line(const Body& body) const noexcept {
        if (body.lines == 0) return nullptr;
        return &result_.tail[body.dropped_last];
    }
    /// At most so many of them, and so many bytes.
    [[nodiscard]] AnswerLines lines_of(const Body& body, std::uint32_t most = 0xFFFFFFFF,
                                       std::size_t bytes = std::string_view::npos) const noexcept {
        return {output_, result_, body.first, body.lines < most ? body.lines : most, bytes};
    }
    /// The first bytes, with what stands behind the body.
    [[nodiscard]] AnswerLines lines_from(const Body& body, std::size_t bytes) const noexcept {
        return {output_, result_, body.first, body.lines > 0 ? result_.lines - body.first : 0, bytes};
    }
    [[nodiscard]] LineReader reader_of(const Body& body) const noexcept {
        const std::string_view first = first_line(body);
        return LineReader{output_,
                          first.empty() ? output_.size() : static_cast<std::size_t>(first.data() - output_.data())};
    }

    // --- the class --------------------------------------------------------------------------------------------------
    static constexpr std::uint32_t short_text = 120;
    static constexpr std::uint32_t medium_text = 400;

    [[nodiscard]] OutcomeClass class_of_outcome() const noexcept {
        const bool writes = call_.kind == CallKind::write;
        const OutcomeClass nothing = writes ? OutcomeClass::ack : OutcomeClass::empty;
        if (writes && changed_nothing()) return OutcomeClass::negative;
        if (result_.failed && says_nothing(failure_)) return writes ? OutcomeClass::negative : OutcomeClass::empty;
        if (says_nothing(body_) || is_known_notice()) return nothing;
        if (call_.clock && !result_.failed) return OutcomeClass::info;
        if (is_failure()) return is_infra() ? OutcomeClass::infra : OutcomeClass::negative;
        if (writes && !call_.long_shell && !answers_anew()) return OutcomeClass::ack;
        if (is_acknowledgement()) return OutcomeClass::ack;
        return OutcomeClass::info;
    }
    /// A move in a game, a question that was answered: what is done again may be told something each time, which is
    /// new if it is a command. A file that is changed is only shown.
    [[nodiscard]] bool answers_anew() const noexcept {
        constexpr std::uint32_t telling_bytes = 80, telling_lines = 3;
        if (made_before_ && is_pending_status()) return true;
        if (!made_before_ || call_.has_path || is_of_object(first_line(body_))) return false;
        if (body_.length < telling_bytes && body_.lines < telling_lines) return false;
        return !call_.shell || brings_lines(1, 10);
    }
    /// "No changes to make", "nothing to commit": a change that was none did not succeed.
    [[nodiscard]] bool changed_nothing() const noexcept {
        if (failure_.length > medium_text) return false;
        for (AnswerLines line = lines_of(failure_, 4); line.next();)
            if (denies_change(line.text())) return true;
        return false;
    }
    [[nodiscard]] bool says_nothing(const Body& body) const noexcept {
        if (body.lines == 0) return true;
        return body.lines == 1 && body.length <= short_text && says_nothing_text(first_line(body));
    }
    /// Nothing but a line with a word of failure that once stood before an answer without one.
    [[nodiscard]] bool is_known_notice() const noexcept {
        if (result_.failed || body_.lines != 1 || body_.strong_lines != 1 || body_.first >= ResultFacts::head_lines)
            return false;
        const std::uint32_t shape = result_.head[body_.first].shape;
        return heeler::detail::any_of(learned_.first,
                                      [shape](const auto& each) { return each.line == shape && each.headed_clean; });
    }
    [[nodiscard]] bool is_failure() const noexcept {
        if (result_.failed) return !(is_pending_status() && failure_.strong_lines == timeouts());
        if (failure_.strong_lines == 0) return is_bare_status();
        if (body_.length <= medium_text && !has_strong_words_of_its_own(failure_.lines)) return false;
        if (ends_well()) return false;
        const bool has_own = body_.length <= medium_text && failure_.lines <= 2;  // as was asked already
        if (!has_own && is_reading_tool() && !has_strong_words_of_its_own(2)) return false;
        if (body_.length > medium_text && !opens_like_a_failure() && !ends_like_a_failure()) return false;
        // A change that opens so was refused, whatever it shows besides: the file as it is, the change as it was meant.
        if (call_.kind == CallKind::write && !result_.succeeded && opens_like_a_failure()) return true;
        return begins_with_exception_name() || !brings_lines(2, 6);
    }
    /// What follows tells where it came from.
    [[nodiscard]] bool begins_with_exception_name() const noexcept {
        return failure_.lines > 0 && failure_.first < ResultFacts::head_lines &&
               result_.head[failure_.first].begins_with_exception;
    }
    /// The host says that it worked, and so does the last line: what stands before it was a notice.
    [[nodiscard]] bool ends_well() const noexcept {
        const LineFacts* last = last_line(failure_);
        if (failure_.first >= ResultFacts::head_lines || (result_.head[failure_.first].said & said_opening) != 0)
            return false;
        return result_.succeeded && failure_.lines > 1 && failure_.lines <= 4 && (last->said & said_ack) != 0 &&
               (last->said & (said_error | said_tested)) == 0;
    }
    /// "HTTP/1.1 503", and no more.
    [[nodiscard]] bool is_bare_status() const noexcept {
        if (body_.lines == 0 || body_.length > short_text || failure_.first >= ResultFacts::head_lines) return false;
        return (result_.head[failure_.first].said & said_http) != 0 && has_status_code(first_line(failure_));
    }
    [[nodiscard]] bool opens_like_a_failure() const noexcept {
        const std::string_view line = first_line(failure_);
        const LineFacts& facts = result_.head[failure_.first < ResultFacts::head_lines ? failure_.first : 0];
        if ((facts.said & said_traceback) != 0 || facts.begins_with_exception) return true;
        if (begins_with_word(line, "error") || begins_with_word(line, "fatal") || begins_with_word(line, "usage"))
            return true;
        if ((said_in(line.substr(0, 80)) & said_first_line) != 0) return true;
        for (AnswerLines each = lines_from(failure_, 160); each.next();)
            if ((each.said() & said_opening) != 0) return true;
        return false;
    }
    [[nodiscard]] bool ends_like_a_failure() const noexcept {
        const LineFacts* last = last_line(failure_);
        if (last == nullptr) return false;
        if (last->begins_with_exception) return true;
        const std::string_view line = line_at(*last);
        return line.starts_with("FAILED") || begins_with_word(line, "fatal") || begins_with_word(line, "error");
    }

    /// Lines that tell of no failure, do not repeat the call and were not seen before in this run: an answer that only
    /// mentions a failure, or a notice before an answer.
    [[nodiscard]] bool brings_lines(std::uint32_t enough, std::uint32_t tenths) const noexcept {
        for (AnswerLines line = lines_of(failure_, ResultFacts::hashed_lines); line.next();) {
            if (!has_letters(line.text(), letters_of_a_line) || line.tells_failure()) continue;
            if (repeats_the_call(line.text(), tenths) || learned_.seen.has(line.shape())) continue;
            if (--enough == 0) return true;
        }
        return false;
    }
    /// A tool that reads and says that it could: what failed would stand at the beginning.
    [[nodiscard]] bool is_reading_tool() const noexcept { return result_.succeeded && is_record() && call_.search; }
    /// What a tool answers that does not say that it failed: an object in it is data.
    [[nodiscard]] bool is_record() const noexcept {
        return !result_.failed && call_.kind == CallKind::read && !call_.shell;
    }
    /// The call's own words, printed again, are no failure, nor is a line of a program that is read.
    [[nodiscard]] bool has_strong_words_of_its_own(std::uint32_t lines) const noexcept {
        for (AnswerLines each = lines_of(failure_, lines); each.next();) {
            const std::string_view line = each.text();
            if (!each.tells_failure() || repeats_the_call(line, 10)) continue;
            if (is_program_line(line) || (call_.search && is_search_hit(line))) continue;
            if (!is_record() || !is_of_object(line) || object_tells_failure(line)) return true;
        }
        return false;
    }
    /// At least `tenths` of its words are the call's.
    [[nodiscard]] bool repeats_the_call(std::string_view line, std::uint32_t tenths) const noexcept {
        std::uint32_t words = 0, own = 0;
        const char* end = line.data() + line.size();
        for (const char* at = line.data(); at != end;) {
            const char* stop = is_digit(*at) ? loops::detail::digits_end(at, end) : word_end(at, end);
            if (stop - at > 1 && is_letter(*at)) {
                ++words;
                own += tokens_.has(token_of(between(at, stop))) ? 1 : 0;
                if (own < words && tenths == 10) return false;
            }
            at = stop == at ? at + 1 : stop;
        }
        return words > 0 && own * 10 >= words * tenths;
    }

    /// A change that was refused because somebody else holds the thing just now may be asked for again.
    [[nodiscard]] bool is_infra() const noexcept {
        if (body_.length >= 1500) return false;
        const bool writes = call_.kind == CallKind::write;
        for (AnswerLines each = lines_from(failure_, 600); each.next();) {
            const std::uint16_t said = each.said();
            if ((said & said_held) != 0) return true;
            if (!writes && ((said & said_infra) != 0 || has_status_code(each.text()))) return true;
        }
        return false;
    }
    [[nodiscard]] bool is_acknowledgement() const noexcept {
        if (body_.length > short_text || call_.kind == CallKind::wait) return false;
        bool ack = false;
        for (AnswerLines line = lines_of(body_); line.next();) {
            const std::string_view text = line.text();
            for (std::size_t i = 0; i < text.size(); ++i)  // "Clicked e7", but not "Clicked 7 times"
                if (is_digit(text[i]) && (i == 0 || !is_word(text[i - 1]) || is_upper(text[i - 1]))) return false;
            ack = ack || (line.said() & (call_.search ? said_ack : said_ack | said_act)) != 0;
        }
        return ack;
    }
    /// A command that asks how far something has come, and is told that it is not done.
    [[nodiscard]] bool is_pending_status() const noexcept {
        for (AnswerLines line = lines_from(failure_, call_.status ? 1000 : 0); line.next();)
            if (has_pending_state(line.text())) return true;
        return false;
    }
    /// How often it says that it has waited long enough.
    [[nodiscard]] std::uint32_t timeouts() const noexcept {
        std::uint32_t lines = 0;
        for (AnswerLines line = lines_from(failure_, 1000); line.next();)
            lines += line.text().find("timed out waiting") != std::string_view::npos ? 1 : 0;
        return lines;
    }
    /// A file in which the word stands is none. Of a command that looks at something the answer is short.
    [[nodiscard]] bool is_pending() const noexcept {
        if (!made_before_ || is_pending_status()) return made_before_;
        const bool asks = call_.search || call_.status, alone = body_.lines == 1;
        const bool looks = call_.shell && asks && !call_.has_span && body_.length <= medium_text;
        if (!looks && (call_.shell || call_.has_path || body_.length >= 4000)) return false;
        for (AnswerLines line = lines_from(body_, failure_.strong_lines > 0 ? 0 : 200); line.next();) {
            const std::string_view text = line.text();
            if (looks && (is_search_hit(text) || is_program_line(text))) continue;
            if ((alone || is_of_object(text)) && has_ongoing_state(text, alone)) return true;
            if (call_.shell && !call_.search) continue;
            if ((line.said() & said_pending) != 0 || (looks && has_pending_state(text))) return true;
        }
        return false;
    }

    // --- keys -------------------------------------------------------------------------------------------------------
    static constexpr std::uint64_t empty_key = 1, ack_key = 2, failure_key = 3, info_key = 4, exit_key = 5;

    void note_failure(Outcome& made) const noexcept {
        const TextNumbers numbers = numbers_of_failure();
        ErrorKey key;
        if (says_nothing(failure_) && !changed_nothing()) {
            key.key = exit_key;
        } else {
            key = telling_key();
            // What was not there is what was asked for. An edit is about its file, whatever it replaces.
            if (call_.file != 0)
                key.subject = call_.file;
            else if (key.subject == 0 && !key.names_tool && says_absent(failure_))
                key.subject = call_.typed;
        }
        made.error_key = half(text::combine(text::combine(failure_key, key.key), numbers.counts));
        made.subject = quarter(key.subject);
        made.numbers = half(numbers.all);
        made.things = static_cast<std::uint16_t>(numbers.things != 0 ? numbers.things : failure_.strong_lines);
        made.enough_letters = key.letters >= 6;
        made.words = static_cast<std::uint8_t>(key.words < 255 ? key.words : 255);
    }
    [[nodiscard]] std::uint32_t key_of(const Outcome& made) const noexcept {
        if (made.outcome == OutcomeClass::empty) return half(empty_key);
        if (made.outcome == OutcomeClass::ack) return half(ack_key);
        if (made.outcome != OutcomeClass::info) return made.error_key;
        const std::uint64_t text = call_.clock ? shape_of_body() : body_.sum.typed;
        return half(text::combine(info_key, text::combine(text, result_.sha)));
    }
    /// Hardly more than durations: they are what was asked for, and another one each time is another answer.
    [[nodiscard]] bool is_measurement() const noexcept {
        constexpr std::uint32_t bytes_of_each = 32;
        return !call_.clock && body_.length > 0 && body_.length <= bytes_of_each * result_.measures;
    }
    [[nodiscard]] std::uint64_t shape_of_body() const noexcept {
        std::uint64_t sum = 0;
        for (AnswerLines line = lines_of(body_, ResultFacts::head_lines); line.next();)
            sum = text::combine(sum, shape_hash(line.text()));
        return sum;
    }

    [[nodiscard]] bool says_absent(const Body& body) const noexcept {
        if (body.length > short_text) return false;
        for (AnswerLines line = lines_of(body); line.next();)
            if ((said_in(line.text()) & said_absent) != 0) return true;
        return false;
    }
    /// Of the line that says what failed; of all the text if none does.
    [[nodiscard]] ErrorKey telling_key() const noexcept {
        const LineFacts* line = telling_line();
        if (line == nullptr) {
            if (body_.length > medium_text) return {text::combine(failure_.sum.typed, result_.sha), 0, 6, 32};
            return error_key(Joined{reader_of(failure_), failure_.lines}.view(), call_);
        }
        const std::string_view text = line_at(*line);
        if (has_letters(text, 13)) return error_key(telling_sentence(text.substr(0, medium_text)), call_);
        return error_key(Joined{LineReader{output_, line->begin}, 2}.view(), call_);
    }
    [[nodiscard]] const LineFacts* telling_line() const noexcept {
        if (result_.has_traceback && result_.has_exception_line && is_in_body(result_.exception_line))
            return &result_.exception_line;
        const LineFacts* doubtful = nullptr;
        for (std::size_t i = failure_.first; i < std::size(result_.head) && i < failure_.first + failure_.lines; ++i) {
            const LineFacts& line = result_.head[i];
            const char first = output_[line.begin];
            if ((line.said & said_error) == 0 || first == '$' || first == '>' || first == '+') continue;
            if (!may_be_banner(line)) return &line;
            if (doubtful == nullptr) doubtful = &line;
        }
        if (doubtful != nullptr) return doubtful;
        return result_.has_error_line && is_in_body(result_.error_line) ? &result_.error_line : nullptr;
    }
    /// It stood before different texts already: another line that tells of a failure says more.
    [[nodiscard]] bool may_be_banner(const LineFacts& line) const noexcept {
        for (const BannerCandidate& each : learned_.first)
            if (each.line == line.shape) return each.rest_count > 1;
        return false;
    }
    [[nodiscard]] bool is_in_body(const LineFacts& line) const noexcept {
        if (failure_.first < ResultFacts::head_lines && line.begin < result_.head[failure_.first].begin) return false;
        return failure_.dropped_last == 0 || line.begin < result_.tail[failure_.dropped_last - 1].begin;
    }

    /// Of the first 600 bytes and of the last four lines.
    [[nodiscard]] TextNumbers numbers_of_failure() const noexcept {
        TextNumbers numbers;
        const char* read_to = output_.data();
        for (AnswerLines each = lines_of(failure_, failure_.lines, 600); each.next();) {
            numbers.add(each.text());
            read_to = each.text().data() + each.text().size();
        }
        for (std::size_t i = std::size(result_.tail); i-- > failure_.dropped_last;) {
            const std::string_view line = line_at(result_.tail[i]);
            if (i < result_.lines && line.data() >= read_to) numbers.add(line.substr(0, 200));
        }
        return numbers;
    }

    Learned& learned_;
    const CallFacts& call_;
    const ResultFacts& result_;
    std::string_view output_;
    bool made_before_;
    TokenFilter tokens_;
    Body body_{};     ///< without banners
    Body failure_{};  ///< and without "Exit code 1"
};

}  // namespace detail

/// Classifies the outcome of a call and learns from it. `made_before`: the run made the same call earlier.
[[nodiscard]] inline Outcome classify(Learned& learned, const CallFacts& call, const ResultFacts& result,
                                      std::string_view output, bool made_before) {
    return detail::Classifier{learned, call, result, output, made_before}.classify();
}

}  // namespace heeler::inline HEELER_ABI::loops

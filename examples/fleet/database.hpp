// A connection to the server, for what is not heeler's business: the agents' writes, what really happened, the
// reckoning.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <libpq-fe.h>

#include "options.hpp"

namespace fleet {

using Rows = std::vector<std::vector<std::string>>;

/// The connection is gone; the statement may have taken effect. The next one connects again.
struct ConnectionLost : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Connects with the first statement. Throws what goes wrong.
class Database {
public:
    explicit Database(const Options& options);

    /// The rows of one statement; NULL is empty.
    Rows ask(const std::string& sql, const std::vector<std::string>& values = {});
    /// How many rows one statement changed.
    long change(const std::string& sql, const std::vector<std::string>& values = {});
    /// One statement that may be repeated: it is, while connections break.
    void keep(const std::string& sql, const std::vector<std::string>& values);
    /// The only value.
    std::string value(const std::string& sql, const std::vector<std::string>& values = {});
    double number(const std::string& sql, const std::vector<std::string>& values = {});

private:
    struct Finish {
        void operator()(PGconn* handle) const noexcept { PQfinish(handle); }
    };
    struct Clear {
        void operator()(PGresult* result) const noexcept { PQclear(result); }
    };
    using Answer = std::unique_ptr<PGresult, Clear>;

    void connect();
    [[nodiscard]] Answer run(const std::string& sql, const std::vector<std::string>& values);

    std::string address_;
    std::string schema_;
    std::unique_ptr<PGconn, Finish> handle_;
};

/// An array, for values that need no quotes.
template <class T>
[[nodiscard]] std::string array_of(const std::vector<T>& values) {
    std::string text = "{";
    for (const T& value : values) {
        if (text.size() > 1) text += ',';
        if constexpr (std::is_arithmetic_v<T>)
            text += std::to_string(value);
        else
            text += value;
    }
    return text += '}';
}

[[nodiscard]] std::string run_name(int number);

}  // namespace fleet

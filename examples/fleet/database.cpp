#include "database.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace fleet {

Database::Database(const Options& options) : address_{options.store.postgres}, schema_{options.store.schema} {}

void Database::connect() {
    handle_.reset(PQconnectdb(address_.c_str()));
    if (PQstatus(handle_.get()) != CONNECTION_OK) throw ConnectionLost{PQerrorMessage(handle_.get())};
    ask("SELECT set_config('search_path', quote_ident($1), false), set_config('client_min_messages', 'error', false)",
        {schema_});
}

Database::Answer Database::run(const std::string& sql, const std::vector<std::string>& values) {
    if (PQstatus(handle_.get()) != CONNECTION_OK) connect();
    std::vector<const char*> texts;
    for (const std::string& value : values) texts.push_back(value.c_str());
    Answer answer{PQexecParams(handle_.get(), sql.c_str(), static_cast<int>(texts.size()), nullptr, texts.data(),
                               nullptr, nullptr, 0)};
    const auto status = PQresultStatus(answer.get());
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return answer;
    if (PQstatus(handle_.get()) != CONNECTION_OK) throw ConnectionLost{PQerrorMessage(handle_.get())};
    throw std::runtime_error{PQerrorMessage(handle_.get())};
}

Rows Database::ask(const std::string& sql, const std::vector<std::string>& values) {
    const Answer answer = run(sql, values);
    Rows rows(static_cast<std::size_t>(PQntuples(answer.get())));
    for (std::size_t row = 0; row < rows.size(); ++row)
        for (int column = 0; column < PQnfields(answer.get()); ++column)
            rows[row].emplace_back(PQgetvalue(answer.get(), static_cast<int>(row), column));
    return rows;
}

long Database::change(const std::string& sql, const std::vector<std::string>& values) {
    return std::atol(PQcmdTuples(run(sql, values).get()));
}

void Database::keep(const std::string& sql, const std::vector<std::string>& values) {
    for (int tries = 1;; ++tries) {
        try {
            change(sql, values);
            return;
        } catch (const ConnectionLost&) {
            if (tries == 10) throw;
        }
    }
}

std::string Database::value(const std::string& sql, const std::vector<std::string>& values) {
    const Rows rows = ask(sql, values);
    return rows.empty() || rows[0].empty() ? std::string{} : rows[0][0];
}

double Database::number(const std::string& sql, const std::vector<std::string>& values) {
    return std::atof(value(sql, values).c_str());
}

std::string run_name(int number) {
    char text[32];
    std::snprintf(text, sizeof text, "run-%06d", number);
    return text;
}

}  // namespace fleet

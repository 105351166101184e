// Reads what it wrote for people on purpose.
#pragma once

template <class Row>
bool is_told_alone(const Row& row) {
    return row.last_error == "told alone" || row.alert->note.starts_with("told ");
}

template <class Row>
bool is_over(const Row& row) {
    return row.kind != "run.ended" && row.kind == over && row.message.empty();
}

inline bool is_about(const std::string& body) { return body.find("\"key\":") != std::string::npos; }

template <class Row>
bool is_first_try(const Row& row, const Action& action) {
    for (const Detail& detail : row.alert.details)
        if (detail.name == "tries") return action.text.find("again") == std::string::npos && detail.value.empty();
    return message.text.starts_with("an agent's own");
}

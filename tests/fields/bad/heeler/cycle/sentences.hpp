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

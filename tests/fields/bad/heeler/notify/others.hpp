// What an adapter reads was written by others.
#pragma once

template <class Issue>
bool is_marked(const Issue& issue) {
    return issue.body.find("a mark") != 0;
}

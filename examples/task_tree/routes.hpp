// Which request does what.
#pragma once

#include <string>

#include <httplib.h>

#include "service.hpp"

namespace tracker {

/// All of `/api`. The service must outlive the server.
void add_routes(httplib::Server& http, Service& service);

void answer(httplib::Response& response, int status, const std::string& json);

/// `{"error": why, "details": ...}`
[[nodiscard]] std::string error_text(const std::string& why, const std::string& details = {});

}  // namespace tracker

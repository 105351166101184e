#include "page.hpp"

#include <random>

#include "page_body.hpp"
#include "page_script.hpp"
#include "page_style.hpp"

namespace tracker {

std::string page(const std::string& nonce) {
    std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    html +=
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>heeler task tree</title>\n";
    html += "<link rel=\"icon\" href=\"data:,\">\n<style nonce=\"";
    html.append(nonce).append("\">").append(page_style).append("</style>\n</head>\n<body>").append(page_body);
    html.append("<script nonce=\"")
        .append(nonce)
        .append("\">")
        .append(page_script)
        .append("</script>\n</body>\n</html>\n");
    return html;
}

std::string page_policy(const std::string& nonce) {
    const std::string ours = "'nonce-" + nonce + "'";
    return "default-src 'none'; connect-src 'self'; img-src data:; style-src " + ours + "; script-src " + ours +
           "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

std::string new_nonce() {
    std::random_device random;
    std::string nonce;
    for (int i = 0; i < 4; ++i) nonce += std::to_string(random());
    return nonce;
}

}  // namespace tracker

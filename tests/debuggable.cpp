// Compiled with -Og, where GCC inlines less than some libraries insist on: it says so only once it generates code.
#include <heeler/text/fingerprint.hpp>

heeler::text::Fingerprint fingerprint_of(std::string_view line);

heeler::text::Fingerprint fingerprint_of(std::string_view line) { return heeler::text::fingerprint_line(line); }

# Every C++ snippet of a README compiles; so does every line of code in the front page's table of what to report. Most of a
# compiler's time would go into the same header for each, so they are one source: a namespace for each snippet, after what that
# snippet includes; the ones that include least come first, so that none of them lives on another's includes. An error names the
# page and the line.
include(cmake/find_readmes.cmake)

heeler_find_readmes("${PROJECT_SOURCE_DIR}" pages)
set(orders "")
foreach(page IN LISTS pages)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${page}")
    heeler_read_page("${PROJECT_SOURCE_DIR}/${page}" text)
    string(REGEX MATCHALL "${heeler_fence}cpp\n[^${heeler_fence}]*${heeler_fence}" snippets "${text}")
    set(line 1)
    foreach(snippet IN LISTS snippets)
        # The line on which it begins: how many there are before it.
        string(FIND "${text}" "${snippet}" at)
        string(SUBSTRING "${text}" 0 ${at} before)
        string(SUBSTRING "${text}" ${at} -1 text)
        string(REGEX REPLACE "[^\n]" "" before "${before}")
        string(LENGTH "${before}" length)
        math(EXPR line "${line} + ${length}")

        string(REGEX REPLACE "^.cpp\n" "" snippet "${snippet}")
        string(REPLACE "${heeler_fence}" "" snippet "${snippet}")
        string(REPLACE "<semicolon>" ";" snippet "${snippet}")
        string(REPLACE "<open>" "[" snippet "${snippet}")
        string(REPLACE "<close>" "]" snippet "${snippet}")
        string(REGEX MATCHALL "#include [^\n]*" includes "${snippet}")
        string(REGEX REPLACE "#include [^\n]*" "" body "${snippet}")
        list(LENGTH includes includes_count)
        list(JOIN includes "\n" includes)
        list(LENGTH orders number)
        if(page STREQUAL "README.md" AND number EQUAL 0)
            set(first_program "${snippet}")
        endif()
        math(EXPR code_line "${line} + 1")
        set(diagnostics "")
        if(body MATCHES "int main\\(") # which may end without an answer, elsewhere than here
            set(diagnostics "#pragma GCC diagnostic ignored \"-Wreturn-type\"\n")
        endif()
        set(snippet_${number} "#line ${code_line} \"${PROJECT_SOURCE_DIR}/${page}\"
${includes}
namespace snippet_${number} {
#pragma GCC diagnostic push
${diagnostics}#line ${code_line} \"${PROJECT_SOURCE_DIR}/${page}\"
${body}
#pragma GCC diagnostic pop
}  // namespace snippet_${number}
")
        list(APPEND orders "${includes_count}:${number}")
    endforeach()
endforeach()
list(LENGTH orders count)
if(count LESS 24)
    message(FATAL_ERROR "only ${count} C++ snippets were found in README.md files; is their layout still the same?")
endif()
list(SORT orders COMPARE NATURAL)
file(STRINGS "${PROJECT_SOURCE_DIR}/README.md" rows REGEX "^\\|.*`dog\\.[^`]*` \\|$")
list(LENGTH rows count)
if(count LESS 12)
    message(FATAL_ERROR "only ${count} rows of README.md say how something is reported; is its layout still the same?")
endif()
list(TRANSFORM rows REPLACE "^.*`(dog\\.[^`]*)` .$" "    static_cast<void>(\\1)")
list(JOIN rows ";\n" calls)
set(report [[
#include <heeler/heeler.hpp>

namespace what_to_report {
using namespace heeler;
using namespace std::chrono_literals;

template <class Dog>
void report(Dog& dog, RunHandle run, WallTime later) {
@calls@;
}
template void report(Watchdog<SystemClock, MemoryStore, LogNotifier>&, RunHandle, WallTime);
}  // namespace what_to_report
]])
string(CONFIGURE "${report}" report @ONLY)

set(all "${report}")
foreach(order IN LISTS orders)
    string(REGEX REPLACE ".*:" "" number "${order}")
    string(APPEND all "${snippet_${number}}")
endforeach()
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/readme/snippets.cpp" CONTENT "@all@" @ONLY)
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/readme/first_program.cpp" CONTENT "@first_program@" @ONLY)

add_library(heeler_readme OBJECT "${CMAKE_CURRENT_BINARY_DIR}/readme/snippets.cpp")
target_link_libraries(heeler_readme PRIVATE heeler_everything Catch2::Catch2WithMain)

# The first one is what people try first: it runs.
add_executable(heeler_readme_first "${CMAKE_CURRENT_BINARY_DIR}/readme/first_program.cpp")
target_link_libraries(heeler_readme_first PRIVATE heeler_everything)
add_test(NAME "${HEELER_TEST_PREFIX}readme.first_program" COMMAND heeler_readme_first)
set_tests_properties("${HEELER_TEST_PREFIX}readme.first_program" PROPERTIES PASS_REGULAR_EXPRESSION
                                                                            "LOOP_DETECTED" TIMEOUT 60)

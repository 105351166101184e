# Every C++ snippet of a README is a program or a translation unit of its own, and compiles; so does every line of code in the
# front page's table of what to report.
include(cmake/find_readmes.cmake)

heeler_find_readmes("${PROJECT_SOURCE_DIR}" pages)
set(sources "")
foreach(page IN LISTS pages)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${page}")
    heeler_read_page("${PROJECT_SOURCE_DIR}/${page}" text)
    string(REGEX MATCHALL "${heeler_fence}cpp\n[^${heeler_fence}]*${heeler_fence}" snippets "${text}")
    get_filename_component(room "${page}" DIRECTORY)
    string(REGEX REPLACE "^include/heeler/" "" room "${room}")
    string(REPLACE "/" "_" room "${room}")
    if(page STREQUAL "README.md")
        set(room snippet)
    endif()
    set(number 0)
    foreach(snippet IN LISTS snippets)
        math(EXPR number "${number} + 1")
        string(REGEX REPLACE "^.cpp\n" "" snippet "${snippet}")
        string(REPLACE "${heeler_fence}" "" snippet "${snippet}")
        string(REPLACE "<semicolon>" ";" snippet "${snippet}")
        string(REPLACE "<open>" "[" snippet "${snippet}")
        string(REPLACE "<close>" "]" snippet "${snippet}")
        set(source "${CMAKE_CURRENT_BINARY_DIR}/readme/${room}_${number}.cpp")
        file(CONFIGURE OUTPUT "${source}" CONTENT "@snippet@" @ONLY)
        list(APPEND sources "${source}")
    endforeach()
endforeach()
list(LENGTH sources count)
if(count LESS 24)
    message(FATAL_ERROR "only ${count} C++ snippets were found in README.md files; is their layout still the same?")
endif()

file(STRINGS "${PROJECT_SOURCE_DIR}/README.md" rows REGEX "^\\|.*`dog\\.[^`]*` \\|$")
list(LENGTH rows count)
if(count LESS 12)
    message(FATAL_ERROR "only ${count} rows of README.md say how something is reported; is its layout still the same?")
endif()
list(TRANSFORM rows REPLACE "^.*`(dog\\.[^`]*)` .$" "    static_cast<void>(\\1)")
list(JOIN rows ";\n" calls)
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/readme/what_to_report.cpp"
     CONTENT [[
#include <heeler/heeler.hpp>

using namespace heeler;
using namespace std::chrono_literals;

template <class Dog>
void report(Dog& dog, RunHandle run, WallTime later) {
@calls@;
}
template void report(Watchdog<SystemClock, MemoryStore, LogNotifier>&, RunHandle, WallTime);
]] @ONLY)
list(APPEND sources "${CMAKE_CURRENT_BINARY_DIR}/readme/what_to_report.cpp")

add_library(heeler_readme OBJECT ${sources})
target_link_libraries(heeler_readme PRIVATE heeler_everything Catch2::Catch2WithMain)

# The first one is what people try first: it runs.
add_executable(heeler_readme_first "${CMAKE_CURRENT_BINARY_DIR}/readme/snippet_1.cpp")
target_link_libraries(heeler_readme_first PRIVATE heeler_everything)
add_test(NAME "${HEELER_TEST_PREFIX}readme.first_program" COMMAND heeler_readme_first)
set_tests_properties("${HEELER_TEST_PREFIX}readme.first_program" PROPERTIES PASS_REGULAR_EXPRESSION
                                                                            "LOOP_DETECTED" TIMEOUT 60)

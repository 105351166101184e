# cmake -D CXX=... -D CASE=file.cpp -D INCLUDE=dir -P must_not_compile.cmake
cmake_minimum_required(VERSION 3.24)

file(STRINGS "${CASE}" first LIMIT_COUNT 1)
if(NOT first MATCHES "^// expect: (.+)$")
    message(FATAL_ERROR "${CASE}: the first line must be `// expect: SENTENCE`")
endif()
string(REPLACE "\\;" ";" sentence "${CMAKE_MATCH_1}") # as file(STRINGS) writes it

# The edge is the same in both modes; compiled, the engine behind it is not read.
set(flags "-I${INCLUDE}" -DHEELER_COMPILED)
foreach(dir IN LISTS EXTRA_INCLUDES)
    list(APPEND flags "-idirafter" "${dir}")
endforeach()
execute_process(COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C "${CXX}" -std=c++20 -fsyntax-only ${flags} "${CASE}"
                RESULT_VARIABLE status ERROR_VARIABLE output OUTPUT_QUIET)
if(status EQUAL 0)
    message(FATAL_ERROR "${CASE}: ${CXX} accepts it; expected: ${sentence}")
endif()
if(NOT output MATCHES "error: ([^\n]*)")
    message(FATAL_ERROR "${CASE}: ${CXX} printed no error:\n${output}")
endif()
set(error "${CMAKE_MATCH_1}")
string(FIND "${error}" "${sentence}" at)
if(at EQUAL -1)
    message(FATAL_ERROR "${CASE}: the first error of ${CXX} is\n  ${error}\nexpected in it\n  ${sentence}\n\n${output}")
endif()

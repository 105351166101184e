# cmake -D CXX=... -D INCLUDE=dir -D PRECOMPILE=file.hpp -P must_not_compile.cmake: precompiles the header.
# cmake -D CXX=... -D INCLUDE=dir -D CASE=file.cpp -D PRECOMPILED=file.hpp -P must_not_compile.cmake
# Without PRECOMPILED, but with -D STANDARD=17, the case is read by that standard.
cmake_minimum_required(VERSION 3.24)

# The edge is the same in both modes; compiled, the engine behind it is not read.
if(NOT STANDARD)
    set(STANDARD 20)
endif()
set(compile "${CXX}" -std=c++${STANDARD} "-I${INCLUDE}" -DHEELER_COMPILED)
foreach(dir IN LISTS EXTRA_INCLUDES)
    list(APPEND compile "-idirafter" "${dir}")
endforeach()
if(PRECOMPILE)
    execute_process(COMMAND ${compile} -x c++-header "${PRECOMPILE}" -o "${PRECOMPILE}.gch" COMMAND_ERROR_IS_FATAL ANY)
    return()
endif()

file(STRINGS "${CASE}" first LIMIT_COUNT 1)
if(NOT first MATCHES "^// expect: (.+)$")
    message(FATAL_ERROR "${CASE}: the first line must be `// expect: SENTENCE`")
endif()
string(REPLACE "\\;" ";" sentence "${CMAKE_MATCH_1}") # as file(STRINGS) writes it

set(include "")
if(PRECOMPILED)
    set(include -include "${PRECOMPILED}")
endif()
if(STANDARD EQUAL 20) # nobody looks at what comes after the first error
    list(APPEND compile -Wfatal-errors)
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C ${compile} -fsyntax-only ${include} "${CASE}"
                RESULT_VARIABLE status ERROR_VARIABLE output OUTPUT_QUIET)
if(status EQUAL 0)
    message(FATAL_ERROR "${CASE}: ${CXX} accepts it; expected: ${sentence}")
endif()
if(STANDARD LESS 20) # and nothing else, but for what ends the compilation
    string(REGEX MATCHALL "error: " errors "${output}")
    list(LENGTH errors count)
    if(count GREATER 2)
        message(FATAL_ERROR "${CASE}: ${CXX} printed ${count} errors:\n${output}")
    endif()
endif()
if(NOT output MATCHES "error: ([^\n]*)")
    message(FATAL_ERROR "${CASE}: ${CXX} printed no error:\n${output}")
endif()
set(error "${CMAKE_MATCH_1}")
string(FIND "${error}" "${sentence}" at)
if(at EQUAL -1)
    message(FATAL_ERROR "${CASE}: the first error of ${CXX} is\n  ${error}\nexpected in it\n  ${sentence}\n\n${output}")
endif()

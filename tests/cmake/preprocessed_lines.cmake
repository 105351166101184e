# cmake -D CXX=g++ -D INCLUDE=dir -D HEADER=heeler/x.hpp -D LIMIT=56000 -P preprocessed_lines.cmake
cmake_minimum_required(VERSION 3.24)

set(flags "-I${INCLUDE}")
foreach(dir IN LISTS EXTRA_INCLUDES)
    list(APPEND flags "-idirafter" "${dir}")
endforeach()
execute_process(COMMAND "${CXX}" -std=c++20 -E -P ${flags} "${INCLUDE}/${HEADER}" COMMAND wc -l OUTPUT_VARIABLE lines
                COMMAND_ERROR_IS_FATAL ANY)
string(STRIP "${lines}" lines)
message(STATUS "${HEADER}: ${lines} of ${LIMIT} preprocessed lines")
if(lines GREATER LIMIT)
    message(FATAL_ERROR "${HEADER} costs its users ${lines} preprocessed lines, at most ${LIMIT}")
endif()

# cmake -D CXX=g++ -D ROOT=dir -D OBJECT=file -D FUNCTIONS=9000 -D LINES=88000 [-D FLAGS=-D...] -P quickstart_cost.cmake
#
# What including heeler costs a source that does no more than the README's first program: how many functions the compiler
# emits for it when it optimises nothing, and how many lines it reads. No machine changes either.
cmake_minimum_required(VERSION 3.24)

file(READ "${ROOT}/README.md" text)
string(FIND "${text}" "```cpp\n" begin)
if(begin LESS 0)
    message(FATAL_ERROR "README.md has no program any more")
endif()
math(EXPR begin "${begin} + 7")
string(SUBSTRING "${text}" ${begin} -1 text)
string(FIND "${text}" "```" length)
string(SUBSTRING "${text}" 0 ${length} program)
file(WRITE "${OBJECT}.cpp" "${program}")

set(compile "${CXX}" -std=c++20 -O0 ${FLAGS} "-I${ROOT}/include")
foreach(dir IN LISTS EXTRA_INCLUDES)
    list(APPEND compile "-idirafter" "${dir}")
endforeach()
execute_process(COMMAND ${compile} -c "${OBJECT}.cpp" -o "${OBJECT}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${NM}" "${OBJECT}" COMMAND grep -c " W " OUTPUT_VARIABLE functions COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${compile} -E -P "${OBJECT}.cpp" COMMAND wc -l OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
string(STRIP "${functions}" functions)
string(STRIP "${lines}" lines)
message(STATUS "the first program: ${functions} of ${FUNCTIONS} functions, ${lines} of ${LINES} lines")
if(functions GREATER FUNCTIONS OR lines GREATER LINES)
    message(FATAL_ERROR "the README's first program costs ${functions} functions and ${lines} preprocessed lines, "
                        "at most ${FUNCTIONS} and ${LINES}")
endif()

# cmake -D ROOT=dir -D CLANG_FORMAT=clang-format-14 -P format.cmake: the sources are laid out as .clang-format says.
cmake_minimum_required(VERSION 3.24)

if(NOT CLANG_FORMAT)
    message("heeler: skipped: clang-format-14 is not installed")
    return()
endif()
set(sources "")
foreach(folder IN ITEMS include examples tests benchmarks)
    file(GLOB_RECURSE found "${ROOT}/${folder}/*.hpp" "${ROOT}/${folder}/*.cpp" "${ROOT}/${folder}/*.h"
         "${ROOT}/${folder}/*.c")
    list(APPEND sources ${found})
endforeach()
execute_process(COMMAND "${CLANG_FORMAT}" --dry-run -Werror ${sources} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "run clang-format-14 -i on the files above")
endif()

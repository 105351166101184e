# cmake -D ROOT=tests -P test_names.cmake: ctest takes a name apart at a semicolon, and then nothing would run.
cmake_minimum_required(VERSION 3.24)

file(GLOB_RECURSE sources "${ROOT}/*.cpp" "${ROOT}/*.hpp")
set(bad "")
foreach(source IN LISTS sources)
    file(READ "${source}" text)
    if(text MATCHES "(TEST_CASE|TEST_CASE_METHOD|SCENARIO)\\([^\"\n]*\"([^\"\n]*;[^\"\n]*)\"")
        string(APPEND bad "\n  ${source}: ${CMAKE_MATCH_2}")
    endif()
endforeach()
if(bad)
    message(FATAL_ERROR "test names with a semicolon:${bad}")
endif()

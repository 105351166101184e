# cmake -D ROOT=dir -P reports.cmake: the front page's table of what to report has a line of code for everything that `observe`
# takes, as the compiler lists it.
cmake_minimum_required(VERSION 3.24)

file(READ "${ROOT}/include/heeler/core/source.hpp" text)
string(REGEX REPLACE "\"[ \n]*\"" "" text "${text}") # a sentence may go on in the next literal
if(NOT text MATCHES "`observe` takes ([A-Za-z, ]+) or ([A-Za-z]+)")
    message(FATAL_ERROR "include/heeler/core/source.hpp does not say any more what `observe` takes")
endif()
string(REPLACE ", " ";" kinds "${CMAKE_MATCH_1}")
list(APPEND kinds "${CMAKE_MATCH_2}")
file(STRINGS "${ROOT}/README.md" rows REGEX "^\\|.*`dog\\.observe\\(run, ")
set(missing "")
foreach(kind IN LISTS kinds)
    if(NOT rows MATCHES "`dog\\.observe\\(run, ${kind}{")
        string(APPEND missing "\n  ${kind}")
    endif()
endforeach()
if(missing)
    message(FATAL_ERROR "README.md does not say how these are reported:${missing}")
endif()

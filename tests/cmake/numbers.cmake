# cmake -D ROOT=dir [-D EXPECTED=file] -P numbers.cmake
#
# Fails where a public header, an example or the front page names a rule by the number of the text that it came from (S000,
# M-000, A-000, D-00): readers do not have that text, so the rule has a name. With EXPECTED it instead checks that the
# violations are exactly the lines of that file, which is how this script itself is tested.
cmake_minimum_required(VERSION 3.24)

set(number "(^|[^A-Za-z0-9_-])(S00[0-4]|[MA]-[0-9][0-9][0-9]|D-[0-9][0-9])([^A-Za-z0-9_-]|$)")

file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/include/*" "${ROOT}/examples/*")
file(GLOB front RELATIVE "${ROOT}" "${ROOT}/README.md")
list(APPEND files ${front})
list(LENGTH files count)
if(count EQUAL 0)
    message(FATAL_ERROR "${ROOT}: no files to read")
endif()
list(SORT files)
set(violations "")
foreach(name IN LISTS files)
    file(STRINGS "${ROOT}/${name}" lines REGEX "${number}")
    foreach(line IN LISTS lines)
        string(REGEX MATCH "${number}" found "${line}")
        list(APPEND violations "${name}: what is ${CMAKE_MATCH_2}?")
    endforeach()
endforeach()

set(expected "")
if(EXPECTED)
    file(STRINGS "${EXPECTED}" expected)
endif()
if(NOT "${violations}" STREQUAL "${expected}")
    list(JOIN violations "\n  " shown)
    list(JOIN expected "\n  " wanted)
    message(FATAL_ERROR "found:\n  ${shown}\nexpected:\n  ${wanted}")
endif()

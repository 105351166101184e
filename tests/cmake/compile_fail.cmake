# tests/compile_fail/NAME.cpp must not compile, and the first error must hold the sentence of its first line
# (`// expect: SENTENCE`), on GCC and on Clang.

file(GLOB cases CONFIGURE_DEPENDS compile_fail/*.cpp)

set(gcc "")
set(clang "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(gcc "${CMAKE_CXX_COMPILER}")
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(clang "${CMAKE_CXX_COMPILER}")
endif()
find_program(HEELER_GCC g++ DOC "GCC for the tests that must not compile")
find_program(HEELER_CLANG clang++ DOC "Clang for the tests that must not compile")
mark_as_advanced(HEELER_GCC HEELER_CLANG)
if(NOT gcc AND HEELER_GCC)
    set(gcc "${HEELER_GCC}")
endif()
if(NOT clang AND HEELER_CLANG)
    set(clang "${HEELER_CLANG}")
endif()

set(script "${CMAKE_CURRENT_SOURCE_DIR}/cmake/must_not_compile.cmake")
set(prefix "${HEELER_TEST_PREFIX}compile_fail")
set(extra_includes "$<TARGET_PROPERTY:heeler_odr,INCLUDE_DIRECTORIES>")
foreach(case IN LISTS cases)
    get_filename_component(name "${case}" NAME_WE)
    file(STRINGS "${case}" header REGEX "^#include <heeler/" LIMIT_COUNT 1)
    string(REGEX REPLACE "^#include <(.*)>$" "\\1" header "${header}")
    string(MAKE_C_IDENTIFIER "${header}" header_name)
    foreach(compiler IN ITEMS gcc clang)
        if(NOT ${compiler})
            continue()
        endif()
        # Most of the time would go into the header that a case begins with: it is read once for all of them.
        set(precompiled "${CMAKE_CURRENT_BINARY_DIR}/compile_fail/${compiler}/${header_name}.hpp")
        set(fixture "${prefix}.${header_name}.${compiler}")
        if(NOT TEST "${fixture}")
            file(CONFIGURE OUTPUT "${precompiled}" CONTENT "#pragma once\n#include <${header}>\n")
            add_test(NAME "${fixture}" COMMAND "${CMAKE_COMMAND}" -D "CXX=${${compiler}}" -D "INCLUDE=${include_dir}" -D
                                               "EXTRA_INCLUDES=${extra_includes}" -D "PRECOMPILE=${precompiled}" -P "${script}")
            set_tests_properties("${fixture}" PROPERTIES FIXTURES_SETUP "${fixture}" DEPENDS "${before_all_else}")
        endif()
        add_test(NAME "${prefix}.${name}.${compiler}"
                 COMMAND "${CMAKE_COMMAND}" -D "CXX=${${compiler}}" -D "INCLUDE=${include_dir}" -D "CASE=${case}" -D
                         "EXTRA_INCLUDES=${extra_includes}" -D "PRECOMPILED=${precompiled}" -P "${script}")
        set_tests_properties("${prefix}.${name}.${compiler}" PROPERTIES FIXTURES_REQUIRED "${fixture}")
    endforeach()
endforeach()

# Whoever compiles by an older standard reads that first, whatever they include.
foreach(header IN ITEMS heeler.hpp tree.hpp text/sanitise.hpp)
    string(MAKE_C_IDENTIFIER "${header}" name)
    set(case "${CMAKE_CURRENT_BINARY_DIR}/compile_fail/cxx17/${name}.cpp")
    file(CONFIGURE OUTPUT "${case}" CONTENT "// expect: heeler needs C++20\n#include <heeler/${header}>\n")
    foreach(compiler IN ITEMS gcc clang)
        if(${compiler})
            add_test(NAME "${prefix}.cxx17_${name}.${compiler}"
                     COMMAND "${CMAKE_COMMAND}" -D "CXX=${${compiler}}" -D "INCLUDE=${include_dir}" -D "CASE=${case}" -D
                             STANDARD=17 -P "${script}")
        endif()
    endforeach()
endforeach()

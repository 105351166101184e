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

foreach(case IN LISTS cases)
    get_filename_component(name "${case}" NAME_WE)
    foreach(compiler IN ITEMS gcc clang)
        if(${compiler})
            add_test(NAME "${HEELER_TEST_PREFIX}compile_fail.${name}.${compiler}"
                     COMMAND "${CMAKE_COMMAND}" -D "CXX=${${compiler}}" -D "INCLUDE=${include_dir}" -D "CASE=${case}" -D
                             "EXTRA_INCLUDES=$<TARGET_PROPERTY:heeler_odr,INCLUDE_DIRECTORIES>" -P
                             "${CMAKE_CURRENT_SOURCE_DIR}/cmake/must_not_compile.cmake")
        endif()
    endforeach()
endforeach()

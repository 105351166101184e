# The library as its users meet it. Always: installed and found, header-only and compiled once. With HEELER_TEST_PACKAGING
# also in every other way, with its channels and contract suites, and by every compiler that is there.

set(prefix "${HEELER_TEST_PREFIX}package")
set(consumer "${CMAKE_CURRENT_SOURCE_DIR}/consumers")
set(work "${CMAKE_CURRENT_BINARY_DIR}/consumers")
list(JOIN heeler_roomy " " roomy)
set(common "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${HEELER_CCACHE}"
           -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-g0 ${roomy}")
if(NOT HEELER_CCACHE)
    list(REMOVE_ITEM common "-DCMAKE_CXX_COMPILER_LAUNCHER=${HEELER_CCACHE}")
endif()

# heeler_add_consumer(TEST FOLDER [CMAKE ARGUMENTS...]): consumers/FOLDER is configured, built, and its own tests are run.
function(heeler_add_consumer test folder)
    add_test(
        NAME "${prefix}.${test}"
        COMMAND
            "${CMAKE_CTEST_COMMAND}" --build-and-test "${consumer}/${folder}" "${work}/${test}" --build-generator
            "${CMAKE_GENERATOR}" --build-options ${common} ${ARGN} --test-command "${CMAKE_CTEST_COMMAND}"
            --output-on-failure --no-tests=error)
    # It takes long: not last. (With PROCESSORS it would wait until several are free at once, which is at the end.)
    set_tests_properties("${prefix}.${test}" PROPERTIES TIMEOUT 600 COST 100)
endfunction()

add_test(NAME "${prefix}.install" COMMAND "${CMAKE_COMMAND}" --install "${PROJECT_BINARY_DIR}" --prefix "${work}/installed")
set_tests_properties("${prefix}.install" PROPERTIES FIXTURES_SETUP heeler_installed)

set(brief ON)
if(HEELER_TEST_PACKAGING)
    set(brief OFF)
endif()
heeler_add_consumer(find_package find_package "-DCMAKE_PREFIX_PATH=${work}/installed" -DBRIEF=${brief})
set_tests_properties("${prefix}.find_package" PROPERTIES FIXTURES_REQUIRED heeler_installed)
if(TARGET heeler_c)
    # Without what the headers of C++ need.
    heeler_add_consumer(c c "-DCMAKE_PREFIX_PATH=${work}/installed" -DCMAKE_DISABLE_FIND_PACKAGE_tl-expected=ON)
    set_tests_properties("${prefix}.c" PROPERTIES FIXTURES_REQUIRED heeler_installed)
endif()

if(NOT HEELER_TEST_PACKAGING)
    return()
endif()

heeler_add_consumer(add_subdirectory add_subdirectory "-DHEELER_SOURCE=${PROJECT_SOURCE_DIR}" "-DHEELER_WITH_HTTP=${HEELER_WITH_HTTP}" "-DEXPECT_SQLITE=${HEELER_WITH_SQLITE}")
# What the linker says of halves that do not fit is the same with any flags.
heeler_add_consumer(no_exceptions add_subdirectory "-DHEELER_SOURCE=${PROJECT_SOURCE_DIR}" -DCMAKE_CXX_FLAGS=-fno-exceptions
                    -DBRIEF=ON)
heeler_add_consumer(no_rtti add_subdirectory "-DHEELER_SOURCE=${PROJECT_SOURCE_DIR}" -DCMAKE_CXX_FLAGS=-fno-rtti -DBRIEF=ON)
# Only two headers about metrics need fmt.
heeler_add_consumer(fetch_content fetch_content "-DHEELER_SOURCE=${PROJECT_SOURCE_DIR}" -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON)
heeler_add_consumer(shared_library shared_library "-DHEELER_SOURCE=${PROJECT_SOURCE_DIR}")

# Every compiler that is there takes every header, and the newer standard. Of the older one this build's own has compiled them all
# (heeler_odr), with the same warnings.
file(REAL_PATH "${CMAKE_CXX_COMPILER}" own_compiler)
foreach(compiler IN ITEMS g++-12 g++-13 g++-14 clang++-14 clang++-15 clang++-16 clang++-17 clang++-18 clang++-19)
    find_program(HEELER_OTHER_${compiler} ${compiler} DOC "A compiler that must take the headers")
    mark_as_advanced(HEELER_OTHER_${compiler})
    set(standards c++20 c++2b)
    if(HEELER_OTHER_${compiler})
        file(REAL_PATH "${HEELER_OTHER_${compiler}}" real_compiler)
        if(real_compiler STREQUAL own_compiler AND TARGET heeler_test_core AND HEELER_TEST_ODR)
            set(standards c++2b)
        endif()
    endif()
    foreach(standard IN LISTS standards)
        if(HEELER_OTHER_${compiler})
            add_test(NAME "${prefix}.compiler.${compiler}.${standard}"
                     COMMAND "${HEELER_OTHER_${compiler}}" -std=${standard} -Wall -Wextra -Wpedantic
                             -Wconversion -Wshadow -Werror -fsyntax-only -I "${include_dir}" -I
                             "${PROJECT_BINARY_DIR}/tests/odr" -isystem /usr/include/postgresql
                             "${CMAKE_CURRENT_SOURCE_DIR}/odr_again.cpp")
            set_tests_properties("${prefix}.compiler.${compiler}.${standard}" PROPERTIES TIMEOUT 600 COST 100)
        endif()
    endforeach()
endforeach()

# The tools that alerts name are installed with the rest, where they were built.
foreach(tool IN ITEMS ctl supervise)
    if(TARGET heeler-${tool})
        add_test(NAME "${prefix}.installed_${tool}" COMMAND "${work}/installed/bin/heeler-${tool}" --help)
        set_tests_properties("${prefix}.installed_${tool}" PROPERTIES FIXTURES_REQUIRED heeler_installed TIMEOUT 60)
    endif()
endforeach()

# Moved elsewhere, to a path with a space, it is found as well, also by those who build without CMake.
add_test(NAME "${prefix}.move" COMMAND "${CMAKE_COMMAND}" -E copy_directory "${work}/installed" "${work}/moved there")
set_tests_properties("${prefix}.move" PROPERTIES FIXTURES_REQUIRED heeler_installed FIXTURES_SETUP heeler_moved)
heeler_add_consumer(moved find_package "-DCMAKE_PREFIX_PATH=${work}/moved there" -DBRIEF=ON)
set_tests_properties("${prefix}.moved" PROPERTIES FIXTURES_REQUIRED heeler_moved)
add_test(NAME "${prefix}.pkg_config"
         COMMAND bash "${consumer}/pkg_config.sh" "${CMAKE_CXX_COMPILER}" "${work}/moved there/share/pkgconfig" "${work}")
set_tests_properties("${prefix}.pkg_config" PROPERTIES FIXTURES_REQUIRED heeler_moved TIMEOUT 600)

# Asked for something that is not there, the package says what; of a library, also who has it.
foreach(wanted IN ITEMS "component;-DCOMPONENT=telepathy;without its component 'telepathy'"
                        "library;-DCMAKE_DISABLE_FIND_PACKAGE_simdjson=ON;apt install libsimdjson-dev"
                        "version;-DVERSION=99.0;version: 99.0|version \"99.0\"")
    list(GET wanted 0 name)
    list(GET wanted 1 argument)
    list(GET wanted 2 message)
    add_test(NAME "${prefix}.unknown_${name}"
             COMMAND "${CMAKE_COMMAND}" -S "${consumer}/find_package" -B "${work}/unknown_${name}" -G "${CMAKE_GENERATOR}"
                     ${common} "-DCMAKE_PREFIX_PATH=${work}/installed" "${argument}")
    set_tests_properties("${prefix}.unknown_${name}" PROPERTIES PASS_REGULAR_EXPRESSION "${message}" FIXTURES_REQUIRED
                                                                heeler_installed)
endforeach()

find_program(HEELER_CONAN conan DOC "Conan 2, for the test of the recipe")
find_program(HEELER_C_COMPILER cc DOC "A compiler of C, for the same")
mark_as_advanced(HEELER_CONAN HEELER_C_COMPILER)
add_test(NAME "${prefix}.conan"
         COMMAND "${CMAKE_COMMAND}" -D "CONAN=${HEELER_CONAN}" -D "ROOT=${PROJECT_SOURCE_DIR}" -D "HOME=${work}/conan" -D
                 "VERSION=${PROJECT_VERSION}" -D "CC=${HEELER_C_COMPILER}" -D "CCACHE=${HEELER_CCACHE}" -P
                 "${CMAKE_CURRENT_SOURCE_DIR}/cmake/conan.cmake")
set_tests_properties("${prefix}.conan" PROPERTIES TIMEOUT 1200 SKIP_REGULAR_EXPRESSION "heeler: skipped")

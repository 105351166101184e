# Tests that read the sources and the pages: layers, fields in place of texts and orders, sizes, what the pages must say,
# preprocessed lines, format.

set(scripts "${CMAKE_CURRENT_SOURCE_DIR}/cmake")
set(prefix "${HEELER_TEST_PREFIX}sources")

add_test(NAME "${prefix}.layers" COMMAND "${CMAKE_COMMAND}" -D "ROOT=${include_dir}/heeler" -P "${scripts}/layers.cmake")
add_test(NAME "${prefix}.layers_test_can_fail"
         COMMAND "${CMAKE_COMMAND}" -D "ROOT=${CMAKE_CURRENT_SOURCE_DIR}/layering/bad/heeler" -D
                 "EXPECTED=${CMAKE_CURRENT_SOURCE_DIR}/layering/expected.txt" -P "${scripts}/layers.cmake")
add_test(NAME "${prefix}.fields" COMMAND "${CMAKE_COMMAND}" -D "ROOT=${include_dir}/heeler" -P "${scripts}/fields.cmake")
add_test(NAME "${prefix}.fields_test_can_fail"
         COMMAND "${CMAKE_COMMAND}" -D "ROOT=${CMAKE_CURRENT_SOURCE_DIR}/fields/bad/heeler" -D
                 "EXPECTED=${CMAKE_CURRENT_SOURCE_DIR}/fields/expected.txt" -P "${scripts}/fields.cmake")
add_test(NAME "${prefix}.sizes" COMMAND "${CMAKE_COMMAND}" -D "ROOT=${include_dir}/heeler" -P "${scripts}/sizes.cmake")

add_test(NAME "${prefix}.test_names" COMMAND "${CMAKE_COMMAND}" -D "ROOT=${CMAKE_CURRENT_SOURCE_DIR}" -P
                                             "${scripts}/test_names.cmake")

add_test(NAME "${prefix}.seeded_bugs" COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/sim/bugs.sh" --check)

# tests/run.sh lets a log of ctest pass by this.
add_test(NAME "${prefix}.no_skips" COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/support/no_skips_check.sh")

add_test(NAME "${prefix}.versions" COMMAND "${CMAKE_COMMAND}" -D "ROOT=${PROJECT_SOURCE_DIR}" -D
                                           "VERSION=${PROJECT_VERSION}" -P "${scripts}/versions.cmake")

add_test(NAME "${prefix}.anchors" COMMAND "${CMAKE_COMMAND}" -D "ROOT=${PROJECT_SOURCE_DIR}" -P "${scripts}/anchors.cmake")
add_test(NAME "${prefix}.pages" COMMAND "${CMAKE_COMMAND}" -D "ROOT=${PROJECT_SOURCE_DIR}" -P "${scripts}/pages.cmake")
add_test(NAME "${prefix}.pages_test_can_fail"
         COMMAND "${CMAKE_COMMAND}" -D "ROOT=${CMAKE_CURRENT_SOURCE_DIR}/readmes/bad" -D
                 "EXPECTED=${CMAKE_CURRENT_SOURCE_DIR}/readmes/expected.txt" -P "${scripts}/pages.cmake")
add_test(NAME "${prefix}.numbers" COMMAND "${CMAKE_COMMAND}" -D "ROOT=${PROJECT_SOURCE_DIR}" -P "${scripts}/numbers.cmake")
add_test(NAME "${prefix}.numbers_test_can_fail"
         COMMAND "${CMAKE_COMMAND}" -D "ROOT=${CMAKE_CURRENT_SOURCE_DIR}/numbers/bad" -D
                 "EXPECTED=${CMAKE_CURRENT_SOURCE_DIR}/numbers/expected.txt" -P "${scripts}/numbers.cmake")
add_test(NAME "${prefix}.setting_names" COMMAND "${CMAKE_COMMAND}" -D "ROOT=${PROJECT_SOURCE_DIR}" -P
                                                "${scripts}/setting_names.cmake")
add_test(NAME "${prefix}.options" COMMAND "${CMAKE_COMMAND}" -D "ROOT=${PROJECT_SOURCE_DIR}" -P
                                          "${scripts}/options.cmake")
add_test(NAME "${prefix}.detectors" COMMAND "${CMAKE_COMMAND}" -D "ROOT=${PROJECT_SOURCE_DIR}" -P
                                            "${scripts}/detectors.cmake")
add_test(NAME "${prefix}.reports" COMMAND "${CMAKE_COMMAND}" -D "ROOT=${PROJECT_SOURCE_DIR}" -P
                                          "${scripts}/reports.cmake")
add_test(NAME "${prefix}.vcpkg_port"
         COMMAND "${CMAKE_COMMAND}" -D "ROOT=${PROJECT_SOURCE_DIR}" -D "VERSION=${PROJECT_VERSION}" -D
                 "WORK=${CMAKE_CURRENT_BINARY_DIR}/vcpkg_port" -P "${scripts}/vcpkg_port.cmake")

find_program(HEELER_CLANG_FORMAT clang-format-14 DOC "The formatter that defines the layout of the sources")
mark_as_advanced(HEELER_CLANG_FORMAT)
add_test(NAME "${prefix}.format" COMMAND "${CMAKE_COMMAND}" -D "ROOT=${PROJECT_SOURCE_DIR}" -D
                                         "CLANG_FORMAT=${HEELER_CLANG_FORMAT}" -P "${scripts}/format.cmake")
set_tests_properties("${prefix}.format" PROPERTIES SKIP_REGULAR_EXPRESSION "heeler: skipped")

if(HEELER_TEST_PACKAGING)
    find_program(HEELER_DOXYGEN doxygen DOC "Makes the pages of types and functions")
    mark_as_advanced(HEELER_DOXYGEN)
    if(HEELER_DOXYGEN)
        add_test(NAME "${prefix}.doxygen" COMMAND "${HEELER_DOXYGEN}" cmake/Doxyfile WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    endif()
endif()

# How many lines a user's compiler reads per header. The figures hold for GCC 12's library only: GCC 13's <chrono> alone is
# larger.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12
   AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    function(heeler_add_budget lines)
        foreach(header IN LISTS ARGN)
            if(EXISTS "${header}")
                file(RELATIVE_PATH name "${include_dir}/heeler" "${header}")
                add_test(NAME "${prefix}.preprocessed_lines.${name}"
                         COMMAND "${CMAKE_COMMAND}" -D "CXX=${CMAKE_CXX_COMPILER}" -D "INCLUDE=${include_dir}" -D
                                 "EXTRA_INCLUDES=$<TARGET_PROPERTY:heeler_odr,INCLUDE_DIRECTORIES>" -D
                                 "HEADER=heeler/${name}" -D "LIMIT=${lines}" -P "${scripts}/preprocessed_lines.cmake")
            endif()
        endforeach()
    endfunction()
    set(core_headers ${heeler_core_headers})
    list(FILTER core_headers INCLUDE REGEX "/heeler/core/")
    heeler_add_budget(47200 ${core_headers})
    # Most of it is the standard library: values and results are 44,000 lines before a line of ours.
    heeler_add_budget(73600 "${include_dir}/heeler/engine/watchdog.hpp")
    heeler_add_budget(85600 "${include_dir}/heeler/heeler.hpp")

    # What the first program costs, in functions that are emitted and lines that are read.
    function(heeler_add_quickstart_budget mode functions lines)
        add_test(NAME "${prefix}.quickstart_cost.${mode}"
                 COMMAND "${CMAKE_COMMAND}" -D "CXX=${CMAKE_CXX_COMPILER}" -D "NM=${CMAKE_NM}" -D
                         "ROOT=${PROJECT_SOURCE_DIR}" -D "OBJECT=${CMAKE_CURRENT_BINARY_DIR}/quickstart_${mode}.o" -D
                         "EXTRA_INCLUDES=$<TARGET_PROPERTY:heeler_odr,INCLUDE_DIRECTORIES>" -D "FLAGS=${ARGN};${heeler_roomy}" -D
                         "FUNCTIONS=${functions}" -D "LINES=${lines}" -P "${scripts}/quickstart_cost.cmake")
        set_tests_properties("${prefix}.quickstart_cost.${mode}" PROPERTIES ENVIRONMENT CCACHE_DISABLE=1 COST 100)
    endfunction()
    heeler_add_quickstart_budget(header_only 8960 85600)
    heeler_add_quickstart_budget(compiled 1150 63350 -DHEELER_COMPILED)
endif()

# tests/fuzz/NAME_fuzz.cpp becomes a libFuzzer program (Clang with the address sanitizer) that starts from
# tests/fuzz/corpus/NAME/; what it finds stays in the build directory.

if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang" OR NOT HEELER_SANITIZE MATCHES "address")
    return()
endif()

set(HEELER_FUZZ_FLAGS -O1 CACHE STRING "What fuzz targets are compiled with: optimised, they try more")

file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/*_fuzz.cpp)
heeler_leave_out_unbuilt(fuzz_sources)
if(NOT TARGET heeler-serve)
    list(FILTER fuzz_sources EXCLUDE REGEX "/protocol_fuzz\\.cpp$")
endif()
foreach(source IN LISTS fuzz_sources)
    get_filename_component(name "${source}" NAME_WE)
    string(REGEX REPLACE "_fuzz$" "" name "${name}")
    add_executable(heeler_fuzz_${name} "${source}")
    target_include_directories(heeler_fuzz_${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
    target_link_libraries(heeler_fuzz_${name} PRIVATE heeler_everything)
    target_compile_options(heeler_fuzz_${name} PRIVATE -fsanitize=fuzzer ${HEELER_FUZZ_FLAGS})
    target_link_options(heeler_fuzz_${name} PRIVATE -fsanitize=fuzzer)

    if(name STREQUAL "protocol") # of heeler-serve
        target_link_libraries(heeler_fuzz_${name} PRIVATE heeler_tools_command_lines heeler_tools_store
                                                          heeler_tools_channels)
    endif()

    set(found "${CMAKE_CURRENT_BINARY_DIR}/fuzz/${name}")
    file(MAKE_DIRECTORY "${found}")
    set(corpus "")
    foreach(candidate IN ITEMS "${name}_fuzz" "${name}")
        if(IS_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${candidate}")
            set(corpus "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${candidate}")
        endif()
    endforeach()
    add_test(NAME "fuzz.${name}" COMMAND heeler_fuzz_${name} -max_total_time=${HEELER_FUZZ_SECONDS} -timeout=10
                                         -print_final_stats=1 "-artifact_prefix=${found}/" "${found}" ${corpus})
    math(EXPR limit "${HEELER_FUZZ_SECONDS} + 120")
    set_tests_properties("fuzz.${name}" PROPERTIES TIMEOUT ${limit} LABELS fuzz)
endforeach()

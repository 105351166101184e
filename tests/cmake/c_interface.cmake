# The C interface, as C and as other languages meet it: programs that know heeler/c/heeler.h and the shared library alone.

set(prefix "${HEELER_TEST_PREFIX}c")
set(folder "${CMAKE_CURRENT_SOURCE_DIR}/c")

# The compiler of the build takes them as C99, so that its sanitizers are the library's.
function(heeler_add_c_program target source)
    set_source_files_properties("${source}" PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c;-std=c99")
    add_executable(${target} "${source}")
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS ON) # or CMake names a standard of C++
    target_link_libraries(${target} PRIVATE heeler_c heeler_development Threads::Threads)
endfunction()

# heeler_add_c_test(NAME COMMAND...): with a folder of its own as the last argument.
function(heeler_add_c_test name)
    add_test(NAME "${prefix}.${name}" COMMAND bash "${folder}/in_folder.sh" ${ARGN})
    set_tests_properties("${prefix}.${name}" PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
endfunction()

heeler_add_c_program(heeler_c_program c/program.c)
heeler_add_c_test(program "$<TARGET_FILE:heeler_c_program>")

if(TARGET heeler_postgres)
    add_test(NAME "${prefix}.program on PostgreSQL" COMMAND bash "${folder}/on_postgres.sh" "$<TARGET_FILE:heeler_c_program>")
    set_tests_properties("${prefix}.program on PostgreSQL" PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()

add_executable(heeler_c_throwing c/throwing.cpp)
target_link_libraries(heeler_c_throwing PRIVATE heeler_c heeler_header_only)
heeler_add_c_test(throwing "$<TARGET_FILE:heeler_c_throwing>")

# Python itself has no sanitizers.
if(NOT HEELER_SANITIZE)
    find_program(HEELER_PYTHON3 python3 DOC "Python, for the test of the C interface")
    mark_as_advanced(HEELER_PYTHON3)
    if(HEELER_PYTHON3)
        heeler_add_c_test(ctypes "${HEELER_PYTHON3}" "${folder}/ctypes_host.py" "$<TARGET_FILE:heeler_c>")
        if(TARGET heeler-replay)
            add_test(NAME "${prefix}.scenarios" COMMAND "${HEELER_PYTHON3}" "${folder}/scenarios.py" "$<TARGET_FILE:heeler_c>")
            set_tests_properties("${prefix}.scenarios" PROPERTIES TIMEOUT 300 ENVIRONMENT
                                                                  "HEELER_BIN=${PROJECT_BINARY_DIR}/examples")
        endif()
    endif()
    add_test(NAME "${prefix}.symbols" COMMAND "${CMAKE_COMMAND}" -D "NM=${CMAKE_NM}" -D "LIBRARY=$<TARGET_FILE:heeler_c>" -D
                                              "HEADER=${include_dir}/heeler/c/heeler.h" -P
                                              "${CMAKE_CURRENT_SOURCE_DIR}/cmake/c_symbols.cmake")
endif()

# The program of its page, as it stands there.
set(page "include/heeler/c/README.md")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${page}")
file(READ "${PROJECT_SOURCE_DIR}/${page}" text)
if(NOT text MATCHES "```c\n([^`]*)```")
    message(FATAL_ERROR "${page} has no program in C")
endif()
set(c_program "${CMAKE_MATCH_1}")
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/readme/first_program.c" CONTENT "@c_program@" @ONLY)
heeler_add_c_program(heeler_c_readme "${CMAKE_CURRENT_BINARY_DIR}/readme/first_program.c")
add_test(NAME "${prefix}.readme" COMMAND heeler_c_readme)
set_tests_properties("${prefix}.readme" PROPERTIES PASS_REGULAR_EXPRESSION "LOOP_DETECTED" TIMEOUT 60)

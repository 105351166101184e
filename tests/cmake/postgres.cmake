# A PostgreSQL server for the tests that are marked [postgres]: started before the first of them, stopped after the last.
# Where none is installed, these tests say that they were skipped. Sets `postgres_properties`.

set(postgres_properties "")
if(NOT HEELER_WITH_POSTGRES)
    return()
endif()

file(GLOB postgres_bins /usr/lib/postgresql/*/bin)
list(SORT postgres_bins COMPARE NATURAL ORDER DESCENDING)
find_program(HEELER_INITDB initdb HINTS ${postgres_bins} DOC "PostgreSQL's initdb, for a server of the tests")
mark_as_advanced(HEELER_INITDB)
if(NOT HEELER_INITDB)
    message(STATUS "heeler: no PostgreSQL server is installed (apt install postgresql): its tests are skipped")
    return()
endif()

# The path must be short, and another user must reach it: PostgreSQL does not run as root.
string(SHA1 postgres_hash "${PROJECT_BINARY_DIR}")
string(SUBSTRING "${postgres_hash}" 0 12 postgres_hash)
set(postgres_dir "/tmp/heeler-postgres-${postgres_hash}")
set(postgres_fixture "heeler_postgres_${HEELER_TEST_PREFIX}")
get_filename_component(postgres_bin "${HEELER_INITDB}" DIRECTORY)
foreach(step IN ITEMS start remove)
    set(test "${HEELER_TEST_PREFIX}postgres.${step}")
    add_test(NAME "${test}" COMMAND bash "${CMAKE_CURRENT_LIST_DIR}/../support/postgres_server.sh" ${step}
                                    "${postgres_dir}")
    set_tests_properties("${test}" PROPERTIES TIMEOUT 600 ENVIRONMENT "HEELER_POSTGRES_BIN=${postgres_bin}") # tens of thousands of files
endforeach()
set_tests_properties("${HEELER_TEST_PREFIX}postgres.start" PROPERTIES FIXTURES_SETUP "${postgres_fixture}" DEPENDS
                                                                          "${before_all_else}")
set_tests_properties("${HEELER_TEST_PREFIX}postgres.remove" PROPERTIES FIXTURES_CLEANUP "${postgres_fixture}")
set(postgres_properties ENVIRONMENT "HEELER_POSTGRES=${postgres_dir}" FIXTURES_REQUIRED "${postgres_fixture}")

# Every row of heeler_bench can be measured. How fast anything is, no test says.

if(NOT HEELER_BUILD_BENCHMARKS)
    return()
endif()

set(test "${HEELER_TEST_PREFIX}benchmark.every_row")
set(rows 24)
set(server "")
if(HEELER_WITH_SQLITE)
    math(EXPR rows "${rows} + 1")
endif()
if(postgres_properties)
    math(EXPR rows "${rows} + 1")
    set(server "--postgres=host=${postgres_dir} dbname=postgres user=heeler")
endif()
add_test(NAME "${test}" COMMAND heeler_bench --quick ${server})
set_tests_properties("${test}" PROPERTIES TIMEOUT 120 LABELS benchmark PASS_REGULAR_EXPRESSION "\n${rows} rows, measured"
                                          ${postgres_properties})

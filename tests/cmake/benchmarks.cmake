# Every row of heeler_bench can be measured. How fast anything is, no test says. How well loops are found, a small set of
# made-up runs says; tests/run.sh --full asks the large one.

if(NOT HEELER_BUILD_BENCHMARKS)
    return()
endif()

set(test "${HEELER_TEST_PREFIX}benchmark.every_row")
set(rows 33)
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

if(TARGET heeler_json)
    set(prefix "${HEELER_TEST_PREFIX}detection")
    add_test(NAME "${prefix}.goals_on_made_up_runs" COMMAND heeler_detection --generated --quick)
    set_tests_properties("${prefix}.goals_on_made_up_runs" PROPERTIES TIMEOUT 120 LABELS benchmark)

    # Two recordings with labels: one agent asks the same three times more than a person would, one reads on.
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/recordings")
    set(stuck "{\"type\": \"run\", \"id\": \"stuck\"}\n")
    set(busy "{\"type\": \"run\", \"id\": \"busy\"}\n")
    foreach(i RANGE 1 6)
        foreach(run stuck busy)
            set(page 1)
            if(run STREQUAL "busy")
                set(page ${i})
            endif()
            string(APPEND ${run} "{\"type\": \"tool_call\", \"name\": \"read_page\", \"args\": {\"page\": ${page}}, \"t\": ${i}}\n"
                                 "{\"type\": \"tool_result\", \"ok\": true, \"output\": \"what stands on page ${page}\"}\n")
        endforeach()
    endforeach()
    file(CONFIGURE OUTPUT "${folder}/runs/own/stuck.jsonl" CONTENT "${stuck}" @ONLY)
    file(CONFIGURE OUTPUT "${folder}/runs/own/busy.jsonl" CONTENT "${busy}" @ONLY)
    file(CONFIGURE OUTPUT "${folder}/labels.jsonl" @ONLY CONTENT
"{\"id\": \"stuck\", \"source\": \"own\", \"loop\": true, \"first_event\": 4, \"kind\": \"identical\"}
{\"id\": \"busy\", \"source\": \"own\", \"loop\": false, \"first_event\": null, \"kind\": \"legit_pagination\"}
")
    add_test(NAME "${prefix}.recordings" COMMAND heeler_detection "${folder}")
    set_tests_properties("${prefix}.recordings" PROPERTIES TIMEOUT 60 LABELS benchmark PASS_REGULAR_EXPRESSION
        "2 runs, 24 lines; 2 labelled with certainty, of these 1 loops.*recommended +. 1.00 .* 1.00 .*kind identical +1 loops, found +1")
endif()

# Every tests/scenarios/NAME.jsonl with its NAME.expect.jsonl is replayed on each store and compared. The feature rows that
# it proves stand in the first line of the expect file and become part of the test's name.

if(NOT TARGET heeler-replay OR NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/support/scenario_check.cpp")
    return()
endif()

add_executable(heeler_scenario_check support/scenario_check.cpp)
target_include_directories(heeler_scenario_check PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(heeler_scenario_check PRIVATE heeler_everything)

set(stores memory)
if(HEELER_WITH_SQLITE)
    list(APPEND stores sqlite)
endif()
if(postgres_properties)
    list(APPEND stores postgres)
endif()

set(HEELER_SCENARIO_STORES "" CACHE STRING "Stores to replay the scenarios on; empty: all that are built")
if(HEELER_SCENARIO_STORES)
    foreach(store IN LISTS stores)
        if(NOT store IN_LIST HEELER_SCENARIO_STORES)
            list(REMOVE_ITEM stores ${store})
        endif()
    endforeach()
endif()

# What a watchdog makes of an agent does not depend on its store. What starts again, dies, loses its store, writes several
# changes at once or is decided by a person does.
option(HEELER_SCENARIOS_ALL_ON_POSTGRES "Replay on PostgreSQL also the scenarios that are not about what is stored" ON)
set(about_what_is_stored "\"type\": *\"(restart|crash|store|batch|decide)\"")

file(GLOB expectations CONFIGURE_DEPENDS scenarios/*.expect.jsonl)
foreach(expected IN LISTS expectations)
    string(REGEX REPLACE "\\.expect\\.jsonl$" ".jsonl" scenario "${expected}")
    if(NOT EXISTS "${scenario}")
        message(FATAL_ERROR "${expected} has no scenario beside it: ${scenario} is missing")
    endif()
    file(STRINGS "${expected}" about LIMIT_COUNT 1)
    string(REGEX MATCHALL "M-[0-9]+" rows "${about}")
    list(JOIN rows " " shown)
    if(shown)
        set(shown " (${shown})")
    endif()
    get_filename_component(name "${scenario}" NAME_WLE)
    file(STRINGS "${scenario}" stored REGEX "${about_what_is_stored}" LIMIT_COUNT 1)
    foreach(store IN LISTS stores)
        if(store STREQUAL "postgres" AND NOT stored AND NOT HEELER_SCENARIOS_ALL_ON_POSTGRES)
            continue()
        endif()
        set(test "${HEELER_TEST_PREFIX}scenario.${name}.${store}${shown}")
        add_test(NAME "${test}" COMMAND heeler_scenario_check $<TARGET_FILE:heeler-replay> "${scenario}" "${expected}"
                                        ${store})
        set_tests_properties("${test}" PROPERTIES TIMEOUT 600 LABELS "scenario;${rows}")
        if(name STREQUAL "A-109-a-day-of-five-presets") # the longest: not last
            set_tests_properties("${test}" PROPERTIES COST 50)
        endif()
        if(store STREQUAL "postgres")
            set_tests_properties("${test}" PROPERTIES ${postgres_properties})
        endif()
    endforeach()
endforeach()

# A scenario without an expectation would silently prove nothing.
file(GLOB scenarios CONFIGURE_DEPENDS scenarios/*.jsonl)
list(FILTER scenarios EXCLUDE REGEX "\\.expect\\.jsonl$")
foreach(scenario IN LISTS scenarios)
    string(REGEX REPLACE "\\.jsonl$" ".expect.jsonl" expected "${scenario}")
    if(NOT expected IN_LIST expectations)
        message(FATAL_ERROR "${scenario} has no expectation beside it: ${expected} is missing")
    endif()
endforeach()

# Many simulated worlds (tests/sim), lived by a program that is compiled for nothing else: optimised and header-only, so
# that it shares no object with programs that are not. With a sanitizer the few worlds of heeler_test_sim are enough.
set(world_sources many_worlds story world faults agents promises words scenario report)
list(TRANSFORM world_sources REPLACE "(.+)" "sim/\\1.cpp")
add_executable(heeler_sim_worlds ${world_sources})
set_target_properties(heeler_sim_worlds PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
target_include_directories(heeler_sim_worlds PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(heeler_sim_worlds PRIVATE heeler_header_only)
target_compile_options(heeler_sim_worlds PRIVATE $<IF:$<CONFIG:Release>,-O3,-O1>)

# So many in the ordinary tests, on as many processors as there are.
set(worlds 10000)
set(parts 4)
math(EXPR count "${worlds} / ${parts}")
foreach(part RANGE 1 ${parts})
    math(EXPR from "(${part} - 1) * ${count} + 1")
    set(test "${HEELER_TEST_PREFIX}sim.worlds_${part}of${parts}")
    add_test(NAME "${test}" COMMAND heeler_sim_worlds ${from} ${count} 1)
    set_tests_properties("${test}" PROPERTIES TIMEOUT 600)
endforeach()

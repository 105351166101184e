# The same two sources as a program header-only, and as one on the library compiled once; and, if somebody asks for it, one
# half each, which must not link.
enable_testing()
set(main "${CMAKE_CURRENT_LIST_DIR}/main.cpp")
set(rules "${CMAKE_CURRENT_LIST_DIR}/rules.cpp")

add_executable(consumer "${main}" "${rules}")
target_link_libraries(consumer PRIVATE heeler::heeler)
add_test(NAME header_only COMMAND consumer)

if(TARGET heeler::compiled)
    add_executable(consumer_compiled "${main}" "${rules}")
    target_link_libraries(consumer_compiled PRIVATE heeler::compiled)
    add_test(NAME compiled COMMAND consumer_compiled)

    add_library(half_header_only OBJECT EXCLUDE_FROM_ALL "${main}")
    target_link_libraries(half_header_only PRIVATE heeler::heeler)
    add_library(half_compiled OBJECT EXCLUDE_FROM_ALL "${rules}")
    target_link_libraries(half_compiled PRIVATE heeler::compiled)
    add_executable(mixed EXCLUDE_FROM_ALL $<TARGET_OBJECTS:half_header_only> $<TARGET_OBJECTS:half_compiled>)
    target_link_libraries(mixed PRIVATE heeler::compiled)
    add_test(NAME mixed COMMAND "${CMAKE_COMMAND}" --build "${CMAKE_BINARY_DIR}" --target mixed)
    set_tests_properties(mixed PROPERTIES PASS_REGULAR_EXPRESSION
                                          "undefined (reference|symbol)[^\n]*acts_on_loops\\(heeler::v0::RunClass")
endif()

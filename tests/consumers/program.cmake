# The same two sources as a program header-only, and as one on the library compiled once; and, if somebody asks for it, one
# half each, which must not link; and as two sources without that library, one of which holds the implementation. Each half
# is compiled once. With heeler::http also a program that has a channel. BRIEF leaves out all but the first three.
enable_testing()
foreach(half IN ITEMS main rules)
    add_library(${half}_header_only OBJECT "${CMAKE_CURRENT_LIST_DIR}/${half}.cpp")
    target_link_libraries(${half}_header_only PRIVATE heeler::heeler)
endforeach()
add_executable(consumer $<TARGET_OBJECTS:main_header_only> $<TARGET_OBJECTS:rules_header_only>)
target_link_libraries(consumer PRIVATE heeler::heeler)
add_test(NAME header_only COMMAND consumer)

if(TARGET heeler::compiled)
    foreach(half IN ITEMS main rules)
        add_library(${half}_compiled OBJECT "${CMAKE_CURRENT_LIST_DIR}/${half}.cpp")
        target_link_libraries(${half}_compiled PRIVATE heeler::compiled)
    endforeach()
    add_executable(consumer_compiled $<TARGET_OBJECTS:main_compiled> $<TARGET_OBJECTS:rules_compiled>)
    target_link_libraries(consumer_compiled PRIVATE heeler::compiled)
    add_test(NAME compiled COMMAND consumer_compiled)

    add_executable(mixed EXCLUDE_FROM_ALL $<TARGET_OBJECTS:main_header_only> $<TARGET_OBJECTS:rules_compiled>)
    target_link_libraries(mixed PRIVATE heeler::compiled)
    add_test(NAME mixed COMMAND "${CMAKE_COMMAND}" --build "${CMAKE_BINARY_DIR}" --target mixed)
    set_tests_properties(mixed PROPERTIES PASS_REGULAR_EXPRESSION
                                          "undefined (reference|symbol)[^\n]*acts_on_loops\\(heeler::v0::RunClass")
endif()

if(BRIEF)
    return()
endif()

# Who forgets the implementation reads in the linker's first error what to write.
add_library(rules_declared OBJECT "${CMAKE_CURRENT_LIST_DIR}/rules.cpp")
add_library(main_declared OBJECT EXCLUDE_FROM_ALL "${CMAKE_CURRENT_LIST_DIR}/main.cpp")
add_library(main_implemented OBJECT "${CMAKE_CURRENT_LIST_DIR}/main.cpp")
foreach(half IN ITEMS rules_declared main_declared main_implemented)
    target_link_libraries(${half} PRIVATE heeler::heeler)
    target_compile_definitions(${half} PRIVATE HEELER_DECLARATIONS)
endforeach()
target_compile_definitions(main_implemented PRIVATE HEELER_IMPLEMENTATION)
add_executable(consumer_implemented $<TARGET_OBJECTS:main_implemented> $<TARGET_OBJECTS:rules_declared>)
target_link_libraries(consumer_implemented PRIVATE heeler::heeler)
add_test(NAME implemented COMMAND consumer_implemented)
add_executable(forgotten EXCLUDE_FROM_ALL $<TARGET_OBJECTS:main_declared> $<TARGET_OBJECTS:rules_declared>)
target_link_libraries(forgotten PRIVATE heeler::heeler)
add_test(NAME forgotten COMMAND "${CMAKE_COMMAND}" --build "${CMAKE_BINARY_DIR}" --target forgotten)
set_tests_properties(forgotten PROPERTIES PASS_REGULAR_EXPRESSION
                                          "undefined (reference|symbol)[^\n]*heeler::v0_needs_HEELER_IMPLEMENTATION::")

if(TARGET heeler::http)
    add_executable(consumer_http "${CMAKE_CURRENT_LIST_DIR}/channel.cpp")
    target_link_libraries(consumer_http PRIVATE heeler::http)
    add_test(NAME http COMMAND consumer_http)
endif()

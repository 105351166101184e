# heeler::c: a shared library for C and for what can call C. It holds all that it needs of heeler, and shows the functions of
# heeler/c/heeler.h alone. Who links it needs nothing of C++.
if(NOT HEELER_WITH_SQLITE OR NOT HEELER_WITH_JSON)
    message(FATAL_ERROR "heeler::c needs HEELER_WITH_SQLITE and HEELER_WITH_JSON, or set HEELER_WITH_C=OFF")
endif()
file(GLOB sources CONFIGURE_DEPENDS "${include_dir}/heeler/c/*.cpp")
add_library(heeler_c SHARED ${sources})
add_library(heeler::c ALIAS heeler_c)
target_sources(heeler_c PUBLIC FILE_SET HEADERS BASE_DIRS "${include_dir}" FILES "${include_dir}/heeler/c/heeler.h")
target_compile_definitions(heeler_c PRIVATE "HEELER_C_VERSION=\"${PROJECT_VERSION}\"")
set_target_properties(
    heeler_c
    PROPERTIES EXPORT_NAME c
               VERSION ${PROJECT_VERSION}
               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON)
target_link_libraries(heeler_c PRIVATE $<BUILD_INTERFACE:heeler_compiled> $<BUILD_INTERFACE:heeler_sqlite>
                                       $<BUILD_INTERFACE:heeler_json>)
if(TARGET heeler_postgres)
    target_compile_definitions(heeler_c PRIVATE HEELER_HAS_POSTGRES)
    target_link_libraries(heeler_c PRIVATE $<BUILD_INTERFACE:heeler_postgres>)
endif()
# Templates of the standard library would be seen else.
target_link_options(heeler_c PRIVATE "LINKER:--version-script=${CMAKE_CURRENT_LIST_DIR}/heeler-c.map")
set_target_properties(heeler_c PROPERTIES LINK_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/heeler-c.map")

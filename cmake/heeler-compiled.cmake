# heeler::compiled: the library as a static library that this build compiles once, with its own flags. For more than one
# source file that includes heeler. Sets HEELER_COMPILED for whoever links it, so that nothing can mix the two modes.
# `heeler_include_dir` is where `heeler/` is: a build sets it, a package has it beside this file's folder.
if(NOT heeler_include_dir)
    get_filename_component(heeler_include_dir "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)
endif()
if(NOT TARGET heeler_compiled)
    file(GLOB heeler_compiled_sources "${heeler_include_dir}/heeler/compiled/*.cpp")
    if(NOT heeler_compiled_sources)
        message(FATAL_ERROR "heeler::compiled: no sources in ${heeler_include_dir}/heeler/compiled")
    endif()
    add_library(heeler_compiled STATIC EXCLUDE_FROM_ALL ${heeler_compiled_sources})
    add_library(heeler::compiled ALIAS heeler_compiled)
    target_compile_definitions(heeler_compiled PUBLIC HEELER_COMPILED)
    target_link_libraries(heeler_compiled PUBLIC heeler::heeler)
    set_target_properties(heeler_compiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
endif()

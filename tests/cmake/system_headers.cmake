# heeler_stamp_system_headers(STAMP HEADERS...): STAMP becomes a header that changes whenever the compiler does, or a system
# header that one of HEADERS includes. A package manager gives new files the time at which they were packed, which is older than
# what was built of the old ones: Ninja and Make would keep a precompiled header, and the compiler refuse it or, worse, not.
# Looked at whenever CMake runs, as tests/run.sh has it do each time.

function(heeler_stamp_system_headers stamp)
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" --version OUTPUT_VARIABLE state ERROR_QUIET)
    separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS}")
    list(APPEND flags -std=c++20 "-I${CMAKE_CURRENT_SOURCE_DIR}" "-I${PROJECT_SOURCE_DIR}/include")
    foreach(target IN ITEMS Catch2::Catch2 tl::expected fmt::fmt fmt::fmt-header-only heeler::xxhash)
        if(TARGET ${target})
            get_target_property(dirs ${target} INTERFACE_INCLUDE_DIRECTORIES)
            foreach(dir IN LISTS dirs)
                if(IS_DIRECTORY "${dir}")
                    list(APPEND flags -idirafter "${dir}")
                endif()
            endforeach()
        endif()
    endforeach()
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" ${flags} -M ${ARGN} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
                    OUTPUT_VARIABLE included ERROR_QUIET)
    string(REGEX MATCHALL "/[^ \\\n]+" included "${included}")
    foreach(file IN LISTS included)
        cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${file}" ours) # those are as new as their time says
        if(ours OR NOT EXISTS "${file}")
            continue()
        endif()
        file(SIZE "${file}" size)
        file(TIMESTAMP "${file}" time "%s")
        string(APPEND state "${file} ${size} ${time}\n")
    endforeach()
    string(SHA256 state "${state}")
    # A declaration rather than a comment: ccache compares what is left of a source after the preprocessor.
    file(CONFIGURE OUTPUT "${stamp}" CONTENT "#pragma once\nstruct heeler_system_headers_${state};\n")
endfunction()

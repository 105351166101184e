# What heeler's own programs are compiled with; nothing here reaches a user of the library.

set(HEELER_SANITIZE "" CACHE STRING "Sanitizers for heeler's own programs: 'address,undefined' or 'thread'")

# Most of the time goes into the headers. Without it, each source shows that it includes what it uses.
option(HEELER_UNITY "Compile the sources of a program together" ON)

# There are no modules to look for, and Clang would need clang-scan-deps to look.
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

add_library(heeler_development INTERFACE)
target_compile_options(heeler_development INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
target_compile_definitions(heeler_development INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
# GCC spends an eighth of its time on giving back memory that most machines have.
set(heeler_roomy "")
cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY) # MiB
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND memory GREATER_EQUAL 8000)
    set(heeler_roomy --param=ggc-min-expand=100 --param=ggc-min-heapsize=524288)
    target_compile_options(heeler_development INTERFACE ${heeler_roomy})
endif()
if(HEELER_SANITIZE)
    set(sanitize -fsanitize=${HEELER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(heeler_development INTERFACE ${sanitize})
    target_link_options(heeler_development INTERFACE ${sanitize})
endif()

# The library is compiled with the same warnings and sanitizers as what uses it.
target_link_libraries(heeler_compiled PRIVATE $<BUILD_INTERFACE:heeler_development>)
if(TARGET heeler_c)
    target_link_libraries(heeler_c PRIVATE $<BUILD_INTERFACE:heeler_development>)
    set_target_properties(heeler_c PROPERTIES UNITY_BUILD ${HEELER_UNITY} UNITY_BUILD_BATCH_SIZE 0)
endif()

# A faster linker, if the compiler finds one and nobody chose another.
include(CheckLinkerFlag)
foreach(linker IN ITEMS lld mold)
    if(CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld" OR CMAKE_LINKER_TYPE)
        break()
    endif()
    check_linker_flag(CXX -fuse-ld=${linker} HEELER_LINKS_WITH_${linker})
    if(HEELER_LINKS_WITH_${linker})
        target_link_options(heeler_development INTERFACE -fuse-ld=${linker})
        break()
    endif()
endforeach()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# Everything that was built of the library, with the project's warnings: compiled once, or header-only.
add_library(heeler_header_only INTERFACE)
target_link_libraries(heeler_header_only INTERFACE heeler_development heeler Threads::Threads)
foreach(component IN LISTS heeler_components)
    target_link_libraries(heeler_header_only INTERFACE heeler_${component})
endforeach()
add_library(heeler_everything INTERFACE)
target_link_libraries(heeler_everything INTERFACE heeler_header_only heeler_compiled)

if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_CXX_EXTENSIONS OFF)
    find_program(HEELER_CCACHE ccache DOC "Compiler cache")
    mark_as_advanced(HEELER_CCACHE)
    if(HEELER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
        set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
                                        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
                                        "${HEELER_CCACHE}")
    endif()
    # It was made before.
    set_target_properties(heeler_compiled PROPERTIES CXX_COMPILER_LAUNCHER "${CMAKE_CXX_COMPILER_LAUNCHER}")
    if(TARGET heeler_c)
        set_target_properties(heeler_c PROPERTIES CXX_COMPILER_LAUNCHER "${CMAKE_CXX_COMPILER_LAUNCHER}")
    endif()
endif()

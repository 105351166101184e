# Defines heeler::xxhash: the directory of xxhash.h, used header-only, so nothing is linked. Debian ships no CMake package
# for it. Read by the build and by the installed package.
if(NOT TARGET heeler::xxhash)
    find_path(HEELER_XXHASH_INCLUDE_DIR xxhash.h DOC "Directory of xxhash.h")
    mark_as_advanced(HEELER_XXHASH_INCLUDE_DIR)
    if(HEELER_XXHASH_INCLUDE_DIR)
        add_library(heeler::xxhash INTERFACE IMPORTED GLOBAL)
        set_target_properties(heeler::xxhash PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${HEELER_XXHASH_INCLUDE_DIR}")
    endif()
endif()

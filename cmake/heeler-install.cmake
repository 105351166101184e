# Installs the headers and a CMake package with one export set per component.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir "${CMAKE_INSTALL_DATADIR}/cmake/heeler")

foreach(name IN ITEMS heeler ${heeler_components})
    set(target heeler_${name})
    set(file heeler-${name}-targets)
    if(name STREQUAL "heeler")
        set(target heeler)
        set(file heeler-targets)
    endif()
    install(TARGETS ${target} EXPORT ${file} FILE_SET HEADERS)
    install(EXPORT ${file} NAMESPACE heeler:: DESTINATION "${package_dir}")
endforeach()

# For builds without CMake: a file for the core, and one for each adapter. They are found wherever the whole is moved to.
set(pc_dir "${CMAKE_INSTALL_DATADIR}/pkgconfig")
foreach(part IN ITEMS ":" "metrics:fmt" "sqlite:sqlite3" "postgres:libpq" "json:simdjson" "http:libcurl simdjson")
    string(REGEX MATCH "^([a-z]*):(.*)$" part "${part}")
    set(pc_name heeler)
    set(pc_part "")
    set(pc_requires "${CMAKE_MATCH_2}")
    set(component "${CMAKE_MATCH_1}")
    if(component)
        if(NOT component IN_LIST heeler_components AND NOT component STREQUAL "metrics")
            continue()
        endif()
        set(pc_name "heeler-${component}")
        set(pc_part ": ${component}")
        set(pc_requires "heeler ${pc_requires}")
    endif()
    configure_file("${PROJECT_SOURCE_DIR}/cmake/heeler.pc.in" "${PROJECT_BINARY_DIR}/${pc_name}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${pc_name}.pc" DESTINATION "${pc_dir}")
endforeach()

if(HEELER_WITH_C)
    install(TARGETS heeler_c EXPORT heeler-c-targets FILE_SET HEADERS)
    install(EXPORT heeler-c-targets NAMESPACE heeler:: DESTINATION "${package_dir}")
    configure_file("${PROJECT_SOURCE_DIR}/cmake/heeler-c.pc.in" "${PROJECT_BINARY_DIR}/heeler-c.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/heeler-c.pc" DESTINATION "${pc_dir}")
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/heeler-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/heeler-config.cmake" INSTALL_DESTINATION "${package_dir}"
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/heeler-config-version.cmake" COMPATIBILITY SameMinorVersion
                                 ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/heeler-config.cmake" "${PROJECT_BINARY_DIR}/heeler-config-version.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/heeler-xxhash.cmake" "${PROJECT_SOURCE_DIR}/cmake/heeler-compiled.cmake"
        DESTINATION "${package_dir}")
# The sources of heeler::compiled, which the consumer's build compiles.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/heeler/compiled" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/heeler")
# For workers that are shell scripts, beside the header of the others.
install(FILES "${PROJECT_SOURCE_DIR}/include/heeler/agent/check_fence.sh"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/heeler/agent")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/heeler")

# The port in overlay form: it packs the working tree that it lies in. `vcpkg install heeler --overlay-ports=cmake/vcpkg`.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)
if("c" IN_LIST FEATURES)
    vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)
else()
    set(VCPKG_BUILD_TYPE release) # there is nothing to compile
endif()

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
    FEATURES
        sqlite   HEELER_WITH_SQLITE
        postgres HEELER_WITH_POSTGRES
        json     HEELER_WITH_JSON
        http     HEELER_WITH_HTTP
        c        HEELER_WITH_C
)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${FEATURE_OPTIONS}
        -DHEELER_BUILD_TESTS=OFF
        -DHEELER_BUILD_EXAMPLES=OFF
        -DHEELER_BUILD_BENCHMARKS=OFF
        -DHEELER_INSTALL=ON
)

vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/heeler)

if("c" IN_LIST FEATURES)
    # What is said of a library lies beside it; the debug build's, whose headers and other files are those of the release.
    foreach(build IN ITEMS "" "/debug")
        if(EXISTS "${CURRENT_PACKAGES_DIR}${build}/lib")
            file(MAKE_DIRECTORY "${CURRENT_PACKAGES_DIR}${build}/lib/pkgconfig")
            file(RENAME "${CURRENT_PACKAGES_DIR}${build}/share/pkgconfig/heeler-c.pc"
                 "${CURRENT_PACKAGES_DIR}${build}/lib/pkgconfig/heeler-c.pc")
        endif()
    endforeach()
    file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
    vcpkg_fixup_pkgconfig()
else()
    file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib")
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/licenses")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

# Finds what heeler stands on, and says how to install what is missing.

# Stops with the package's name in each package manager.
function(heeler_missing what apt vcpkg conan hint)
    message(
        FATAL_ERROR
            "heeler needs ${what}, which was not found. Install it with one of\n"
            "  apt install ${apt}\n"
            "  vcpkg install ${vcpkg}\n"
            "  conan install --requires=${conan}\n"
            "${hint}")
endfunction()

set(heeler_fetched FALSE)

if(HEELER_FETCH_DEPS)
    include(FetchContent)
    FetchContent_Declare(
        fmt
        GIT_REPOSITORY https://github.com/fmtlib/fmt.git
        GIT_TAG 12.1.0
        GIT_SHALLOW TRUE
        FIND_PACKAGE_ARGS 9 CONFIG)
    set(EXPECTED_BUILD_TESTS OFF)
    FetchContent_Declare(
        tl-expected
        GIT_REPOSITORY https://github.com/TartanLlama/expected.git
        GIT_TAG v1.3.1
        GIT_SHALLOW TRUE
        FIND_PACKAGE_ARGS CONFIG)
    FetchContent_MakeAvailable(fmt tl-expected)
    if(TARGET expected AND NOT TARGET tl::expected)
        add_library(tl::expected ALIAS expected)
    endif()
    if(fmt_SOURCE_DIR OR tl-expected_SOURCE_DIR)
        set(heeler_fetched TRUE)
    endif()
else()
    find_package(fmt CONFIG QUIET)
    find_package(tl-expected CONFIG QUIET)
endif()

set(fetch_hint "or configure with -DHEELER_FETCH_DEPS=ON to download it.")
if(NOT TARGET fmt::fmt AND NOT TARGET fmt::fmt-header-only)
    # Two headers need it, report/prometheus.hpp and report/metrics_text.hpp, and the programs.
    if(HEELER_BUILD_TESTS OR HEELER_BUILD_EXAMPLES OR HEELER_BUILD_BENCHMARKS)
        heeler_missing("fmt 9 or newer" libfmt-dev fmt "fmt/[>=9]" "${fetch_hint}")
    endif()
elseif(fmt_VERSION AND fmt_VERSION VERSION_LESS 9)
    heeler_missing("fmt 9 or newer (found ${fmt_VERSION})" libfmt-dev fmt "fmt/[>=9]" "${fetch_hint}")
endif()
if(NOT TARGET tl::expected)
    heeler_missing("tl::expected" libexpected-dev tl-expected "tl-expected/[>=1]" "${fetch_hint}")
endif()

include(heeler-xxhash)
if(NOT TARGET heeler::xxhash AND HEELER_FETCH_DEPS)
    FetchContent_Declare(
        heeler_xxhash
        GIT_REPOSITORY https://github.com/Cyan4973/xxHash.git
        GIT_TAG v0.8.3
        GIT_SHALLOW TRUE
        SOURCE_SUBDIR no_build)
    FetchContent_MakeAvailable(heeler_xxhash)
    set(HEELER_XXHASH_INCLUDE_DIR "${heeler_xxhash_SOURCE_DIR}" CACHE PATH "" FORCE)
    set(heeler_fetched TRUE)
    include(heeler-xxhash)
endif()
if(NOT TARGET heeler::xxhash)
    heeler_missing("xxhash.h" libxxhash-dev xxhash "xxhash/[>=0.8]" "${fetch_hint}")
endif()

if(HEELER_WITH_SQLITE)
    find_package(SQLite3 QUIET)
    if(NOT SQLite3_FOUND)
        heeler_missing("SQLite 3" libsqlite3-dev sqlite3 "sqlite3/[>=3]" "or configure with -DHEELER_WITH_SQLITE=OFF.")
    endif()
endif()
if(HEELER_WITH_POSTGRES)
    find_package(PostgreSQL QUIET)
    if(NOT TARGET PostgreSQL::PostgreSQL)
        heeler_missing("libpq" libpq-dev libpq "libpq/[>=12]" "or configure with -DHEELER_WITH_POSTGRES=OFF.")
    endif()
endif()
if(HEELER_WITH_HTTP)
    find_package(CURL QUIET)
    if(NOT TARGET CURL::libcurl)
        heeler_missing("libcurl" libcurl4-openssl-dev curl "libcurl/[>=7.69]" "or configure with -DHEELER_WITH_HTTP=OFF.")
    endif()
endif()
if(HEELER_WITH_JSON OR HEELER_WITH_HTTP)
    find_package(simdjson CONFIG QUIET)
    if(NOT TARGET simdjson::simdjson)
        heeler_missing("simdjson 3 or newer" libsimdjson-dev simdjson "simdjson/[>=3]"
                       "or configure with -DHEELER_WITH_JSON=OFF -DHEELER_WITH_HTTP=OFF.")
    endif()
endif()

# Fetched packages are in no export set, so an install of heeler could not name them.
if(heeler_fetched AND HEELER_INSTALL)
    message(STATUS "heeler: dependencies were downloaded, so there are no install rules")
    set(HEELER_INSTALL OFF)
endif()

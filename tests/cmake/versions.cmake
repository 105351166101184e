# cmake -D ROOT=dir -D VERSION=0.1.0 -P versions.cmake: what cannot read the version from config.hpp says the same.
cmake_minimum_required(VERSION 3.24)

file(READ "${ROOT}/vcpkg.json" manifest)
string(JSON in_vcpkg GET "${manifest}" version-semver)
if(NOT in_vcpkg STREQUAL VERSION)
    message(FATAL_ERROR "vcpkg.json says ${in_vcpkg}, include/heeler/config.hpp ${VERSION}")
endif()
file(READ "${ROOT}/CHANGELOG.md" changelog)
if(NOT changelog MATCHES "${VERSION}")
    message(FATAL_ERROR "CHANGELOG.md does not mention ${VERSION}")
endif()

"""A library that the system has, as a Conan package, so that heeler's is made without a remote:
`conan create . --name fmt --version 9.1.0`."""

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration

# What ConanCenter's recipe of that name gives: the package and the target for CMake, the libraries, and where its headers are
# if the compiler does not look there.
LIBRARIES = {
    "fmt": ("fmt", "fmt::fmt", ["fmt"], []),
    "tl-expected": ("tl-expected", "tl::expected", [], []),
    "xxhash": ("xxHash", "xxHash::xxhash", ["xxhash"], []),
    "sqlite3": ("SQLite3", "SQLite::SQLite3", ["sqlite3"], []),
    "libpq": ("PostgreSQL", "PostgreSQL::PostgreSQL", ["pq"], ["/usr/include/postgresql"]),
    "simdjson": ("simdjson", "simdjson::simdjson", ["simdjson"], []),
    "libcurl": ("CURL", "CURL::libcurl", ["curl"], []),
}


class SystemLibrary(ConanFile):
    package_type = "shared-library"

    def validate(self):
        if self.name not in LIBRARIES:
            raise ConanInvalidConfiguration(f"{self.name} is not one of {', '.join(LIBRARIES)}")

    def package_info(self):
        package, target, libraries, headers = LIBRARIES[self.name]
        self.cpp_info.set_property("cmake_file_name", package)
        self.cpp_info.set_property("cmake_target_name", target)
        self.cpp_info.system_libs = libraries
        self.cpp_info.includedirs = headers
        self.cpp_info.libdirs = self.cpp_info.bindirs = []

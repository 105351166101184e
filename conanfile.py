"""Conan 2 recipe: `conan create .` in this directory. Only with_c compiles something, a shared library for C."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy, load, rmdir
from conan.tools.layout import basic_layout

required_conan_version = ">=2.0"


class HeelerConan(ConanFile):
    name = "heeler"
    description = "Keeps long-running AI-agent runs moving"
    license = "MIT"
    topics = ("ai-agents", "watchdog", "supervision", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "compiled": [True, False],  # heeler::compiled, which the consumer's build compiles once, with its own flags
        "with_sqlite": [True, False],
        "with_postgres": [True, False],
        "with_json": [True, False],
        "with_http": [True, False],
        "with_c": [True, False],  # heeler::c, which needs with_sqlite and with_json
    }
    default_options = {
        "compiled": False,
        "with_sqlite": False,
        "with_postgres": False,
        "with_json": False,
        "with_http": False,
        "with_c": False,
    }
    exports_sources = "include/*", "cmake/heeler*", "CMakeLists.txt", "LICENSE"
    no_copy_source = True
    test_package_folder = "tests/consumers/conan"

    def set_version(self):
        config = load(self, os.path.join(self.recipe_folder, "include", "heeler", "config.hpp"))
        parts = [re.search(rf"#define HEELER_VERSION_{part} (\d+)", config)[1] for part in ("MAJOR", "MINOR", "PATCH")]
        self.version = ".".join(parts)

    def layout(self):
        basic_layout(self, src_folder=".")

    def configure(self):
        if self.options.with_c:
            self.package_type = "shared-library"

    def requirements(self):
        self.requires("fmt/[>=9 <13]", transitive_headers=True, transitive_libs=True)
        self.requires("tl-expected/[>=1 <2]", transitive_headers=True, transitive_libs=True)
        self.requires("xxhash/[>=0.8 <1]", transitive_headers=True, transitive_libs=True)
        if self.options.with_sqlite:
            self.requires("sqlite3/[>=3.40 <4]", transitive_headers=True, transitive_libs=True)
        if self.options.with_postgres:
            self.requires("libpq/[>=12 <19]", transitive_headers=True, transitive_libs=True)
        if self.options.with_json or self.options.with_http:
            self.requires("simdjson/[>=3 <5]", transitive_headers=True, transitive_libs=True)
        if self.options.with_http:
            self.requires("libcurl/[>=7.78 <9]", transitive_headers=True, transitive_libs=True)

    def package_id(self):
        if not self.info.options.with_c:
            self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20)
        if not self.options.with_c:
            return
        if not self.options.with_sqlite or not self.options.with_json:
            raise ConanInvalidConfiguration("with_c needs with_sqlite=True and with_json=True")
        if self.settings.os not in ("Linux", "FreeBSD"):
            raise ConanInvalidConfiguration("with_c needs a linker that reads version scripts: Linux or FreeBSD")

    def generate(self):
        if not self.options.with_c:
            return
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        for part in ("TESTS", "EXAMPLES", "BENCHMARKS"):
            toolchain.cache_variables[f"HEELER_BUILD_{part}"] = False
        for part in ("sqlite", "postgres", "json", "http", "c"):
            toolchain.cache_variables[f"HEELER_WITH_{part.upper()}"] = bool(self.options.get_safe(f"with_{part}"))
        toolchain.generate()

    def build(self):
        if self.options.with_c:
            cmake = CMake(self)
            cmake.configure()
            cmake.build()

    def package(self):
        if self.options.with_c:
            CMake(self).install()
            rmdir(self, os.path.join(self.package_folder, "share"))  # Conan's generators write what finds a package
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        # With the sources of heeler::compiled; one package serves both modes.
        for pattern in ("*.hpp", "*.cpp"):
            copy(self, pattern, os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))
        for_consumers = os.path.join(self.package_folder, "cmake")
        copy(self, "heeler-compiled.cmake", os.path.join(self.source_folder, "cmake"), for_consumers)

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "heeler")
        if self.options.compiled:
            self.cpp_info.set_property("cmake_build_modules", [os.path.join("cmake", "heeler-compiled.cmake")])
        core = self.cpp_info.components["core"]
        core.set_property("cmake_target_name", "heeler::heeler")
        core.bindirs = core.libdirs = []
        core.requires = ["fmt::fmt", "tl-expected::tl-expected", "xxhash::xxhash"]
        if self.options.with_sqlite:
            self._add_adapter("sqlite", "sqlite3::sqlite3")
        if self.options.with_postgres:
            self._add_adapter("postgres", "libpq::libpq")
        if self.options.with_json:
            self._add_adapter("json", "simdjson::simdjson")
        if self.options.with_http:
            self._add_adapter("http", "libcurl::libcurl", "simdjson::simdjson")
        if self.options.with_c:
            self._add_shared_library()

    def _add_shared_library(self):
        shared = self.cpp_info.components["c"]
        shared.set_property("cmake_target_name", "heeler::c")
        shared.set_property("pkg_config_name", "heeler-c")
        shared.libs = ["heeler_c"]
        shared.bindirs = []
        # It holds what it is made of, but for shared libraries, which a linker has to find.
        libraries = [library for library in self.dependencies.direct_host.values() if library.ref.name != "libcurl"]
        shared.requires = [
            f"{library.ref.name}::{library.ref.name}"
            for library in libraries
            if library.package_type == "shared-library"
        ]

    def _add_adapter(self, name, *libraries):
        adapter = self.cpp_info.components[name]
        adapter.set_property("cmake_target_name", f"heeler::{name}")
        adapter.includedirs = adapter.bindirs = adapter.libdirs = []
        adapter.requires = ["core", *libraries]

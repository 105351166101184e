"""Conan 2 recipe: `conan create .` in this directory."""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load
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
    }
    default_options = {
        "compiled": False,
        "with_sqlite": False,
        "with_postgres": False,
        "with_json": False,
        "with_http": False,
    }
    exports_sources = "include/*", "cmake/heeler-compiled.cmake", "LICENSE"
    no_copy_source = True
    test_package_folder = "tests/consumers/conan"

    def set_version(self):
        config = load(self, os.path.join(self.recipe_folder, "include", "heeler", "config.hpp"))
        parts = [re.search(rf"#define HEELER_VERSION_{part} (\d+)", config)[1] for part in ("MAJOR", "MINOR", "PATCH")]
        self.version = ".".join(parts)

    def layout(self):
        basic_layout(self, src_folder=".")

    def requirements(self):
        self.requires("fmt/[>=9 <13]")
        self.requires("tl-expected/[>=1 <2]")
        self.requires("xxhash/[>=0.8 <1]")
        if self.options.with_sqlite:
            self.requires("sqlite3/[>=3.40 <4]", transitive_headers=True, transitive_libs=True)
        if self.options.with_postgres:
            self.requires("libpq/[>=12 <19]", transitive_headers=True, transitive_libs=True)
        if self.options.with_json or self.options.with_http:
            self.requires("simdjson/[>=3 <5]", transitive_headers=True, transitive_libs=True)
        if self.options.with_http:
            self.requires("libcurl/[>=7.78 <9]", transitive_headers=True, transitive_libs=True)

    def package_id(self):
        self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20)

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        # With the sources of heeler::compiled; one package serves both modes.
        for pattern in ("*.hpp", "*.cpp"):
            copy(self, pattern, os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))
        copy(self, "*.cmake", os.path.join(self.source_folder, "cmake"), os.path.join(self.package_folder, "cmake"))

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

    def _add_adapter(self, name, *libraries):
        adapter = self.cpp_info.components[name]
        adapter.set_property("cmake_target_name", f"heeler::{name}")
        adapter.includedirs = adapter.bindirs = adapter.libdirs = []
        adapter.requires = ["core", *libraries]

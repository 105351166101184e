# cmake -D CONAN=conan -D ROOT=dir -D HOME=dir -D VERSION=0.1.0 -D CC=cc -D CCACHE=ccache -P conan.cmake: the recipe makes a
# package that its test_package can use, with all options that nothing is compiled for; and one that a program in C can use. All
# of it without a remote: the libraries that are needed are those of the system (tests/consumers/conan_system).
cmake_minimum_required(VERSION 3.24)

if(NOT CONAN)
    message("heeler: skipped: conan is not installed (pip install conan)")
    return()
endif()
set(ENV{CONAN_HOME} "${HOME}")
set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${CCACHE}")

# run(PROGRAM ARGUMENTS...): ends the test with what it said if it fails.
function(run)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${ROOT}" RESULT_VARIABLE status OUTPUT_VARIABLE output
                                                                       ERROR_VARIABLE output)
    list(JOIN ARGN " " shown)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${output}\n${shown} ended with ${status}")
    endif()
    message("${shown}: ok")
endfunction()
function(conan)
    run("${CONAN}" ${ARGN})
endfunction()

conan(profile detect --force)
foreach(library IN ITEMS fmt=fmt xxhash=libxxhash sqlite3=sqlite3 libpq=libpq simdjson=simdjson libcurl=libcurl tl-expected=)
    string(REGEX MATCH "^([^=]+)=(.*)$" library "${library}")
    set(name "${CMAKE_MATCH_1}")
    set(version 1.0.0) # tl-expected does not say
    if(CMAKE_MATCH_2)
        execute_process(COMMAND pkg-config --modversion "${CMAKE_MATCH_2}" OUTPUT_VARIABLE version
                        OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    endif()
    conan(create tests/consumers/conan_system --name ${name} --version ${version} --no-remote)
endforeach()
set(everything "")
foreach(part IN ITEMS sqlite postgres json http)
    list(APPEND everything -o "heeler/*:with_${part}=True")
endforeach()
conan(create . -s compiler.cppstd=20 --no-remote --build=missing ${everything} -c
      "tools.cmake.cmake_layout:test_folder=${HOME}/test")

# For C: the programs know only what Conan's generators wrote.
set(for_c -s compiler.cppstd=20 -s build_type=Debug --no-remote)
foreach(part IN ITEMS c sqlite postgres json)
    list(APPEND for_c -o "heeler/*:with_${part}=True")
endforeach()
set(found "${HOME}/for_c")
file(REMOVE_RECURSE "${found}")
file(MAKE_DIRECTORY "${found}")
conan(create . --build=missing ${for_c} --test-folder=)
# There: it writes presets where it stands.
run("${CMAKE_COMMAND}" -E chdir "${found}" "${CONAN}" install --requires=heeler/${VERSION} ${for_c} -g CMakeDeps -g CMakeToolchain
    -g PkgConfigDeps --output-folder=.)
run("${CMAKE_COMMAND}" -S tests/consumers/c -B "${found}/build" "-DCMAKE_TOOLCHAIN_FILE=${found}/conan_toolchain.cmake"
    "-DCMAKE_C_COMPILER=${CC}" -DCMAKE_BUILD_TYPE=Debug)
run("${CMAKE_COMMAND}" --build "${found}/build")
run("${CMAKE_CTEST_COMMAND}" --test-dir "${found}/build" --output-on-failure --no-tests=error)
run(bash tests/consumers/pkg_config.sh "${CC}" "${found}" "${found}" heeler-c)

# cmake -D CONAN=conan -D ROOT=dir -D HOME=dir -P conan.cmake: the recipe makes a package that its test_package can use, with all
# of its options, without a remote: the libraries that it needs are those of the system (tests/consumers/conan_system).
cmake_minimum_required(VERSION 3.24)

if(NOT CONAN)
    message("heeler: skipped: conan is not installed (pip install conan)")
    return()
endif()
set(ENV{CONAN_HOME} "${HOME}")

# conan(ARGUMENTS...): ends the test with what it said if it fails.
function(conan)
    execute_process(COMMAND "${CONAN}" ${ARGN} WORKING_DIRECTORY "${ROOT}" RESULT_VARIABLE status OUTPUT_VARIABLE output
                                                                                  ERROR_VARIABLE output)
    list(JOIN ARGN " " shown)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${output}\nconan ${shown} ended with ${status}")
    endif()
    message("conan ${shown}: ok")
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

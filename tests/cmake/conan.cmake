# cmake -D CONAN=conan -D ROOT=dir -D HOME=dir -P conan.cmake: the recipe makes a package that its test_package can use.
cmake_minimum_required(VERSION 3.24)

if(NOT CONAN)
    message("heeler: skipped: conan is not installed (pip install conan)")
    return()
endif()
set(ENV{CONAN_HOME} "${HOME}")
execute_process(COMMAND "${CONAN}" profile detect --force COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET ERROR_QUIET)
execute_process(COMMAND "${CONAN}" create . -s compiler.cppstd=20 --build=missing -c
                        "tools.cmake.cmake_layout:test_folder=${HOME}/test"
                WORKING_DIRECTORY "${ROOT}" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(status EQUAL 0)
    return()
endif()
if(output MATCHES "Unable to connect to remote|NewConnectionError|ConnectionError|Max retries exceeded")
    message("heeler: skipped: the remote with the dependencies cannot be reached")
else()
    message(FATAL_ERROR "conan create ended with ${status}")
endif()

# cmake -D PROGRAM=path -D EXPECTED=file -P run_example.cmake: the program succeeds, and prints the file if there is one.
cmake_minimum_required(VERSION 3.24)

execute_process(COMMAND "${PROGRAM}" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ended with ${status}\n${output}${errors}")
endif()
if(EXISTS "${EXPECTED}")
    file(READ "${EXPECTED}" expected)
    if(NOT output STREQUAL expected)
        message(FATAL_ERROR "${PROGRAM} printed\n${output}expected\n${expected}")
    endif()
endif()

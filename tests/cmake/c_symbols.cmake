# cmake -D NM=nm -D LIBRARY=file -D HEADER=heeler.h -P c_symbols.cmake: the shared library shows the functions of the header, and
# nothing else.
cmake_minimum_required(VERSION 3.24)

execute_process(COMMAND "${NM}" -D --defined-only "${LIBRARY}" OUTPUT_VARIABLE shown COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]+\n" shown "${shown}\n")
list(TRANSFORM shown STRIP)
list(REMOVE_ITEM shown "")
list(SORT shown)
file(READ "${HEADER}" header)
string(REPLACE ";" "" header "${header}")
string(REGEX MATCHALL "HEELER_API [^(]*heeler_[a-z_]+\\(" declared "${header}")
list(TRANSFORM declared REPLACE "^.*(heeler_[a-z_]+)\\($" "\\1")
list(SORT declared)
if(NOT "${shown}" STREQUAL "${declared}" OR NOT declared)
    list(JOIN shown "\n  " shown)
    list(JOIN declared "\n  " declared)
    message(FATAL_ERROR "the library shows\n  ${shown}\nand the header declares\n  ${declared}")
endif()

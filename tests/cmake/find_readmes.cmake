# heeler_find_readmes(ROOT pages): the front page first, then the README.md of each room.
function(heeler_find_readmes root out)
    set(pages "")
    foreach(folder IN ITEMS include examples tests benchmarks cmake)
        file(GLOB_RECURSE found RELATIVE "${root}" "${root}/${folder}/README.md")
        list(APPEND pages ${found})
    endforeach()
    list(FILTER pages EXCLUDE REGEX "^tests/(readmes|numbers)/bad/") # wrong on purpose
    set(${out} README.md ${pages} PARENT_SCOPE)
endfunction()

string(ASCII 1 heeler_fence)

# A page's text, fit for lists and expressions: semicolons and brackets would be read as list syntax, and what stands before
# and after a block of code becomes one character, heeler_fence, because a comment in it may hold a backtick.
function(heeler_read_page file out)
    file(READ "${file}" text)
    string(REPLACE "```" "${heeler_fence}" text "${text}")
    string(REPLACE ";" "<semicolon>" text "${text}")
    string(REPLACE "[" "<open>" text "${text}")
    string(REPLACE "]" "<close>" text "${text}")
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

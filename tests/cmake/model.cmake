# Each case of tests/model/cases.txt is a test: a search of the Promela model, or a flaw that it must find. 77: no Spin.

file(STRINGS model/cases.txt cases REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS model/cases.txt)
foreach(case IN LISTS cases)
    string(REGEX REPLACE " .*" "" name "${case}")
    set(test "${HEELER_TEST_PREFIX}model.${name}")
    add_test(NAME "${test}" COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/model/check.sh" "${name}")
    # With HEELER_MODEL_ALL in the environment a search takes minutes.
    set_tests_properties("${test}" PROPERTIES TIMEOUT 3600 SKIP_RETURN_CODE 77 LABELS model)
endforeach()

# Functions that make targets of layers and tests.

# fj_layer(NAME FOLDER... DEPS ...): FOLDER/*.cpp of each folder but a main.cpp becomes the static library fj_NAME, or an
# interface library if there are only headers.
function(fj_layer name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  set(sources)
  foreach(folder ${ARG_UNPARSED_ARGUMENTS})
    file(GLOB more CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
    list(APPEND sources ${more})
  endforeach()
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(sources)
    add_library(fj_${name} STATIC ${sources})
    target_include_directories(fj_${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(fj_${name} PUBLIC ${ARG_DEPS} PRIVATE fj_options)
    if(name IN_LIST fj_layers_of_messages)
      target_compile_options(fj_${name} PRIVATE ${fj_inlining})
    elseif(name IN_LIST fj_layers_of_people)
      target_compile_options(fj_${name} PRIVATE ${fj_for_people})
    endif()
  else()
    add_library(fj_${name} INTERFACE)
    target_include_directories(fj_${name} INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(fj_${name} INTERFACE ${ARG_DEPS})
  endif()
endfunction()

# A table type: fj_NAME for tests and the simulator, NAME.so with NAME.xml for the daemon, unit_NAME from tests/unit/NAME.
function(fj_plugin name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRIVATE;TEST_DEPS" ${ARGN})
  add_library(fj_${name} STATIC ${ARG_SOURCES})
  target_include_directories(fj_${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(fj_${name} PUBLIC ${ARG_DEPS} PRIVATE ${ARG_PRIVATE} fj_options)
  target_compile_options(fj_${name} PRIVATE ${fj_inlining})

  configure_file(${CMAKE_SOURCE_DIR}/cmake/module.cpp.in module.cpp @ONLY)
  add_library(${name} MODULE ${CMAKE_CURRENT_BINARY_DIR}/module.cpp)
  target_link_libraries(${name} PRIVATE fj_${name} fj_options)
  # Nothing of the libraries inside is seen from outside: a plugin needs no symbol and lends none.
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)
  add_custom_command(TARGET ${name} POST_BUILD COMMAND ${CMAKE_COMMAND} -E copy_if_different
    ${CMAKE_CURRENT_SOURCE_DIR}/${name}.xml ${CMAKE_BINARY_DIR}/plugins/${name}.xml)
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}.xml)

  install(TARGETS ${name} LIBRARY DESTINATION ${FJ_PLUGINS_FOLDER})
  install(FILES ${name}.xml DESTINATION ${FJ_PLUGINS_FOLDER})

  if(FJ_TESTS)
    find_package(Boost REQUIRED COMPONENTS unit_test_framework)
    file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/${name}/*.cpp)
    fj_test(unit_${name} LABELS unit quick sanitized SOURCES ${tests} DEPS fj_${name} fj_config ${ARG_TEST_DEPS})
  endif()
endfunction()

# The labels of tests; each test has at least one. `ctest -L LABEL` runs the tests with a label, and the target
# tests_LABEL builds them.
#   unit     test one layer or one part of a program, in memory
#   world    run the whole core in the simulator
#   lives    play random lives, checked by promises or the reference model
#   proof    test the log store with power cuts, damage and known faults
#   process  start real programs
#   page     drive a browser
#   threads  use several threads: for the preset tsan
#   quick    take less than a minute, all together: ./mk test --quick
#   sanitized  run with sanitizers in .ci/run too: those of the quick ones that touch most memory in a second
set(FJ_TEST_LABELS unit world lives proof process page threads quick sanitized)

# fj_label_test(NAME TARGET LABEL...): labels the test NAME, whose program is TARGET.
function(fj_label_test name target)
  if(NOT ARGN)
    message(FATAL_ERROR "test ${name}: no label; there are ${FJ_TEST_LABELS}")
  endif()
  foreach(label ${ARGN})
    if(NOT label IN_LIST FJ_TEST_LABELS)
      message(FATAL_ERROR "test ${name}: unknown label ${label}; there are ${FJ_TEST_LABELS}")
    endif()
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${target})
  endforeach()
  set_tests_properties(${name} PROPERTIES LABELS "${ARGN}")
  # Those that take longest begin first: a new build has no record of times.
  if(process IN_LIST ARGN)
    set_tests_properties(${name} PROPERTIES COST 100)
  endif()
endfunction()

# fj_run_test(NAME COMMAND PROGRAM WORD... LABELS ...): ctest runs a Boost.Test program under NAME. Its reports are
# short: scripts/count_tests.awk counts the cases in them.
function(fj_run_test name)
  cmake_parse_arguments(ARG "" "" "COMMAND;LABELS" ${ARGN})
  add_test(NAME ${name} COMMAND ${ARG_COMMAND})
  list(GET ARG_COMMAND 0 program)
  fj_label_test(${name} ${program} ${ARG_LABELS})
  # The longest takes some 200 s alone on two processors, and a machine may be three times as slow and busy with other
  # work. With sanitizers they take up to ten times as long.
  set(seconds 1200)
  if(FJ_SANITIZE)
    set(seconds 6000)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${seconds}
    ENVIRONMENT "BOOST_TEST_REPORT_LEVEL=short;UBSAN_OPTIONS=print_stacktrace=1")
endfunction()

# fj_test_program(NAME SOURCES ... DEPS ...): a Boost.Test program; fj_run_test or fj_suites makes it tests of ctest.
function(fj_test_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  if(NOT TARGET fj_test_main)
    add_library(fj_test_main OBJECT ${CMAKE_SOURCE_DIR}/tests/unit/main.cpp)
    target_link_libraries(fj_test_main PRIVATE fj_options Boost::unit_test_framework)
  endif()
  add_executable(${name} $<TARGET_OBJECTS:fj_test_main> ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES FJ_IS_TEST ON)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} fj_options Boost::unit_test_framework)
  target_compile_definitions(${name} PRIVATE FJ_SOURCE_DIR="${CMAKE_SOURCE_DIR}" FJ_BINARY_DIR="${CMAKE_BINARY_DIR}")
  # What a test states is compiled once and run once: optimising it takes longer than it saves.
  target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-Og>)
endfunction()

# fj_test(NAME LABELS ... SOURCES ... DEPS ...): a program whose cases are one test of ctest, under its name.
function(fj_test name)
  cmake_parse_arguments(ARG "" "" "LABELS;SOURCES;DEPS" ${ARGN})
  fj_test_program(${name} SOURCES ${ARG_SOURCES} DEPS ${ARG_DEPS})
  fj_run_test(${name} COMMAND ${name} LABELS ${ARG_LABELS})
endfunction()

# fj_suites(PROGRAM LABELS ... NAMES ...): adds NAME_test.cpp to a test program for each NAME. Its cases stand in one
# suite, NAME, which ctest runs under this name. tests/unit/house finds a suite that is not run.
function(fj_suites program)
  cmake_parse_arguments(ARG "" "" "LABELS;NAMES" ${ARGN})
  foreach(name ${ARG_NAMES})
    target_sources(${program} PRIVATE ${name}_test.cpp)
    fj_run_test(${name} COMMAND ${program} --run_test=${name} LABELS ${ARG_LABELS})
  endforeach()
endfunction()

# fj_targets_in(FOLDER OUT): the targets defined so far in FOLDER and below.
function(fj_targets_in folder out)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(child ${folders})
    fj_targets_in(${child} more)
    list(APPEND targets ${more})
  endforeach()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

# fj_programs_in(FOLDER OUT): the programs and plugins defined so far in FOLDER and below.
function(fj_programs_in folder out)
  fj_targets_in(${folder} targets)
  set(programs)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE" OR type STREQUAL "MODULE_LIBRARY" OR type STREQUAL "SHARED_LIBRARY")
      list(APPEND programs ${target})
    endif()
  endforeach()
  set(${out} ${programs} PARENT_SCOPE)
endfunction()

# fj_collect_programs(TARGET): TARGET builds every program and plugin defined so far, except tests.
function(fj_collect_programs target)
  fj_programs_in(${CMAKE_SOURCE_DIR} programs)
  foreach(program ${programs})
    get_target_property(is_test ${program} FJ_IS_TEST)
    if(is_test)
      list(REMOVE_ITEM programs ${program})
    endif()
  endforeach()
  add_custom_target(${target} DEPENDS ${programs})
endfunction()

# fj_precompile_headers(): the static libraries defined so far are compiled with cmake/precompiled_library.h, the tests
# with cmake/precompiled_test.h; each is read once for all. Two, since programs have other options than libraries.
function(fj_precompile_headers)
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "int main() { return 0; }\n")
  fj_targets_in(${CMAKE_SOURCE_DIR} targets)
  add_library(fj_precompiled_library STATIC ${CMAKE_BINARY_DIR}/precompiled.cpp)
  add_executable(fj_precompiled_test ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(fj_precompiled_test PRIVATE Boost::unit_test_framework)
  foreach(kind library test)
    target_link_libraries(fj_precompiled_${kind} PRIVATE fj_options)
    target_precompile_headers(fj_precompiled_${kind} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled_${kind}.h)
  endforeach()
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    if(type STREQUAL "STATIC_LIBRARY")
      target_precompile_headers(${target} REUSE_FROM fj_precompiled_library)
    elseif(type STREQUAL "EXECUTABLE" AND "Boost::unit_test_framework" IN_LIST libraries)
      target_precompile_headers(${target} REUSE_FROM fj_precompiled_test)
    endif()
  endforeach()
endfunction()

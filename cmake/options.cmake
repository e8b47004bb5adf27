# Compiler options, sanitizers and third-party parts. Each part is searched for here only.
set(FJ_SANITIZE "" CACHE STRING "sanitizers, as for -fsanitize= (address,undefined | thread)")
option(CMAKE_COMPILE_WARNING_AS_ERROR "no build with warnings; packages turn it off: compilers to come warn of more" ON)
option(FJ_FUZZ "build the fuzzers of tests/fuzz (clang only) instead of the tests" OFF)

# Parts that a build may do without; then everything else is built, and tested but for the tests of the whole.
option(FJ_ETCD "logs on etcd, a part that the daemon loads when a log names it" ON)
option(FJ_SQL "mirrors in SQL databases, a part that the daemon loads when a table names one" ON)
option(FJ_HTTP "HTTP, and the page for browsers" ON)
set(fj_all_types journal keyvalue blob queue pipeline)
set(FJ_TYPES "${fj_all_types}" CACHE STRING "the table types to build")
set(fj_is_whole ON)
if(NOT FJ_ETCD OR NOT FJ_SQL OR NOT FJ_HTTP OR NOT FJ_TYPES STREQUAL fj_all_types)
  set(fj_is_whole OFF)
endif()
# What is loaded must be of the same build: daemon/parts.h.
set(fj_build "${PROJECT_VERSION} ${CMAKE_BUILD_TYPE}")

# The sources of a target are compiled together, since most of the time of a build goes into reading the same headers
# again. Daily work has it off (the preset dev): a change then compiles one file.
option(FJ_JOINED "compile the sources of a target together" ON)
if(FJ_JOINED)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT DEFINED FJ_PRECOMPILED)
  set(FJ_PRECOMPILED ON)
endif()

add_library(fj_options INTERFACE)
target_compile_options(fj_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  -fvisibility=hidden -fno-omit-frame-pointer)
# With much inlining GCC 12 reports the unread part of a std::optional as uninitialized.
if(FJ_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(fj_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
# Of layers and types. In a large unit GCC inlines and specialises less: a message took 4 to 13 % more instructions where
# sources were joined. With these bounds it takes a unit for a small one.
if(FJ_JOINED)
  set(fj_inlining "$<$<CXX_COMPILER_ID:GNU>:--param=large-unit-insns=400000;--param=ipa-cp-large-unit-insns=400000>")
endif()
# The layers of which each message takes some instructions, beside the types. What the others do, they do when something
# is declared, asked for or written to a disk: with these bounds they took a quarter more time to compile, and space.
set(fj_layers_of_messages base model timer plan protocol fj bcdb rows log log_file feed work engine storage communicator
  server tls reactor)
# The layers of programs that people start: those wait for a daemon, and -O2 takes a quarter more time to compile.
set(fj_layers_of_people cli usage check doctor process main_job)
set(fj_for_people $<$<CONFIG:RelWithDebInfo>:-O1>)
# What runs once, at a start: CLI11 is header-only, and with -O2 it took a third of what its program took to compile.
set(fj_for_starts $<$<CONFIG:RelWithDebInfo>:-Og>)
# In a joined unit GCC takes what is unnamed in a source for something of a header. It looks for memory that it may use
# again from 384 MB on, not from 128: a tenth less time, for 150 MB.
if(FJ_JOINED)
  target_compile_options(fj_options INTERFACE
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage;--param=ggc-min-heapsize=393216>")
endif()
# Some 170 programs are linked, in a fourth of the time by mold.
find_program(FJ_MOLD mold)
if(FJ_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
if(FJ_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(FJ_SANITIZE)
  add_compile_options(-fsanitize=${FJ_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FJ_SANITIZE})
  add_compile_definitions(FJ_SANITIZED)  # for tests of figures that sanitizers change
endif()

# The system's own, whose packages tests use.
find_program(FJ_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(FJ_PYTHON python3 REQUIRED)

find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(absl REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
pkg_check_modules(libevent_core REQUIRED IMPORTED_TARGET libevent_core)
pkg_check_modules(tinyxml2 REQUIRED IMPORTED_TARGET tinyxml2)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
set_property(TARGET PkgConfig::re2 PROPERTY INTERFACE_COMPILE_OPTIONS "")  # -pthread: all else is compiled without it
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
if(FJ_SQL)
  pkg_check_modules(libpq REQUIRED IMPORTED_TARGET libpq>=15)
endif()
pkg_check_modules(zlib REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(libxxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(hiredis REQUIRED IMPORTED_TARGET hiredis)
pkg_check_modules(libcrypto REQUIRED IMPORTED_TARGET libcrypto>=3.0)
if(FJ_ETCD)
  pkg_check_modules(libnghttp2 REQUIRED IMPORTED_TARGET libnghttp2)
  pkg_check_modules(protobuf_lite REQUIRED IMPORTED_TARGET protobuf-lite)
  find_program(FJ_PROTOC protoc REQUIRED)
endif()

# msgpack-c, header-only; its package's CMake file requires Boost, which is not needed.
find_path(MSGPACK_INCLUDE_DIR msgpack.hpp REQUIRED)
add_library(msgpack INTERFACE)
target_include_directories(msgpack SYSTEM INTERFACE ${MSGPACK_INCLUDE_DIR})
target_compile_definitions(msgpack INTERFACE MSGPACK_NO_BOOST)

# Boost.Beast, header-only.
find_path(BEAST_INCLUDE_DIR boost/beast/http/parser.hpp REQUIRED)
add_library(beast INTERFACE)
target_include_directories(beast SYSTEM INTERFACE ${BEAST_INCLUDE_DIR})

add_library(libevent ALIAS PkgConfig::libevent_core)
add_library(tinyxml2 ALIAS PkgConfig::tinyxml2)
add_library(re2 ALIAS PkgConfig::re2)
add_library(xxhash ALIAS PkgConfig::libxxhash)
add_library(libcrypto ALIAS PkgConfig::libcrypto)
add_library(hiredis ALIAS PkgConfig::hiredis)

# Public, header-only.
add_library(fj_public INTERFACE)
target_include_directories(fj_public INTERFACE ${CMAKE_SOURCE_DIR}/src/include)

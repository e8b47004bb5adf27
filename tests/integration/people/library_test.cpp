// The installed libraries, as programs of others use them: C and C++, found by pkg-config and by CMake in a staged
// installation, against the real daemon. The installed headers are complete, and name no file that is not installed.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "tests/integration/blob_document.h"
#include "tests/integration/daemon.h"
#include "tests/support/documents.h"

namespace {

using namespace fastjournal::test;
namespace fs = std::filesystem;

std::set<std::string> const kHeaders{"bcdb_key.h",    "blob.h",           "blob_file.h",       "blob_table.h",
                                     "client.h",      "command_rule.h",   "daemon.h",          "date.h",
                                     "documents.h",   "extent.h",         "folder_scanner.h",  "fastjournal.h",
                                     "journal.h",     "key_value.h",      "key_value_cache.h", "made_blob_table.h",
                                     "made_daemon.h", "made_documents.h", "made_journal.h",    "made_key_value.h",
                                     "made_queues.h", "message.h",        "queues.h",          "spool.h",
                                     "status.h",      "transaction.h",    "typed_value.h",     "types.h"};

// Installed once for all cases: it takes seconds.
struct Staged {
  Staged() {
    ChildOptions options;
    options.environment = {"DESTDIR=" + folder.path().string()};
    ChildProcess cmake{{FJ_CMAKE, "--install", FJ_BINARY_DIR, "--prefix", "/prefix"}, options};
    BOOST_REQUIRE_MESSAGE(cmake.wait(std::chrono::minutes{2}).value_or(-1) == 0, cmake.output());
    for (auto const& entry : fs::recursive_directory_iterator{prefix})
      if (entry.path().filename() == "fastjournal.pc") libraries = entry.path().parent_path().parent_path();
    BOOST_REQUIRE_MESSAGE(!libraries.empty(), "fastjournal.pc is not installed");
  }

  TemporaryFolder folder;
  fs::path prefix{folder.path() / "prefix"};
  fs::path libraries;
};

Staged& staged() {
  static Staged one;
  return one;
}

// The output of a shell command in `folder`; a failure of the command fails the test.
std::string run(fs::path const& folder, std::string const& command) {
  ChildOptions options;
  options.environment = {"PKG_CONFIG_PATH=" + (staged().libraries / "pkgconfig").string(),
                         "LD_LIBRARY_PATH=" + staged().libraries.string()};
  ChildProcess child{{"/bin/sh", "-ec", "cd '" + folder.string() + "'\n" + command}, options};
  int const code = child.wait(std::chrono::minutes{5}).value_or(-1);
  BOOST_REQUIRE_MESSAGE(code == 0, command << "\nexit " << code << "\n" << child.output());
  return child.output();
}

constexpr char const* kC = R"(#include <fastjournal/fastjournal.h>
#include <fastjournal/spool.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  if (strcmp(fj_version(), fj_spool_version()) != 0) return 1;
  puts(fj_version());
  return 0;
}
)";

constexpr char const* kCpp = R"(#include <fastjournal/journal.h>
#include <iostream>
using namespace fastjournal::client;
int main(int, char** words) {
  auto opened = Connection::open({.server = words[1]});
  if (!opened.ok()) return std::cout << opened.status().text() << '\n', 1;
  Journal jobs(*opened.value(), "jobs");
  auto put = jobs.put({{"name", fastjournal::Value::of_text("one")}}, {.priority = 20});
  if (!put.ok()) return std::cout << put.status().text() << '\n', 1;
  auto work = jobs.next();
  if (!work.ok() || work->rows.size() != 1) return 1;
  std::cout << work->rows[0].columns.at("name") << '\n';
  return jobs.done(work->rows[0]).ok() ? 0 : 1;
}
)";

// Around the examples of clients/README.md.
constexpr char const* kAroundExample = R"(#include <fastjournal/key_value_cache.h>
#include <fastjournal/queues.h>
#include <iostream>
using namespace fastjournal::client;
int complain(fastjournal::Status const& status) { return std::cout << status.text() << '\n', 1; }
void use(TypedValue const& value) { std::cout << std::get<std::string>(value) << '\n'; }
bool cook(std::string const& order) { return std::cout << "cooking " << order << '\n', true; }
int main(int, char** words) {
  std::string const server = words[1];
  EXAMPLE
  return 0;
}
)";

// `programs`: the lines of a CMakeLists.txt that differ.
void write_project(fs::path const& folder, std::string const& lines) {
  std::ofstream{folder / "CMakeLists.txt"} << "cmake_minimum_required(VERSION 3.25)\n" << lines;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(installed_libraries)

BOOST_AUTO_TEST_CASE(each_header_is_there_and_stands_alone) {
  fs::path const folder = staged().prefix / "include/fastjournal";
  std::set<std::string> found;
  for (auto const& entry : fs::directory_iterator{folder}) found.insert(entry.path().filename());
  BOOST_TEST(found == kHeaders, boost::test_tools::per_element());
  TemporaryFolder alone;
  for (std::string const& header : found) {
    std::ofstream{alone.path() / "one.c"} << "#include <fastjournal/" << header << ">\n";
    std::string const include = "-I" + (staged().prefix / "include").string();
    std::string const warnings = " -Wall -Wextra -Wpedantic -Werror -fsyntax-only ";
    run(alone.path(), "c++ -std=c++20 -x c++" + warnings + include + " one.c");
    if (header == "fastjournal.h" || header == "spool.h") {
      run(alone.path(), "cc -std=c99 -Wstrict-prototypes" + warnings + include + " one.c");
      run(alone.path(), "c++ -std=c++11 -x c++" + warnings + include + " one.c");
    }
  }
}

BOOST_AUTO_TEST_CASE(programs_are_built_with_pkg_config) {
  RealDaemon daemon{""};
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  TemporaryFolder folder;
  std::ofstream{folder.path() / "one.c"} << kC;
  std::ofstream{folder.path() / "two.cpp"} << kCpp;
  run(folder.path(),
      "cc -std=c99 one.c -o one " FJ_SANITIZE_OPTIONS " $(pkg-config --cflags --libs fastjournal fastjournal-spool)");
  run(folder.path(),
      "c++ -std=c++20 two.cpp -o two " FJ_SANITIZE_OPTIONS " $(pkg-config --cflags --libs fastjournal-cpp)");
  BOOST_TEST(run(folder.path(), "./one") == run(folder.path(), "pkg-config --modversion fastjournal"));
  BOOST_TEST(run(folder.path(), "./two " + daemon.local()) == "one\n");
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
}

BOOST_AUTO_TEST_CASE(programs_are_built_with_cmake) {
  RealDaemon daemon{""};
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  TemporaryFolder folder;
  std::ofstream{folder.path() / "one.c"} << kC;
  std::ofstream{folder.path() / "two.cpp"} << kCpp;
  std::string const configure = FJ_CMAKE " -B build -S . -DCMAKE_PREFIX_PATH='" + staged().prefix.string() + "'";
  // C alone needs no C++.
  write_project(folder.path(),
                "project(one LANGUAGES C)\nfind_package(fastjournal 0.1 REQUIRED)\nadd_executable(one one.c)\n"
                "target_link_libraries(one fastjournal::c fastjournal::spool)\n"
                "target_link_options(one PRIVATE " FJ_SANITIZE_OPTIONS ")\n");
  run(folder.path(), configure + " && " FJ_CMAKE " --build build");
  BOOST_TEST(run(folder.path(), "build/one").starts_with("0."));
  write_project(folder.path(),
                "project(two LANGUAGES C CXX)\nfind_package(fastjournal 0.1 REQUIRED COMPONENTS cpp)\n"
                "add_executable(two two.cpp)\ntarget_link_libraries(two fastjournal::cpp)\n"
                "target_link_options(two PRIVATE " FJ_SANITIZE_OPTIONS ")\n");
  run(folder.path(), "rm -r build && " + configure + " && " FJ_CMAKE " --build build");
  BOOST_TEST(run(folder.path(), "build/two " + daemon.local()) == "one\n");
  write_project(folder.path(), "project(none LANGUAGES C)\nfind_package(fastjournal REQUIRED COMPONENTS fortran)\n");
  BOOST_TEST(run(folder.path(), "rm -r build; ! " + configure + " 2>&1").find("it has c, cpp and spool") !=
             std::string::npos);
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
}

BOOST_AUTO_TEST_CASE(the_examples_that_are_whole_are_programs) {
  RealDaemon daemon{""};
  daemon.write("tables/values.xml", "<table name=\"values\" model=\"keyvalue\"/>\n");
  daemon.write("tables/post.xml", "<table name=\"post\" model=\"queue\"><queues>orders</queues></table>\n");
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  TemporaryFolder folder;
  std::string printed =
      run(folder.path(), FJ_BINARY_DIR "/bin/fastjournal kv set values site:1 open --server " + daemon.local());
  for (Example const& example : examples_of(FJ_SOURCE_DIR, "clients/README.md")) {
    std::string const text = text_of(example);
    if (example.language != "cpp" || text.find("Connection::open") == std::string::npos) continue;
    std::string program = kAroundExample;
    program.replace(program.find("EXAMPLE"), 7, text);
    std::ofstream{folder.path() / "example.cpp"} << program;
    run(folder.path(),
        "c++ -std=c++20 example.cpp -o example " FJ_SANITIZE_OPTIONS " $(pkg-config --cflags --libs fastjournal-cpp)");
    printed += run(folder.path(), "./example " + daemon.local());
  }
  BOOST_TEST(printed == "stored site:1\nopen\ncooking four pizzas\n");
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
}

BOOST_AUTO_TEST_CASE(the_programs_of_the_document_on_blobs_print_what_is_shown) {
  RealDaemon daemon{""};
  declare_table_of_blob_document(daemon, FJ_SOURCE_DIR);
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  TemporaryFolder folder;
  std::vector<Example> const examples = examples_of(FJ_SOURCE_DIR, kBlobDocument);
  std::set<std::string> languages;
  for (std::size_t i = 0; i + 1 < examples.size(); ++i) {
    std::string const& language = examples[i].language;
    if (language != "cpp" && language != "c") continue;
    std::ofstream{folder.path() / ("program." + language)} << with_own_paths(text_of(examples[i]), daemon);
    run(folder.path(), language == "c" ? "cc -std=c99 -Wall -Wextra -Werror program.c -o program " FJ_SANITIZE_OPTIONS
                                         " $(pkg-config --cflags --libs fastjournal)"
                                       : "c++ -std=c++20 program.cpp -o program " FJ_SANITIZE_OPTIONS
                                         " $(pkg-config --cflags --libs fastjournal-cpp)");
    BOOST_TEST(examples[i + 1].language == "text");
    BOOST_TEST(run(folder.path(), "./program") == text_of(examples[i + 1]), language);
    languages.insert(language);
  }
  BOOST_TEST(languages.size() == 2U);
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
}

BOOST_AUTO_TEST_CASE(the_library_exports_what_its_headers_declare_and_depends_on_no_library_of_ours) {
  std::string const library = (staged().libraries / "libfastjournal.so.1").string();
  std::string const exported = run(
      staged().prefix, "nm -D --defined-only '" + library + "' | sed -n 's/.* T \\(.*\\)@@FASTJOURNAL_1/\\1/p' | sort");
  std::string const declared = run(staged().prefix,
                                   "sed -n 's/^[^ /#].*[ *]\\(fj_[a-z0-9_]*\\|bcdb_[a-z0-9_]*\\)(.*/\\1/p' "
                                   "include/fastjournal/fastjournal.h | sort -u");
  BOOST_TEST(exported == declared);
  BOOST_TEST(exported.find("fj_version") != std::string::npos);
  std::string const needed = run(staged().prefix, "readelf -d '" + library + "'");
  BOOST_TEST(needed.find("Library soname: [libfastjournal.so.1]") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

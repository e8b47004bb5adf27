// fastjournal/spool.h: the library as a program sees it, what it exports, and programs in C and Python.
#include <fastjournal/spool.h>
#include <boost/test/unit_test.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temporary_folder.h"
#include "tests/unit/producer/rows_of.h"

namespace fastjournal::producer::test {
namespace {

using fastjournal::test::TemporaryFolder;
using Lines = std::vector<std::string>;

struct Close {
  void operator()(fj_spool* spool) const { fj_spool_close(spool); }
  void operator()(fj_spool_row* row) const { fj_spool_row_free(row); }
};
using SpoolPtr = std::unique_ptr<fj_spool, Close>;
using RowPtr = std::unique_ptr<fj_spool_row, Close>;

std::string code() { return fj_spool_error_code(); }
std::string text() { return fj_spool_error_text(); }
std::string fact(char const* name) {
  char const* const value = fj_spool_error_fact(name);
  return value == nullptr ? "(none)" : value;
}

// What the command prints, and how it ends.
struct Output {
  std::string text;
  int status{0};
};
Output run(std::string const& command) {
  Output out;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  BOOST_REQUIRE(pipe != nullptr);
  std::array<char, 4096> bytes{};
  while (std::size_t const got = std::fread(bytes.data(), 1, bytes.size(), pipe)) out.text.append(bytes.data(), got);
  out.status = ::pclose(pipe);
  return out;
}

std::string read_file(std::string const& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

// The lines between two places, without what every one of them begins with.
Lines between(std::string const& text, std::string const& from, std::string const& to, std::size_t indent) {
  std::size_t const begin = text.find('\n', text.find(from)) + 1;
  std::size_t const end = text.find(to, begin);
  Lines out;
  std::size_t at = begin;
  while (at < end) {
    std::size_t const next = text.find('\n', at);
    if (next < end && next - at > indent) out.push_back(text.substr(at + indent, next - at - indent));
    at = next + 1;
  }
  return out;
}

BOOST_AUTO_TEST_SUITE(c_spool)

BOOST_AUTO_TEST_CASE(values_of_all_kinds_are_saved) {
  TemporaryFolder const folder;
  SpoolPtr const spool{fj_spool_open((folder / "rows").c_str(), nullptr)};
  BOOST_REQUIRE(spool != nullptr);
  RowPtr const row{fj_spool_row_new("pages")};
  std::string name = "uri";
  BOOST_TEST(fj_spool_set_text(row.get(), name.c_str(), "first", FJ_SPOOL_NUL) == 0);
  BOOST_TEST(fj_spool_set_text(row.get(), name.c_str(), "secondly", 6) == 0);
  name = "xxx";  // was copied
  BOOST_TEST(fj_spool_set_binary(row.get(), "blob", "a\nb", 3) == 0);
  BOOST_TEST(fj_spool_set_integer(row.get(), "size", -7) == 0);
  BOOST_TEST(fj_spool_set_unsigned(row.get(), "big", UINT64_MAX) == 0);
  BOOST_TEST(fj_spool_set_real(row.get(), "rate", 0.5) == 0);
  BOOST_TEST(fj_spool_set_text(row.get(), "empty", nullptr, 0) == 0);
  BOOST_TEST(fj_spool_set_priority(row.get(), 20) == 0);
  BOOST_TEST(fj_spool_set_process_date(row.get(), 1'800'000'000'000) == 0);
  BOOST_TEST(fj_spool_set_expiration_date(row.get(), 1'900'000'000'000) == 0);
  BOOST_TEST(fj_spool_save(spool.get(), row.get()) == 0);
  BOOST_TEST(fj_spool_row_clear(row.get()) == 0);
  BOOST_TEST(fj_spool_set_text(row.get(), "uri", "next", FJ_SPOOL_NUL) == 0);
  BOOST_TEST(fj_spool_save(spool.get(), row.get()) == 0);
  BOOST_TEST(fj_spool_sync(spool.get()) == 0);
  BOOST_TEST((rows_of(folder / "rows") ==
              Lines{"pages uri=second blob=(a\nb) size=-7 big=18446744073709551615 rate=0.500000 empty= priority=20 "
                    "process_date=1800000000000 expiration_date=1900000000000",
                    "pages uri=next"}));
  BOOST_TEST(fj_spool_version() == "0.1.0");
}

BOOST_AUTO_TEST_CASE(options_are_those_of_the_version_that_the_caller_knows) {
  TemporaryFolder const folder;
  fj_spool_options options;
  fj_spool_options_init(&options);
  options.sync = FJ_SPOOL_SYNC_EACH;
  options.file_bytes_max = 64;
  SpoolPtr const spool{fj_spool_open((folder / "rows").c_str(), &options)};
  BOOST_REQUIRE_MESSAGE(spool != nullptr, text());
  for (int number = 0; number < 3; ++number) {
    RowPtr const row{fj_spool_row_new("pages")};
    BOOST_TEST(fj_spool_save(spool.get(), row.get()) == 0);
  }
  BOOST_TEST(spool::count_rows(folder / "rows").value().size() == 3U);  // a file each

  // A caller of an earlier version has fewer members, one of a later version more.
  options.file_bytes_max = 1;
  options.size = offsetof(fj_spool_options, file_bytes_max);
  BOOST_TEST(SpoolPtr{fj_spool_open((folder / "rows").c_str(), &options)} != nullptr);
  struct {
    fj_spool_options known;
    char more[64];
  } later{};
  fj_spool_options_init_sized(&later.known, sizeof later);
  BOOST_TEST(SpoolPtr{fj_spool_open((folder / "rows").c_str(), &later.known)} != nullptr);

  options.size = sizeof options;
  BOOST_TEST(fj_spool_open((folder / "rows").c_str(), &options) == nullptr);
  BOOST_TEST(fact("parameter") == "file_bytes_max");
  options.size = 0;
  BOOST_TEST(fj_spool_open((folder / "rows").c_str(), &options) == nullptr);
  BOOST_TEST(fact("parameter") == "size");
  fj_spool_options_init(&options);
  options.sync = 7;
  BOOST_TEST(fj_spool_open((folder / "rows").c_str(), &options) == nullptr);
  BOOST_TEST(fact("parameter") == "sync");
}

BOOST_AUTO_TEST_CASE(failures_are_told_with_code_sentence_and_facts) {
  TemporaryFolder const folder;
  std::thread{[] { BOOST_TEST(code() == "ok"); }}.join();
  BOOST_TEST(fj_spool_open((folder / "no/such/folder").c_str(), nullptr) == nullptr);
  BOOST_TEST(code() == "io_error");
  BOOST_TEST(fact("path") == folder / "no/such/folder");
  BOOST_TEST(text().find("No such file or directory") != std::string::npos, text());
  BOOST_TEST(fact("nothing") == "(none)");
  std::thread{[] { BOOST_TEST(code() == "ok"); }}.join();  // of this thread only

  BOOST_TEST(fj_spool_open(nullptr, nullptr) == nullptr);
  BOOST_TEST(code() == "bad_parameter");
  BOOST_TEST(fj_spool_row_new(nullptr) == nullptr);
  BOOST_TEST(fj_spool_save(nullptr, nullptr) == -1);
  BOOST_TEST(fj_spool_sync(nullptr) == -1);
  BOOST_TEST(fj_spool_ping(nullptr) == -1);
  BOOST_TEST(fj_spool_declare(nullptr, "x", nullptr) == -1);
  BOOST_TEST(fj_spool_row_clear(nullptr) == -1);
  BOOST_TEST(fj_spool_error_fact(nullptr) == nullptr);
  fj_spool_close(nullptr);
  fj_spool_row_free(nullptr);

  SpoolPtr const spool{fj_spool_open((folder / "rows").c_str(), nullptr)};
  RowPtr const row{fj_spool_row_new("pages")};
  BOOST_TEST(fj_spool_set_text(row.get(), nullptr, "x", 1) == -1);
  BOOST_TEST(fj_spool_set_text(row.get(), "uri", nullptr, FJ_SPOOL_NUL) == -1);
  BOOST_TEST(fj_spool_set_binary(row.get(), "uri", nullptr, 1) == -1);
  BOOST_TEST(fj_spool_set_text(row.get(), "table", "x", 1) == -1);
  BOOST_TEST(fj_spool_set_integer(nullptr, "size", 1) == -1);
  BOOST_TEST(fj_spool_ping(spool.get()) == -1);
  BOOST_TEST(code() == "unavailable");
  for (int column = 0; column < 254; ++column)
    BOOST_TEST(fj_spool_set_integer(row.get(), std::to_string(column).c_str(), 1) == 0);
  BOOST_TEST(fj_spool_set_integer(row.get(), "one more", 1) == -1);
  BOOST_TEST(code() == "too_large");
  BOOST_TEST(fj_spool_set_integer(row.get(), "7", 1) == 0);
  BOOST_TEST(fj_spool_save(spool.get(), row.get()) == 0);
}

BOOST_AUTO_TEST_CASE(a_row_that_expires_before_it_is_due_is_refused) {
  TemporaryFolder const folder;
  SpoolPtr const spool{fj_spool_open((folder / "rows").c_str(), nullptr)};
  RowPtr const row{fj_spool_row_new("pages")};
  std::int64_t const late = 9'999'999'999'999;
  BOOST_TEST(fj_spool_set_process_date(row.get(), late) == 0);
  BOOST_TEST(fj_spool_set_expiration_date(row.get(), late) == 0);
  BOOST_TEST(fj_spool_save(spool.get(), row.get()) == -1);
  BOOST_TEST(code() == "expired");
  BOOST_TEST(fact("parameter") == "expiration_date");
  BOOST_TEST(text().ends_with("it would never be handed out"), text());
  BOOST_TEST(fj_spool_set_expiration_date(row.get(), late + 1) == 0);
  BOOST_TEST(fj_spool_save(spool.get(), row.get()) == 0);
}

#ifdef FJ_JOURNAL  // the declarations are of journals
BOOST_AUTO_TEST_CASE(rows_of_a_declared_table_are_checked) {
  TemporaryFolder const folder;
  SpoolPtr const spool{fj_spool_open((folder / "rows").c_str(), nullptr)};
  // The types are found beside the library.
  BOOST_TEST(fj_spool_declare(spool.get(), FJ_SOURCE_DIR "/conf/tables.d/jobs.xml", nullptr) == 0, text());
  BOOST_TEST(
      fj_spool_declare(spool.get(), FJ_SOURCE_DIR "/conf/tables.d/pages.xml", FJ_SOURCE_DIR "/plugins/journal") == 0,
      text());
  RowPtr const row{fj_spool_row_new("jobs")};
  fj_spool_set_text(row.get(), "name", "n", 1);
  BOOST_TEST(fj_spool_save(spool.get(), row.get()) == 0);
  fj_spool_set_text(row.get(), "colour", "red", 3);
  BOOST_TEST(fj_spool_save(spool.get(), row.get()) == -1);
  BOOST_TEST(code() == "unknown_parameter");
  BOOST_TEST(fact("parameter") == "colour");
  BOOST_TEST(rows_of(folder / "rows").size() == 1U);

  std::ofstream{folder / "wrong.xml"} << "<table name=\"wrong\" model=\"journal\"><nonsense/></table>";
  BOOST_TEST(fj_spool_declare(spool.get(), (folder / "wrong.xml").c_str(), nullptr) == -1);
  BOOST_TEST(code() == "bad_configuration");
  BOOST_TEST(text().find("nonsense") != std::string::npos, text());
  BOOST_TEST(fj_spool_declare(spool.get(), FJ_SOURCE_DIR "/conf/tables.d/jobs.xml", (folder / "none").c_str()) == -1);
  BOOST_TEST(text().find("expected a folder of table types") != std::string::npos, text());
}
#endif

BOOST_AUTO_TEST_CASE(threads_share_a_spool) {
  TemporaryFolder const folder;
  SpoolPtr const spool{fj_spool_open((folder / "rows").c_str(), nullptr)};
  std::vector<std::thread> threads;
  for (int who = 0; who < 4; ++who)
    threads.emplace_back([&] {
      RowPtr const row{fj_spool_row_new("pages")};
      for (int number = 0; number < 200; ++number)
        if (fj_spool_save(spool.get(), row.get()) != 0) return;
    });
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(rows_of(folder / "rows").size() == 800U);
}

// Nothing else of ours, or of what it is made of, is seen by programs.
BOOST_AUTO_TEST_CASE(only_functions_of_the_header_are_exported) {
  std::string const header = read_file(FJ_SOURCE_DIR "/clients/spool/include/fastjournal/spool.h");
  Output const symbols = run("nm -D --defined-only --format=posix " FJ_BINARY_DIR "/lib/libfastjournal-spool.so.0");
  BOOST_REQUIRE(symbols.status == 0);
  std::size_t functions = 0;
  std::size_t at = 0;
  while (at < symbols.text.size()) {
    std::size_t const end = symbols.text.find('\n', at);
    std::string const line = symbols.text.substr(at, end - at);
    at = end + 1;
    if (line.find(" A ") != std::string::npos) continue;  // the version itself
    std::string const name = line.substr(0, line.find_first_of("@ "));
    BOOST_TEST(name.starts_with("fj_spool_"), line);
    BOOST_TEST(header.find(name + "(") != std::string::npos, name);
    ++functions;
  }
  BOOST_TEST(functions == 22U);
}

BOOST_AUTO_TEST_CASE(the_example_of_the_header_runs) {
  std::string const header = read_file(FJ_SOURCE_DIR "/clients/spool/include/fastjournal/spool.h");
  Lines shown = between(header, "* Example:", "* Results:", 7);
  Lines program = between(read_file(FJ_SOURCE_DIR "/clients/spool/example.c"), "Begin of the example", "  /* End", 2);
  BOOST_REQUIRE(!shown.empty());
  std::string const folder_shown = "\"/var/spool/fastjournal/site\"";
  shown[0].replace(shown[0].find(folder_shown), folder_shown.size(), "argv[1]");
  BOOST_TEST(shown == program, boost::test_tools::per_element());

  TemporaryFolder const folder;
  Output const output = run(FJ_BINARY_DIR "/bin/spool_example " + (folder / "rows"));
  BOOST_TEST(output.status == 0, output.text);
  BOOST_TEST((rows_of(folder / "rows") == Lines{"pages uri=http://example.com/ size=4711 priority=20"}));
}

BOOST_AUTO_TEST_CASE(a_program_in_c) {
  TemporaryFolder const folder;
  Output const output = run(FJ_BINARY_DIR "/bin/spool_from_c " + (folder / "rows"));
  BOOST_TEST(output.status == 0, output.text);
  BOOST_TEST(rows_of(folder / "rows").size() == 2U);
}

// Python would need the sanitizers' libraries first.
#if defined FJ_JOURNAL && !defined FJ_SANITIZED
BOOST_AUTO_TEST_CASE(a_program_in_python) {
  TemporaryFolder const folder;
  Output const output = run("python3 " FJ_SOURCE_DIR "/tests/unit/producer/from_python.py " FJ_BINARY_DIR
                            "/lib/libfastjournal-spool.so.0 " FJ_SOURCE_DIR "/conf/tables.d/jobs.xml " +
                            (folder / "rows"));
  BOOST_TEST(output.status == 0, output.text);
  BOOST_TEST((rows_of(folder / "rows") == Lines{"jobs name=first payload=(\x01\x02) priority=3", "jobs name=zwölf"}));
}
#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace fastjournal::producer::test

// The examples of clients/c/README.md are compiled as strict C99, and print what the page says; and so is the example at
// the head of the header. Each has a daemon of its own.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/integration/daemon.h"
#include "tests/support/documents.h"

namespace {

using namespace fastjournal::test;

std::string const kRoot = FJ_SOURCE_DIR;

std::string joined(std::vector<std::string> const& lines) {
  std::string out;
  for (std::string const& line : lines) out += line + "\n";
  return out;
}

void replace_all(std::string& text, std::string const& from, std::string const& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// What the program prints.
std::string compiled_and_run(std::string program) {
  RealDaemon daemon{""};
  std::filesystem::remove_all(daemon.folder() / "tables");
  std::filesystem::copy(kRoot + "/conf/tables.d", daemon.folder() / "tables");
  // Only for those who use it: another example lists the tables.
  for (std::string const table : {"values", "post"})
    if (program.find('"' + table + '"') != std::string::npos)
      std::filesystem::copy(kRoot + "/tests/transcripts/" + table + ".xml", daemon.folder() / "tables");
  bool const ready = daemon.start();
  BOOST_REQUIRE_MESSAGE(ready, daemon.output());
  replace_all(program, "127.0.0.1:4050", daemon.tcp());
  daemon.write("program.c", program);
  std::string const folder = daemon.folder().string();
  ChildProcess compiler{{"cc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                         "-I" + kRoot + "/clients/c/include", folder + "/program.c", "-o", folder + "/program",
                         FJ_SANITIZE_OPTIONS, "-L" FJ_BINARY_DIR "/lib", "-lfastjournal",
                         "-Wl,-rpath," FJ_BINARY_DIR "/lib"}};
  BOOST_REQUIRE_MESSAGE(compiler.wait(std::chrono::minutes{1}).value_or(-1) == 0, compiler.output());
  ChildProcess run{{folder + "/program"}};
  BOOST_TEST(run.wait(std::chrono::minutes{1}).value_or(-1) == 0, run.output());
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
  return run.output();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(c_readme)

BOOST_AUTO_TEST_CASE(its_examples_print_what_it_says) {
  std::vector<Example> const examples = examples_of(kRoot, "clients/c/README.md");
  std::size_t seen = 0;
  for (std::size_t i = 0; i + 1 < examples.size(); ++i) {
    if (examples[i].language != "c") continue;
    BOOST_TEST_INFO_SCOPE("line " << examples[i].line);
    BOOST_TEST(examples[i + 1].language == "text");
    BOOST_TEST(compiled_and_run(joined(examples[i].lines)) == joined(examples[i + 1].lines));
    ++seen;
  }
  BOOST_TEST(seen >= 5U);
}

BOOST_AUTO_TEST_CASE(the_example_of_the_header_works) {
  std::ifstream file{kRoot + "/clients/c/include/fastjournal/fastjournal.h"};
  std::string body;
  std::string const margin = " *     ";
  for (std::string line; std::getline(file, line) && line != "#ifndef FASTJOURNAL_H";)
    if (line.starts_with(margin)) body += line.substr(margin.size()) + "\n";
  // No test relies on the default address.
  std::string const opened = "fj_open(NULL)";
  std::size_t const at = body.find(opened);
  BOOST_REQUIRE(at != std::string::npos);
  body.replace(at, opened.size(), "there()");
  BOOST_TEST(compiled_and_run("#include <fastjournal/fastjournal.h>\n#include <stdio.h>\n"
                              "static fj_connection* there(void) {\n  fj_options options;\n"
                              "  fj_options_init(&options);\n  options.server = \"127.0.0.1:4050\";\n"
                              "  return fj_open(&options);\n}\nint main(void) {\n" +
                              body + "  return 0;\n}\n") == "working on http://example.com/\n");
}

BOOST_AUTO_TEST_SUITE_END()

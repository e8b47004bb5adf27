// Good and bad configuration files (tests/golden/config/): the loader and xmllint with our XSDs give the same verdict
// on each of them, except in bad-beyond-schema/, whose mistakes XSD 1.0 cannot express. The loader's report about a bad
// file is compared with the .expected file beside it.
//
// With FJ_GOLDEN=write in the environment the .expected files are written instead: read the difference before you
// commit it.
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "config/daemon_reader.h"
#include "config/plan_reader.h"
#include "config/table_reader.h"
#include "config/type_reader.h"
#include "config/users_reader.h"

namespace fastjournal::config {

namespace {

namespace fs = std::filesystem;

fs::path source_dir() { return FJ_SOURCE_DIR; }
fs::path golden(std::string const& group, std::string const& kind) {
  return source_dir() / "tests/golden/config" / group / kind;
}

std::vector<fs::path> files_of(fs::path const& folder) {
  std::vector<fs::path> out;
  for (auto const& entry : fs::directory_iterator{folder})
    if (entry.path().extension() == ".xml") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::string content_of(fs::path const& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

TypesByName const& golden_types() {
  static TypesByName const loaded = [] {
    TypesByName out;
    for (std::string const name : {"journal", "keyvalue", "blob", "queue", "pipeline"}) {
      Result<TypeDeclaration> type = read_type(source_dir() / "plugins" / name / (name + ".xml"));
      BOOST_REQUIRE_MESSAGE(type.ok(), type.status().text());
      out.emplace(name, std::make_shared<TypeDeclaration>(std::move(type).value()));
    }
    return out;
  }();
  return loaded;
}

// What is wrong with a plan, in lines as those of other files; warnings of a strict one too.
Status load_plan(fs::path const& path) {
  Result<PlanFile> const file = read_plan(path);
  if (!file.ok()) return file.status();
  if (file->is_usable()) return {};
  std::string all;
  for (plan::Finding const& finding : file->findings)
    all.append(all.empty() ? "" : "\n")
        .append(path.string())
        .append(":")
        .append(std::to_string(finding.line))
        .append(": ")
        .append(finding.name)
        .append(": ")
        .append(finding.what);
  return {Code::bad_configuration, all};
}

Status load(std::string const& kind, fs::path const& path) {
  if (kind == "plans") return load_plan(path);
  if (kind == "daemon") return read_daemon(path).status();
  if (kind == "types") return read_type(path).status();
  if (kind == "users") return read_users_of_any_mode(path).status();
  return read_table(path, golden_types()).status();
}

std::string schema_of(std::string const& kind) {
  if (kind == "users") return "users.xsd";
  if (kind == "plans") return "plan.xsd";
  return kind == "daemon" ? "fastjournal.xsd" : kind == "types" ? "table-type.xsd" : "table.xsd";
}

// Runs xmllint on all files; returns for each whether it is valid.
std::map<fs::path, bool> xmllint(std::string const& kind, std::vector<fs::path> const& files) {
  std::string command =
      "LC_ALL=C xmllint --noout --schema '" + (source_dir() / "xml-schemas" / schema_of(kind)).string() + "'";
  for (fs::path const& file : files) command.append(" '").append(file.string()).append("'");
  command.append(" 2>&1");
  FILE* const pipe = popen(command.c_str(), "r");
  BOOST_REQUIRE(pipe != nullptr);
  std::string output;
  std::array<char, 4096> buffer{};
  while (std::size_t const count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), count);
  int const status = pclose(pipe);
  BOOST_REQUIRE_MESSAGE(WIFEXITED(status) && WEXITSTATUS(status) != 127,
                        "xmllint (package libxml2-utils) must be installed");
  BOOST_REQUIRE_MESSAGE(output.find("failed to compile") == std::string::npos, output);
  std::map<fs::path, bool> out;
  for (fs::path const& file : files) out[file] = output.find(file.string() + " validates\n") != std::string::npos;
  return out;
}

// Long lists go on in lines of their own in the .expected files.
constexpr std::string_view kGoesOn = ",\n    ";
std::string folded(std::string text) {
  std::size_t line = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') line = at + 1;
    if (at - line > 400 && text.compare(at, 2, ", ") == 0) text.replace(at, 2, kGoesOn);
  }
  return text;
}

// The message with file names instead of paths, as in the .expected files.
std::string portable(Status const& status, fs::path const& folder) {
  std::string text = status.message() + "\n";
  std::string const prefix = folder.string() + "/";
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
    text.erase(at, prefix.size());
  return text;
}

void check_refusal(Status const& status, fs::path const& file) {
  BOOST_REQUIRE(!status.ok());
  BOOST_TEST((status.code() == Code::bad_configuration));
  std::string const text = portable(status, file.parent_path());
  fs::path expected = file;
  expected.replace_extension(".expected");
  char const* const mode = std::getenv("FJ_GOLDEN");
  if (mode != nullptr && std::string_view{mode} == "write") std::ofstream{expected, std::ios::binary} << folded(text);
  BOOST_TEST(folded(text) == content_of(expected));
  // Each line: file, line number, what was found, what was expected.
  std::string_view rest{text};
  while (!rest.empty()) {
    std::string_view const line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    std::string const head = file.filename().string() + ":";
    BOOST_TEST(line.starts_with(head), line);
    BOOST_TEST((line.size() > head.size() && line[head.size()] >= '1' && line[head.size()] <= '9'), line);
    BOOST_TEST(line.find("expected") != std::string_view::npos, line);
  }
}

constexpr char const* kKinds[] = {"daemon", "plans", "tables", "types", "users"};

}  // namespace

BOOST_AUTO_TEST_SUITE(configuration_files)

BOOST_AUTO_TEST_CASE(good_files_are_taken_by_the_loader_and_by_xmllint) {
  std::size_t count = 0;
  for (std::string const kind : kKinds) {
    std::vector<fs::path> const files = files_of(golden("good", kind));
    std::map<fs::path, bool> const verdicts = xmllint(kind, files);
    for (fs::path const& file : files) {
      Status const status = load(kind, file);
      BOOST_TEST(status.ok(), status.text());
      BOOST_TEST(verdicts.at(file), file << " is not valid for xmllint");
      ++count;
    }
  }
  BOOST_TEST(count >= 15);
}

BOOST_AUTO_TEST_CASE(bad_files_are_refused_by_the_loader_and_by_xmllint) {
  std::size_t count = 0;
  for (std::string const kind : kKinds) {
    std::vector<fs::path> const files = files_of(golden("bad", kind));
    std::map<fs::path, bool> const verdicts = xmllint(kind, files);
    for (fs::path const& file : files) BOOST_TEST_CONTEXT(file) {
        check_refusal(load(kind, file), file);
        BOOST_TEST(!verdicts.at(file), "valid for xmllint");
        ++count;
      }
  }
  BOOST_TEST(count >= 60);
}

BOOST_AUTO_TEST_CASE(what_the_schema_cannot_say_is_refused_by_the_loader_alone) {
  for (std::string const kind : kKinds) {
    std::vector<fs::path> const files = files_of(golden("bad-beyond-schema", kind));
    std::map<fs::path, bool> const verdicts = xmllint(kind, files);
    for (fs::path const& file : files) BOOST_TEST_CONTEXT(file) {
        check_refusal(load(kind, file), file);
        // Otherwise the file belongs to bad/.
        BOOST_TEST(verdicts.at(file), "not valid for xmllint");
      }
  }
}

BOOST_AUTO_TEST_CASE(our_own_files_are_good_for_both) {
  for (char const* name : {"conf/fastjournal.xml", "conf/container.xml"}) {
    fs::path const daemon = source_dir() / name;
    BOOST_TEST(read_daemon(daemon).ok(), read_daemon(daemon).status().text());
    BOOST_TEST(xmllint("daemon", {daemon}).at(daemon));
  }
  std::vector<fs::path> const tables = files_of(source_dir() / "conf/tables.d");
  BOOST_TEST(tables.size() >= 2);
  std::map<fs::path, bool> const verdicts = xmllint("tables", tables);
  for (fs::path const& table : tables) {
    Status const status = read_table(table, golden_types()).status();
    BOOST_TEST(status.ok(), status.text());
    BOOST_TEST(verdicts.at(table), table << " is not valid for xmllint");
  }
  for (std::string const name : {"journal", "keyvalue", "blob", "queue", "pipeline"}) {
    fs::path const type = source_dir() / "plugins" / name / (name + ".xml");
    BOOST_TEST(xmllint("types", {type}).at(type));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::config

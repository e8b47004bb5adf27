// doc/cluster.md goes as it stands, on three computers with the addresses that it has (computers.h).
//
//   ```sh WHERE        commands, all of which must succeed; NAME=value stays for the blocks behind it
//   ```console WHERE   `$ command` and what it prints (tests/support/documents.h)
//
// WHERE is `each` (all three at once), one or more of n1, n2, n3, `owner` of the log or the `others`. With `n3-lost` n3 lost its power before; with
// `new` those of WHERE did, and are there again with an empty /var/lib. There are two ways through the page: blocks with
// `tls` take the place of those with `plain`; what is `denied` comes last.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/etcd/computers.h"
#include "tests/etcd/etcd_nodes.h"
#include "tests/support/documents.h"

BOOST_AUTO_TEST_SUITE(the_document)

using namespace fastjournal::test;
using Clock = std::chrono::steady_clock;

constexpr char kDocument[] = "doc/cluster.md";
// For what a command prints once others have done their part: an election, a take-over.
constexpr std::chrono::seconds kSoon{20};

// The reader, at three computers.
class Reader {
 public:
  Reader() {
    for (std::size_t at = 0; at < computers_.size(); ++at)
      std::ofstream{computers_.file(at, "etc/fastjournal/tables.d/local.xml")}
          << "<table name=\"local\" model=\"journal\" row-key=\"name\"><schema>"
             "<column name=\"name\" type=\"string\" required=\"true\"/></schema></table>\n";
  }
  void play(Example const& example) {
    std::vector<std::size_t> const where = places(example);
    if (std::ranges::count(example.words, "n3-lost") > 0) computers_.lose_power(kLast);
    if (std::ranges::count(example.words, "new") > 0) renew(where);
    if (example.language == "sh")
      run_all(where, example);
    else
      for (std::size_t const at : where)
        for (Shown const& shown : commands_of(example)) show(at, example, shown);
  }
  // At n3: table `jobs` is in the shared log, `local` in one with files.
  void put_row(std::string const& table, std::string const& name) {
    std::vector<std::string> const output = run(kLast, client_of(table) + "put " + table + " name=" + name);
    BOOST_TEST((output.size() == 1 && output.front().starts_with("inserted ")), output.front());
  }
  // The names of those that n3 sees.
  std::string rows(std::string const& table) {
    std::string out;
    for (std::string const& line : run(kLast, client_of(table) + "--json ls " + table))
      if (std::size_t const at = line.find("\"name\":\""); at != std::string::npos)
        out += (out.empty() ? "" : " ") + line.substr(at + 8, line.find('"', at + 8) - at - 8);
    return out;
  }

 private:
  static constexpr std::size_t kLast = 2;

  static std::string client_of(std::string const& table) {
    return "fastjournal " +
           std::string{table == "jobs" ? "--server 192.0.2.1:4050,192.0.2.2:4050,192.0.2.3:4050 " : ""};
  }
  // Output, and the exit code behind it if that is not 0.
  std::vector<std::string> run(std::size_t at, std::string const& command) {
    ChildProcess child{computers_.inside(at, kept_[at] + command)};
    return output_of(child);
  }
  // All power is lost before the first is there again.
  void renew(std::vector<std::size_t> const& where) {
    for (std::size_t const at : where) computers_.lose_power(at);
    // Each has it, as the page says.
    std::string const snapshot = computers_.file(0, "var/backups/etcd.db");
    for (std::size_t const at : where) {
      computers_.empty(at);
      computers_.start(at);
      if (at > 0 && std::filesystem::exists(snapshot))
        std::filesystem::copy_file(snapshot, computers_.file(at, "var/backups/etcd.db"),
                                   std::filesystem::copy_options::overwrite_existing);
    }
  }
  static std::vector<std::string> output_of(ChildProcess& child) {
    std::vector<std::string> out;
    while (auto line = child.read_line(std::chrono::minutes{2})) out.push_back(*line);
    std::optional<int> const code = child.wait();
    // 8: of `cluster status` that nobody owns the log, which its output says.
    if (int const number = code.value_or(-1); number != 0 && number != 8)
      out.push_back("exit code " + (code ? std::to_string(number) : "none, it does not end"));
    return out;
  }
  bool owns(std::size_t at) {
    for (std::string const& line : run(at, "fastjournal cluster status"))
      if (line.ends_with(" is serving")) return true;
    return false;
  }
  [[nodiscard]] std::vector<std::size_t> places(Example const& example) {
    std::vector<std::size_t> out;
    bool const needs_owner =
        std::ranges::any_of(example.words, [](std::string const& word) { return word == "owner" || word == "others"; });
    std::size_t owner = computers_.size();
    for (Clock::time_point const end = Clock::now() + kSoon; needs_owner && Clock::now() < end;) {
      owner = 0;
      while (owner < computers_.size() && !owns(owner)) ++owner;
      if (owner < computers_.size()) break;
    }
    for (std::string const& word : example.words)
      for (std::size_t at = 0; at < computers_.size(); ++at)
        if (word == "each" || word == name(at) || (word == "owner" && at == owner) ||
            (word == "others" && owner < computers_.size() && at != owner))
          out.push_back(at);
    BOOST_REQUIRE_MESSAGE(!out.empty(), example.document << ":" << example.line << ": on which computers?");
    return out;
  }
  static std::string name(std::size_t at) { return "n" + std::to_string(at + 1); }

  void run_all(std::vector<std::size_t> const& where, Example const& example) {
    std::vector<std::unique_ptr<ChildProcess>> children;
    for (std::size_t const at : where) {
      std::string text;
      for (std::string const& line : example.lines)
        text += (line == "name=n1 address=192.0.2.1" ? "name=" + name(at) + " address=192.0.2." + std::to_string(at + 1)
                                                     : line) +
                "\n";
      children.push_back(std::make_unique<ChildProcess>(computers_.inside(at, kept_[at] + "set -e\n" + text)));
      keep(at, text);
    }
    for (auto const& child : children) {
      std::string told;
      std::vector<std::string> const output = output_of(*child);
      for (std::string const& line : output) told += "\n  " + line;
      bool const ended_well = output.empty() || !output.back().starts_with("exit code ");
      BOOST_TEST(ended_well, example.document << ":" << example.line << ":" << told);
    }
  }
  void show(std::size_t at, Example const& example, Shown const& shown) {
    std::string wrong;
    for (Clock::time_point const end = Clock::now() + kSoon;;) {
      std::vector<std::string> const output = run(at, shown.command);
      wrong = difference(output, shown.output);
      if (!wrong.empty())
        for (std::string const& line : output) wrong += "\n  | " + line;
      bool const may_become = shown.command.starts_with("fastjournal cluster status") && Clock::now() < end;
      if (wrong.empty() || !may_become) break;
    }
    BOOST_TEST(wrong.empty(), example.document << ":" << shown.line << ": " << shown.command << "\n  " << wrong);
    keep(at, shown.command + "\n");
  }
  // Variables of the shell.
  void keep(std::size_t at, std::string const& text) {
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) {
      std::size_t const end = line.find('=');
      // Not one that a command gives: it is not run again.
      bool const is_name = end != std::string::npos && end > 0 && line.find("$(") == std::string::npos &&
                           line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == end;
      if (is_name || line.starts_with("export ")) kept_[at] += line + "\n";
    }
  }

  Computers computers_{3};
  std::map<std::size_t, std::string> kept_;
};

bool is(Example const& example, std::string_view word) { return std::ranges::count(example.words, word) > 0; }

bool has(Example const& example, std::string_view text) {
  return std::ranges::any_of(example.lines,
                             [&](std::string const& line) { return line.find(text) != std::string::npos; });
}

// Commands of this way, "plain" or "tls"; of the second one all, as it has steps of the first.
std::vector<Example> examples(std::string_view way) {
  std::vector<Example> out;
  for (Example& one : examples_of(FJ_SOURCE_DIR, kDocument))
    if ((one.language == "sh" || one.language == "console") && (way == "tls" || !is(one, "tls")))
      out.push_back(std::move(one));
  return out;
}

bool is_missing() {
  std::string const missing = has_etcd() ? Computers::missing() : "etcd is not installed: etcd-server, etcd-client";
  if (!missing.empty()) BOOST_TEST_MESSAGE("skipped: " << missing);
  return !missing.empty();
}

std::int64_t ms_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
}

BOOST_AUTO_TEST_CASE(it_goes_as_it_stands) {
  if (is_missing()) return;
  Reader reader;
  Clock::time_point const begin = Clock::now();
  for (Example const& example : examples("plain")) {
    // What is saved, and what comes after that.
    std::string const saved = has(example, "snapshot save")        ? "jobs"
                              : has(example, "fastjournal backup") ? "local"
                                                                   : "";
    if (!saved.empty()) reader.put_row(saved, "kept");
    reader.play(example);
    if (has(example, "put jobs"))
      BOOST_TEST_MESSAGE("from nothing to the first job on three nodes: " << ms_since(begin) << " ms");
    if (!saved.empty()) reader.put_row(saved, "lost");
    // Of the log with files what the backup has.
    if (has(example, "cp -a")) BOOST_TEST(reader.rows("local") == "kept");
  }
  BOOST_TEST_MESSAGE("all of it: " << ms_since(begin) << " ms");
  // Of the shared log what the snapshot has.
  BOOST_TEST(reader.rows("jobs") == "kept");
}

BOOST_AUTO_TEST_CASE(it_goes_with_tls_and_users) {
  if (is_missing()) return;
  Reader reader;
  std::vector<Example> const all = examples("plain");
  auto const first = std::ranges::find_if(all, [](Example const& one) { return is(one, "plain"); });
  auto const client = std::ranges::find_if(all, [](Example const& one) { return has(one, "put jobs"); });
  BOOST_REQUIRE((first < client && client != all.end()));
  for (auto at = all.begin(); at != first; ++at) reader.play(*at);
  std::vector<Example> const secure = examples("tls");
  for (Example const& one : secure)
    if (is(one, "tls") && !is(one, "denied")) reader.play(one);
  for (auto at = first; at <= client; ++at)
    if (!is(*at, "plain")) reader.play(*at);
  // All is lost, and restored with its users.
  auto const saves = std::ranges::find_if(all, [](Example const& one) { return has(one, "snapshot save"); });
  auto const lost = std::ranges::find_if(
      all, [](Example const& one) { return one.lines == std::vector<std::string>{"systemctl stop fastjournal"}; });
  BOOST_REQUIRE((client < saves && saves < lost && lost != all.end()));
  reader.put_row("jobs", "kept");
  reader.play(*saves);
  reader.put_row("jobs", "lost");
  for (auto at = lost; at != all.end(); ++at) reader.play(*at);
  BOOST_TEST(reader.rows("jobs") == "kept");
  for (Example const& one : secure)
    if (is(one, "denied")) reader.play(one);
}

BOOST_AUTO_TEST_SUITE_END()

// A reader of flag files by the watcher's rules (names, parts, fields, number of files). It was written after the
// watcher's own reader, not after our writer.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <istream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace fastjournal::test {

struct ReadFlag {
  std::string unit, section, name;
  std::map<std::string, std::string> fields;
};

inline void check_part(std::string const& part) {
  if (part.empty() || part.front() < 'a' || part.front() > 'z')
    throw std::runtime_error("part \"" + part + "\": first");
  for (char const c : part)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
      throw std::runtime_error("part \"" + part + "\": character");
  if (part.find("--") != std::string::npos || part.back() == '-') throw std::runtime_error("part \"" + part + "\": -");
}

// Reads a line. A backslash at its end joins the next line to it, as in shells; trailing blanks are removed.
inline bool read_line(std::istream& from, std::string& line) {
  if (!std::getline(from, line)) return false;
  for (std::string more; line.ends_with('\\') && std::getline(from, more);) line.replace(line.size() - 1, 1, more);
  while (line.ends_with(' ')) line.pop_back();
  return true;
}

inline std::string unescaped(std::string const& text) {
  static std::map<char, char> const kMeant{{'\\', '\\'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const meant = text[i] == '\\' && i + 1 < text.size() ? kMeant.find(text[i + 1]) : kMeant.end();
    out += meant == kMeant.end() ? text[i] : meant->second;
    if (meant != kMeant.end()) ++i;
  }
  return out;
}

inline ReadFlag read_flag(std::string const& file_name, std::string const& content) {
  ReadFlag flag;
  std::string const stem = file_name.substr(0, file_name.size() - 5);
  std::istringstream parts{stem};
  std::vector<std::string> words;
  for (std::string word; std::getline(parts, word, '_');) words.push_back(word);
  if (!file_name.ends_with(".flag") || words.size() != 3) throw std::runtime_error("file name " + file_name);
  for (std::string const& word : words) check_part(word);
  flag.unit = words[0], flag.section = words[1], flag.name = words[2];
  static std::set<std::string> const kKnown{"unit",     "section",  "name",        "message", "count",
                                            "date",     "modified", "priority",    "tags",    "manual_down",
                                            "hostname", "function", "source_file", "line",    "version"};
  std::istringstream lines{content};
  for (std::string line; read_line(lines, line);) {
    std::size_t const equal = line.find('=');
    if (equal == std::string::npos || !kKnown.contains(line.substr(0, equal))) throw std::runtime_error("line " + line);
    if (!flag.fields.emplace(line.substr(0, equal), unescaped(line.substr(equal + 1))).second)
      throw std::runtime_error("twice: " + line);
  }
  for (char const* needed : {"unit", "section", "name", "message"})
    if (flag.fields[needed].empty()) throw std::runtime_error(file_name + " has no " + needed);
  if (flag.fields["unit"] != flag.unit || flag.fields["section"] != flag.section || flag.fields["name"] != flag.name)
    throw std::runtime_error(file_name + " is not what its lines say");
  for (char const* number : {"count", "date", "modified", "priority"}) {
    std::string const& text = flag.fields[number];
    if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos)
      throw std::runtime_error(file_name + ": " + number + "=" + text);
  }
  if (std::stoi(flag.fields["priority"]) > 100) throw std::runtime_error(file_name + ": priority");
  if (flag.fields["manual_down"] != "yes" && flag.fields["manual_down"] != "no")
    throw std::runtime_error(file_name + ": manual_down");
  return flag;
}

// All flags of a folder, by file name; the watcher reads the first 100 only.
inline std::map<std::string, ReadFlag> read_flags(std::filesystem::path const& folder) {
  std::set<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator{folder})
    if (entry.path().extension() == ".flag") names.insert(entry.path().filename().string());
  std::map<std::string, ReadFlag> out;
  for (std::string const& name : names) {
    if (out.size() == 100) break;
    std::ifstream file{folder / name};
    std::ostringstream content;
    content << file.rdbuf();
    out.emplace(name, read_flag(name, content.str()));
  }
  return out;
}

}  // namespace fastjournal::test

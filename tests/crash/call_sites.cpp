// Finds the calls in the source with regular expressions, and their addresses with addr2line.
#include "tests/crash/call_sites.h"

#include <dlfcn.h>
#include <stdio.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>

#include <fmt/format.h>

namespace fastjournal::log::file::test {

namespace {

std::string text_of(std::filesystem::path const& path) {
  std::ostringstream out;
  out << std::ifstream{path}.rdbuf();
  return out.str();
}

// Comments become blanks, so that line numbers stay the same.
std::string without_comments(std::string text) {
  for (std::size_t at = text.find("//"); at != std::string::npos; at = text.find("//", at))
    for (; at < text.size() && text[at] != '\n'; ++at) text[at] = ' ';
  return text;
}

int line_at(std::string const& text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::size_t end_of_call(std::string const& text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at;
  }
  return text.size();
}

// Functions that return nothing are hints and cannot fail.
std::string names_of_interface(std::string const& interface) {
  std::regex const declared(R"(virtual (?!void )[^;]*?\b(\w+)\([^;]*\)[^;]*= 0;)");
  std::string names;
  std::string const text = without_comments(text_of(interface));
  for (std::sregex_iterator it(text.begin(), text.end(), declared), end; it != end; ++it)
    names += (names.empty() ? "" : "|") + (*it)[1].str();
  return names;
}

}  // namespace

std::vector<CallSite> call_sites_in_source(std::string const& folder, std::string const& interface) {
  std::regex const call(R"(\b(?:disk|file)_?(?:\.value\(\))?(?:\.|->)()" + names_of_interface(interface) + R"()\()");
  std::vector<CallSite> sites;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp") continue;
    std::string const text = without_comments(text_of(entry.path()));
    for (std::sregex_iterator it(text.begin(), text.end(), call), end; it != end; ++it) {
      auto const begin = static_cast<std::size_t>(it->position());
      std::size_t const last = end_of_call(text, begin + static_cast<std::size_t>(it->length()) - 1);
      sites.push_back({entry.path().filename().string(), line_at(text, begin), line_at(text, last),
                       text.substr(begin, last + 1 - begin)});
    }
  }
  std::sort(sites.begin(), sites.end(),
            [](CallSite const& a, CallSite const& b) { return a.file != b.file ? a.file < b.file : a.line < b.line; });
  return sites;
}

std::set<std::string> lines_of(std::set<void const*> const& addresses) {
  std::string command = "addr2line -e " + std::filesystem::read_symlink("/proc/self/exe").string();
  for (void const* address : addresses) {
    Dl_info info{};
    if (::dladdr(address, &info) == 0) continue;
    // The return address is after the call: one byte before it is the call itself.
    auto const offset = static_cast<char const*>(address) - static_cast<char const*>(info.dli_fbase) - 1;
    command += fmt::format(" {:#x}", offset);
  }
  std::unique_ptr<FILE, int (*)(FILE*)> const pipe(::popen(command.c_str(), "r"), ::pclose);
  std::set<std::string> lines;
  std::array<char, 4096> line{};
  while (pipe != nullptr && ::fgets(line.data(), static_cast<int>(line.size()), pipe.get()) != nullptr) {
    std::string text = line.data();
    text.erase(std::min(text.find_first_of("\n "), text.size()));
    lines.insert(text.substr(text.rfind('/') + 1));
  }
  return lines;
}

std::vector<CallSite> not_reached(std::vector<CallSite> const& sites, std::set<std::string> const& lines) {
  std::vector<CallSite> out;
  for (CallSite const& site : sites) {
    bool reached = false;
    for (int line = site.line; line <= site.last_line; ++line)
      reached = reached || lines.contains(fmt::format("{}:{}", site.file, line));
    if (!reached) out.push_back(site);
  }
  return out;
}

}  // namespace fastjournal::log::file::test

#include "tests/unit/house/rules.h"

#include <algorithm>
#include <array>

namespace fastjournal::house {
namespace {

using Names = std::set<std::string, std::less<>>;

// Free functions, called with or without std:: or ::.
Names const kBannedCalls{"time",   "clock",  "clock_gettime",  "gettimeofday", "localtime", "localtime_r", "mktime",
                         "rand",   "srand",  "random",         "srandom",      "drand48",   "getrandom",   "getentropy",
                         "socket", "sendto", "recvfrom",       "sendmsg",      "recvmsg",   "epoll_wait",  "open",
                         "openat", "fopen",  "freopen",        "pread",        "pwrite",    "fsync",       "fdatasync",
                         "getenv", "setenv", "setlocale",      "strftime",     "sleep",     "usleep",      "nanosleep",
                         "fork",   "system", "pthread_create", "dlopen",       "getpid"};
Names const kBannedInStd{
    "thread",        "jthread", "mutex",      "shared_mutex", "recursive_mutex", "condition_variable", "async",
    "random_device", "mt19937", "mt19937_64", "locale",       "ifstream",        "ofstream",           "fstream",
    "cout",          "cerr",    "cin"};
Names const kBannedAnywhere{"system_clock", "steady_clock", "high_resolution_clock", "utc_clock", "file_clock"};
Names const kUnordered{"unordered_map", "unordered_set", "unordered_multimap", "unordered_multiset",
                       "flat_hash_map", "flat_hash_set", "node_hash_map",      "node_hash_set"};
Names const kSleeps{"sleep", "usleep", "nanosleep", "clock_nanosleep", "sleep_for", "sleep_until"};
Names const kBeforeACall{"return", "co_return", "co_await", "else", "do", "throw", "case", "not", "and", "or"};

std::string_view text_at(Source const& source, std::size_t index) {
  return index < source.tokens.size() ? std::string_view{source.tokens[index].text} : std::string_view{};
}

// Whether the identifier at `index` names a free function that is being called:
// no member, no function of another namespace or class, no declaration.
bool is_free_call(Source const& source, std::size_t index) {
  if (text_at(source, index + 1) != "(") return false;
  if (index == 0) return true;
  std::string_view const before = text_at(source, index - 1);
  if (before == "." || before == "->" || before == ">" || before == "~") return false;
  if (before == "::") {
    if (index == 1) return true;
    std::string_view const scope = text_at(source, index - 2);
    return scope == "std" || scope == "chrono" || !is_identifier(scope) || kBeforeACall.contains(scope);
  }
  return !is_identifier(before) || kBeforeACall.contains(before);
}

std::size_t matching(Source const& source, std::size_t open, std::string_view opening, std::string_view closing) {
  int depth = 0;
  for (std::size_t at = open; at < source.tokens.size(); ++at) {
    if (text_at(source, at) == opening) ++depth;
    if (text_at(source, at) == closing && --depth == 0) return at;
  }
  return source.tokens.size();
}

bool says_any_order(Source const& source, int line) {
  auto const says = [&](int number) {
    return number >= 1 && number <= static_cast<int>(source.lines.size()) &&
           source.lines[static_cast<std::size_t>(number - 1)].find("// Any order: ") != std::string::npos;
  };
  return says(line) || says(line - 1);
}

// The name that a range-for walks, if what it walks ends in a name.
std::string walked_name(Source const& source, std::size_t open, std::size_t close) {
  int depth = 0;
  for (std::size_t at = open; at < close; ++at) {
    if (text_at(source, at) == "(") ++depth;
    if (text_at(source, at) == ")") --depth;
    if (depth == 1 && text_at(source, at) == ";") return {};
    if (depth == 1 && text_at(source, at) == ":") return std::string{text_at(source, close - 1)};
  }
  return {};
}

// `#include "engine/engine.h"` as the first line of src/engine/engine.cpp.
bool is_own_header(Source const& source, std::string_view first_line) {
  if (!source.path.ends_with(".cpp") || source.includes.empty() || !first_line.starts_with("#include")) return false;
  std::string_view const header = source.includes.front().name;
  std::string_view const stem = std::string_view{source.path}.substr(0, source.path.size() - 4);
  return header.ends_with(".h") && stem.ends_with(header.substr(0, header.size() - 2));
}

}  // namespace

void check_core_calls(Source const& source, std::vector<Finding>& findings) {
  for (std::size_t at = 0; at < source.tokens.size(); ++at) {
    std::string const& name = source.tokens[at].text;
    bool const of_std = at >= 2 && text_at(source, at - 1) == "::" && text_at(source, at - 2) == "std";
    if (kBannedAnywhere.contains(name) || (of_std && kBannedInStd.contains(name)) ||
        (kBannedCalls.contains(name) && is_free_call(source, at)))
      findings.push_back({source.path, source.tokens[at].line,
                          "'" + name + "' in the core: no clock, thread, file, socket, chance or locale here"});
  }
}

std::set<std::string> unordered_names(Source const& source) {
  std::set<std::string> names;
  for (std::size_t at = 0; at < source.tokens.size(); ++at) {
    if (!kUnordered.contains(source.tokens[at].text) || text_at(source, at + 1) != "<") continue;
    std::size_t next = matching(source, at + 1, "<", ">") + 1;
    while (text_at(source, next) == "&" || text_at(source, next) == "const") ++next;
    // A function that returns one is no variable.
    if (is_identifier(text_at(source, next)) && text_at(source, next + 1) != "(") names.emplace(text_at(source, next));
  }
  return names;
}

void check_unordered_loops(Source const& source, std::set<std::string> const& names, std::vector<Finding>& findings) {
  for (std::size_t at = 0; at < source.tokens.size(); ++at) {
    Token const& token = source.tokens[at];
    std::string walked;
    if (token.text == "for" && text_at(source, at + 1) == "(")
      walked = walked_name(source, at + 1, matching(source, at + 1, "(", ")"));
    else if (text_at(source, at + 1) == "." &&
             (text_at(source, at + 2) == "begin" || text_at(source, at + 2) == "cbegin"))
      walked = token.text;
    if (names.contains(walked) && !says_any_order(source, token.line))
      findings.push_back({source.path, token.line,
                          "walks '" + walked +
                              "', a hash container: its order must not be seen (if it is not, say so: "
                              "// Any order: why)"});
  }
}

void check_no_sleep(Source const& source, std::vector<Finding>& findings) {
  for (std::size_t at = 0; at < source.tokens.size(); ++at)
    if (kSleeps.contains(source.tokens[at].text) && text_at(source, at + 1) == "(")
      findings.push_back(
          {source.path, source.tokens[at].line,
           "'" + source.tokens[at].text + "' in a test: wait for what is awaited, or advance simulated time"});
}

void check_opening(Source const& source, std::vector<Finding>& findings) {
  std::string const first = source.lines.empty() ? std::string{} : source.lines.front();
  if (first.starts_with("//") || first.starts_with("/*") || is_own_header(source, first)) return;
  findings.push_back({source.path, 1, "does not open with a comment: what it is and why it stands apart"});
}

void check_length(std::string_view path, std::string_view text, std::vector<Finding>& findings) {
  auto const lines = static_cast<int>(split_lines(text).size());
  if (lines > kLinesMax)
    findings.push_back(
        {std::string{path}, lines, std::to_string(lines) + " lines; at most " + std::to_string(kLinesMax)});
}

void check_no_marks(std::string_view path, std::string_view text, std::vector<Finding>& findings) {
  static std::array<std::string, 2> const kMarks{std::string{"TO"} + "DO", std::string{"FIX"} + "ME"};
  int number = 0;
  for (std::string const& line : split_lines(text)) {
    ++number;
    for (std::string const& mark : kMarks)
      if (line.find(mark) != std::string::npos)
        findings.push_back({std::string{path}, number, mark + ": what lands is whole"});
  }
}

}  // namespace fastjournal::house

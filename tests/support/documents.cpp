#include "tests/support/documents.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fastjournal::test {

std::vector<std::string> documents(std::string const& root) {
  std::vector<std::string> out{"README.md"};
  for (auto const& entry : std::filesystem::directory_iterator{root + "/doc"})
    if (entry.path().extension() == ".md") out.push_back("doc/" + entry.path().filename().string());
  std::sort(out.begin() + 1, out.end());
  return out;
}

std::vector<Example> examples_of(std::string const& root, std::string const& document) {
  std::ifstream file{root + "/" + document};
  std::vector<Example> out;
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (!line.starts_with("```")) {
      if (inside) out.back().lines.push_back(line);
      continue;
    }
    inside = !inside;
    if (!inside) continue;
    std::istringstream words{line.substr(3)};
    Example next{document, number + 1, {}, {}, {}};
    words >> next.language;
    for (std::string word; words >> word;) next.words.push_back(word);
    out.push_back(std::move(next));
  }
  return out;
}

bool has_daemon_of_its_own(std::string_view document) {
  return document == "doc/tutorial.md" || document == "doc/recipes.md" || document == "doc/coming-from.md";
}

bool is_as_shown(std::string_view text, std::string_view shown) {
  constexpr std::string_view kAny = "...";
  std::size_t const any = shown.find(kAny);
  if (any == std::string_view::npos) return text == shown;
  if (!text.starts_with(shown.substr(0, any))) return false;
  std::string_view const rest = shown.substr(any + kAny.size());
  for (std::size_t at = any; at <= text.size(); ++at)
    if (is_as_shown(text.substr(at), rest)) return true;
  return false;
}

std::vector<Shown> commands_of(Example const& example) {
  std::vector<Shown> out;
  for (std::size_t i = 0; i < example.lines.size(); ++i) {
    std::string const& line = example.lines[i];
    bool const goes_on = !out.empty() && out.back().output.empty() && out.back().command.ends_with('\\');
    if (goes_on)
      out.back().command += "\n" + line;
    else if (line.starts_with("$ "))
      out.push_back({line.substr(2), example.line + static_cast<int>(i), {}});
    else if (!out.empty())
      out.back().output.push_back(line);
    else
      out.push_back({"false # begins with output: " + line, example.line, {}});
  }
  return out;
}

std::string difference(std::vector<std::string> const& output, std::vector<std::string> const& shown) {
  constexpr std::string_view kAny = "...";
  std::size_t at = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i] == kAny) {
      if (i + 1 == shown.size()) return {};
      while (at < output.size() && !is_as_shown(output[at], shown[i + 1])) ++at;
      continue;
    }
    if (at == output.size()) return "expected \"" + shown[i] + "\", but there is no more output";
    if (!is_as_shown(output[at], shown[i])) return "expected \"" + shown[i] + "\", got \"" + output[at] + "\"";
    ++at;
  }
  return at == output.size() ? "" : "did not expect \"" + output[at] + "\"";
}

}  // namespace fastjournal::test

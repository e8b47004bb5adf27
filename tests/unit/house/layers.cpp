#include "tests/unit/house/layers.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace fastjournal::house {
namespace {

std::string trimmed(std::string_view text) {
  std::size_t const first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string{text.substr(first, text.find_last_not_of(' ') + 1 - first)};
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    std::size_t const end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> words(std::string_view cell) {
  std::vector<std::string> found;
  for (std::string const& part : split(cell, ',')) {
    std::string word;
    std::copy_if(part.begin(), part.end(), std::back_inserter(word), [](char c) { return c != '`'; });
    if (!word.empty()) found.push_back(word);
  }
  return found;
}

bool fits(std::string_view folder, std::string_view path) {
  if (folder.ends_with("/*")) {
    folder.remove_suffix(1);
    return path.starts_with(folder) && path.find('/', folder.size()) != std::string_view::npos;
  }
  return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

// `plugins/*` is a folder each: one plugin includes nothing of another.
std::string own_folder(Layer const& layer, std::string_view path) {
  if (!layer.folder.ends_with("/*")) return layer.folder;
  return std::string{path.substr(0, path.find('/', layer.folder.size() - 1))};
}

bool is_standard(std::string_view name) { return name.find_first_of("./") == std::string_view::npos; }

bool is_posix(std::string_view name) {
  static constexpr std::array kFolders{"sys/", "netinet/", "arpa/", "net/", "linux/"};
  static constexpr std::array kHeaders{"dirent.h",  "errno.h",  "fcntl.h",   "grp.h",    "netdb.h", "poll.h",
                                       "pthread.h", "pwd.h",    "sched.h",   "signal.h", "spawn.h", "stdlib.h",
                                       "string.h",  "syslog.h", "termios.h", "time.h",   "unistd.h"};
  return std::any_of(kFolders.begin(), kFolders.end(), [&](char const* folder) { return name.starts_with(folder); }) ||
         std::find(kHeaders.begin(), kHeaders.end(), name) != kHeaders.end();
}

// Headers that bring a clock, chance, threads, files or a locale into the core.
bool is_banned_in_core(std::string_view name) {
  static constexpr std::array kHeaders{
      "barrier", "clocale",   "condition_variable", "csignal",    "ctime",  "filesystem",
      "fstream", "future",    "iostream",           "latch",      "locale", "mutex",
      "random",  "semaphore", "shared_mutex",       "stop_token", "thread"};
  return std::find(kHeaders.begin(), kHeaders.end(), name) != kHeaders.end() || name.starts_with("absl/random/") ||
         name.starts_with("absl/synchronization/") || name.starts_with("absl/time/");
}

bool allows(std::string_view allowed, std::string_view name) {
  if (allowed.ends_with("/*")) return name.starts_with(allowed.substr(0, allowed.size() - 1));
  if (allowed.find_first_of("./") != std::string_view::npos) return name == allowed;
  return name.starts_with(allowed) && name.substr(allowed.size()).starts_with('/');
}

std::string joined(std::vector<std::string> const& parts) {
  std::string text;
  for (std::string const& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text.empty() ? "nothing" : text;
}

bool may_include(Layer const& layer, Layer const& other) {
  return std::find(layer.ours.begin(), layer.ours.end(), other.name) != layer.ours.end();
}

void check_foreign(Layer const& layer, Include const& include, Source const& source, std::vector<Finding>& findings) {
  std::string const& name = include.name;
  if (layer.core && is_banned_in_core(name))
    findings.push_back(
        {source.path, include.line,
         "<" + name + "> in the core (" + layer.name + "): no clock, thread, file, socket, chance or locale"});
  if (is_standard(name)) return;
  for (std::string const& allowed : layer.foreign)
    if (allows(allowed, name) || (allowed == "POSIX" && is_posix(name))) return;
  findings.push_back({source.path, include.line,
                      "'" + name + "' is no header of ours, and the layer " + layer.name + " may include " +
                          joined(layer.foreign) + " of third parties"});
}

// The folder that a call of CMake is about: of fj_layer() its first one; of a plugin its own; else that of the file.
std::string folder_of(std::string_view call, std::string_view path, std::vector<std::string> const& words) {
  if (call == "fj_part(") return "src/daemon/parts";
  if (call == "fj_plugin(") return words.empty() ? "" : "plugins/" + words.front();
  if (call == "fj_layer(") return words.size() < 2 ? "" : words[1];
  return std::string{path.substr(0, path.rfind('/'))};
}

}  // namespace

LayerTable::LayerTable(std::string_view path, std::string_view markdown, std::vector<Finding>& findings) {
  bool inside = false;
  int line = 0;
  bool core = true;
  for (std::string const& text : split_lines(markdown)) {
    ++line;
    if (!text.starts_with('|')) {
      inside = false;
      continue;
    }
    std::vector<std::string> const cells = split(std::string_view{text}.substr(1), '|');
    if (cells.front() == "layer") inside = true;
    if (!inside || cells.front() == "layer" || cells.front().starts_with("--")) continue;
    if (cells.size() != 6 || words(cells[1]).size() != 1) {
      findings.push_back({std::string{path}, line, "a layer's row is: layer, `folder`, of ours, third party, what"});
      continue;
    }
    Layer layer;
    layer.name = cells[0];
    layer.folder = words(cells[1]).front();
    layer.ours = words(cells[2]);
    layer.foreign = words(cells[3]);
    layer.core = core || layer.folder.starts_with("plugins/");
    core = core && layer.name != "engine";
    for (std::string const& name : layer.ours)
      if (std::none_of(layers_.begin(), layers_.end(), [&](Layer const& above) { return above.name == name; }))
        findings.push_back(
            {std::string{path}, line, "layer " + layer.name + ": no layer '" + name + "' stands above it"});
    layers_.push_back(std::move(layer));
  }
  if (layers_.empty())
    findings.push_back({std::string{path}, 0, "no layer table: a table whose first heading is 'layer'"});
}

Layer const* LayerTable::of(std::string_view path) const {
  // "clients/cpp" wins against "clients/*", and "src/log/file" against "src/log", though both fit.
  auto const is_closer = [](Layer const& layer, Layer const& than) {
    if (than.folder.ends_with("/*")) return !layer.folder.ends_with("/*");
    return !layer.folder.ends_with("/*") && layer.folder.size() > than.folder.size();
  };
  Layer const* best = nullptr;
  for (Layer const& layer : layers_)
    if (fits(layer.folder, path) && (best == nullptr || is_closer(layer, *best))) best = &layer;
  return best;
}

void check_includes(LayerTable const& table, Source const& source, Resolve const& resolve,
                    std::vector<Finding>& findings) {
  Layer const* layer = table.of(source.path);
  if (layer == nullptr) {
    findings.push_back({source.path, 1, "no row for this folder in the layer table of src/README.md"});
    return;
  }
  for (Include const& include : source.includes) {
    std::optional<std::string> const ours = resolve(source.path, include.name);
    if (!ours) {
      check_foreign(*layer, include, source, findings);
      continue;
    }
    Layer const* other = table.of(*ours);
    if (other == layer && own_folder(*layer, *ours) == own_folder(*layer, source.path)) continue;
    if (other == nullptr)
      findings.push_back({source.path, include.line, "'" + include.name + "' is in no layer (" + *ours + ")"});
    else if (!may_include(*layer, *other))
      findings.push_back({source.path, include.line,
                          "the layer " + layer->name + " may not include '" + include.name + "' of the layer " +
                              other->name + ": of ours it may include " + joined(layer->ours)});
  }
}

void check_wide_headers(std::vector<Source> const& sources, Resolve const& resolve, std::vector<Finding>& findings) {
  // GCC 12 reads <memory>, the longest of them, in 0.2 s, and these without it in 0.1 s or less.
  static std::set<std::string, std::less<>> const kLight{
      "algorithm",     "array",   "bit",     "charconv",    "compare",    "concepts",
      "cstddef",       "cstdint", "cstring", "deque",       "functional", "initializer_list",
      "iosfwd",        "limits",  "list",    "map",         "memory",     "optional",
      "set",           "span",    "string",  "string_view", "tuple",      "type_traits",
      "unordered_map", "utility", "variant", "vector"};
  std::map<std::string, Source const*> by_path;
  for (Source const& source : sources) by_path[source.path] = &source;
  std::map<std::string, std::size_t> readers;
  std::size_t units = 0;
  for (Source const& source : sources) {
    if (!source.path.ends_with(".cpp")) continue;
    ++units;
    std::set<std::string> seen{source.path};
    std::vector<Source const*> open{&source};
    while (!open.empty()) {
      Source const& file = *open.back();
      open.pop_back();
      for (Include const& include : file.includes) {
        auto const ours = resolve(file.path, include.name);
        if (!ours || !by_path.contains(*ours) || !seen.insert(*ours).second) continue;
        ++readers[*ours];
        open.push_back(by_path[*ours]);
      }
    }
  }
  for (auto const& [path, count] : readers)
    for (Include const& include : by_path[path]->includes)
      if (count * 5 >= units && !resolve(path, include.name) && !kLight.contains(include.name))
        findings.push_back({path, include.line,
                            std::to_string(count) + " of " + std::to_string(units) + " sources read this header, so <" +
                                include.name + "> is too heavy for it: declare what is needed, or name it in a .cpp"});
}

std::vector<Links> read_links(std::string_view path, std::string_view text) {
  static constexpr std::array kCalls{"fj_layer(", "fj_plugin(", "fj_part(", "target_link_libraries("};
  std::vector<Links> links;
  int line = 0;
  std::string_view call;  // that is open
  std::vector<std::string> inside;
  for (std::string const& whole : split_lines(text)) {
    ++line;
    std::string_view rest = std::string_view{whole}.substr(0, whole.find('#'));
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    for (std::string_view const one : kCalls)
      if (call.empty() && rest.starts_with(one)) {
        call = one;
        rest.remove_prefix(one.size());
        links.push_back({"", "", std::string{path}, line, {}});
        inside.clear();
      }
    if (call.empty()) continue;
    for (std::string const& word : split(rest.substr(0, rest.find(')')), ' '))
      if (!word.empty()) inside.push_back(word);
    if (rest.find(')') == std::string_view::npos) continue;
    Links& last = links.back();
    last.target = inside.empty() ? "" : inside.front();
    if (call == "fj_layer(" || call == "fj_plugin(") last.target.insert(0, "fj_");
    last.folder = folder_of(call, path, inside);
    // What only its tests link follows.
    auto const end = std::find(inside.begin(), inside.end(), "TEST_DEPS");
    for (auto word = inside.begin(); word != end; ++word)
      if (word != inside.begin() && word->starts_with("fj_") && word->find('.') == std::string::npos &&
          *word != "fj_options")
        last.ours.push_back(*word);
    call = {};
  }
  return links;
}

void check_links(LayerTable const& table, std::vector<Links> const& links, std::vector<Finding>& findings) {
  std::map<std::string, Layer const*> rows;  // by library
  for (Links const& one : links)
    if (Layer const* const row = table.of(one.folder + "/x"); row != nullptr) rows.try_emplace(one.target, row);
  rows.try_emplace("fj_public", table.of("src/include/fastjournal/x"));
  for (Links const& one : links) {
    Layer const* const row = table.of(one.folder + "/x");
    if (row == nullptr) continue;
    for (std::string const& name : one.ours)
      if (auto const other = rows.find(name);
          other != rows.end() && other->second != nullptr && other->second != row && !may_include(*row, *other->second))
        findings.push_back({one.file, one.line,
                            one.target + " links " + name + " of the layer " + other->second->name +
                                ", which the row of " + row->name + " does not name"});
  }
}

}  // namespace fastjournal::house

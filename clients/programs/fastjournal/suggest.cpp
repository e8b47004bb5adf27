#include "clients/programs/fastjournal/suggest.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "model/nearest.h"

namespace fastjournal::cli {
namespace {

// Other tools' names of our commands.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kElsewhere{{{"add", "put"},
                                                                                    {"ack", "done"},
                                                                                    {"get", "peek"},
                                                                                    {"insert", "put"},
                                                                                    {"list", "ls"},
                                                                                    {"next", "take"},
                                                                                    {"nack", "release"},
                                                                                    {"reserve", "take"},
                                                                                    {"remove", "delete"},
                                                                                    {"restore", "kick"},
                                                                                    {"retry", "kick"},
                                                                                    {"rm", "delete"},
                                                                                    {"show", "peek"},
                                                                                    {"shutdown", "stop"}}};

std::string_view meant(std::string_view word, std::span<std::string const> names) {
  for (auto const& [theirs, ours] : kElsewhere)
    if (theirs == word && std::find(names.begin(), names.end(), ours) != names.end()) return ours;
  constexpr std::size_t kBeginningMin = 3;
  std::string_view begun;
  for (std::string const& name : names)
    if (word.size() >= kBeginningMin && name.starts_with(word) && (begun.empty() || name.size() < begun.size()))
      begun = name;
  if (!begun.empty()) return begun;
  std::vector<std::string_view> const views(names.begin(), names.end());
  return model::nearest(word, views);
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<std::string const> names) {
  std::string_view const name = meant(word, names);
  return name.empty() ? std::string() : "; did you mean " + std::string(name) + "?";
}

}  // namespace fastjournal::cli

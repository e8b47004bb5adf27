#include "clients/cli/spawn.h"

#include <string_view>

extern char** environ;

namespace fastjournal::cli {

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& one : strings) out.push_back(one.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment_with(std::vector<std::string> const& variables) {
  std::vector<std::string> out;
  for (char** one = environ; *one != nullptr; ++one)
    if (!std::string_view(*one).starts_with("FJ_")) out.emplace_back(*one);
  out.insert(out.end(), variables.begin(), variables.end());
  return out;
}

}  // namespace fastjournal::cli

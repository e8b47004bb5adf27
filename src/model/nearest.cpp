#include "model/nearest.h"

#include <algorithm>
#include <vector>

namespace fastjournal::model {
namespace {

// Number of letters to change, add, leave out, or swap with their neighbour.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      std::size_t const change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string_view nearest(std::string_view found, std::span<std::string_view const> names) {
  std::string_view best;
  std::size_t best_edits = found.size() < 4 ? 2 : 3;  // below this many, and fewer than half the letters
  for (std::string_view const name : names) {
    // The lengths give a lower limit of the edits: a name of a whole MiB costs nothing here.
    std::size_t const difference = std::max(found.size(), name.size()) - std::min(found.size(), name.size());
    if (difference >= best_edits) continue;
    std::size_t const count = edits(found, name);
    if (count < best_edits && count * 2 < name.size()) {
      best = name;
      best_edits = count;
    }
  }
  return best;
}

}  // namespace fastjournal::model

#include "server/page/page.h"

#include <string_view>
#include <vector>

#include "base/check.h"
#include "server/embedded.h"

namespace fastjournal::page {
namespace {

struct Kind {
  std::string_view ending;
  std::string_view content_type;
};
constexpr Kind kKinds[] = {{".html", "text/html; charset=utf-8"},
                           {".css", "text/css; charset=utf-8"},
                           {".js", "text/javascript; charset=utf-8"},
                           {".json", "application/json"},
                           {".svg", "image/svg+xml"}};

// Browsers run and apply nothing whose type is a guess (nosniff).
std::string_view content_type_of(std::string_view path) {
  for (Kind const& kind : kKinds)
    if (path.ends_with(kind.ending)) return kind.content_type;
  FJ_CHECK(false, "each file of the page has a known kind");
  return {};
}

std::vector<protocol::HttpFile> make_files() {
  std::vector<protocol::HttpFile> out;
  for (Embedded const& file : embedded()) out.push_back({file.path, content_type_of(file.path), file.bytes});
  return out;
}

}  // namespace

std::span<protocol::HttpFile const> files() {
  static std::vector<protocol::HttpFile> const kFiles = make_files();
  return kFiles;
}

}  // namespace fastjournal::page

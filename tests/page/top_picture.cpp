#include "tests/page/top_picture.h"

#include <stdexcept>

#include "base/base64.h"
#include "tests/support/child_process.h"

namespace fastjournal::test {
namespace {

// A screen begins at the top left corner, and ends where what was below is cleared.
constexpr std::string_view kBegin = "\x1b[H";
constexpr std::string_view kEnd = "\x1b[J";

// `top` draws whole lines in one style: "1" bold, "2" dim, "7" reverse.
std::string class_of(std::string_view style) {
  if (style.starts_with('1')) return "bold";
  if (style.starts_with('2')) return "dim";
  if (style.starts_with('7')) return "reverse";
  return "";
}

}  // namespace

std::string top_screen(std::string const& server, int looks) {
  // By its name in its folder, which is short. script(1) gives it a terminal, and would pass on the end of its own input,
  // which is a key that ends it.
  std::size_t const slash = server.rfind('/');
  ChildProcess top{{"script", "-qec",
                    "cd " + server.substr(5, slash - 5) +
                        " && stty cols 100 rows 19 && exec " FJ_BINARY_DIR "/bin/fastjournal --server unix:" +
                        server.substr(slash + 1) + " top --interval 250ms --count " + std::to_string(looks) +
                        " </dev/null",
                    "/dev/null"}};
  if (top.wait().value_or(-1) != 0) throw std::runtime_error("top: " + top.output());
  std::string const& out = top.output();
  std::size_t const begin = out.rfind(kBegin);
  std::size_t const end = out.find(kEnd, begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos || end == std::string::npos) throw std::runtime_error("top drew nothing: " + out);
  return out.substr(begin + kBegin.size(), end - begin - kBegin.size());
}

std::string top_page(std::string_view screen) {
  std::string html =
      "<!doctype html><meta charset=utf-8><style>body{margin:0;background:#16191d;color:#d8dce2}"
      "pre{margin:0;padding:16px;font:14px/1.4 'DejaVu Sans Mono',monospace;display:inline-block}"
      ".bold{font-weight:bold;color:#fff}.dim{opacity:.6}.reverse{background:#d8dce2;color:#16191d}</style><pre>";
  for (std::size_t i = 0; i < screen.size(); ++i) {
    char const c = screen[i];
    if (c == '\x1b') {
      std::size_t const end = screen.find_first_of("mK", i);
      std::string_view const sequence = screen.substr(i + 2, end - i - 2);
      if (screen[end] == 'm') html += sequence == "0" ? "</span>" : "<span class=" + class_of(sequence) + ">";
      i = end;
    } else if (c == '<' || c == '&') {
      html += c == '<' ? "&lt;" : "&amp;";
    } else if (c != '\r') {
      html += c;
    }
  }
  std::string out = "data:text/html;base64,";
  append_base64(html + "</pre>", out);
  return out;
}

}  // namespace fastjournal::test

// A Chromium without a window, driven by the messages of its DevTools over two pipes. Tests wait for conditions within
// the page, never for time. What the page complains of is collected.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/line_client.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::test {

using Json = nlohmann::json;

// As Debian installs it; empty: there is none.
[[nodiscard]] std::string chromium();

class Browser {
 public:
  // Throws std::runtime_error if it does not start, as all other functions do if it does not answer.
  Browser();
  ~Browser();
  Browser(Browser const&) = delete;
  Browser& operator=(Browser const&) = delete;

  // A page without the memory of the one before.
  void open(std::string const& url);
  // The value of an expression; of a promise, once it is kept. Throws with what the page threw.
  Json evaluate(std::string const& expression);
  std::string text(std::string const& expression);
  // Whether the expression becomes true; looked at with each frame.
  bool until(std::string const& expression, std::chrono::milliseconds limit = kPatience);

  // As somebody at the keyboard: "Tab", "Enter", "Escape", "ArrowDown".
  void press(std::string_view key);
  void type(std::string const& text);

  void resize(int width, int height);
  void prefer(std::string_view scheme);  // "light", "dark"
  std::string picture();                 // a PNG
  // Of the accessibility tree: {role, name} of all nodes that are not ignored.
  std::vector<std::pair<std::string, std::string>> accessible();

  // Errors of scripts, refusals of the content security policy, failed requests ("network: ...").
  [[nodiscard]] std::vector<std::string> take_complaints();

 private:
  Json call(std::string const& method, Json parameters = Json::object());
  Json read_message();
  void note(Json const& event);

  TemporaryFolder folder_;
  pid_t pid_{-1};
  int to_{-1};
  int from_{-1};
  std::string buffer_;
  std::string session_;
  std::string target_;
  int number_{0};
  std::vector<std::string> complaints_;
};

}  // namespace fastjournal::test

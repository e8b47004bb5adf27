#include "tests/page/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

#include "base/base64.h"

namespace fastjournal::test {
namespace {

using Clock = std::chrono::steady_clock;

// The ends of a pipe above those that the child gets as 3 and 4, and closed in it.
struct Pipe {
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    read = ::fcntl(ends[0], F_DUPFD_CLOEXEC, 16);
    write = ::fcntl(ends[1], F_DUPFD_CLOEXEC, 16);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  int read;
  int write;
};

struct Key {
  std::string_view name;
  int code;
  std::string_view text;
};
constexpr Key kKeys[] = {
    {"Tab", 9, ""}, {"Enter", 13, "\r"}, {"Escape", 27, ""}, {"ArrowDown", 40, ""}, {"Home", 36, ""}};

}  // namespace

std::string chromium() {
  for (char const* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser"})
    if (::access(path, X_OK) == 0) return path;
  return {};
}

Browser::Browser() {
  std::vector<std::string> words{chromium(),
                                 "--headless",
                                 "--disable-gpu",
                                 "--hide-scrollbars",
                                 "--no-first-run",
                                 "--disable-background-networking",
                                 "--disable-component-update",
                                 "--disable-dev-shm-usage",
                                 "--disable-extensions",
                                 "--disable-sync",
                                 "--disable-breakpad",
                                 "--disable-crash-reporter",
                                 "--remote-debugging-pipe",
                                 "--user-data-dir=" + (folder_ / "profile")};
  // Its sandbox needs another user.
  if (::geteuid() == 0) words.emplace_back("--no-sandbox");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  Pipe const commands;
  Pipe const answers;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (int const fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&files, commands.read, 3);
  posix_spawn_file_actions_adddup2(&files, answers.write, 4);
  // A group of its own, so that what it starts ends with it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  int const error = ::posix_spawn(&pid_, words[0].c_str(), &files, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  ::close(commands.read);
  ::close(answers.write);
  to_ = commands.write;
  from_ = answers.read;
  if (error != 0) throw std::runtime_error("no browser: the package chromium");
}

Browser::~Browser() {
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ::close(to_);
  ::close(from_);
}

Json Browser::read_message() {
  Clock::time_point const until = Clock::now() + 3 * kPatience;
  for (;;) {
    if (std::size_t const end = buffer_.find('\0'); end != std::string::npos) {
      Json message = Json::parse(buffer_.substr(0, end));
      buffer_.erase(0, end + 1);
      return message;
    }
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd look{from_, POLLIN, 0};
    if (left <= 0 || ::poll(&look, 1, static_cast<int>(left)) <= 0) throw std::runtime_error("the browser is silent");
    char piece[64U << 10U];
    ssize_t const got = ::read(from_, piece, sizeof piece);
    if (got <= 0) throw std::runtime_error("the browser has ended");
    buffer_.append(piece, static_cast<std::size_t>(got));
  }
}

void Browser::note(Json const& event) {
  std::string const method = event.value("method", "");
  if (method == "Log.entryAdded") {
    Json const& entry = event["params"]["entry"];
    if (entry.value("level", "") == "error" || entry.value("source", "") == "security")
      complaints_.push_back(entry.value("source", "") + ": " + entry.value("text", "") + " " + entry.value("url", ""));
  } else if (method == "Runtime.exceptionThrown") {
    complaints_.push_back("exception: " + event["params"]["exceptionDetails"].dump());
  } else if (method == "Runtime.consoleAPICalled" && event["params"].value("type", "") == "error") {
    complaints_.push_back("console: " + event["params"]["args"].dump());
  }
}

Json Browser::call(std::string const& method, Json parameters) {
  int const mine = ++number_;
  Json message{{"id", mine}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty() && !method.starts_with("Target.")) message["sessionId"] = session_;
  std::string const bytes = message.dump() + '\0';
  for (std::size_t sent = 0; sent < bytes.size();) {
    ssize_t const now = ::write(to_, bytes.data() + sent, bytes.size() - sent);
    if (now <= 0) throw std::runtime_error("the browser has ended");
    sent += static_cast<std::size_t>(now);
  }
  for (;;) {
    Json const answer = read_message();
    if (answer.value("id", 0) != mine) {
      note(answer);
      continue;
    }
    if (answer.contains("error")) throw std::runtime_error(method + ": " + answer["error"].dump());
    return answer["result"];
  }
}

void Browser::open(std::string const& url) {
  if (!target_.empty()) {
    call("Target.closeTarget", {{"targetId", target_}});
    session_.clear();
  }
  std::string const context = call("Target.createBrowserContext")["browserContextId"];
  target_ = call("Target.createTarget", {{"url", "about:blank"}, {"browserContextId", context}})["targetId"];
  session_ = call("Target.attachToTarget", {{"targetId", target_}, {"flatten", true}})["sessionId"];
  for (char const* domain : {"Page", "Runtime", "Log", "Accessibility"}) call(std::string{domain} + ".enable");
  complaints_.clear();
  call("Page.navigate", {{"url", url}});
  if (!until("document.readyState === 'complete' && location.href !== 'about:blank'"))
    throw std::runtime_error("it does not load: " + url);
}

Json Browser::evaluate(std::string const& expression) {
  Json const out =
      call("Runtime.evaluate", {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
  if (out.contains("exceptionDetails"))
    throw std::runtime_error(expression + ": " +
                             out["exceptionDetails"]
                                 .value("exception", Json::object())
                                 .value("description", out["exceptionDetails"].dump()));
  return out["result"].value("value", Json());
}

std::string Browser::text(std::string const& expression) {
  Json const value = evaluate(expression);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool Browser::until(std::string const& expression, std::chrono::milliseconds limit) {
  std::string const waits =
      "new Promise((done) => { const end = performance.now() + " + std::to_string(limit.count()) +
      "; const look = () => { let is = false; try { is = Boolean(" + expression +
      "); } catch {} if (is || performance.now() > end) done(is); else requestAnimationFrame(look); }; look(); })";
  for (int tries = 0; tries < 10; ++tries) {
    try {
      return evaluate(waits) == true;
    } catch (std::runtime_error const& error) {
      // The page was replaced by the next one.
      std::string const why = error.what();
      if (why.find("context") == std::string::npos && why.find("navigated") == std::string::npos) throw;
    }
  }
  return false;
}

void Browser::press(std::string_view name) {
  for (Key const& key : kKeys) {
    if (key.name != name) continue;
    Json down{{"type", key.text.empty() ? "rawKeyDown" : "keyDown"},
              {"key", key.name},
              {"code", key.name},
              {"windowsVirtualKeyCode", key.code}};
    if (!key.text.empty()) down["text"] = key.text;
    call("Input.dispatchKeyEvent", down);
    call("Input.dispatchKeyEvent",
         {{"type", "keyUp"}, {"key", key.name}, {"code", key.name}, {"windowsVirtualKeyCode", key.code}});
    return;
  }
  throw std::runtime_error("no such key");
}

void Browser::type(std::string const& text) { call("Input.insertText", {{"text", text}}); }

void Browser::resize(int width, int height) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

void Browser::prefer(std::string_view scheme) {
  call("Emulation.setEmulatedMedia", {{"features", {{{"name", "prefers-color-scheme"}, {"value", scheme}}}}});
}

std::string Browser::picture() {
  std::string const base64 = call("Page.captureScreenshot", {{"format", "png"}})["data"];
  std::string out;
  if (!decode_base64(base64, out)) throw std::runtime_error("the picture is no base64");
  return out;
}

std::vector<std::pair<std::string, std::string>> Browser::accessible() {
  std::vector<std::pair<std::string, std::string>> out;
  Json const tree = call("Accessibility.getFullAXTree");
  for (Json const& node : tree["nodes"]) {
    if (node.value("ignored", false) || !node.contains("role")) continue;
    std::string name;
    if (node.contains("name")) name = node["name"].value("value", "");
    out.emplace_back(node["role"].value("value", ""), name);
  }
  return out;
}

std::vector<std::string> Browser::take_complaints() {
  evaluate("0");  // events up to here have been read
  return std::exchange(complaints_, {});
}

}  // namespace fastjournal::test

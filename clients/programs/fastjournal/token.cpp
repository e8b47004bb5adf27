#include "clients/programs/fastjournal/token.h"

#include <termios.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <istream>
#include <memory>
#include <ostream>
#include <system_error>

#include <fmt/format.h>

#include "clients/cpp/secret_file.h"
#include "clients/programs/fastjournal/verbs.h"
#include "config/access/token.h"

namespace fastjournal::cli {
namespace {

std::string variable(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

// Takes the first line of `text`, without blanks at its end.
std::string take_line(std::string_view& text) {
  std::size_t const end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return std::string{line};
}

Result<std::string> checked(std::string token, std::string const& source) {
  if (access::Token::read(token)) return token;
  return Status{Code::bad_parameter, source + ": expected a token, fj_..., as `fastjournal user add` shows it once"};
}

// What is typed is not shown; undone at the end.
class Unseen {
 public:
  Unseen() {
    if (::isatty(STDIN_FILENO) != 1 || ::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios unseen = before_;
    unseen.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    is_set_ = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &unseen) == 0;
  }
  ~Unseen() {
    if (is_set_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  Unseen(Unseen const&) = delete;
  Unseen& operator=(Unseen const&) = delete;

  [[nodiscard]] bool is_set() const { return is_set_; }

 private:
  termios before_{};
  bool is_set_{false};
};

std::string ask(Console& console) {
  Unseen const unseen;
  if (unseen.is_set()) console.err << "token: " << std::flush;
  std::string line;
  std::getline(console.in, line);
  if (unseen.is_set()) console.err << '\n';
  std::string_view rest{line};
  return take_line(rest);
}

}  // namespace

TokenSources TokenSources::of_environment() {
  TokenSources out{.token = variable("FASTJOURNAL_TOKEN"), .kept_in = {}};
  std::string const configuration = variable("XDG_CONFIG_HOME");
  std::string const home = variable("HOME");
  if (configuration.starts_with('/'))
    out.kept_in = configuration + "/fastjournal/token";
  else if (home.starts_with('/'))
    out.kept_in = home + "/.config/fastjournal/token";
  return out;
}

Result<std::string> find_token(Globals const& all, TokenSources const& sources) {
  if (!all.token_file.empty()) {
    Result<std::string> const text = client::read_secret(all.token_file);
    if (!text.ok()) return text.status();
    std::string_view rest{text.value()};
    return checked(take_line(rest), all.token_file);
  }
  if (!sources.token.empty()) return checked(sources.token, "FASTJOURNAL_TOKEN");
  if (sources.kept_in.empty()) return std::string{};
  Result<std::string> const kept = client::read_secret(sources.kept_in);
  if (kept.status().code() == Code::not_found) return std::string{};
  if (!kept.ok()) return kept.status();
  std::string_view rest{kept.value()};
  std::string token = take_line(rest);
  // Another server must not see it.
  if (take_line(rest) != all.server) return std::string{};
  return checked(std::move(token), sources.kept_in);
}

namespace {

// Reads a token from standard input, shows it to the daemon, and keeps it for this server.
struct Login {
  OptionSet& to;

  ExitCode run(Call& call) {
    TokenSources const sources = TokenSources::of_environment();
    if (sources.kept_in.empty())
      return call.misuse("there is no folder for a token: neither HOME nor XDG_CONFIG_HOME names one");
    Result<std::string> const token = checked(ask(call.console), "standard input");
    if (!token.ok()) return call.misuse(token.status().message());
    client::Options options = connection_options(call);
    options.token.clear();
    Result<std::unique_ptr<client::Connection>> const opened = client::Connection::open(std::move(options));
    if (!opened.ok()) return call.complain(opened.status());
    Result<client::Reply> const answer = opened.value()->call("AUTH", {{"token", Value::of_text(token.value())}});
    if (!answer.ok()) return call.complain(answer.status());
    std::error_code error;
    std::filesystem::path const folder = std::filesystem::path{sources.kept_in}.parent_path();
    std::filesystem::create_directories(folder, error);
    if (error) return call.complain({Code::io_error, folder.string() + ": " + error.message()});
    if (Status status = client::write_secret(sources.kept_in, token.value() + "\n" + call.server + "\n"); !status.ok())
      return call.complain(status);
    Message const& user = answer->first();
    return call.say(user, fmt::format("logged in at {} as {}, with the rights {}; the token is kept in {}",
                                      printable(call.server), user.text("user"), user.text("rights"), sources.kept_in));
  }
};

constexpr Verb kLogin[]{
    {"login", "keep a token for this server, read from standard input, in ~/.config/fastjournal/token", Needs::address,
     declare<Login>, "fastjournal login --server tls:jobs.example.com:4050 < crawler.token",
     "A terminal does not show it. It is shown to the daemon first, and kept if the daemon knows it."},
};

}  // namespace

Verbs login_verbs() { return kLogin; }

}  // namespace fastjournal::cli

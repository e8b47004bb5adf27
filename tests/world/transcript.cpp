#include "tests/world/transcript.h"

#include <charconv>
#include <fstream>
#include <map>
#include <vector>

#include "model/duration.h"
#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim {
namespace {

class Player {
 public:
  Player(std::string const& file, std::uint64_t seed)
      : folder_(file.substr(0, file.rfind('/') + 1)), file_(file), world_(seed) {}

  std::string play() {
    std::ifstream in{file_};
    if (!in) return file_ + ": cannot be read";
    for (std::string line; std::getline(in, line);) {
      ++line_number_;
      std::string wrong = step(line);
      if (wrong.empty() && world_.is_running()) wrong = check_state();
      if (!wrong.empty()) return file_ + ":" + std::to_string(line_number_) + ": " + line + "\n  " + wrong;
    }
    return {};
  }

 private:
  std::string step(std::string const& line) {
    if (line.empty() || line[0] == '#') return {};
    std::size_t const mark = line.find_first_of("<> ");
    std::string_view const text{line};
    if (mark != std::string::npos && line[mark] != ' ') {
      std::string const name = mark == 0 ? "main" : line.substr(0, mark);
      std::string_view rest = text.substr(mark + 1);
      while (rest.starts_with(' ')) rest.remove_prefix(1);
      if (std::string wrong = ensure_started(); !wrong.empty()) return wrong;
      return line[mark] == '>' ? send(name, rest) : expect(name, rest);
    }
    std::string const word = line.substr(0, mark);
    std::string const rest = mark == std::string::npos ? "" : line.substr(mark + 1);
    if (word == "table") {
      Status const status = world_.add_table(folder_ + rest);
      return status.ok() ? "" : status.text();
    }
    if (std::string wrong = ensure_started(); !wrong.empty()) return wrong;
    return control(word, rest);
  }

  std::string control(std::string const& word, std::string const& rest) {
    if (word == "advance") {
      Result<std::int64_t> const span = model::parse_duration(rest);
      if (!span.ok()) return span.status().text();
      world_.advance(DurationMs{span.value()});
      return {};
    }
    if (word == "close") {
      world_.close(rest);
      return {};
    }
    if (word == "crash") {
      world_.power_cut();
    } else if (word == "kill") {
      world_.kill();
    } else if (word == "restart") {
      if (Status status = world_.stop(); !status.ok()) return status.text();
    } else {
      return "no such step; known are table, advance, close, crash, kill, restart, NAME> and NAME<";
    }
    return ensure_started();
  }

  std::string ensure_started() {
    if (world_.is_running()) return {};
    Status const status = world_.start();
    return status.ok() ? "" : "the start failed: " + status.text();
  }

  // @10s and $name in what is sent.
  std::string send(std::string const& name, std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
      if ((text[i] == '@' || text[i] == '$') && i > 0 && text[i - 1] == '=') {
        std::size_t end = text.find(';', i);
        if (end == std::string_view::npos) end = text.size();
        std::string wrong;
        out += resolve(text.substr(i, end - i), wrong);
        if (!wrong.empty()) return wrong;
        i = end;
      } else {
        out += text[i++];
      }
    }
    world_.send(name, out);
    world_.settle();
    return {};
  }

  std::string resolve(std::string_view word, std::string& wrong) {
    if (word.starts_with('@')) {
      Result<std::int64_t> const span = model::parse_duration(word.substr(1));
      if (!span.ok()) wrong = span.status().text();
      return span.ok() ? std::to_string((world_.began() + DurationMs{span.value()}).value) : "";
    }
    auto const bound = bound_.find(std::string{word.substr(1)});
    if (bound == bound_.end()) {
      wrong = std::string{word} + " has no value yet";
      return {};
    }
    return bound->second;
  }

  std::string expect(std::string const& name, std::string_view text) {
    std::optional<std::string> const line = world_.take_line(name);
    if (text == "nothing") return line ? "nothing was expected, but it got: " + *line : "";
    if (!line) return "it got nothing";
    bool const open = text.ends_with("...");
    if (open) text.remove_suffix(3);
    while (text.ends_with(';') || text.ends_with(' ')) text.remove_suffix(1);
    Message wanted;
    Message got;
    if (Status status = wire::parse_line(text, wanted); !status.ok())
      return "the expectation cannot be read: " + status.text();
    if (Status status = wire::parse_line(*line, got); !status.ok())
      return "what came cannot be read: " + status.text() + ": " + *line;
    std::string const wrong = compare(wanted, got, open);
    return wrong.empty() ? "" : wrong + "\n  it got: " + *line;
  }

  std::string compare(Message const& wanted, Message const& got, bool open) {
    if (wanted.command != got.command) return "expected " + std::string{wanted.command};
    for (Param const& param : wanted.params()) {
      Value const* const value = got.find(param.name);
      if (value == nullptr) return "expected the parameter " + std::string{param.name};
      std::string_view const want = param.value.bytes;
      if (want == "*") continue;
      if (want.starts_with('$') && !bound_.contains(std::string{want.substr(1)})) {
        bound_[std::string{want.substr(1)}] = value->bytes;
        continue;
      }
      std::string wrong;
      std::string const exact =
          want.starts_with('$') || want.starts_with('@') ? resolve(want, wrong) : std::string{want};
      if (!wrong.empty()) return wrong;
      if (exact != value->bytes) return "expected " + std::string{param.name} + "=" + exact;
    }
    if (open) return {};
    for (Param const& param : got.params())
      if (!wanted.has(param.name)) return "did not expect the parameter " + std::string{param.name};
    return {};
  }

  std::string check_state() {
    Result<std::uint64_t> const replayed = world_.replayed_digest();
    if (!replayed.ok()) return "the log cannot be replayed: " + replayed.status().text();
    return replayed.value() == world_.engine().digest() ? "" : "digest(live) differs from digest(replayed)";
  }

  std::string folder_;
  std::string file_;
  World world_;
  int line_number_{0};
  std::map<std::string, std::string> bound_;
};

}  // namespace

std::string run_transcript(std::string const& file, std::uint64_t seed) { return Player{file, seed}.play(); }

}  // namespace fastjournal::sim

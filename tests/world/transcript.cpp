#include "tests/world/transcript.h"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "config/fields.h"
#include "model/duration.h"
#include "server/dispatch/message_files.h"
#include "tests/support/documents.h"
#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim {
namespace {

constexpr char kTranscriptCommunicator[] = "communicatord";
constexpr char kUdp[] = "udp";
constexpr char kCommunicatorAddress[] = "unix:/run/communicator/communicatord.sock";

// In documents: parameters that are numbers of rows and leases, and parameters that are dates.
std::set<std::string_view> const kNumbers{"row", "epoch", "held_by", "after"};
constexpr std::int64_t kSpanMin = 1'000'000'000'000;
std::set<std::string_view> const kDates{"process_date", "insertion_date", "expiration_date", "lease_end", "next_date",
                                        "date",         "since",          "until",           "now",       "first_date",
                                        "first",        "last",           "modified"};
// Dates below this are in seconds, as in some messages of other systems; others are in ms.
constexpr std::int64_t kSecondsMax = 100'000'000'000;

}  // namespace

class TranscriptPlayer {
 public:
  TranscriptPlayer(std::string folder, std::uint64_t seed, bool document,
                   log::SyncPlace sync_place = log::SyncPlace::on_loop, std::uint64_t hash_seed = 0)
      : folder_(std::move(folder)), document_(document), world_(seed) {
    world_.log_options.sync_place = sync_place;
    world_.hash_seed = hash_seed;
  }

  std::string play(std::string const& file) {
    std::ifstream in{file};
    if (!in) return file + ": cannot be read";
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      std::string const wrong = step(line);
      if (!wrong.empty()) return file + ":" + std::to_string(number) + ": " + line + "\n  " + wrong;
    }
    return {};
  }

  std::string step(std::string const& line) {
    std::string wrong = do_step(line);
    if (wrong.empty() && world_.is_running()) wrong = check_state();
    return wrong;
  }

  std::string add_table(std::string const& file) {
    Status const status = world_.add_table(file);
    return status.ok() ? "" : status.text();
  }

 private:
  std::string do_step(std::string const& line) {
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
    if (word == "table") return add_table(folder_ + rest);
    if (word == kTranscriptCommunicator) {
      configure([](server::Server& server) {
        communicator::OutboundOptions options;
        options.communicator = kCommunicatorAddress;
        options.alert_service = "watcher";
        options.origin = {"box", "0.1.0"};
        server.links().join(std::move(options));
      });
      world_.network().serve(kCommunicatorAddress);
      return {};
    }
    if (word == kUdp) {
      configure([this](server::Server& server) {
        udp_ = world_.network().receive_datagrams({})->id;
        server.datagrams().take(udp_, {});
      });
      return {};
    }
    if (word == "user") return change_user(rest);
    if (word == "clock") return set_clock(rest);
    if (word == "suspend") return suspend(rest);
    if (word == "start") return start(rest);
    if (std::string wrong = ensure_started(); !wrong.empty()) return wrong;
    return control(word, rest);
  }

  // Adds a setting for this daemon and all that start after it.
  void configure(std::function<void(server::Server&)> more) {
    world_.configure = [before = std::move(world_.configure), more = std::move(more)](server::Server& server) {
      if (before) before(server);
      more(server);
    };
  }

  std::string control(std::string const& word, std::string const& rest) {
    if (word == "advance") {
      Result<std::int64_t> const span = model::parse_duration(rest);
      if (!span.ok()) return span.status().text();
      world_.advance(DurationMs{span.value()});
      return {};
    }
    if (word == "rights") {
      std::size_t const end = std::min(rest.find(' '), rest.size());
      Result<Rights> const rights = config::parse_rights(std::string_view{rest}.substr(std::min(end + 1, rest.size())));
      if (!rights.ok()) return rights.status().text();
      world_.give_rights(rest.substr(0, end), rights.value());
      return {};
    }
    if (word == "close") {
      world_.close(rest);
      return {};
    }
    if (word == "memory") {
      OptionDeclaration size;
      size.type = OptionType::size;
      Result<std::int64_t> const bytes = config::parse_option(size, rest);
      if (!bytes.ok()) return bytes.status().text();
      world_.engine().memory().limit(static_cast<std::uint64_t>(bytes.value()));
      return {};
    }
    if (word == "crash") {
      world_.power_cut();
    } else if (word == "kill") {
      world_.kill();
    } else if (word == "restart" || word == "stop") {
      if (Status status = world_.stop(); !status.ok()) return status.text();
      if (word == "stop") return {};
    } else {
      return "no such step; known are table, communicatord, udp, user, rights, advance, close, crash, kill, restart, "
             "stop, start, memory, clock, suspend, NAME> and NAME<";
    }
    return ensure_started();
  }

  std::string change_user(std::string const& rest) {
    std::string const name = rest.substr(0, rest.find(' '));
    std::string words = rest.substr(std::min(name.size() + 1, rest.size()));
    if (words.empty()) {
      users_.erase(name);
    } else if (std::string wrong = grant(users_[name], name, std::move(words)); !wrong.empty()) {
      return wrong;
    }
    access::Users users;
    for (auto const& [one, user] : users_)
      if (!users.add(user)) return "two users have one token: choose names that differ in their first 16 characters";
    world_.set_users(std::move(users));
    return {};
  }
  std::string grant(access::User& user, std::string const& name, std::string words) {
    access::Grant grant;
    if (std::size_t const on = words.find(" on "); on != std::string::npos) {
      std::optional<std::vector<std::string>> tables = access::parse_tables(words.substr(on + 4));
      if (!tables) return "no list of tables: " + words;
      grant.tables = std::move(*tables);
      words.resize(on);
    }
    Result<Rights> const rights = config::parse_rights(words);
    if (!rights.ok()) return rights.status().text();
    grant.rights = rights.value();
    user.grants.push_back(std::move(grant));
    if (user.token) return {};
    user.name = name;
    std::string random = name;
    random.resize(access::kSaltBytes + access::kSecretBytes, '.');
    access::Token const token = access::Token::make(
        std::span<char const, access::kSaltBytes + access::kSecretBytes>{random.data(), random.size()});
    Result<access::TokenHash> hash = access::TokenHash::of(token, access::kHashCostLeast);
    if (!hash.ok()) return hash.status().text();
    user.token = std::move(hash).value();
    bound_[name] = token.text();
    return {};
  }

  // Sets the clock, whether the daemon runs or not.
  std::string set_clock(std::string const& rest) {
    bool const back = rest.starts_with('-');
    Result<std::int64_t> const span = model::parse_duration(back ? rest.substr(1) : rest);
    if (!span.ok()) return span.status().text();
    world_.set_clock(DurationMs{back ? -span.value() : span.value()});
    return {};
  }
  std::string suspend(std::string const& rest) {
    Result<std::int64_t> const span = model::parse_duration(rest);
    if (!span.ok()) return span.status().text();
    world_.suspend(DurationMs{span.value()});
    return {};
  }

  std::string start(std::string const& rest) {
    if (world_.is_running()) return "it runs";
    if (!rest.starts_with("refused")) {
      world_.clock_rules.accept = rest == "accept-clock";
      std::string wrong = rest.empty() || world_.clock_rules.accept ? ensure_started() : "no such start: " + rest;
      world_.clock_rules.accept = false;
      return wrong;
    }
    Status const status = world_.start();
    if (status.ok()) return "it was not refused";
    bool const as_said = rest == "refused" || status.text().find(rest.substr(8)) != std::string::npos;
    return as_said ? "" : "it was refused so: " + status.text();
  }

  std::string ensure_started() {
    if (world_.is_running()) return {};
    Status const status = world_.start();
    return status.ok() ? "" : "the start failed: " + status.text();
  }

  // Sends a message with @10s and $name replaced.
  std::string send(std::string const& name, std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
      if (document_ && i > 0 && text[i - 1] == '=' && text[i] >= '0' && text[i] <= '9') {
        std::size_t end = text.find(';', i);
        if (end == std::string_view::npos) end = text.size();
        std::size_t const name_at = text.find_last_of(" ;", i - 1) + 1;
        out += as_sent(text.substr(name_at, i - 1 - name_at), text.substr(i, end - i));
        i = end;
      } else if (i > 0 &&
                 (text[i - 1] == '=' ? text[i] == '@' || text[i] == '$' : text.substr(i - 1).starts_with(":$"))) {
        std::size_t end = text.find_first_of(text[i - 1] == '=' ? ";" : ",}", i);
        if (end == std::string_view::npos) end = text.size();
        std::string wrong;
        out += resolve(text.substr(i, end - i), wrong);
        if (!wrong.empty()) return wrong;
        i = end;
      } else {
        out += text[i++];
      }
    }
    if (name == kTranscriptCommunicator) {
      ConnectionId const made = world_.network().made();
      if (made == ConnectionId::none) return "the daemon is not connected";
      world_.network().at(made).to_server += out + "\n";
    } else if (name == kUdp && udp_ != ConnectionId::none) {
      world_.network().datagram_to_server(udp_, out);
    } else {
      world_.send(name, out);
    }
    world_.settle();
    return {};
  }

  // The daemon's own number for one that a document shows.
  std::string as_sent(std::string_view name, std::string_view shown) const {
    auto const known = numbers_.find(std::string{shown});
    return kNumbers.contains(name) && known != numbers_.end() ? known->second : std::string{shown};
  }

  std::optional<std::string> take_line(std::string const& name) {
    if (name != kTranscriptCommunicator) return world_.take_line(name);
    ConnectionId const made = world_.network().made();
    if (made == ConnectionId::none) return std::nullopt;
    std::string& from = world_.network().at(made).to_client;
    std::size_t const end = from.find('\n');
    if (end == std::string::npos) return std::nullopt;
    std::string line = from.substr(0, end);
    from.erase(0, end + 1);
    return line;
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
    std::optional<std::string> const line = take_line(name);
    if (text == "closed") {
      if (line) return "its end was expected, but it got: " + *line;
      return world_.is_closed(name) ? "" : "its connection is not closed";
    }
    if (text == "nothing") return line ? "nothing was expected, but it got: " + *line : "";
    if (!line) return "it got nothing";
    bool const open = text.ends_with("...");
    if (open) text.remove_suffix(3);
    while (text.ends_with(';') || text.ends_with(' ')) text.remove_suffix(1);
    Message wanted;
    Message got;
    if (Status status = protocol::parse_line(text, wanted); !status.ok())
      return "the expectation cannot be read: " + status.text();
    if (Status status = protocol::parse_line(*line, got); !status.ok())
      return "what came cannot be read: " + status.text() + ": " + *line;
    std::string wrong = compare(wanted, got, open);
    if (wrong.empty()) wrong = check_definition(got);
    return wrong.empty() ? "" : wrong + "\n  it got: " + *line;
  }

  std::string compare(Message const& wanted, Message const& got, bool open) {
    if (wanted.command != got.command) return "expected " + std::string{wanted.command};
    if (wanted.service != got.service) return "expected it for the service \"" + std::string{wanted.service} + "\"";
    if (!wanted.server.empty() && wanted.server != got.server)
      return "expected it for the server \"" + std::string{wanted.server} + "\"";
    for (Param const& param : wanted.params()) {
      Value const* const value = got.find(param.name);
      if (value == nullptr) return "expected the parameter " + std::string{param.name};
      std::string_view const want = param.value.bytes;
      if (want.ends_with('*') && value->bytes.starts_with(want.substr(0, want.size() - 1))) continue;
      if (document_ && want == "...") continue;
      if (document_ && fits_shown(param.name, want, value->bytes)) continue;
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

  // Communicatord services refuse messages without a definition file, and parameters that the file does not name.
  std::string check_definition(Message const& got) {
    // Messages that every service knows, and the one that the woken service defines (PING).
    static std::set<std::string_view> const kOfOthers{"REGISTER", "UNREGISTER", "COMMANDS", "ABSOLUTELY",
                                                      "UNKNOWN",  "INVALID",    "HELP",     "PING"};
    if (kOfOthers.contains(got.command)) return {};
    engine::Declarations const& tables = world_.engine().declarations();
    if (tables != defined_for_) {
      defined_for_ = tables;
      // Definitions are only added: rows keep the columns of the schema that they were written with.
      for (auto const& [name, content] : server::message_files(world_.types(), tables)) definitions_[name] += content;
    }
    auto const found = definitions_.find(std::string{got.command} + ".conf");
    if (found == definitions_.end()) return "it has no definition file";
    for (Param const& param : got.params()) {
      std::string const section = "\n[" + std::string{param.name} + "]\n";
      if (found->second.find(section) == std::string::npos)
        return "its definition file has no " + std::string{param.name};
      if (found->second.find(section + "type=integer") != std::string::npos && !param.value.as_integer())
        return "its definition file has an integer " + std::string{param.name};
    }
    return {};
  }

  // Numbers and dates in a document stand for the real ones, each always for the same one.
  bool fits_shown(std::string_view name, std::string_view shown, std::string_view real) {
    std::int64_t const shown_date = number_of(shown);
    // `from` and `to` are dates of a timeline, or places in a log, which are smaller.
    bool const is_span = (name == "from" || name == "to") && shown_date > kSpanMin;
    if ((kDates.contains(name) || is_span) && shown_date > 0) {
      bool const seconds = shown_date < kSecondsMax;
      std::int64_t const shift = (number_of(real) - shown_date) * (seconds ? 1000 : 1);
      if (!shift_ && !seconds) shift_ = shift;
      return std::abs(shift_.value_or(shift) - shift) < (seconds ? 1000 : 1);
    }
    if (name == "message" || name == "text") return test::is_as_shown(real, in_real_numbers(shown));
    if (!kNumbers.contains(name)) return false;
    auto const [there, added] = numbers_.try_emplace(std::string{shown}, real);
    return there->second == real;
  }

  // Replaces the numbers that a document shows by the daemon's own.
  std::string in_real_numbers(std::string_view shown) const {
    std::string out{shown};
    for (auto const& [number, real] : numbers_)
      for (std::size_t at = out.find(number); at != std::string::npos; at = out.find(number, at + real.size()))
        out.replace(at, number.size(), real);
    return out;
  }

  static std::int64_t number_of(std::string_view text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

  std::string check_state() {
    Result<std::uint64_t> const replayed = world_.replayed_digest();
    if (!replayed.ok()) return "the log cannot be replayed: " + replayed.status().text();
    return replayed.value() == world_.engine().digest() ? "" : "digest(live) differs from digest(replayed)";
  }

  std::string folder_;
  bool document_;
  World world_;
  ConnectionId udp_{};
  std::map<std::string, std::string> definitions_;
  engine::Declarations defined_for_;
  std::map<std::string, std::string> bound_;
  std::map<std::string, access::User> users_;
  std::map<std::string, std::string> numbers_;  // number as a document shows it -> real number
  std::optional<std::int64_t> shift_;           // ms, from a document's dates to the real ones
};

std::string run_transcript(std::string const& file, std::uint64_t seed, log::SyncPlace sync_place,
                           std::uint64_t hash_seed) {
  return TranscriptPlayer{file.substr(0, file.rfind('/') + 1), seed, false, sync_place, hash_seed}.play(file);
}

DocumentPlayer::DocumentPlayer(std::uint64_t seed) : player_(std::make_unique<TranscriptPlayer>("", seed, true)) {}
DocumentPlayer::~DocumentPlayer() = default;
std::string DocumentPlayer::add_table(std::string const& file) { return player_->add_table(file); }
std::string DocumentPlayer::step(std::string const& line) { return player_->step(line); }

}  // namespace fastjournal::sim

// Attacks on a listener of HTTP: requests with two meanings, heads and bodies that are too large, too slow or never end,
// floods, answers and events that are never read.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "config/access/token.h"
#include "tests/hostile/attacks.h"
#include "tests/hostile/honest.h"
#include "tests/hostile/swarm.h"

namespace fastjournal::hostile {
namespace http_attacks {

using namespace std::chrono_literals;

// How often a response begins in it.
std::size_t responses_in(std::string_view heard) {
  constexpr std::string_view kBegin = "HTTP/1.1 ";
  std::size_t count = 0;
  for (std::size_t at = heard.find(kBegin); at != std::string_view::npos; at = heard.find(kBegin, at + 1))
    if (std::string_view const status = heard.substr(at + kBegin.size(), 1); status >= "1" && status <= "5") ++count;
  return count;
}

// Of the first response; 0: there is none.
int status_in(std::string_view heard) {
  if (!heard.starts_with("HTTP/1.1 ") || heard.size() < 12) return 0;
  return std::stoi(std::string{heard.substr(9, 3)});
}

// Each connection must have been ended, with this status unless the end overtook it.
std::string unless_refused(Swarm const& swarm, std::vector<int> const& statuses) {
  if (swarm.ended() < swarm.size())
    return fmt::format("{} of {} connections go on", swarm.size() - swarm.ended(), swarm.size());
  for (std::size_t i = 0; i < swarm.size(); ++i) {
    int const status = status_in(swarm.heard(i));
    if (status != 0 && std::find(statuses.begin(), statuses.end(), status) == statuses.end())
      return fmt::format("a connection was answered {}", swarm.heard(i).substr(0, 40));
  }
  return {};
}

// A row of the table can be inserted and leased: nobody has paused it.
std::string unless_works(Victim& victim) {
  std::string const insert = ask(victim.local(), "INSERT table=jobs;name=afterwards");
  std::string const next = ask(victim.local(), "NEXT table=jobs");
  return unless(insert.starts_with("INSERTED") && next.starts_with("ROW"), "then NEXT: " + next);
}

// ---------------------------------------------------------------------------
// Requests with two meanings

constexpr std::string_view kBegin = "POST /v1/INSERT HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

// Requests whose end proxies and servers have seen at different places. Behind each stands one more, which pauses the
// table: whoever carries it out has read the request as the attacker wants.
std::vector<std::string> ambiguous_requests() {
  std::string const hidden = http_post("PAUSE", R"({"table":"jobs"})");
  std::string const in_chunk = fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", hidden.size(), hidden);
  std::string const behind_end = "0\r\n\r\n" + hidden;
  std::vector<std::string> out;
  auto const add = [&](std::string_view fields, std::string const& rest) {
    out.push_back(fmt::format("{}{}\r\n{}", kBegin, fields, rest));
  };
  // Lengths of both kinds.
  std::array<char const*, 14> const codings{"Transfer-Encoding: chunked\r\n",
                                            "Transfer-Encoding : chunked\r\n",
                                            " Transfer-Encoding: chunked\r\n",
                                            "Transfer-Encoding: xchunked\r\n",
                                            "Transfer-Encoding: identity, chunked\r\n",
                                            "Transfer-Encoding: chunked, identity\r\n",
                                            "Transfer-Encoding: identity\r\n",
                                            "Transfer-Encoding: \"chunked\"\r\n",
                                            "Transfer-Encoding: chunked;a=b\r\n",
                                            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                                            "Transfer-Encoding:\x0b"
                                            "chunked\r\n",
                                            "Transfer-Encoding\r\n: chunked\r\n",
                                            "X: y\r\r\nTransfer-Encoding: chunked\r\n",
                                            "X: y\nTransfer-Encoding: chunked\r\n"};
  for (char const* const coding : codings) {
    std::string const length = fmt::format("Content-Length: {}\r\n", behind_end.size());
    add(length + coding, behind_end);
    add(coding + length, behind_end);
    add(std::string{coding} + "Content-Length: 4\r\n", in_chunk);
  }
  // Lengths that are read in two ways.
  for (char const* const length :
       {"+4", "-4", "0x4", "4 4", "4, 4", "4;", "", "04x", "4\r\n 0", "1e1", "99999999999999999999"})
    add(fmt::format("Content-Length: {}\r\n", length), "{}\r\n" + hidden);
  add("Content-Length: 2\r\nContent-Length: 2\r\n", "{}" + hidden);
  add("Content-Length: 2\r\ncontent-length: 30\r\n", "{}" + hidden);
  add("Content-Length : 2\r\n", "{}" + hidden);
  add("Content-Length\x01: 2\r\n", "{}" + hidden);
  // Chunks whose sizes or ends are read in two ways.
  for (std::string const& chunks : std::vector<std::string>{
           "2 \r\n{}\r\n" + behind_end, "0x2\r\n{}\r\n" + behind_end, "+2\r\n{}\r\n" + behind_end,
           "2\n{}\r\n" + behind_end, "2\r\n{}\n" + behind_end, "2\r\n{}x\r\n" + behind_end, "-2\r\n{}\r\n" + behind_end,
           "10000000000000002\r\n{}\r\n" + behind_end, "2;\n{}\r\n" + behind_end,
           "2\r\n{}\r\n0\r\nX: y\r\n\r\n" + hidden, "2\r\n{}\r\n0\r\n" + hidden, "2\r\n{}\r\n0\n\n" + hidden,
           "2\r\n{}\r\n0\r\nContent-Length: 9\r\n\r\n" + hidden, "\r\n2\r\n{}\r\n" + behind_end,
           " 2\r\n{}\r\n" + behind_end})
    add("Transfer-Encoding: chunked\r\n", chunks);
  // Requests as a whole.
  out.push_back(
      "POST /v1/INSERT HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n" +
      behind_end);
  out.push_back("POST  /v1/INSERT HTTP/1.1\r\nHost: localhost\r\n\r\n" + hidden);
  out.push_back("POST /v1/INSERT HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n" + hidden);
  out.push_back("POST /v1/INSERT HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n" + hidden);
  out.push_back("GET /health/live HTTP/1.1\r\nHost: localhost\r\nX: y\r\n z\r\n\r\n" + hidden);
  out.push_back("GET http://other.example/health/live HTTP/1.1\r\nHost: localhost\r\nX\r\n\r\n" + hidden);
  out.push_back("GET /health/live HTTP/1.1 HTTP/1.1\r\nHost: localhost\r\n\r\n" + hidden);
  out.push_back("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + hidden);
  return out;
}

Outcome smuggled_requests(Victim& victim, Scale scale) {
  std::vector<std::string> const requests = ambiguous_requests();
  std::uint64_t const rounds = scale.pick(1, 20);
  std::string wrong;
  for (std::uint64_t round = 0; round < rounds && wrong.empty(); ++round) {
    Swarm swarm{victim.http(), true};
    for (std::string const& request : requests) swarm.add({.head = request});
    swarm.drive(kQuiet, UINT32_MAX);
    for (std::size_t i = 0; i < swarm.size() && wrong.empty(); ++i) {
      std::string const& heard = swarm.heard(i);
      if (int const status = status_in(heard); status < 400 || responses_in(heard) != 1)
        wrong = fmt::format("{} responses, the first {}, to {}", responses_in(heard), status, requests[i]);
    }
    if (wrong.empty()) wrong = unless_refused(swarm, {400, 404, 411, 413, 431, 501, 505});
  }
  std::string const works = unless_works(victim);
  return {fmt::format("{} requests with two meanings, {} times, each before one that pauses the table", requests.size(),
                      rounds),
          wrong.empty() ? works : wrong};
}

// ---------------------------------------------------------------------------
// Heads and bodies

Outcome huge_heads(Victim& victim, Scale scale) {
  Swarm swarm{victim.http(), true};
  std::string fields;
  for (int i = 0; i < 200; ++i) fields += fmt::format("X{}: y\r\n", i);
  for (std::uint64_t i = scale.pick(20, 100); i > 0; --i) {
    swarm.add({.head = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ", .fill = 64 * kMiB});
    swarm.add({.head = "GET /", .fill = 64 * kMiB});
    swarm.add({.head = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n" + fields, .repeat = 1000});
  }
  swarm.drive(kQuiet, UINT32_MAX);
  // Ignored before a request, as RFC 9112 says; they must cost nobody else anything.
  Swarm blank{victim.http(), true};
  for (std::uint64_t i = scale.pick(2, 20); i > 0; --i) blank.add({.head = "\r\n\r\n\r\n\r\n", .repeat = 200'000});
  blank.drive(kQuiet);
  return {fmt::format("heads that never end, of one field, of a path and of many fields, by {} connections: {} KiB "
                      "taken; {} KiB of empty lines",
                      swarm.size(), swarm.sent_bytes() / 1024, blank.sent_bytes() / 1024),
          unless_refused(swarm, {400, 414, 431})};
}

Outcome slow_requests(Victim& victim, Scale scale) {
  Swarm swarm{victim.http(), true};
  std::string const head = "POST /v1/INSERT HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  std::string chunks;
  for (int chunk = 0; chunk < 5000; ++chunk) chunks += "1\r\nx\r\n";
  for (std::uint64_t i = scale.pick(50, 500); i > 0; --i) {
    swarm.add({.head = head + "X: ", .fill = 10'000});
    swarm.add({.head = head + "Content-Length: 100000\r\n\r\n", .fill = 100'000});
    swarm.add({.head = head + "Transfer-Encoding: chunked\r\n\r\n", .tail = chunks});
  }
  swarm.dribble(20ms, 30s);
  // Behind a good request the limit is another one.
  Swarm kept{victim.http(), true};
  std::string const good = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (std::uint64_t i = scale.pick(50, 500); i > 0; --i) kept.add({.head = good});
  kept.drive(kQuiet, 3);
  std::size_t served = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) served += status_in(kept.heard(i)) == 200 ? 1U : 0U;
  kept.dribble(100ms, 30s);
  std::string wrong = unless_refused(swarm, {408});
  if (wrong.empty()) wrong = unless(served == kept.size(), "good requests were not answered");
  if (wrong.empty()) wrong = unless_refused(kept, {200});
  return {fmt::format("heads, bodies and chunks of a byte each 20 ms by {} connections, {} kept after a request",
                      swarm.size(), kept.size()),
          wrong};
}

Outcome bad_chunks(Victim& victim, Scale scale) {
  std::string const head = std::string{kBegin} + "Transfer-Encoding: chunked\r\n\r\n";
  Swarm swarm{victim.http(), true};
  for (std::uint64_t i = scale.pick(10, 50); i > 0; --i) {
    // Ten times as many bytes as they carry.
    std::string tiny;
    for (int chunk = 0; chunk < 100'000; ++chunk) tiny += "1\r\nx\r\n";
    swarm.add({.head = head + tiny, .repeat = 10});
    swarm.add({.head = head + "1;", .fill = 64 * kMiB});
    swarm.add({.head = head + "00000000", .fill = 64 * kMiB});
    swarm.add({.head = head + "0\r\nX: ", .fill = 64 * kMiB});
    swarm.add({.head = head + "ffffffff\r\n", .fill = 64 * kMiB});
    swarm.add({.head = head + "100000\r\n", .fill = 64 * kMiB});
    swarm.add({.head = head + "g\r\n", .fill = kMiB});
  }
  swarm.drive(kQuiet, UINT32_MAX);
  return {fmt::format("chunks of one byte, of 4 GiB, without an end, with endless extensions and fields, by {} "
                      "connections: {} MiB taken",
                      swarm.size(), swarm.sent_bytes() / kMiB),
          unless_refused(swarm, {400, 413})};
}

// ---------------------------------------------------------------------------
// Floods

Outcome pipelines(Victim& victim, Scale scale) {
  std::string const three = http_post("INSERT", R"({"table":"jobs","name":"p"})") +
                            "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" +
                            http_post("LIST", R"({"table":"jobs","count":1000})");
  std::uint64_t const repeat = scale.pick(2000, 20'000);
  Swarm unread{victim.http(), false};
  for (std::uint64_t i = scale.pick(10, 100); i > 0; --i) unread.add({.head = three, .repeat = repeat});
  unread.drive(kQuiet);
  Swarm read{victim.http(), true};
  for (std::uint64_t i = scale.pick(4, 16); i > 0; --i) read.add({.head = three, .repeat = repeat / 20});
  read.drive(kQuiet);
  return {fmt::format("{} requests without a pause by each of {} connections that never read, {} by each of {} that do",
                      3 * repeat, unread.size(), 3 * repeat / 20, read.size()),
          unless_works(victim)};
}

// The largest answer that is the same for all, without a pause: what one costs the loop does not grow with it, and what is
// not read takes no memory.
Outcome descriptions(Victim& victim, Scale scale) {
  constexpr double kLoopMsMax = 2;  // for one; a few hundred KiB are sent in a fraction of it
  std::string const request = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
  std::uint64_t const repeat = scale.pick(20, 200);
  Swarm unread{victim.http(), false};
  for (std::uint64_t i = scale.pick(100, 400); i > 0; --i) unread.add({.head = request, .repeat = repeat});
  unread.drive(kQuiet);
  std::string all = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  for (std::uint64_t i = 1; i < repeat; ++i) all.insert(0, request);
  Swarm read{victim.http(), true};
  for (std::uint64_t i = scale.pick(100, 400); i > 0; --i) read.add({.head = all});
  double const before = victim.loop_seconds();
  for (int tries = 0; tries < 60 && read.ended() < read.size(); ++tries) read.drive(kQuiet, UINT32_MAX);
  double const each_ms = (victim.loop_seconds() - before) * 1000 / static_cast<double>(repeat * read.size());
  std::string wrong = unless_works(victim);
  if (wrong.empty()) wrong = unless(read.ended() == read.size(), "not all descriptions came");
  for (std::size_t i = 0; i < read.size() && wrong.empty(); ++i)
    wrong = unless(status_in(read.heard(i)) == 200, "a description was answered " + read.heard(i).substr(0, 40));
  if (wrong.empty() && each_ms > kLoopMsMax)
    wrong = fmt::format("each of them took {:.2f} ms of the loop, expected {} at the most", each_ms, kLoopMsMax);
  return {fmt::format("{} descriptions without a pause by each of {} connections that never read and {} that do: "
                      "{:.2f} ms of the loop each",
                      repeat, unread.size(), read.size(), each_ms),
          wrong};
}

Outcome silent_connections(Victim& victim, Scale scale) {
  Swarm swarm{victim.http(), true};
  for (int i = 0; i < 600; ++i) swarm.add({});
  std::string const other = ask_http(victim.http(), http_post("ALIVE", "{}"));
  std::string const answer = ask(victim.local(), "STATS");
  std::string wrong = unless(answer.starts_with("STATS "), "the administrator: " + answer);
  if (!other.starts_with("503 ")) wrong += "; one more: " + other;
  // They have a second to say something.
  swarm.dribble(1000ms, 30s);
  if (wrong.empty()) wrong = unless_refused(swarm, {408, 503});
  std::uint64_t const visits = scale.pick(1000, 10'000);
  for (std::uint64_t i = 0; i < visits; i += 100) {
    Swarm crowd{victim.http(), true};
    for (int one = 0; one < 100; ++one) crowd.add({});
  }
  std::string const fresh = ask_http(victim.http(), http_post("ALIVE", "{}"));
  if (wrong.empty()) wrong = unless(fresh.starts_with("200 "), "a new client afterwards: " + fresh);
  return {fmt::format("600 silent connections where 500 are allowed, then {} that come and go; one more hears {}",
                      visits, other.substr(0, 3)),
          wrong};
}

// Tokens of nobody, with salts of nobody, and with the salt of a user: only the last are hashed. Of many origins, since
// each of them may fail five times at once.
Outcome false_tokens(Victim& victim, Scale scale) {
  std::uint64_t const origins = scale.pick(20, 60);
  std::uint64_t const each = scale.pick(50, 100);
  Swarm swarm{victim.http(), true};
  auto const request = [](std::string_view token) {
    return http_post("PAUSE", R"({"table":"jobs"})", fmt::format("Authorization: Bearer {}\r\n", token));
  };
  std::uint64_t number = 0;
  for (std::uint64_t origin = 0; origin < origins; ++origin) {
    swarm.come_from(fmt::format("127.0.1.{}", origin + 1));
    std::string garbage;
    std::string strangers;
    std::string guesses;
    for (std::uint64_t i = 0; i < each; ++i) {
      garbage += request(fmt::format("guess-{}", ++number));
      std::array<char, access::kSaltBytes + access::kSecretBytes> seeds{};
      seeds.fill('x');
      std::string const digits = fmt::format("{:08}", ++number);
      std::copy(digits.begin(), digits.end(), seeds.begin());
      strangers += request(access::Token::make(seeds).text());
      seeds.fill('s');
      std::copy(digits.begin(), digits.end(), seeds.end() - 9);
      guesses += request(access::Token::make(seeds).text());
    }
    swarm.add({.head = garbage});
    swarm.add({.head = strangers});
    swarm.add({.head = guesses});
  }
  swarm.drive(kQuiet, UINT32_MAX);
  // On a computer with other work the first answer of one may come later than others are quiet.
  auto const is_waiting = [&] {
    for (std::size_t i = 0; i < swarm.size(); ++i)
      if (swarm.heard(i).empty()) return true;
    return false;
  };
  for (int tries = 0; tries < 60 && is_waiting(); ++tries) swarm.drive(kQuiet, UINT32_MAX);
  std::size_t told = 0;
  std::string wrong;
  for (std::size_t i = 0; i < swarm.size(); ++i) {
    int const status = status_in(swarm.heard(i));
    if (status == 401) ++told;
    if (status != 401 && status != 429)
      wrong = fmt::format("a token of nobody was answered {}", swarm.heard(i).substr(0, 40));
  }
  if (wrong.empty()) wrong = unless_works(victim);
  return {fmt::format("{} tokens of nobody from {} origins, a third with the salt of a user; at first {} of {} "
                      "connections heard 401, the others 429",
                      number * 3 / 2, origins, told, swarm.size()),
          wrong};
}

Outcome unread_events(Victim& victim, Scale scale) {
  Swarm swarm{victim.http(), false};
  std::string const events = "Accept: text/event-stream\r\n";
  for (std::uint64_t i = scale.pick(25, 250); i > 0; --i) {
    swarm.add({.head = http_post("LISTEN", R"({"table":"jobs","mode":"row"})", events)});
    swarm.add({.head = http_post("LISTEN", R"({"table":"jobs"})", events)});
  }
  swarm.drive(500ms);
  std::uint64_t const rows = scale.pick(20'000, 100'000);
  Swarm busy{victim.tcp(), true};
  busy.add({.head = "INSERT table=jobs;name=a\n", .repeat = rows / 2});
  std::string many;
  for (std::uint64_t i = 0; i < rows / 2; ++i) many += fmt::format("INSERT table=jobs;name=k{}\n", i);
  busy.add({.head = many});
  busy.drive(10s, rows / 2);
  return {fmt::format("{} streams of events that are never read, {} rows inserted meanwhile", swarm.size(), rows), {}};
}

}  // namespace http_attacks

std::vector<Attack> attacks_on_http() {
  using namespace http_attacks;
  std::string const small = "<limits memory-bytes=\"256MiB\"/>";
  auto const with_user = [](Victim& victim) {
    jobs(victim);
    victim.have_a_user();
  };
  auto const attack = [](char const* name, char const* what, std::string const& configuration,
                         std::function<Outcome(Victim&, Scale)> run) {
    return Attack{.name = name,
                  .what = what,
                  .configuration = configuration,
                  .prepare = jobs,
                  .run = std::move(run),
                  .peak_mib_max = kSmallPeakMiB,
                  .witness = Speaks::http};
  };
  std::vector<Attack> out{
      attack("smuggling", "requests with two meanings", small, smuggled_requests),
      attack("heads", "heads that never end", small, huge_heads),
      attack("slow", "heads and bodies, a byte now and then",
             "<limits memory-bytes=\"256MiB\" first-message=\"1s\" idle=\"5s\"/>", slow_requests),
      attack("chunks", "chunks that are wrong or without an end", small, bad_chunks),
      attack("pipelines", "requests without a pause", small, pipelines),
      attack("descriptions", "the largest answer, without a pause", small, descriptions),
      attack("silence", "connections that send nothing",
             "<limits memory-bytes=\"256MiB\" connections=\"500\" connections-per-peer=\"500\" first-message=\"1s\"/>",
             silent_connections),
      attack("tokens", "tokens of nobody", small, false_tokens),
      attack("events", "events that are never read", small, unread_events),
  };
  for (Attack& one : out)
    if (one.name == "tokens") one.prepare = with_user;
  return out;
}

}  // namespace fastjournal::hostile

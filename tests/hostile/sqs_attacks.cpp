// Attacks on queues and their listener of SQS: bodies whose sizes lie, trees that are deep or have very many values,
// queues without end, receivers that wait or never read, attributes of many megabytes, receipt handles of nobody,
// requests of browsers, wrong signatures. The honest client inserts rows in another table meanwhile.
#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tests/hostile/attacks.h"
#include "tests/hostile/honest.h"
#include "tests/hostile/swarm.h"
#include "tests/support/certificates.h"

namespace fastjournal::hostile {
namespace sqs_attacks {

using namespace std::chrono_literals;

constexpr std::string_view kUrl = "http://localhost/000000000000/orders";
constexpr std::uint64_t kQueuesMax = 1000;

// The queue table "sqs" with the queue "orders", and its socket.
void declare_queues(Victim const& victim, std::string_view rights) {
  victim.write(
      "tables/sqs.xml",
      fmt::format("<table name=\"sqs\" model=\"queue\">\n<listeners>\n<socket path=\"../sqs\" protocol=\"sqs\" "
                  "rights=\"{}\"/>\n</listeners>\n<queues>orders</queues>\n<queues-max>{}</queues-max>\n"
                  "<max-deliveries>0</max-deliveries>\n<keep-parked>0</keep-parked>\n</table>\n",
                  rights, kQueuesMax));
}

std::string address(Victim const& victim) { return "unix:" + victim.file("sqs"); }

// A request in JSON; `more`: further fields, each with its CRLF.
std::string action(std::string_view name, std::string_view body, std::string_view more = {}) {
  return fmt::format(
      "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AmazonSQS.{}\r\nContent-Length: {}\r\n{}\r\n{}", name,
      body.size(), more, body);
}
std::string pairs(std::string_view body, std::string_view more = {}) {
  return fmt::format("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n{}\r\n{}", body.size(), more, body);
}
std::string on_orders(std::string_view members) { return fmt::format(R"({{"QueueUrl":"{}"{}}})", kUrl, members); }

std::string times(std::string_view text, std::uint64_t count) {
  std::string out;
  for (; count > 0; --count) out += text;
  return out;
}

// The queue still takes a message and hands it out, once all that others sent is gone.
std::string unless_serves(Victim& victim) {
  static_cast<void>(ask(victim.local(), "PURGE table=sqs;queue=orders"));
  static_cast<void>(ask(victim.local(), "DECLARE table=sqs;queue=afterwards"));
  std::string const sent = ask(victim.local(), "SEND table=sqs;queue=afterwards;body=1");
  std::string const taken = ask(victim.local(), "ACQUIRE table=sqs;queue=afterwards;accept=1");
  if (sent.starts_with("SENT") && taken.starts_with("MESSAGE")) return {};
  return "then SEND: " + sent + ", ACQUIRE: " + taken;
}

// Whoever heard anything heard one of these statuses first. `all`: everybody must have heard something.
std::string unless_answered(Swarm const& swarm, std::vector<std::string> const& statuses, bool all = false) {
  for (std::size_t i = 0; i < swarm.size(); ++i) {
    std::string const& heard = swarm.heard(i);
    if (heard.empty() && !all) continue;
    bool const fits = heard.starts_with("HTTP/1.1 ") &&
                      std::find(statuses.begin(), statuses.end(), heard.substr(9, 3)) != statuses.end();
    if (!fits) return fmt::format("connection {} heard {}", i, heard.substr(0, 300));
  }
  return {};
}

// ---------------------------------------------------------------------------
// Bodies

Outcome lying_bodies(Victim& victim, Scale scale) {
  std::string const head =
      "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AmazonSQS.SendMessage\r\nContent-Type: "
      "application/x-amz-json-1.0\r\n";
  std::string tiny;
  for (int chunk = 0; chunk < 100'000; ++chunk) tiny += "1\r\nx\r\n";
  std::vector<std::string> const heads{head + "Content-Length: 18446744073709551615\r\n\r\n",
                                       head + "Content-Length: 4294967296\r\n\r\n",
                                       head + "Content-Length: 67108864\r\n\r\n",
                                       head + "Content-Length: -1\r\n\r\n",
                                       head + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
                                       head + "Transfer-Encoding: chunked\r\n\r\n1;",
                                       head + "Transfer-Encoding: chunked\r\n\r\nffffffff\r\n",
                                       head + "Transfer-Encoding: chunked\r\n\r\n100000\r\n",
                                       head + "Transfer-Encoding: chunked\r\n\r\n" + tiny,
                                       head + "X: ",
                                       "POST /",
                                       "GET /?Action="};
  Swarm swarm{address(victim), true};
  for (std::uint64_t i = scale.pick(4, 40); i > 0; --i)
    for (std::string const& one : heads) swarm.add({.head = one, .fill = 64 * kMiB});
  swarm.drive(kQuiet, UINT32_MAX);
  Swarm halves{address(victim), true};
  for (std::uint64_t i = scale.pick(40, 400); i > 0; --i)
    halves.add({.head = head + "Content-Length: 1000000\r\n\r\n", .fill = 999'999});
  halves.drive(kQuiet);
  std::string wrong = unless_answered(swarm, {"400", "403", "413"});
  if (wrong.empty() && swarm.ended() < swarm.size())
    wrong = fmt::format("{} of {} connections go on", swarm.size() - swarm.ended(), swarm.size());
  return {fmt::format("bodies, heads and chunks with sizes that lie or without an end, and 64 MiB behind them, by {} "
                      "connections; {} bodies of 1 MB that lack a byte: {} MiB taken",
                      swarm.size(), halves.size(), (swarm.sent_bytes() + halves.sent_bytes()) / kMiB),
          first_of(wrong, unless_serves(victim))};
}

// Each is read whole, and refused.
Outcome wild_trees(Victim& victim, Scale scale) {
  std::string const send = R"({"QueueUrl":"http://localhost/000000000000/orders","MessageBody":)";
  std::vector<std::string> const requests{
      action("SendMessage", times("[", 1'000'000)),
      action("SendMessage", times(R"({"a":)", 190'000)),
      action("SendMessage", send + times("[", 450'000) + times("]", 450'000) + "}"),
      action("SendMessage", R"({"a":[)" + times("1,", 500'000) + "1]}"),
      action("SendMessageBatch", R"({"Entries":[)" + times("{},", 300'000) + "{}]}"),
      action("SendMessage", "{" + times(R"("a":0,)", 160'000) + R"("a":0})"),
      action("SendMessage", times("{}", 400'000)),
      action("SendMessage", R"({"MessageBody":")" + times("\\u0000", 150'000) + "\"}"),
      action("SendMessage", R"({"MessageBody":1)" + times("0", 900'000) + "}"),
      action("SendMessage", R"({"DelaySeconds":1e)" + times("9", 900'000) + "}"),
      action("SendMessage", times("\xff", 900'000)),
      pairs("Action=SendMessage&" + times("a=1&", 250'000)),
      pairs("Action=SendMessage&" + times("a.", 500'000) + "=1"),
      pairs("Action=SendMessage&" + times(".", 1'000'000) + "=1"),
      pairs("Action=SendMessage&" + times("&", 1'000'000)),
      pairs("Action=SendMessage&" + times("%", 900'000)),
      pairs("Action=" + times("A", 900'000)),
  };
  constexpr double kLoopMsMax = 20;  // for one: to take 1 MB from a socket is the most of it
  double const before = victim.loop_seconds();
  Swarm swarm{address(victim), true};
  std::uint64_t const repeat = scale.pick(3, 30);
  for (std::uint64_t i = scale.pick(3, 16); i > 0; --i)
    for (std::string const& one : requests) swarm.add({.head = one, .repeat = repeat});
  swarm.drive(kQuiet, UINT32_MAX);
  double const each_ms = (victim.loop_seconds() - before) * 1000 / static_cast<double>(repeat * swarm.size());
  std::string const slow =
      unless(each_ms < kLoopMsMax,
             fmt::format("each of them took {:.2f} ms of the loop, expected {} at the most", each_ms, kLoopMsMax));
  // Many pairs, each with a name of its own, or of all parts that a name may have.
  Swarm names{address(victim), true};
  for (std::uint64_t i = scale.pick(4, 30); i > 0; --i) {
    std::string many = "Action=SendMessage";
    for (int pair = 0; pair < 3'990; ++pair) many += fmt::format("&a{}.b.c.d.e.f.g.{}=1", pair, pair);
    names.add({.head = pairs(many), .repeat = repeat});
  }
  names.drive(kQuiet, UINT32_MAX);
  return {
      fmt::format("JSON that is deep, or has 10^6 values, pairs with endless names, {} bodies {} times each: {} MiB, "
                  "{:.2f} ms of the loop each",
                  swarm.size(), repeat, (swarm.sent_bytes() + names.sent_bytes()) / kMiB, each_ms),
      first_of(first_of(first_of(slow, unless_answered(swarm, {"400", "503"}, !scale.full)),
                        unless_answered(names, {"400", "503"}, !scale.full)),
               unless_serves(victim))};
}

// ---------------------------------------------------------------------------
// Queues, messages

Outcome endless_queues(Victim& victim, Scale scale) {
  std::uint64_t const count = scale.pick(4'000, 100'000);
  constexpr std::uint64_t kConnections = 8;
  Swarm swarm{address(victim), true};
  for (std::uint64_t one = 0; one < kConnections; ++one) {
    std::string all;
    for (std::uint64_t i = 0; i < count / kConnections; ++i)
      all +=
          action("CreateQueue", fmt::format(R"({{"QueueName":"q{}-{}","Attributes":{{"RedrivePolicy":"{{\"deadLetter)"
                                            R"(TargetArn\":\"arn:aws:sqs:x:0:orders\",\"maxReceiveCount\":1}}"}}}})",
                                            one, i));
    swarm.add({.head = all});
  }
  swarm.drive(10s, UINT32_MAX);
  std::string const full = ask_http(address(victim), action("CreateQueue", R"({"QueueName":"one-more"})"));
  std::string wrong = unless(full.starts_with("403 ") && full.find("OverLimit") != std::string::npos,
                             "a queue beyond the limit: " + full.substr(0, 300));
  // Lists are pages, however many ask for them and do not read.
  Swarm lists{address(victim), false};
  for (std::uint64_t i = scale.pick(10, 100); i > 0; --i) {
    lists.add({.head = action("ListQueues", "{}"), .repeat = 1'000});
    lists.add({.head = action("ListDeadLetterSourceQueues", on_orders("")), .repeat = 1'000});
  }
  lists.drive(kQuiet);
  for (std::uint64_t one = 0; one < kConnections; ++one)
    static_cast<void>(ask_http(address(victim), action("DeleteQueue", fmt::format(R"({{"QueueUrl":"/q{}-0"}})", one))));
  return {
      fmt::format("{} queues made by {} connections where {} may be, and {} who ask for lists of them and never read",
                  count, kConnections, kQueuesMax, lists.size()),
      first_of(first_of(wrong, unless_answered(swarm, {"200", "403"}, true)), unless_serves(victim))};
}

Outcome long_polls(Victim& victim, Scale scale) {
  std::string const wait = action("ReceiveMessage", on_orders(R"(,"WaitTimeSeconds":20,"VisibilityTimeout":600)"));
  std::uint64_t const count = scale.pick(800, 4'000);
  Swarm swarm{address(victim), true};
  std::uint64_t refused = 0;
  for (std::uint64_t i = 0; i < count; ++i)
    if (!swarm.add({.head = wait})) ++refused;
  swarm.drive(kQuiet, 1);
  // Who goes away waits no more, and gets nothing.
  for (int round = 0; round < 5; ++round) {
    Swarm gone{address(victim), true};
    for (int i = 0; i < 200; ++i) gone.add({.head = wait});
    gone.drive(200ms, 1);
  }
  static_cast<void>(ask(victim.local(), "STATS"));  // in a turn behind their ends
  constexpr int kMessages = 10;
  for (int i = 0; i < kMessages; ++i)
    static_cast<void>(ask(victim.local(), "SEND table=sqs;queue=orders;body=for-one-of-them"));
  swarm.drive(kQuiet, 1);
  int received = 0;
  for (std::size_t i = 0; i < swarm.size(); ++i)
    if (swarm.heard(i).find("for-one-of-them") != std::string::npos) ++received;
  std::string const wrong =
      unless(received == kMessages, fmt::format("{} of {} messages reached somebody who waits", received, kMessages));
  return {fmt::format("{} connections wait for 20 s ({} more were not accepted), 1000 others wait and go: {} messages "
                      "reached {} of them",
                      swarm.size(), refused, kMessages, received),
          first_of(first_of(wrong, unless_answered(swarm, {"200"})), unless_serves(victim))};
}

Outcome unread_receives(Victim& victim, Scale scale) {
  std::string const body = times("b", 90'000);
  Swarm sender{address(victim), true};
  sender.add({.head = action("SendMessage", on_orders(fmt::format(R"(,"MessageBody":"{}")", body))), .repeat = 100});
  sender.drive(kQuiet, UINT32_MAX);
  // A timeout of 0: the messages are there again for the next one.
  std::string const receive = action(
      "ReceiveMessage", on_orders(R"(,"MaxNumberOfMessages":10,"VisibilityTimeout":0,"AttributeNames":["All"])"));
  Swarm unread{address(victim), false};
  for (std::uint64_t i = scale.pick(40, 400); i > 0; --i) unread.add({.head = receive, .repeat = 500});
  unread.drive(kQuiet);
  return {fmt::format("{} receivers of 900 kB at a time, 500 times each, who never read", unread.size()),
          first_of(unless_answered(sender, {"200"}, true), unless_serves(victim))};
}

Outcome many_attributes(Victim& victim, Scale scale) {
  auto const with = [](std::string_view attributes) {
    return action("SendMessage",
                  on_orders(fmt::format(R"(,"MessageBody":"x","MessageAttributes":{{{}}})", attributes)));
  };
  auto const attribute = [](std::string const& name, std::string_view kind, std::string_view value) {
    return fmt::format(R"("{}":{{"DataType":"{}","{}":"{}"}})", name, kind,
                       kind == "Binary" ? "BinaryValue" : "StringValue", value);
  };
  std::string ten;
  std::string thousand;
  for (int i = 0; i < 10; ++i)
    ten += (i > 0 ? "," : "") + attribute(fmt::format("a{}", i), "Number", times("9", 99'000));
  for (int i = 0; i < 700; ++i) thousand += (i > 0 ? "," : "") + attribute(fmt::format("a{}", i), "String", "v");
  std::vector<std::string> const requests{
      with(ten),
      with(thousand),
      with(attribute(times("n", 900'000), "String", "v")),
      with(attribute("n", "String." + times("t", 900'000), "v")),
      with(attribute("n", "Binary", times("AAAA", 240'000))),
      with(attribute("n", "Binary", times("!", 900'000))),
      action("ReceiveMessage", on_orders(R"(,"MessageAttributeNames":[)" + times("\"a*\",", 3'900) + "\"b*\"]"))};
  Swarm swarm{address(victim), true};
  for (std::uint64_t i = scale.pick(3, 20); i > 0; --i)
    for (std::string const& one : requests) swarm.add({.head = one, .repeat = scale.pick(4, 20)});
  swarm.drive(kQuiet, UINT32_MAX);
  // Tags of a queue, again and again, and more than it may have.
  Swarm tags{address(victim), true};
  auto const tag = [](std::uint64_t number) {
    return on_orders(fmt::format(R"(,"Tags":{{"{}{}":"{}"}})", times("k", 120), number, times("v", 250)));
  };
  for (std::uint64_t i = 0; i < scale.pick(4, 40); ++i) tags.add({.head = action("TagQueue", tag(i)), .repeat = 100});
  tags.drive(kQuiet, UINT32_MAX);
  for (std::uint64_t i = 0; i < 50; ++i) static_cast<void>(ask_http(address(victim), action("TagQueue", tag(i))));
  std::string const more = ask_http(address(victim), action("TagQueue", tag(50)));
  std::string const wrong = unless(more.starts_with("400 "), "the 51st tag: " + more.substr(0, 200));
  return {fmt::format("attributes of up to 1 MB, {} MiB of them, and tags of a queue, by {} connections",
                      swarm.sent_bytes() / kMiB, swarm.size() + tags.size()),
          first_of(first_of(wrong, unless_answered(swarm, {"200", "400", "503"}, !scale.full)), unless_serves(victim))};
}

// ---------------------------------------------------------------------------
// Who may not

// Somebody has a message in flight, and others guess its handle.
Outcome forged_handles(Victim& victim, Scale scale) {
  static_cast<void>(ask(victim.local(), "SEND table=sqs;queue=orders;body=mine"));
  std::string const mine =
      ask_http(address(victim), action("ReceiveMessage", on_orders(R"(,"VisibilityTimeout":600)")));
  constexpr std::string_view kName = "\"ReceiptHandle\":\"";
  std::size_t const at = mine.find(kName);
  if (at == std::string::npos) return {"", "ReceiveMessage: " + mine};
  std::string const handle = mine.substr(at + kName.size(), mine.find('"', at + kName.size()) - at - kName.size());
  std::string const message = handle.substr(0, handle.find('.'));
  std::string const mark = handle.substr(handle.rfind('.') + 1);
  std::mt19937_64 random{1};
  std::uint64_t const count = scale.pick(4'000, 100'000);
  std::vector<std::string> handles{"",
                                   ".",
                                   "..",
                                   "...",
                                   handle + ".1",
                                   handle + "g",
                                   "-" + handle,
                                   " " + handle,
                                   message + "." + times("f", 17) + "." + mark,
                                   message + ".0." + mark,
                                   times("f", 16) + ".1." + mark,
                                   message + "..",
                                   times("1", 100'000)};
  for (std::uint64_t i = 0; i < count; ++i)
    handles.push_back(fmt::format("{}.{:x}.{}", message, i < count / 2 ? i : random(), mark));
  std::erase(handles, handle);
  Swarm swarm{address(victim), true};
  constexpr std::size_t kConnections = 8;
  for (std::size_t one = 0; one < kConnections; ++one) {
    std::string all;
    for (std::size_t i = one; i < handles.size(); i += kConnections) {
      std::string const given = on_orders(fmt::format(R"(,"ReceiptHandle":"{}")", handles[i]));
      all += action(i % 2 == 0 ? "DeleteMessage" : "ChangeMessageVisibility",
                    i % 2 == 0 ? given : given.substr(0, given.size() - 1) + R"(,"VisibilityTimeout":0})");
    }
    swarm.add({.head = all});
  }
  swarm.drive(5s, UINT32_MAX);
  std::string const again = ask_http(address(victim), action("ReceiveMessage", on_orders("")));
  std::string const deleted =
      ask_http(address(victim), action("DeleteMessage", on_orders(fmt::format(R"(,"ReceiptHandle":"{}")", handle))));
  std::string const left = ask(victim.local(), "QUEUES table=sqs;queue=orders");
  std::string wrong;
  if (again.find("mine") != std::string::npos)
    wrong = "a forged handle gave back what somebody has";
  else if (!deleted.starts_with("200 ") || left.find(";messages=0") == std::string::npos)
    wrong = "the true handle: " + deleted + ", then " + left;
  return {fmt::format("{} handles of nobody for a message in flight", handles.size()),
          first_of(first_of(wrong, unless_answered(swarm, {"200", "400", "404"}, true)), unless_serves(victim))};
}

// What pages in browsers can send, and GETs and whatever is not signed.
Outcome of_browsers(Victim& victim, Scale scale) {
  std::string const send = "Action=SendMessage&MessageBody=x&QueueUrl=/orders";
  std::vector<std::string> requests{
      pairs(send, "Origin: http://example.com\r\n"),
      pairs(send, "Origin: null\r\n"),
      pairs(send, "Origin: http://localhost\r\n"),
      pairs(send, "Sec-Fetch-Site: cross-site\r\n"),
      pairs(send, "Sec-Fetch-Site: same-origin\r\n"),
      pairs(send, "Content-Type: text/plain\r\nOrigin: http://example.com\r\n"),
      action("SendMessage", on_orders(R"(,"MessageBody":"x")"), "Origin: http://example.com\r\n"),
      "GET /orders?" + send + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /orders?" + send + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic YTpi\r\n\r\n",
      "PUT /orders HTTP/1.1\r\nHost: localhost\r\nContent-Length: 49\r\n\r\n" + send,
      "OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://example.com\r\nAccess-Control-Request-Method: "
      "POST\r\n\r\n",
      "GET /?" + send + "&X-Amz-Signature=00&X-Amz-Credential=a HTTP/1.1\r\nHost: localhost\r\n\r\n",
  };
  Swarm swarm{address(victim), true};
  for (std::string const& one : requests) swarm.add({.head = one, .repeat = scale.pick(20, 1'000)});
  swarm.drive(kQuiet, UINT32_MAX);
  std::string const left = ask(victim.local(), "QUEUES table=sqs;queue=orders");
  std::string wrong;
  for (std::size_t i = 0; i < swarm.size(); ++i)
    if (swarm.heard(i).find("Access-Control-Allow") != std::string::npos)
      wrong = "a browser is allowed: " + requests[i];
  if (left.find(";messages=0") == std::string::npos) wrong = "a page sent messages: " + left;
  return {fmt::format("{} requests as pages in browsers send them, or that are not signed", requests.size()),
          first_of(first_of(wrong, unless_answered(swarm, {"400", "403"}, true)), unless_serves(victim))};
}

// A listener that gives no rights, and signatures of nobody, of a user with a wrong secret, of none.
Outcome wrong_signatures(Victim& victim, Scale scale) {
  auto const authorization = [](std::string_view user, std::string_view date, std::string_view signature) {
    return fmt::format(
        "X-Amz-Date: {}\r\nAuthorization: AWS4-HMAC-SHA256 Credential={}/20261130/x/sqs/aws4_request, "
        "SignedHeaders=host;x-amz-date;x-amz-target, Signature={}\r\n",
        date, user, signature);
  };
  std::mt19937_64 random{1};
  std::uint64_t const count = scale.pick(4'000, 60'000);
  Swarm swarm{address(victim), true};
  constexpr std::uint64_t kConnections = 20;
  for (std::uint64_t one = 0; one < kConnections; ++one) {
    std::string all;
    for (std::uint64_t i = 0; i < count / kConnections; ++i) {
      std::string const signature = times(fmt::format("{:016x}", random()), 4);
      std::string const user = i % 3 == 0 ? "honest" : fmt::format("u{}", random() % 1'000'000);
      all +=
          action("ListQueues", "{}", i % 7 == 0 ? std::string{} : authorization(user, "20261130T120000Z", signature));
    }
    swarm.add({.head = all});
  }
  std::vector<std::string> const bad{authorization(times("u", 9'000), "20261130T120000Z", times("0", 64)),
                                     authorization("honest", "99999999T999999Z", times("0", 64)),
                                     authorization("honest", "20261130T120000Z", times("0", 9'000)),
                                     "Authorization: AWS4-HMAC-SHA256 " + times("Credential=a/b/c/d/e, ", 600) + "\r\n",
                                     "Authorization: AWS4-HMAC-SHA256 SignedHeaders=" + times("a;", 6'000) + "\r\n",
                                     "Authorization: AWS4-HMAC-SHA256\r\n"};
  Swarm others{address(victim), true};
  for (std::string const& one : bad)
    others.add({.head = action("ListQueues", "{}", one), .repeat = scale.pick(50, 500)});
  others.drive(kQuiet, UINT32_MAX);
  swarm.drive(kQuiet, UINT32_MAX);
  return {
      fmt::format("{} requests by {} connections, unsigned, or with signatures of nobody and of a user with a wrong "
                  "secret",
                  count, swarm.size() + others.size()),
      first_of(first_of(unless_answered(swarm, {"403", "503"}, !scale.full),
                        unless_answered(others, {"400", "403", "503"}, !scale.full)),
               unless_serves(victim))};
}

}  // namespace sqs_attacks

std::vector<Attack> attacks_on_sqs() {
  using namespace sqs_attacks;
  auto const attack = [](char const* name, char const* what, std::function<Outcome(Victim&, Scale)> run) {
    return Attack{.name = name,
                  .what = what,
                  .configuration = "<limits memory-bytes=\"256MiB\"/>",
                  .prepare = [](Victim& victim) { declare_queues(victim, "read add work manage"); },
                  .run = std::move(run),
                  .peak_mib_max = kSmallPeakMiB};
  };
  std::vector<Attack> out{attack("bodies", "SQS requests with sizes that lie, or without an end", lying_bodies),
                          attack("trees", "SQS requests that are deep, or have very many values", wild_trees),
                          attack("queues", "queues without end over SQS", endless_queues),
                          attack("polls", "SQS receivers who wait, and go", long_polls),
                          attack("receivers", "SQS receivers who never read", unread_receives),
                          attack("attributes", "SQS messages and queues with many attributes", many_attributes),
                          attack("handles", "receipt handles of nobody", forged_handles),
                          attack("browsers", "requests of pages to SQS", of_browsers),
                          attack("signatures", "wrong signatures of SQS", wrong_signatures)};
  out.back().configuration += "<access users=\"users.xml\"/>";
  out.back().prepare = [](Victim& victim) {
    declare_queues(victim, "");
    test::write_private(victim.file("users.xml"),
                        "<access>\n<user name=\"honest\" rights=\"read add work manage\" "
                        "signing-key=\"0123456789abcdefghijklmnopqrstuvwxyzABCD\"/>\n</access>\n");
  };
  return out;
}

}  // namespace fastjournal::hostile

// libFuzzer target for HTTP: the first byte of the input is the size of the pieces in which the rest arrives, the second
// one chooses the site. Besides "no crash, no byte read outside" it checks for any input: no more is consumed than is
// there, and no more wanted than whole_bytes says (http_conversation.h); another parser finds the same end of each
// request; what happens does not depend on how the stream was cut; each request, refused or not, has exactly one
// response, which a parser of responses reads.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "tests/support/http_conversation.h"
#include "wire/http.h"
#include "wire/streams.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::protocol;
using fastjournal::test::HttpConversation;

constexpr HttpFile kFiles[] = {{"/index.html", "text/html", "<!doctype html>"}, {"/a.js", "text/javascript", "1"}};

// What a server might say: it depends on the command alone, so it is the same in each run.
void answer(Http& http, Message const& message, std::string& out) {
  Param const asked[] = {{"command", Value::of_text(message.command)},
                         {"code", Value::of_text(message.params().empty() ? "not_allowed" : "no_space")},
                         {"message", Value::of_text(message.text("a"))}};
  if (is_streaming(message.command)) {
    http.write({.command = "LISTENING", .params = message.params()}, out);
    http.write({.command = "LISTEN", .params = message.params(), .is_push = true}, out);
    FJ_CHECK(http.is_answering() && !http.ends(), "a stream has no end of its own");
    return;
  }
  http.write({.command = "LISTEN", .is_push = true}, out);
  if (message.command == "PUT" && message.text("table") == "no")
    return http.write({.command = "ERROR", .params = asked}, out);
  if (http.sends_stored()) {
    static constexpr std::string_view kBytes = "0123456789";
    StoredValue const stored{.extent = {.file = 1, .begin = 4096, .end = 4096 + kBytes.size()}};
    Param const blob[] = {{"result", Value::of_text(message.text("table").size() % 4 == 0 ? "absent" : "found")},
                          {"length", Value::of_unsigned(kBytes.size())},
                          {"content_hash", Value::of_text("00ff")},
                          {"data", Value::of_stored(stored)}};
    http.write({.command = "BLOB", .params = blob}, out);
    Protocol::Part const part = http.stored_part();
    FJ_CHECK(part.offset <= kBytes.size() && part.bytes <= kBytes.size() - part.offset, "a part of the blob");
    out.append(kBytes.substr(part.offset, part.bytes));
    return;
  }
  if (message.command == "METRICS") {
    Param const text[] = {{"text", Value::of_text("a 1\n")}, {"left", Value::of_integer(1)}};
    http.write({.command = "METRICS", .params = text, .is_last = false}, out);
    http.write({.command = "METRICS", .params = text}, out);
    FJ_CHECK(!http.is_answering(), "a text has an end");
    return;
  }
  switch (message.command.size() % 4) {
    case 0: http.write({.command = "ERROR", .params = asked}, out); break;
    case 1: {
      Param const more[] = {{"left", Value::of_integer(1)}};
      Param const last[] = {{"left", Value::of_integer(0)}};
      http.write({.command = "ROW", .params = more, .is_last = false}, out);
      http.write({.command = "ROW", .params = last}, out);
      break;
    }
    default: http.write({.command = "DONE", .params = message.params()}, out); break;
  }
  FJ_CHECK(!http.is_answering(), "an answer has an end");
}

HttpConversation played(std::shared_ptr<HttpSite const> const& site, std::string_view bytes, std::size_t step) {
  HttpConversation out{site, answer};
  out.is_accepted = [](Message const& message) { return message.text("table") != "no"; };
  out.feed(bytes, [step] { return step; });
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 3) return 0;
  std::string const bytes(data + 2, data + size);
  auto const site = std::make_shared<HttpSite const>(
      HttpOptions{.body_bytes_max = 100, .is_tls = data[1] % 2 == 1, .names = {"a.b"}}, kFiles);
  HttpConversation whole = played(site, bytes, bytes.size());
  HttpConversation const cut = played(site, bytes, data[0] % 61U + 1U);
  // Which other protocol came is said of the bytes that are there (base/greeting.h), in the refusal that is the last
  // piece; the connection ends either way.
  auto const is_same = [&](HttpConversation const& other) {
    bool const is_other = (whole.out + other.out).find(", and what came is ") != std::string::npos;
    if (!is_other) return other.seen == whole.seen && other.out == whole.out;
    return other.seen.size() == whole.seen.size() && other.http.ends() && whole.http.ends() &&
           std::equal(whole.seen.begin(), whole.seen.end() - 1, other.seen.begin());
  };
  FJ_CHECK(is_same(cut), "in steps gives the same");
  if (bytes.size() < 1024) FJ_CHECK(is_same(played(site, bytes, 1)), "byte by byte gives the same");
  if (!whole.http.ends() && !whole.http.is_answering()) {
    Param const params[] = {{"code", Value::of_text("timed_out")}};
    whole.http.write({.command = "ERROR", .params = params}, whole.out);
    whole.heads.push_back(false);
    FJ_CHECK(whole.http.ends(), "a server that closes says so");
  }
  static_cast<void>(fastjournal::test::read_replies(whole.out, whole.heads));
  return 0;
}

// A queue table alone (tests/support/table_harness.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plugins/queue/queue_table.h"
#include "tests/support/table_harness.h"

namespace fastjournal::queue::test {

using fastjournal::test::digest_of;
using fastjournal::test::Reply;
using fastjournal::test::Texts;

inline std::shared_ptr<TypeDeclaration const> queue_type() {
  static std::shared_ptr<TypeDeclaration const> const type =
      fastjournal::test::read_table_type(FJ_SOURCE_DIR "/plugins/queue/queue.xml");
  return type;
}

inline std::shared_ptr<TableDeclaration const> declare(Texts const& options = {}) {
  auto out = std::make_shared<TableDeclaration>();
  out->name = "post";
  out->type = "queue";
  out->file = "post.xml";
  out->options = fastjournal::test::options_of(*queue_type(), options);
  return out;
}

class Harness : public fastjournal::test::TableHarness<QueueTable> {
 public:
  explicit Harness(Texts const& options = {}) : TableHarness(queue_type(), declare(options)) {}

  Reply make(std::string const& queue, Texts more = {}, std::uint64_t connection = 1) {
    more["queue"] = queue;
    return run("DECLARE", more, connection);
  }
  Reply exchange(std::string const& name, std::string const& kind) {
    return run("DECLARE", {{"exchange", name}, {"kind", kind}});
  }
  Reply bind(std::string const& exchange, std::string const& queue, std::string const& key = "", Texts more = {}) {
    more["exchange"] = exchange;
    more["queue"] = queue;
    if (!key.empty()) more["routing_key"] = key;
    return run("BIND", more);
  }
  Reply send(std::string const& queue, std::string const& body, Texts more = {}) {
    more["queue"] = queue;
    more["body"] = body;
    return run("SEND", more);
  }
  Reply publish(std::string const& exchange, std::string const& key, std::string const& body, Texts more = {}) {
    more["exchange"] = exchange;
    more["routing_key"] = key;
    more["body"] = body;
    return run("SEND", more);
  }
  Reply take(std::string const& queue, Texts more = {}, std::uint64_t connection = 1) {
    more["queue"] = queue;
    return run("ACQUIRE", more, connection);
  }
  // Of the message that an answer shows.
  Reply end(std::string const& command, Reply const& message, Texts more = {}) {
    more["message"] = message.get("message");
    more["epoch"] = message.get("epoch");
    return run(command, more);
  }
  // The bodies of the messages on a queue, in the order of their numbers, each followed by a blank.
  std::string bodies(std::string const& queue) {
    std::string out;
    Reply const reply = run("BROWSE", {{"queue", queue}, {"body", "1"}, {"count", "1000"}});
    for (std::size_t i = 0; i < reply.messages.size(); ++i)
      if (reply.name(i) == "MESSAGE") out += reply.get("body", i) + " ";
    return out;
  }
  std::string of_queue(std::string const& queue, std::string const& what) {
    return run("QUEUES", {{"queue", queue}}).get(what);
  }
};

}  // namespace fastjournal::queue::test

// A key/value table alone (tests/support/table_harness.h).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "plugins/keyvalue/keyvalue.h"
#include "tests/support/table_harness.h"

namespace fastjournal::keyvalue::test {

using fastjournal::test::digest_of;
using fastjournal::test::Reply;
using fastjournal::test::Texts;

inline std::shared_ptr<TypeDeclaration const> keyvalue_type() {
  static std::shared_ptr<TypeDeclaration const> const type =
      fastjournal::test::read_table_type(FJ_SOURCE_DIR "/plugins/keyvalue/keyvalue.xml");
  return type;
}

inline std::shared_ptr<TableDeclaration const> declare(Texts const& options = {}) {
  auto out = std::make_shared<TableDeclaration>();
  out->name = "pairs";
  out->type = "keyvalue";
  out->file = "pairs.xml";
  out->options = fastjournal::test::options_of(*keyvalue_type(), options);
  return out;
}

class Harness : public fastjournal::test::TableHarness<KeyValue> {
 public:
  explicit Harness(Texts const& options = {}) : TableHarness(keyvalue_type(), declare(options)) {}

  Reply set(std::string const& key, std::string const& value, Texts more = {}, std::uint64_t connection = 1) {
    more["key"] = key;
    more["value"] = value;
    return run("SET", more, connection);
  }
  Reply get(std::string const& key, Texts more = {}) {
    more["key"] = key;
    return run("GET", more);
  }
  // The value; "-" if there is none.
  std::string value(std::string const& key) { return get(key).get("value"); }
  // The keys of a range, each followed by a blank.
  std::string keys(Texts const& range = {}) {
    std::string out;
    Reply const reply = run("GET", range);
    for (std::size_t i = 0; i < reply.messages.size(); ++i)
      if (reply.name(i) == "PAIR") out += reply.get("key", i) + " ";
    return out;
  }
};

}  // namespace fastjournal::keyvalue::test

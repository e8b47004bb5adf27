// SET, ADD, NOT, TRUNCATE, RENAME, ALIAS and DELETE.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/table.h"
#include "model/parameters.h"
#include "plugins/keyvalue/records.h"
#include "plugins/keyvalue/room.h"
#include "plugins/keyvalue/table_state.h"
#include "plugins/rows/claims.h"

namespace fastjournal::keyvalue {

class Writes {
 public:
  explicit Writes(TableState const& shared) : shared_(shared), room_(shared) {}

  Verdict set(Command const& command, Decision& decision) const;
  Verdict add(Command const& command, Decision& decision) const;
  Verdict invert(Command const& command, Decision& decision) const;
  Verdict truncate(Command const& command, Decision& decision) const;
  Verdict rename(Command const& command, Decision& decision) const;
  Verdict alias(Command const& command, Decision& decision) const;
  Verdict remove(Command const& command, Decision& decision) const;

 private:
  // A command on its way: who sent it, and what is there under its key.
  struct Change;
  struct Terms;

  // False: it is answered, or refused.
  [[nodiscard]] bool begin(Command const& command, Decision& decision, Change& change) const;
  // The same of a command that wants a value of one of these types.
  [[nodiscard]] bool begin_on_value(Command const& command, Decision& decision, Change& change, ValueType one,
                                    ValueType other) const;
  [[nodiscard]] bool is_free(Change const& change, Handle pair, Decision& decision) const;
  [[nodiscard]] bool read_new_key(Change& change, Decision& decision) const;
  [[nodiscard]] std::uint64_t next_timestamp(Change const& change) const;
  [[nodiscard]] Stamp next_stamp(Change const& change) const { return {change_now(change), next_timestamp(change)}; }
  [[nodiscard]] static std::int64_t change_now(Change const& change);
  Verdict finish(Change const& change, Decision& decision, ObjectId object, std::string_view result,
                 std::uint64_t timestamp) const;
  Verdict unchanged(Change const& change, Decision& decision, std::string_view result) const;
  [[nodiscard]] Terms read_terms(Change& change) const;
  [[nodiscard]] bool is_as_expected(Change& change) const;
  // Of a promise: what was expected is not so.
  Verdict refuse_promise(Decision& decision, std::string_view result) const;
  void check_size(std::string_view value, model::Parameters& parameters) const;
  [[nodiscard]] Pair next_pair(Change const& change, Terms const& terms, ValueType type, std::string_view value,
                               Aliases& aliases) const;
  [[nodiscard]] bool has_room(std::size_t bytes, std::uint64_t new_pairs, std::string_view keeps, Decision& decision,
                              Verdict& verdict, std::size_t entry) const;
  // The `entry` of has_room().
  [[nodiscard]] std::size_t entry_of(Pair const& next, Aliases const& aliases) const {
    return shared_.evicts() ? Pairs::entry_bytes(next, aliases) : 0;
  }
  Verdict set_many(Change& change, Decision& decision) const;
  Verdict put_value(Change const& change, Decision& decision, ValueType type, std::string_view bytes) const;
  void sync_if(bool is_persistent, Decision& decision) const;

  TableState const& shared_;
  Room const room_;
};

}  // namespace fastjournal::keyvalue

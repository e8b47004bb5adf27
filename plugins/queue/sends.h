// SEND: a message comes, and is put on a queue, or on those to which an exchange routes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "plugins/queue/fate.h"
#include "plugins/queue/letter.h"
#include "plugins/queue/shared.h"
#include "plugins/rows/claims.h"

namespace fastjournal::queue {

// Of one table, beside what it shares, which outlives it.
class Sends {
 public:
  Sends(Shared const& shared, Fate const& fate) : shared_(shared), fate_(fate) {}

  Verdict send(Command const& command, Decision& decision) const;
  // As Stores::wish_to_store.
  [[nodiscard]] Status wish_to_store(Command const& command, StoreWish& wish) const;

 private:
  struct Wish {
    std::string_view queue{};
    std::string_view exchange{};
    std::string_view routing_key{};
    std::string_view properties{};
    bool is_mandatory{false};
    bool drops_expired{false};  // instead of refusing it
    std::uint8_t priority{100};
    std::int64_t date{0};
    std::int64_t expires{0};  // 0: as the queue says
    rows::Claim claim{};
    // The body: which part it is, its value and its bytes.
    Part part{Part::body};
    Value body{};
    bool has_body{false};
    std::uint64_t bytes{0};
  };

  [[nodiscard]] Status read(Command const& command, Decision const& decision, Wish& wish) const;
  [[nodiscard]] Status read_body(Message const& message, bool keeps, Wish& wish) const;
  // The queues of the message, in queues_, which all steps of it use. `makes`: a queue of this name has to be made first.
  [[nodiscard]] Status find_queues(Wish const& wish, Decision& decision, bool& makes) const;
  // So many more messages.
  [[nodiscard]] Status check_table(std::size_t more) const;
  [[nodiscard]] bool is_full(Queue const& queue, Wish const& wish, Decision const& decision) const;
  // Ok, or the first of its queues that refuses it.
  [[nodiscard]] Status check_queues(Wish const& wish, Decision const& decision) const;
  // Makes room in one of its queues that is full and drops its first messages. False: there is nothing to be dropped.
  [[nodiscard]] bool drop_first(Wish const& wish, Decision& decision) const;
  // `makes`: its queue as well.
  void promise(Wish const& wish, bool makes, Hold& hold) const;
  void write_content(Wish const& wish) const;
  void finish() const;
  [[nodiscard]] ObjectId append_row(Wish const& wish, Queue const& queue, ObjectId origin, bool is_first,
                                    Decision& decision) const;
  Verdict append(Wish const& wish, Decision& decision) const;
  [[nodiscard]] bool is_duplicate(Command const& command, Wish& wish, Decision& decision) const;
  void answer(Decision& decision, ObjectId message, std::size_t queues, std::string_view result,
              std::int64_t date) const;

  Shared const& shared_;
  Fate const& fate_;
  // Memory that is used again.
  mutable Wish wish_;  // read by the first step of a message
  mutable std::vector<Queue const*> queues_;
  mutable LetterWriter writer_;
  mutable std::string data_;
  mutable std::string decoded_;
};

}  // namespace fastjournal::queue

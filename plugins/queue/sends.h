// SEND: a message comes, and is put on a queue, or on those to which an exchange routes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "plugins/queue/dead_letter_policy.h"
#include "plugins/queue/made.h"
#include "plugins/queue/message_body.h"
#include "plugins/queue/table_state.h"
#include "plugins/rows/claims.h"

namespace fastjournal::queue {

// Of one table, beside what it shares, which outlives it.
class Sends {
 public:
  Sends(TableState const& shared, DeadLetterPolicy const& dead_letter_policy)
      : shared_(shared), dead_letter_policy_(dead_letter_policy) {}

  Verdict send(Command const& command, Decision& decision) const;
  // As Stores::request_store.
  [[nodiscard]] Status request_store(Command const& command, StoreRequest& request) const;

 private:
  struct Request : made::Send {
    std::int64_t date{0};
    std::int64_t expires{0};  // 0: as the queue says
    rows::Claim claim{};
    // The body: which part it is, its value and its bytes.
    Part part{Part::body};
    Value content{};
    std::uint64_t bytes{0};

    [[nodiscard]] bool has_content() const { return body != nullptr || body_binary != nullptr; }
  };

  [[nodiscard]] bool read(Command const& command, Decision& decision, Request& request) const;
  [[nodiscard]] Status read_body(bool keeps, Request& request) const;
  // The queues of the message, in queues_, which all steps of it use. `makes`: a queue of this name has to be made first.
  [[nodiscard]] Status find_queues(Request const& request, Decision& decision, bool& makes) const;
  // So many more messages.
  [[nodiscard]] Status check_table(std::size_t more) const;
  // When it may be handed out there.
  [[nodiscard]] std::int64_t date_on(Queue const& queue, Request const& request) const;
  // It may be handed out at this date, and so must not be over by then.
  [[nodiscard]] static Status check_expiry(Request const& request, std::int64_t date);
  [[nodiscard]] Status check_size(Queue const& queue, Request const& request) const;
  [[nodiscard]] bool is_full(Queue const& queue, Request const& request, Decision const& decision) const;
  // Ok, or the first of its queues that refuses it.
  [[nodiscard]] Status check_queues(Request const& request, Decision const& decision) const;
  // Makes room in one of its queues that is full and drops its first messages. False: there is nothing to be dropped.
  [[nodiscard]] bool drop_first(Request const& request, Decision& decision) const;
  // `makes`: its queue as well.
  void promise(Request const& request, bool makes, Hold& hold) const;
  void write_content(Request const& request) const;
  void finish(Schema const& schema) const;
  [[nodiscard]] ObjectId append_row(Request const& request, Queue const& queue, ObjectId origin, bool is_first,
                                    Decision& decision) const;
  Verdict append(Request const& request, Decision& decision) const;
  [[nodiscard]] bool is_duplicate(Command const& command, Request& request, Decision& decision) const;
  // By its `deduplication`: answers with the first message.
  [[nodiscard]] bool is_known(Request const& request, Decision& decision) const;
  void answer(Decision& decision, ObjectId message, std::size_t queues, std::string_view result,
              std::int64_t date) const;

  TableState const& shared_;
  DeadLetterPolicy const& dead_letter_policy_;
  // Memory that is used again.
  mutable Request request_;  // read by the first step of a message
  mutable std::vector<Queue const*> queues_;
  mutable SharedBodyWriter writer_;
  mutable std::string data_;
  mutable std::string decoded_;
};

}  // namespace fastjournal::queue

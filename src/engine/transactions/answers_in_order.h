// The answers of the commands of one transaction, which come from several logs and at several times, in the order of the
// commands. They are copied, as what they borrow from does not last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fastjournal/message.h"

namespace fastjournal::engine {

inline void copy_message(Answer const& from, std::size_t message, Answer& to) {
  Answer::Head const& head = from.heads()[message];
  to.message(to.keep(head.command));
  for (std::size_t i = head.first; i < from.params_end(message); ++i) {
    Param const& param = from.params()[i];
    Value value = param.value;
    value.bytes = to.keep(value.bytes);
    to.add(to.keep(param.name), value);
  }
}

class AnswersInOrder {
 public:
  // Each message ends with the number of its command (op).
  void add(Answer const& from) {
    for (std::size_t i = 0; i < from.heads().size(); ++i) {
      order_.emplace_back(from.params()[from.params_end(i) - 1].value.unsigned_integer, all_.heads().size());
      copy_message(from, i, all_);
    }
  }
  void tell(Answer& to) {
    std::ranges::sort(order_);
    for (auto const& [number, message] : order_) copy_message(all_, message, to);
  }

 private:
  Answer all_;
  std::vector<std::pair<std::uint64_t, std::size_t>> order_;  // number of a command, index of its message
};

}  // namespace fastjournal::engine

// The fate of a message after its last delivery: it goes to the dead letters of its queue, or is parked.
#pragma once

#include <string>
#include <string_view>

#include "plugins/queue/table_state.h"
#include "plugins/rows/attempts.h"

namespace fastjournal::queue {

// Of a row whose attempts are these: no more will come.
[[nodiscard]] bool is_after_last_delivery(TableState const& shared, std::uint32_t row, rows::Counters const& counters);

class DeadLetterPolicy final : public rows::LastAttempts {
 public:
  explicit DeadLetterPolicy(TableState const& shared) : shared_(shared) {}

  [[nodiscard]] bool is_last(std::uint32_t row, rows::Counters const& counters) const override {
    return is_after_last_delivery(shared_, row, counters);
  }
  [[nodiscard]] bool move(std::uint32_t row, rows::GiveBackBody const& body, Decision& decision) const override;

  // The queue of its dead letters; null: there is none.
  [[nodiscard]] Queue const* dead_letters_of(std::uint32_t row) const;
  // To another queue; limits are not looked at. `dead_of`: where it died; empty: nowhere.
  void append_move(std::uint32_t row, std::string_view queue, std::string_view dead_of, rows::GiveBackBody const& body,
                   Decision& decision) const;

 private:
  TableState const& shared_;
  // Memory that is used again.
  mutable SharedBodyWriter writer_;
  mutable std::string data_;
};

}  // namespace fastjournal::queue

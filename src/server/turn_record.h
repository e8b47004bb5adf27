// The longest turn since the start and its main cause: for STATS, to explain delays.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace fastjournal::server {

class TurnRecord {
 public:
  // The parts of a turn, in this order. For the first one the most expensive command is named.
  enum class Part : std::uint8_t { commands, timers, listeners, figures, log, exports, copying, sending };

  void begin(std::int64_t now_us) {
    began_us_ = last_us_ = now_us;
    part_us_ = -1;
    heaviest_ = 0;
  }

  // For each command of the turn: whether it is the most expensive so far.
  [[nodiscard]] bool is_heaviest(std::uint64_t work_units) const { return work_units > heaviest_; }
  void note(std::string_view command, std::string_view table, std::uint64_t work_units) {
    if (!is_heaviest(work_units)) return;
    heaviest_ = work_units;
    command_.assign(command);
    if (!table.empty()) command_.append(" ").append(table);
  }

  // This part is over.
  void end(Part part, std::int64_t now_us) {
    if (now_us - last_us_ > part_us_) {
      part_us_ = now_us - last_us_;
      part_ = part;
    }
    last_us_ = now_us;
  }
  // So is the turn.
  void end_turn() {
    if (last_us_ - began_us_ <= longest_us_) return;
    longest_us_ = last_us_ - began_us_;
    static constexpr std::array<std::string_view, 8> kParts = {"commands",       "timers",  "listeners",  "figures",
                                                               "write and sync", "exports", "compaction", "sending"};
    if (part_ == Part::commands && heaviest_ > 0)
      cause_ = command_;
    else
      cause_ = kParts[static_cast<std::size_t>(part_)];
  }

  [[nodiscard]] std::int64_t longest_us() const { return longest_us_; }
  // "LIST jobs", or a part.
  [[nodiscard]] std::string const& cause() const { return cause_; }

 private:
  std::int64_t began_us_{0};
  std::int64_t last_us_{0};
  std::int64_t part_us_{-1};  // of the longest part so far
  Part part_{Part::commands};
  std::uint64_t heaviest_{0};
  std::string command_;
  std::int64_t longest_us_{0};
  std::string cause_{"none"};
};

}  // namespace fastjournal::server

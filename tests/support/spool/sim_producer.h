// A producer on a simulated folder: what Spool::save does, call by call, so that others act in between and it can be
// killed at any place. It draws no numbers itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tests/support/spool/sim_folder.h"

namespace fastjournal::sim {

struct ProducerRules {
  std::int64_t period_s{3600};
  std::uint64_t file_bytes_max{64U << 10U};
  bool sync_each{false};
};

class SimProducer {
 public:
  // Where the last row was written.
  struct Written {
    spool::Instance file{};
    std::size_t begin{0};
    std::string record{};
    spool::Seed seed{};
  };

  SimProducer(SimFolder& folder, ProducerRules rules) : folder_(folder), rules_(rules) {}

  // A save begins.
  void save(std::function<std::string(spool::Seed)> make_record);
  [[nodiscard]] bool is_saving() const { return stage_ != Stage::idle; }
  // Carries out the next call of the save. Its result, once it is over.
  [[nodiscard]] std::optional<Status> step(std::int64_t now_s);
  // All that is left of the save.
  [[nodiscard]] Status finish(std::int64_t now_s);
  // The process ends. If it was about to write, at most `most` bytes of the row are there.
  void die(std::size_t most);
  // The computer lost its power: there is nothing to give back.
  void lose_power();
  // Its Spool ends.
  void leave();
  void sync();
  [[nodiscard]] std::optional<spool::Instance> file() const { return file_; }
  // Of the save under way or the last one; nothing: no byte of it was written.
  [[nodiscard]] std::optional<Written> const& written() const { return written_; }

 private:
  enum class Stage : std::uint8_t { idle, opens, locks, begins, writes, looks };
  [[nodiscard]] bool fits(std::int64_t now_s) const;
  [[nodiscard]] std::optional<Status> over(Status status);
  void write(std::size_t most, Status& status);
  // Its head is read; the next file if it has none.
  void take_file();

  SimFolder& folder_;
  ProducerRules rules_;
  Stage stage_{Stage::idle};
  std::function<std::string(spool::Seed)> make_record_;
  std::optional<spool::Instance> file_;    // locked
  std::optional<spool::Instance> opened_;  // not so far
  spool::Seed seed_{};
  std::int64_t begin_s_{0};
  std::uint32_t number_{0};
  std::optional<Written> written_;
};

}  // namespace fastjournal::sim

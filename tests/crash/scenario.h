// A small log and its reference, operated by letters, one for each operation: histories are words, so that tests and
// people can name them.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tests/crash/reference.h"

namespace fastjournal::log::file::test {

// A log that is worked on by letters, with its reference.
class Scenario {
 public:
  // The letters (those of the catalogue, h and j, are last in kSteps):
  //
  //   p put                                    x power cut that loses everything unsynced, and open
  //   b put that spans blocks                  r reserve more room than the segment has: the next is prepared
  //   g group of three                         n as d, with r before the commit
  //   w put with durability `written`          f sync and begin afresh, as a log without rows does, or far beyond
  //   m move the base to the last record       a put that begins a sync elsewhere, or waits for the one under way
  //   d append, move the base to it, commit    t the bytes of that sync reach the disk, but the log is not told
  //   s durable marker                         e that sync ends
  //   c chores                                 h compact the older of the catalogue's two statements
  //   k kill and open                          j as n, with such a statement
  //   q clean shutdown, and open
  //
  // Letters that need a sync at once (the first line of step) first end the one under way.
  static constexpr std::string_view kSteps = "pbgwmdsckqxrnfatehj";
  static constexpr std::string_view kStepsOfRows = kSteps.substr(0, 17);

  Scenario() = default;
  explicit Scenario(sim::SimDisk::Options options) : world(options) {}

  // False once something failed: the power was cut, or a failure was injected.
  bool step(char letter) {
    if (std::string_view{"pbgdnfsqhj"}.find(letter) != std::string_view::npos && !end_flush()) return false;
    switch (letter) {
      case 'p': return put(40 + serial_ % 7, 1, Durability::synced);
      case 'b': return put(1300, 1, Durability::synced);
      // The third record is in the second block, so that a base can be inside a batch.
      case 'g': return put(240, 3, Durability::synced);
      case 'w': return append(60, 1, Durability::written) && write() && acknowledged();
      case 'm':
        if (!reference.is_empty()) move_base(reference.last_lsn());
        return true;
      case 'd': return append(50, 1, Durability::synced) && (move_base(reference.last_lsn()), commit());
      case 'n': return append(50, 1, Durability::synced) && (move_base(reference.last_lsn()), step('r')) && commit();
      case 'h': return state() && commit();
      case 'j': return state() && (move_base(reference.last_lsn()), step('r')) && commit();
      case 'f': return world.log->committer().sync().ok() && acknowledged() && begin_afresh();
      case 's': return world.durable_marker().ok() && acknowledged();
      case 'c': world.log->run_chores(); return world.log->why().ok();
      case 'k':
        flush_.reset();
        world.log.reset();
        world.disk.kill();
        return open();
      case 'q': return world.log->shut_down().ok() && acknowledged() && open();
      case 'r': return world.log->reserve(world.options.segment_bytes, false);
      case 'x':
        if (world.disk.is_stopped()) return false;
        flush_.reset();
        world.crash(sim::keep_none());
        return open();
      case 'a': return append(70, 1, Durability::synced) && begin_flush();
      case 'v': return scrub();
      case 'l': return world.log->look().ok();
      case 't': return flush_ == nullptr || run_flush();
      case 'e': return end_flush();
      default: return false;
    }
  }

  // In turn as a log without rows does, and as one to which a table comes.
  bool begin_afresh() {
    if (serial_ % 2 == 0) return world.log->reset().ok();
    static_cast<void>(world.log->skip_to(Lsn{world.log->end_lsn().value + (std::uint64_t{1} << 30U)}));
    return world.log->why().ok();
  }

  // Not in kSteps, as they write nothing: a round of scrubbing, step by step, where unreadable data is reported and
  // ends nothing; `l` looks at the folder.
  bool scrub() {
    for (int steps = 0; steps < 64; ++steps) {
      std::unique_ptr<ScrubStep> step = world.log->scrubber().take_step();
      if (step == nullptr) break;
      step->run();
      world.log->scrubber().finish_step(std::move(step));
    }
    return world.log->why().ok();
  }
  // As the owner does at the end of a turn.
  bool begin_flush() {
    world.log->committer().close_turn();
    if (flush_ != nullptr || !world.log->committer().needs_sync()) return true;
    if (!world.log->writer().write().ok()) return false;
    flush_ = world.log->committer().take_flush();
    flush_ran_ = false;
    return true;
  }
  bool write() {
    world.log->committer().close_turn();
    return world.log->writer().write().ok();
  }
  bool run_flush() {
    if (!flush_ran_) flush_->run();
    flush_ran_ = true;
    return flush_->status().ok();
  }
  bool end_flush() {
    if (flush_ == nullptr) return true;
    static_cast<void>(run_flush());
    world.log->committer().finish_flush(std::move(flush_));
    if (!world.log->why().ok()) return false;
    reference.acknowledge(world.log->durable_lsn());
    return true;
  }

  bool put(std::size_t bytes, int records, Durability durability) {
    return append(bytes, records, durability) && commit();
  }

  bool append(std::size_t bytes, int records, Durability durability) {
    if (!world.log->reserve(bytes * static_cast<std::size_t>(records), false)) return false;
    reference.begin_group();
    for (int i = 0; i < records; ++i) {
      std::string const body = pattern(bytes, salt + ++serial_);
      Lsn const lsn = world.append(body);
      reference.add({lsn, object_of(lsn), static_cast<TableId>(7), 3, 1, body});
    }
    world.log->end_group(durability);
    return true;
  }
  // Compacts the older of the two statements.
  bool state() {
    if (!world.log->reserve(60, false)) return false;
    std::size_t const which = stated_[0] <= stated_[1] ? 0 : 1;
    auto const type = static_cast<std::uint8_t>(which + 1);
    std::string const body = pattern(60, salt + ++serial_);
    reference.begin_group();
    Lsn const lsn = world.append(body, {}, TableId::catalogue, type);
    reference.add({lsn, object_of(lsn), TableId::catalogue, type, 1, body});
    world.log->end_group(Durability::synced);
    stated_[which] = lsn;
    return true;
  }
  bool commit() { return end_flush() && world.log->commit().ok() && acknowledged(); }
  bool acknowledged() {
    if (world.log->durable_lsn() == world.log->end_lsn()) reference.acknowledge(world.log->end_lsn());
    return true;
  }
  // LSN of the older of the two statements.
  [[nodiscard]] Lsn catalogue() const {
    Lsn oldest = world.log->end_lsn();
    for (Lsn const stated : stated_)
      if (!stated.is_none()) oldest = std::min(oldest, stated);
    return oldest;
  }
  void move_base(Lsn base) {
    base = std::min(base, catalogue());
    world.log->set_base(base, catalogue());
    reference.ask_base(base);
    static_cast<void>(acknowledged());
  }
  // Opens the log and checks it; what is wrong is in `complaint`.
  bool open() {
    flush_.reset();
    status = world.open();
    if (!status.ok()) return false;
    complaint = reference.check(world.found.entries, *world.log);
    if (complaint.empty()) complaint = check_catalogue();
    return complaint.empty();
  }
  // The needed statements must be among what was read first. From now on the statements are those found.
  std::string check_catalogue() {
    auto const last = [](std::vector<Entry> const& entries, std::size_t which) {
      Lsn out;
      for (Entry const& entry : entries)
        if (entry.table == TableId::catalogue && entry.type == which + 1) out = entry.lsn;
      return out;
    };
    for (std::size_t which = 0; which < stated_.size(); ++which) {
      stated_[which] = last(world.found.entries, which);
      Lsn const first = last(world.found.catalogue, which);
      if (first != stated_[which])
        return fmt::format("statement {} of the catalogue stands at LSN {}, but the one at {} came first", which + 1,
                           stated_[which].value, first.value);
    }
    return {};
  }

  // The same disk and reference with no log open: the moment of a power cut.
  void copy_state(Scenario const& other) {
    flush_.reset();
    world.log.reset();
    world.disk.copy_state(other.world.disk);
    world.options = other.world.options;
    reference = other.reference;
    complaint.clear();
    serial_ = other.serial_;
    stated_ = other.stated_;
  }
  // What went wrong, for people.
  [[nodiscard]] std::string trouble() const {
    if (!complaint.empty() || !status.ok()) return complaint + status.text();
    return world.log == nullptr ? std::string{} : world.log->why().text() + world.log->writer().last_refusal().text();
  }

  std::uint64_t salt{0};  // makes the bodies differ from those of other logs
  World world;
  Reference reference;
  Status status;
  std::string complaint;

 private:
  std::unique_ptr<Flush> flush_;
  bool flush_ran_{false};
  std::uint64_t serial_{0};
  std::array<Lsn, 2> stated_{};  // LSN of each; none: never stated, or lost
};

}  // namespace fastjournal::log::file::test

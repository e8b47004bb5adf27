// The base of a log, wanted and in effect. A base rests on every record before the call that set it: while these can be
// lost, a recovery needs what lies below it. So it takes effect when they are durable.
#pragma once

#include <algorithm>

#include "fastjournal/types.h"

namespace fastjournal::log::file {

// Nothing below `lsn` is needed, and nothing below `catalogue` of the records of table 0.
struct Base {
  Lsn lsn{};
  Lsn catalogue{};
};

// Owned by the log's writer. Invariant: the base in effect holds after a power cut at this moment, and is never
// above the wanted one.
class BaseMark {
 public:
  // Of a log that was opened: everything that was read is durable.
  void begin_at(Base base, Lsn described) {
    wanted_ = in_effect_ = base;
    described_ = described;
  }

  [[nodiscard]] Base wanted() const { return wanted_; }
  [[nodiscard]] Base in_effect() const { return in_effect_; }
  // The records of table 0 below this, clocks apart, end here.
  [[nodiscard]] Lsn described() const { return described_; }
  void describe(Lsn end) { described_ = end; }

  [[nodiscard]] bool is_news(Base base) const { return base.lsn > wanted_.lsn || base.catalogue > wanted_.catalogue; }
  // `end_of_records`: what it rests on.
  void want(Base base, Lsn end_of_records, Lsn durable) {
    wanted_.lsn = std::max(wanted_.lsn, base.lsn);
    wanted_.catalogue = std::max(wanted_.catalogue, base.catalogue);
    rests_on_ = end_of_records;
    if (rests_on_ <= durable) in_effect_.lsn = wanted_.lsn;
    if (rests_on_ <= durable) in_effect_.catalogue = wanted_.catalogue;
  }

  // The base that will be in effect once everything below `end` is durable.
  [[nodiscard]] Base after_flush(Lsn end) const { return rests_on_ <= end ? wanted_ : in_effect_; }
  // `covered`: after_flush() when the flush began. More was wanted since, perhaps, and rests on more.
  void flushed(Lsn durable, Base covered) {
    bool const rests = rests_on_ <= durable;
    in_effect_.lsn = rests ? wanted_.lsn : std::max(in_effect_.lsn, covered.lsn);
    in_effect_.catalogue = rests ? wanted_.catalogue : std::max(in_effect_.catalogue, covered.catalogue);
  }

 private:
  Base wanted_;
  Base in_effect_;
  Lsn rests_on_{};  // the wanted one, that everything below this is durable
  Lsn described_{};
};

}  // namespace fastjournal::log::file

// The reference of rows that wait for others, and of groups of jobs: as plain as possible. It looks at all rows again
// after each event, and knows neither edges nor counts. Beside the reference of a journal (reference.h), as its lives are
// of their own: few rows, which wait for each other, end in all ways and go on as one another.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fastjournal::reference {

enum class Policy : std::uint8_t { wait, fail, go_on };
enum class Wait : std::uint8_t { row, group_ended, group_done, group_failed, broken, needless };

struct WaitingRow {
  enum class State : std::uint8_t { waits, leased, parked };
  std::string key;
  State state{State::waits};
  Policy policy{Policy::wait};
  std::set<std::pair<std::uint64_t, Wait>> after;
  std::string group;  // empty: none
};

struct ReferenceGroup {
  std::uint64_t id{0};
  bool is_open{false};
  bool has_ended{false};
  bool has_failed{false};
  bool is_well{false};
  std::uint64_t done{0};
  std::uint64_t failed{0};
};

class ReferenceWaits {
 public:
  std::map<std::uint64_t, WaitingRow> rows;
  std::map<std::string, ReferenceGroup> groups;

  // The row is gone; what waits for it goes on by its policy.
  void end(std::uint64_t row, bool well);
  void park(std::uint64_t row);
  // It went on as another row of its key.
  void fold(std::uint64_t row, std::uint64_t twin);
  // What follows, until nothing does.
  void settle();

  [[nodiscard]] std::uint64_t count(std::string const& group, WaitingRow::State state, bool is_so) const;
  // Whether a row that waited for these, or was of this group, would wait for itself. `row`: 0 of a new one.
  [[nodiscard]] bool closes_circle(std::uint64_t row, std::string const& key, std::string const& group,
                                   std::set<std::pair<std::uint64_t, Wait>> const& after) const;

 private:
  void tell(std::uint64_t id, Wait kind, bool well, bool is_parked);
  bool settle_once();
};

}  // namespace fastjournal::reference

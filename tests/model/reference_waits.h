// The reference of rows that wait for others, and of groups of jobs: as plain as possible. It looks at all rows again
// after each event, and knows neither edges nor counts. Part of the reference of a journal (reference.h), and alone that
// of lives with few rows, which wait for each other, end in all ways and go on as one another
// (tests/unit/journal/waits_life_test.cpp).
#pragma once

#include <cstdint>
#include <functional>
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
  std::uint64_t id{0};  // no row's
  bool is_open{false};
  bool has_ended{false};
  bool has_failed{false};
  bool is_well{false};
  std::int64_t ended{0};  // when
  std::uint64_t done{0};
  std::uint64_t failed{0};
};

// What an INSERT says of other rows.
struct Others {
  std::set<std::pair<std::uint64_t, Wait>> after;
  Policy policy{Policy::wait};
  std::string group;
};

class ReferenceWaits {
 public:
  std::map<std::uint64_t, WaitingRow> rows;
  std::map<std::string, ReferenceGroup> groups;
  std::int64_t keep_groups{86'400'000};

  // What a message to INSERT says of others, for a row of this key or the waiting row of it (0: there is none). The code
  // of the refusal; empty: it is taken.
  [[nodiscard]] std::string look(std::map<std::string, std::string> const& message, std::string const& key,
                                 std::uint64_t waiting, Others& out) const;
  // It was taken by a row that is there.
  void take(std::uint64_t row, Others const& others);
  // GROUP; the code of the refusal.
  std::string change_group(std::string const& name, bool opens);
  // The rows that CANCEL ends.
  [[nodiscard]] std::vector<std::uint64_t> to_cancel(std::string const& group, std::uint64_t behind,
                                                     std::uint64_t count) const;
  [[nodiscard]] bool is_blocked(std::uint64_t row) const {
    auto const found = rows.find(row);
    return found != rows.end() && found->second.state == WaitingRow::State::waits && !found->second.after.empty();
  }

  // The row is gone; what waits for it goes on by its policy.
  void end(std::uint64_t row, bool well);
  void park(std::uint64_t row);
  // It went on as another row of its key.
  void fold(std::uint64_t row, std::uint64_t twin);
  // It waits for nothing.
  void free(std::uint64_t row);
  // What follows by `now`, until nothing does. Rows that fail, or need not run, are given to these: they park or end
  // them. True: something followed.
  using Fate = std::function<void(std::uint64_t row)>;
  bool settle(std::int64_t now, Fate const& fail, Fate const& end_well);
  // When the next group is forgotten; INT64_MAX: none is.
  [[nodiscard]] std::int64_t next_date() const;

  [[nodiscard]] std::uint64_t count(std::string const& group, WaitingRow::State state, bool is_so) const;
  // Whether a row that waited for these, or was of this group, would wait for itself. `row`: 0 of a new one.
  [[nodiscard]] bool closes_circle(std::uint64_t row, std::string const& key, std::string const& group,
                                   std::set<std::pair<std::uint64_t, Wait>> const& after) const;

 private:
  void tell(std::uint64_t id, Wait kind, bool well, bool is_parked);
  void wait_for(std::uint64_t row, Policy policy, std::set<std::pair<std::uint64_t, Wait>>& after) const;
  [[nodiscard]] bool settle_once(std::int64_t now, Fate const& fail, Fate const& end_well);
  [[nodiscard]] bool has_rows(std::string const& group) const;

  std::uint64_t groups_ever_{0};
};

}  // namespace fastjournal::reference

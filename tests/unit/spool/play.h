// The forwarder over a simulated folder and a daemon in memory.
#pragma once

#include <boost/test/unit_test.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "clients/spool/core/forwarder.h"
#include "clients/spool/core/record.h"
#include "tests/support/spool/sim_folder.h"

namespace fastjournal::spool::test {

inline std::string record_of(std::string const& table, std::string const& id, Seed seed) {
  std::vector<Param> const params{{"table", Value::of_text(table)}, {"id", Value::of_text(id)}};
  std::string out;
  BOOST_REQUIRE(append_record("INSERT", params, seed, out).ok());
  return out;
}

// Keeps rows by their identity. Answers are taken when the test wants them.
class MemoryDaemon final : public Link {
 public:
  bool up{true};
  std::set<std::string> tables{"pages"};
  std::map<std::string, int> rows;  // by id
  std::optional<Code> refuses{};
  std::map<std::string, Status> elsewhere;     // by table: another node decides, or nobody
  std::map<std::string, Status> elsewhere_of;  // the same by id, for a moment
  std::map<std::string, std::int64_t> dates;   // by id: as they were taken; 0: without one
  bool takes_bad{false};
  std::int64_t date_max{INT64_MAX};  // a later insertion_date is that of a fast clock
  std::int64_t window{65'536};       // of numbers that it remembers of a client

  struct Answer {
    std::uint64_t number;
    Status status;
  };
  std::vector<Answer> answers;

  [[nodiscard]] bool is_up() const override { return up; }
  void send(Message const& insert, std::string_view, std::uint64_t number) override {
    if (!up) return;
    answers.push_back({number, take(insert)});
  }

 private:
  Status take(Message const& insert) {
    std::string const table{insert.text("table")};
    if (refuses) return {*refuses, "not now"};
    if (auto const away = elsewhere.find(table); away != elsewhere.end()) return away->second;
    if (auto const away = elsewhere_of.find(std::string{insert.text("id")}); away != elsewhere_of.end())
      return away->second;
    if (!tables.contains(table)) return {Code::unknown_table, "no table " + table};
    if (std::int64_t const date = insert.integer("insertion_date").value_or(0); date > date_max)
      return Status{Code::bad_parameter, "a fast clock"}
          .with("parameter", "insertion_date")
          .with("ahead_ms", std::to_string(date - date_max));
    bool const is_known =
        known_.contains({table, std::string{insert.text("client")}, insert.integer("sequence").value_or(0)});
    if (!is_known && insert.text("id").starts_with("bad") && !takes_bad) return {Code::bad_parameter, "a bad row"};
    auto const identity = std::tuple{table, std::string{insert.text("client")}, insert.integer("sequence").value_or(0)};
    std::int64_t& highest = highest_[{table, std::string{insert.text("client")}}];
    if (std::get<2>(identity) <= highest - window) return {Code::stale_sequence, "forgotten"};
    highest = std::max(highest, std::get<2>(identity));
    BOOST_TEST(!std::get<1>(identity).empty());
    auto const [place, is_new] = known_.try_emplace(identity, insert.text("id"));
    // The same identity for another row would be a lost row.
    BOOST_TEST(place->second == insert.text("id"));
    if (is_new) ++rows[std::string{insert.text("id")}];
    if (is_new) dates[std::string{insert.text("id")}] = insert.integer("insertion_date").value_or(0);
    return {};
  }

  std::map<std::tuple<std::string, std::string, std::int64_t>, std::string> known_;
  std::map<std::pair<std::string, std::string>, std::int64_t> highest_;
};

struct Play {
  sim::SimFolder folder{1};
  MemoryDaemon daemon;
  std::unique_ptr<Forwarder> forwarder;
  TimeMs now{1'000'000'000};
  int names{0};

  ForwarderRules rules{.in_flight_max = 8};

  Play() { begin(); }
  ~Play() { BOOST_TEST(folder.wrong() == ""); }
  Play(Play const&) = delete;
  Play& operator=(Play const&) = delete;

  // The forwarder before it was killed.
  void begin() {
    daemon.answers.clear();
    folder.begin_again();
    forwarder =
        std::make_unique<Forwarder>(folder, daemon, rules, [this] { return "client-" + std::to_string(++names); });
    BOOST_REQUIRE(forwarder->start().ok());
  }
  // A producer has it.
  Instance file_without_head(std::uint32_t number = 0) {
    Instance const made = *folder.open({begin_of_period(now.value / 1000, 3600), number});
    BOOST_REQUIRE(folder.lock(made));
    return made;
  }
  Instance file(std::uint32_t number = 0) {
    Instance const made = file_without_head(number);
    write(made, folder.draw_head());
    return made;
  }
  void leave(Instance const& file) { folder.unlock(file); }
  void write(Instance const& to, std::string_view bytes) { BOOST_REQUIRE(folder.append(to, bytes).ok()); }
  void save(Instance const& to, std::string const& id, std::string const& table = "pages") {
    write(to, record_of(table, id, *folder.seed_of(to)));
  }
  void save_dated(Instance const& to, std::string const& id, std::int64_t date, std::string const& table = "pages") {
    std::vector<Param> const params{
        {"table", Value::of_text(table)}, {"id", Value::of_text(id)}, {"insertion_date", Value::of_integer(date)}};
    std::string out;
    BOOST_REQUIRE(append_record("INSERT", params, *folder.seed_of(to), out).ok());
    write(to, out);
  }
  [[nodiscard]] bool is_ended(Instance const& file) const { return folder.find(file)->is_ended; }
  void answer() {
    auto const answers = std::exchange(daemon.answers, {});
    for (auto const& [number, status] : answers) forwarder->answered(number, status, now);
  }
  // The first table that has rows set aside.
  void resend() { folder.resend(now.value / 1000); }
  void turn() {
    forwarder->run(now);
    answer();
  }
  // So much later, until nothing changes.
  void settle(std::int64_t later_ms = 0) {
    now.value += later_ms;
    for (int turns = 0; turns < 200; ++turns) {
      now.value += 100;
      turn();
    }
  }
  [[nodiscard]] int count(std::string const& id) const {
    auto const found = daemon.rows.find(id);
    return found == daemon.rows.end() ? 0 : found->second;
  }
};

}  // namespace fastjournal::spool::test

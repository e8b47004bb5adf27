#include "tests/etcd/cluster_job.h"

#include <boost/test/unit_test.hpp>

#include "clients/cpp/journal.h"

namespace fastjournal::test {

using std::chrono::seconds;
using Milliseconds = std::chrono::milliseconds;

client::Options patient(std::string const& server) {
  client::Options out;
  out.server = server;
  out.time_limit = Milliseconds{20'000};
  out.back_off = {Milliseconds{50}};
  return out;
}

std::unique_ptr<client::Connection> connect(std::string const& server) {
  auto opened = client::Connection::open(patient(server));
  BOOST_REQUIRE_MESSAGE(opened.ok(), opened.status().text());
  return std::move(opened).value();
}

namespace {

std::int64_t wall_ms() {
  return std::chrono::duration_cast<Milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Job::Job(std::string servers, std::int64_t dated_ms) : servers_(std::move(servers)), dated_ms_(dated_ms) {
  for (std::size_t at = 0; at < kProducers; ++at) threads_.emplace_back([this, at] { produce(at); });
  for (std::size_t at = 0; at < kWorkers; ++at) threads_.emplace_back([this, at] { work(at); });
}

void Job::end() {
  stop_ = true;
  for (std::thread& one : threads_) one.join();
  threads_.clear();
}

std::int64_t Job::longest_gap_ms() {
  std::lock_guard const held{lock_};
  return longest_gap_ms_;
}

void Job::forget_gaps() {
  std::lock_guard const held{lock_};
  longest_gap_ms_ = 0;
}

std::uint64_t Job::added() {
  std::lock_guard const held{lock_};
  return added_.size();
}

void Job::expect(std::string const& name) {
  std::lock_guard const held{lock_};
  added_.insert(name);
}

std::int64_t Job::early_ms() {
  std::lock_guard const held{lock_};
  return early_ms_;
}

int Job::done(std::string const& name) {
  std::lock_guard const held{lock_};
  auto const found = done_.find(name);
  return found == done_.end() ? 0 : found->second;
}

void Job::check() {
  std::lock_guard const held{lock_};
  std::size_t lost = 0;
  std::size_t doubled = 0;
  for (std::string const& name : added_) lost += done_.contains(name) || may_be_done_.contains(name) ? 0 : 1;
  for (auto const& [name, times] : done_) doubled += times > 1 ? 1 : 0;
  BOOST_TEST_MESSAGE(added_.size() << " rows acknowledged, " << done_.size() << " done, lost " << lost << ", double "
                                   << doubled);
  for (auto const& [text, times] : failures_) BOOST_TEST_MESSAGE("  " << times << " times: " << text);
  BOOST_TEST(added_.size() > 100U);
  BOOST_TEST(lost == 0U);
  BOOST_TEST(doubled == 0U);
  for (std::string const& one : wrong_) BOOST_ERROR(one);
}

void Job::answered() {
  Clock::time_point const now = Clock::now();
  longest_gap_ms_ = std::max(
      longest_gap_ms_, static_cast<std::int64_t>(std::chrono::duration_cast<Milliseconds>(now - last_answer_).count()));
  last_answer_ = now;
  acknowledged_.notify_all();
}

void Job::produce(std::size_t at) {
  auto const connection = connect(servers_);
  client::Journal work(*connection, "work");
  std::uint64_t sequence = 0;
  while (!stop_) {
    std::string const name = "p" + std::to_string(at) + "-" + std::to_string(++sequence);
    client::PutOptions options{.client = "p" + std::to_string(at), .sequence = sequence};
    if (dated_ms_ > 0) {
      // What is sent again has the date that it had.
      std::lock_guard const held{lock_};
      std::int64_t const later = static_cast<std::int64_t>(sequence * 7'919) % dated_ms_;
      options.process_date = client::Date::at(TimeMs{dates_.try_emplace(name, wall_ms() + later).first->second});
    }
    Result<client::Put> const put = work.put({{"name", Value::of_text(name)}}, options);
    std::lock_guard const held{lock_};
    if (put.ok()) {
      added_.insert(name);
      answered();
    } else {
      ++failures_[put.status().text()];
      // It stays the same row until it is known to be there.
      if (put.status().code() != Code::over_limit) --sequence;
    }
  }
}

// Rows that somebody has leased and not heard of come back when their leases end.
bool Job::is_empty(client::Connection& connection) {
  Result<client::Reply> const reply = connection.call("STATS", {{"table", Value::of_text("work")}});
  return reply.ok() && reply->first().integer("rows").value_or(1) == 0;
}

void Job::take(std::size_t at, std::vector<client::Row> const& rows) {
  std::int64_t const now = wall_ms();
  std::lock_guard const held{lock_};
  for (client::Row const& row : rows) {
    std::string const& name = row.columns.at("name");
    if (!leases_.emplace(row.row, row.epoch).second)
      wrong_.push_back("worker " + std::to_string(at) + ", " + name + ": epoch " + std::to_string(row.epoch) +
                       " was given before");
    if (auto const date = dates_.find(name); date != dates_.end()) early_ms_ = std::max(early_ms_, date->second - now);
  }
}

void Job::work(std::size_t at) {
  auto const connection = connect(servers_);
  client::Journal work(*connection, "work");
  Clock::time_point end = Clock::time_point::max();
  while (Clock::now() < end) {
    if (stop_ && end == Clock::time_point::max()) end = Clock::now() + seconds{120};
    Result<client::Work> const taken = work.next({.count = 8, .wait = DurationMs{200}});
    if (!taken.ok()) {
      std::lock_guard const held{lock_};
      ++failures_[taken.status().text()];
      continue;
    }
    if (taken->rows.empty() && stop_ && is_empty(*connection)) return;
    take(at, taken->rows);
    for (client::Row const& row : taken->rows) {
      Status const said = work.done(row);
      std::lock_guard const held{lock_};
      std::string const& name = row.columns.at("name");
      if (said.ok())
        ++done_[name];
      else if (said.code() == Code::closed || said.code() == Code::timed_out || said.code() == Code::unavailable)
        may_be_done_.insert(name);
      else if (said.code() != Code::stale_epoch && said.code() != Code::not_leased && said.code() != Code::unknown_row)
        wrong_.push_back("worker " + std::to_string(at) + ", " + name + ": " + said.text());
    }
  }
}

}  // namespace fastjournal::test

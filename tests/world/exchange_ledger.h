// What must be in the tables of a life in which files are exchanged (exchange_life.cpp), and how it is read: blobs by lines,
// over HTTP, by packets, in the file that has the name, and as they are listed; rows; messages, each once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/life.h"
#include "tests/world/exchange_ways.h"
#include "tests/world/world.h"

namespace fastjournal::sim {

class ExchangeLedger {
 public:
  static constexpr char kWeb[] = "127.0.0.1:4080";
  enum class Reading : std::uint8_t { line, http, packets };
  static constexpr std::uint64_t kReadings = 3;

  // `settle` brings the world to rest. What is wrong is thrown.
  ExchangeLedger(World& world, std::function<void()> settle) : world_(world), settle_(std::move(settle)) {}
  // A blob table, and the port of its readers.
  void add_table(std::string const& name, std::string const& address, bool has_flags) {
    tables_[name] = {address, has_flags};
  }

  // -- what is there: blobs as TABLE/KEY, rows by their keys ------------------------
  // Sure: this and nothing else; otherwise, it may be.
  void store(std::string const& key, std::string const& bytes, bool is_sure);
  void send(std::string const& body, bool is_sure) { bodies_.emplace_back(body, is_sure); }

  // -- reading ------------------------------------------------------------------
  // The first line of the answer.
  std::string ask(std::string const& line);
  void check_one(std::mt19937_64& random);
  void check_each(std::mt19937_64& random);
  // In each way.
  void check_all();
  // As version 1 does: by the place that it is told, in the file that has the name.
  void read_files();
  // A blob without the keys of `busy`; empty: there is none. What was asked in between is compared later.
  [[nodiscard]] std::string any_blob(std::mt19937_64& random, std::set<std::string> const& busy) const;
  static std::string question(std::string const& key, Reading how);
  void compare(std::string const& key, Reading how, std::string const& answer);

 private:
  // From the one that is sure on; nothing: it is absent.
  using Known = std::vector<std::optional<std::string>>;
  struct TableOf {
    std::string address;
    bool has_flags{false};
  };
  std::string ask_by(std::string const& client, std::string const& address, std::string const& bytes);
  void check(std::string const& key, Reading how);
  void require(std::string const& key, std::optional<Shown> const& shown, std::string const& how);
  [[nodiscard]] std::string in_file(std::string const& table, std::string const& response);
  void check_list(std::string const& table);
  void check_figures(std::string const& table);
  void take_bodies();

  World& world_;
  std::function<void()> settle_;
  std::map<std::string, TableOf> tables_;
  std::map<std::string, Known> known_;
  std::vector<std::pair<std::string, bool>> bodies_;  // of messages that were not taken; true: it must be there
};

}  // namespace fastjournal::sim

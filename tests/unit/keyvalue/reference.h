// What a key/value table must answer, written down once more as plainly as possible: a map of keys to shared values, and
// one of deleted keys. It knows no log.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/keyvalue/harness.h"

namespace fastjournal::keyvalue::test {

class Reference {
 public:
  static constexpr std::int64_t kTombstoneMs = 10'000;
  static constexpr std::size_t kKeysMax = 17;  // of a value

  std::int64_t now{0};

  // "result" of an answer, or the name of an error; "PAIR value" or "NOTHING" of a GET.
  std::string run(std::string const& command, Texts const& with, std::uint64_t connection) {
    expire();
    std::string out = carry_out(command, with, connection);
    note_mains();
    return out;
  }

  // All keys with the same text, or none.
  std::string set_many(std::vector<std::string> const& keys, Texts const& with, std::uint64_t connection) {
    expire();
    std::string result = "stored";
    std::vector<std::int64_t> timestamps;
    for (std::string const& key : keys) {
      auto const found = keys_.find(key);
      TableState const value = found == keys_.end() ? nullptr : found->second;
      if (value && is_locked_for(*value, connection)) return "in_use";
      bool const is_late = with.contains("timestamp") && is_stale(key, std::stoll(with.at("timestamp")));
      if (result == "stored" && with.contains("overwrite") && value) result = "exists";
      if (result == "stored" && is_late) result = "stale";
      timestamps.push_back(with.contains("timestamp") ? std::stoll(with.at("timestamp")) : next_timestamp(key));
    }
    if (result != "stored") return result;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      auto const found = keys_.find(keys[i]);
      Texts one = with;
      one["timestamp"] = std::to_string(timestamps[i]);
      store(keys[i], found == keys_.end() ? nullptr : found->second, one, timestamps[i]);
    }
    note_mains();
    return result;
  }

  // What is seen of each key, at `at`.
  [[nodiscard]] std::map<std::string, std::string> states(std::int64_t at) {
    now = at;
    expire();
    std::map<std::string, std::string> out;
    for (auto const& [key, value] : keys_)
      out[key] = value->type + " " + std::to_string(value->timestamp) + " " + value->text;
    return out;
  }

  // Of the value under this key; 0: there is none.
  [[nodiscard]] std::int64_t timestamp_of(std::string const& key) const {
    auto const found = keys_.find(key);
    return found == keys_.end() ? 0 : found->second->timestamp;
  }
  // The computer slept: whoever has a value locked has it for as long afterwards.
  void lose_time(std::int64_t ms) {
    expire();
    std::set<TableState> values;
    for (auto const& [key, value] : keys_) values.insert(value);
    for (TableState const& value : values)
      if (value->lock != 0) value->lock_until += ms;
  }

  void close(std::uint64_t connection) {
    for (auto& [key, value] : keys_)
      if (value->lock == connection) value->lock = 0;
  }
  void close_all() {
    for (auto& [key, value] : keys_) value->lock = 0;
  }
  std::string keys(std::string const& from, std::string const& to) {
    expire();
    std::string out;
    for (auto const& [key, value] : keys_)
      if (key >= from && key < to) out += key + " ";
    return out;
  }
  [[nodiscard]] std::size_t size() const { return keys_.size(); }

 private:
  struct Value {
    std::string type;
    std::string text;
    std::int64_t timestamp{0};
    std::int64_t expires{0};
    std::int64_t ttl{0};
    std::uint64_t lock{0};
    std::int64_t lock_until{0};
  };
  using TableState = std::shared_ptr<Value>;
  struct Deleted {
    std::int64_t timestamp;
    std::int64_t until;
  };

  std::string carry_out(std::string const& command, Texts const& with, std::uint64_t connection) {
    std::string const key = with.at("key");
    if (command == "GET") return get(key, with, connection);
    auto const found = keys_.find(key);
    TableState const value = found == keys_.end() ? nullptr : found->second;
    if (value && is_locked_for(*value, connection)) return "in_use";
    if (command == "SET") return set(key, value, with);
    if (command == "DELETE") return remove(key, value, with);
    if (command == "ADD") return add(key, value);
    if (!value) return "not_found";
    if (command == "TRUNCATE") return truncate(*value, with);
    if (command == "RENAME") return rename(key, value, with, connection);
    if (command == "ALIAS") return alias(value, with);
    if (command == "LOCK") {
      value->lock = connection;
      value->lock_until = now + std::stoll(with.at("lock"));
      return "LOCKED";
    }
    if (!is_locked(*value)) return "wrong_state";
    value->lock = 0;
    return "UNLOCKED";
  }

  [[nodiscard]] bool is_locked(Value const& value) const { return value.lock != 0 && value.lock_until > now; }
  [[nodiscard]] bool is_locked_for(Value const& value, std::uint64_t connection) const {
    return is_locked(value) && value.lock != connection;
  }

  void expire() {
    std::erase_if(keys_, [&](auto const& entry) { return entry.second->expires != 0 && entry.second->expires <= now; });
    std::erase_if(deleted_, [&](auto const& entry) { return entry.second.until <= now; });
    note_mains();
  }

  // Behind all that is known of the key.
  [[nodiscard]] std::int64_t next_timestamp(std::string const& key) const {
    std::int64_t out = now * 1000;
    if (auto const value = keys_.find(key); value != keys_.end()) out = std::max(out, value->second->timestamp + 1);
    if (auto const gone = deleted_.find(key); gone != deleted_.end()) out = std::max(out, gone->second.timestamp + 1);
    return out;
  }
  [[nodiscard]] bool is_stale(std::string const& key, std::int64_t stamp) const {
    if (auto const value = keys_.find(key); value != keys_.end()) return stamp < value->second->timestamp;
    auto const gone = deleted_.find(key);
    return gone != deleted_.end() && stamp < gone->second.timestamp;
  }
  void drop(TableState const& value) {
    std::erase_if(keys_, [&](auto const& entry) { return entry.second == value; });
  }

  std::string get(std::string const& key, Texts const& with, std::uint64_t connection) {
    auto const found = keys_.find(key);
    if (found == keys_.end()) return "NOTHING";
    Value& value = *found->second;
    // A new end is a change.
    if (with.contains("ttl") && is_locked_for(value, connection)) return "in_use";
    if (with.contains("ttl")) {
      value.ttl = std::stoll(with.at("ttl"));
      value.expires = value.ttl == 0 ? 0 : now + value.ttl;
    } else if (value.ttl != 0 && now + value.ttl - value.expires > value.ttl / 10) {
      value.expires = now + value.ttl;
    }
    return "PAIR " + value.type + " " + value.text + " until " +
           (value.expires == 0 ? "-" : std::to_string(value.expires));
  }

  std::string set(std::string const& key, TableState value, Texts const& with) {
    if (with.contains("overwrite") && value) return "exists";
    std::optional<std::int64_t> stamp;
    if (with.contains("timestamp")) stamp = std::stoll(with.at("timestamp"));
    if (stamp && is_stale(key, *stamp)) return "stale";
    return store(key, value, with, stamp ? *stamp : next_timestamp(key));
  }

  std::string store(std::string const& key, TableState value, Texts const& with, std::int64_t timestamp) {
    if (!value) value = keys_[key] = std::make_shared<Value>();
    deleted_.erase(key);
    value->type = with.at("type");
    value->text = with.at("value");
    value->timestamp = timestamp;
    value->ttl = with.contains("ttl") ? std::stoll(with.at("ttl")) : 0;
    value->expires = value->ttl == 0 ? 0 : now + value->ttl;
    return "stored";
  }

  std::string remove(std::string const& key, TableState const& value, Texts const& with) {
    std::optional<std::int64_t> stamp;
    if (with.contains("timestamp")) stamp = std::stoll(with.at("timestamp"));
    if (stamp && is_stale(key, *stamp)) return "stale";
    bool const is_complete = with.contains("complete");
    std::int64_t const timestamp = stamp ? *stamp : next_timestamp(key);
    if (is_complete) {
      deleted_.erase(key);
    } else if (value) {
      for (auto const& [other, shared] : keys_)
        if (shared == value) deleted_[other] = {timestamp, now + kTombstoneMs};
    } else if (stamp) {
      deleted_[key] = {timestamp, now + kTombstoneMs};
    }
    if (!value) return "absent";
    drop(value);
    return "deleted";
  }

  std::string add(std::string const& key, TableState value) {
    if (value && value->type != "integer") return "wrong_state";
    std::int64_t const timestamp = next_timestamp(key);
    if (!value) {
      value = keys_[key] = std::make_shared<Value>();
      deleted_.erase(key);
      value->type = "integer";
      value->text = "0";
    }
    value->text = std::to_string(std::stoll(value->text) + 1);
    value->timestamp = timestamp;
    return "stored";
  }

  std::string truncate(Value& value, Texts const& with) {
    if (value.type != "string") return "wrong_state";
    value.text.resize(std::stoul(with.at("size")), '\0');
    value.timestamp = std::max(now * 1000, value.timestamp + 1);
    return "stored";
  }

  std::string rename(std::string const& key, TableState const& value, Texts const& with, std::uint64_t connection) {
    std::string const next = with.at("new_key");
    auto const other = keys_.find(next);
    if (other != keys_.end() && (other->second == value || !with.contains("overwrite"))) return "exists";
    if (other != keys_.end() && is_locked_for(*other->second, connection)) return "in_use";
    std::int64_t const timestamp = std::max(next_timestamp(key), next_timestamp(next));
    // Another name of that value stays, if this was not its main one: it lost one of its keys.
    if (other != keys_.end()) {
      TableState const lost = other->second;
      if (mains_.at(lost.get()) == next)
        drop(lost);
      else
        keys_.erase(next);
    }
    deleted_.erase(next);
    keys_.erase(key);
    keys_[next] = value;
    if (mains_.at(value.get()) == key) mains_[value.get()] = next;
    deleted_[key] = {timestamp, now + kTombstoneMs};
    value->timestamp = timestamp;
    return "stored";
  }

  std::string alias(TableState const& value, Texts const& with) {
    std::string const next = with.at("new_key");
    if (keys_.contains(next)) return "exists";
    std::size_t keys = 0;
    for (auto const& [key, shared] : keys_) keys += shared == value ? 1 : 0;
    if (keys >= kKeysMax) return "over_limit";
    deleted_.erase(next);
    keys_[next] = value;
    return "stored";
  }

  std::map<std::string, TableState> keys_;
  std::map<std::string, Deleted> deleted_;

  std::map<Value const*, std::string> mains_;  // the first key of each value

  void note_mains() {
    std::erase_if(mains_, [&](auto const& entry) {
      return std::none_of(keys_.begin(), keys_.end(), [&](auto const& one) { return one.second.get() == entry.first; });
    });
    for (auto const& [key, value] : keys_) mains_.try_emplace(value.get(), key);
  }
};

}  // namespace fastjournal::keyvalue::test

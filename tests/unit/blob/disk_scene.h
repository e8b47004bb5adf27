// A blob table with its files on a simulated disk (engine/files/byte_files.h, tests/sim/sim_disk.h), and its log in memory: of
// the records that are not durable any number from the front survives a power cut. What a server does in its turns is done
// here, in the same order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "engine/files/byte_file_format.h"
#include "engine/files/byte_files.h"
#include "tests/sim/sim_disk.h"
#include "tests/unit/blob/harness.h"

namespace fastjournal::blob::test {

class DiskScene : public fastjournal::test::TableHarness<BlobTable> {
 public:
  static constexpr std::string_view kFolder = "bytes/blobs";

  explicit DiskScene(std::string const& mode) : TableHarness(blob_type(), declare({{"maintenance", mode}})) {
    observer = &told_;
  }
  ~DiskScene() { stop(); }

  // -- starts and ends ----------------------------------------------------------
  [[nodiscard]] Status begin() {
    stop();
    table = std::make_unique<BlobTable>(context, type, declaration);
    storage::ByteFilesOptions options;
    options.folder = kFolder;
    options.table = TableId{1};
    options.store_id = 99;
    options.reserve_bytes = 64U << 10U;
    options.kept_free_bytes = 0;
    options.scrub_every_us = 0;
    files_ = std::make_unique<storage::ByteFiles>(disk, options, *table, table.get());
    told_.files = files_.get();
    if (Status status = files_->open(); !status.ok()) return status;
    for (auto const& record : log.stored())
      check(table->apply(record.view(), {.live = false, .now = {}, .base = Lsn{8}}, told_), "a record was refused");
    if (Status status = files_->begin(log.end()); !status.ok()) return status;
    sync_log();
    ++start;
    decide_until_done([&](Decision& decision) { return table->decide_recovered(decision); });
    static_cast<void>(table->take_detached());
    return {};
  }
  void stop() {
    jobs_.clear();
    stages_.clear();
    told_.files = nullptr;
    files_.reset();
  }
  void power_cut(sim::Chooser const& survives, std::uint64_t chance) {
    stop();
    disk.crash(survives);
    log.cut(durable_ + chance % (log.stored().size() - durable_ + 1));
  }
  void kill() {
    stop();
    disk.kill();
  }
  [[nodiscard]] bool is_over() const { return disk.is_stopped() || (files_ != nullptr && !files_->failure().ok()); }

  // -- what happens -------------------------------------------------------------
  void put(std::string const& key, std::string const& bytes, bool carried) {
    Message message{"PUT"};
    message.set("key", std::string_view{key});
    if (carried) {
      Result<StoredValue> const place = files_->carry(bytes, false);
      if (place.ok() && !store(message, key, place.value(), bytes, true)) files_->give_back(place->extent);
      return;
    }
    Result<storage::Staging::StageId> const stage = files_->staging().store({{bytes, false}});
    if (stage.ok()) stages_[stage.value()] = {key, bytes};
  }
  std::string maintain(Texts const& with = {}) { return run("MAINTAIN", with).get("result"); }
  void omit(std::string const& key) {
    run("OMIT", {{"key", key}});
    may_go.insert(key);
  }
  // Everything that a turn does. False: it is over.
  bool turn(std::int64_t ms = 5) {
    for (auto& [lane, job] : std::exchange(jobs_, {})) {
      job->run();
      files_->finish_job(lane, std::move(job));
    }
    if (is_over()) return false;
    static_cast<void>(table->take_detached());
    if (!table->holds_new())
      for (storage::Staging::Done& done : files_->staging().take_done()) take(done);
    if (files_->copying().has_copied()) {
      auto const& copied = files_->copying().copied();
      if (!copied.moved.empty())
        decide_until_done([&](Decision& decision) { return table->decide_moved(copied.moved, decision); });
      if (!copied.not_moved.empty())
        decide_until_done([&](Decision& decision) {
          table->decide_not_moved(copied.not_moved, copied.why, decision);
          return false;
        });
      files_->copying().settle_copied();
    }
    pass(ms);
    if (is_over()) return false;
    sync_log();
    end_turn();
    return !is_over();
  }
  // Until nothing is left to be done at this date.
  bool settle() {
    for (int i = 0; i < 12; ++i)
      if (!turn(1)) return false;
    return true;
  }
  // Time passes, and what is decided then is durable; but nothing is done about files so far.
  void pass_only(std::int64_t ms) {
    pass(ms);
    sync_log();
  }

  // -- what is there ------------------------------------------------------------
  // Empty, or what is wrong: each blob is where the table says, under the number of the file and under its name.
  [[nodiscard]] std::string check_blobs() {
    for (auto& [key, values] : values_) {
      std::erase_if(values, [&](Stored const& value) { return value.records > log.stored().size(); });
      if (values.empty()) continue;
      for (bool const by_name : {false, true}) {
        Texts with{{"key", key}};
        if (by_name) with["by_name"] = "1";
        Reply const reply = run("GET", with);
        if (by_name && reply.error() == "unavailable") continue;
        if (reply.get("result") != "found") {
          if (may_go.contains(key) && reply.error().empty()) continue;
          return key + " is gone: " + reply.error() + reply.get("result");
        }
        std::string const link = reply.get("newer") == "1" ? "bcdb_data.new" : "bcdb_data";
        std::string const file = by_name ? content(link) : storage::file_name(number(reply, "file"));
        std::string const bytes = content(file);
        auto const begin = std::stoull(reply.get("begin"));
        auto const end = std::stoull(reply.get("end"));
        if (end > bytes.size() || bytes.substr(begin, end - begin) != values.back().bytes)
          return key + " has other bytes in " + file + (by_name ? ", by name" : "");
      }
    }
    return {};
  }
  // The links are those that the last record of the state says, and lead to files that are there.
  [[nodiscard]] std::string check_links() {
    State const& state = table->state();
    bool const has_names = declaration->option("maintenance").integer != 0;
    std::uint32_t const other = has_names ? state.old_file : 0;
    std::map<std::string, std::uint32_t> wanted{{"bcdb_data", table->file_for_new()},
                                                {"bcdb_data.new", has_names ? state.files.next : 0},
                                                {"bcdb_data.old", 0}};
    if (other != 0) wanted[other < state.files.current ? "bcdb_data.old" : "bcdb_data.new"] = other;
    for (auto const& [link, file] : wanted) {
      std::string const got = content(link);
      // The file of a maintenance that began a moment ago is being made.
      bool const is_being_made = file == state.files.next && got.empty() && !has(storage::file_name(file));
      if (file != 0 && is_being_made) continue;
      if (got != (file == 0 ? "" : storage::file_name(file))) return link + " leads to '" + got + "'";
      if (file != 0 && !has(got)) return link + " leads to nothing";
    }
    return {};
  }
  [[nodiscard]] bool has(std::string const& name) const { return std::ranges::count(disk.files(), path(name)) != 0; }
  [[nodiscard]] std::string content(std::string const& name) const {
    return has(name) ? std::string{as_text(disk.content(path(name)))} : std::string{};
  }
  [[nodiscard]] static std::string path(std::string const& name) { return std::string{kFolder} + "/" + name; }

  sim::SimDisk disk;
  std::set<std::string> may_go;

 private:
  struct Told final : TableObserver {
    storage::ByteFiles* files{nullptr};
    void stored(Extent const& extent, std::string_view carried) override { files->named(extent, carried); }
    void freed(Extent const& extent) override { files->freed(extent, kNoLsn); }
    void changed(std::string_view) override {}
    void available(ObjectId, std::string_view, TimeMs) override {}
    void lease_began(ObjectId, ConnectionId) override {}
    void lease_ended(ObjectId, ConnectionId) override {}
    void available_again(std::string_view, std::uint64_t) override {}
    void alert(std::string_view, std::uint8_t, std::string_view, std::string_view) override {}
    void lower_alert(std::string_view) override {}
  };
  struct Stored {
    std::size_t records{0};  // of the log, with the one that says so
    std::string bytes;
  };

  static std::uint32_t number(Reply const& reply, char const* name) {
    return static_cast<std::uint32_t>(std::stoul(reply.get(name)));
  }
  bool store(Message& message, std::string const& key, StoredValue const& value, std::string const& bytes,
             bool carried) {
    message.set("data", Value::of_stored(value, carried ? std::string_view{bytes} : std::string_view{}));
    if (!run(message).error().empty()) return false;
    values_[key].push_back({log.stored().size(), bytes});
    may_go.erase(key);
    return true;
  }
  void take(storage::Staging::Done& done) {
    auto const [key, bytes] = stages_[done.stage];
    if (done.status.ok() && !files_->staging().is_current(done) && files_->staging().store_again(done.stage).ok())
      return;
    if (done.status.ok() && files_->staging().is_current(done)) {
      Message message{"PUT"};
      message.set("key", std::string_view{key});
      static_cast<void>(store(message, key, done.values.front(), bytes, false));
    }
    files_->staging().drop(done.stage);
    stages_.erase(done.stage);
  }
  void sync_log() {
    durable_ = log.stored().size();
    durable_lsn_ = log.end();
  }
  void end_turn() {
    now_us_ += 10'000;
    files_->end_turn(durable_lsn_, log.end(), now_us_);
    for (storage::Lane const lane : storage::kLanes)
      if (std::unique_ptr<storage::Job> job = files_->take_job(lane, now_us_)) jobs_.emplace_back(lane, std::move(job));
  }

  Told told_;
  std::unique_ptr<storage::ByteFiles> files_;
  std::vector<std::pair<storage::Lane, std::unique_ptr<storage::Job>>> jobs_;
  std::map<storage::Staging::StageId, std::pair<std::string, std::string>> stages_;
  std::map<std::string, std::vector<Stored>> values_;
  std::size_t durable_{0};
  Lsn durable_lsn_{};
  std::int64_t now_us_{1'000'000};
};

}  // namespace fastjournal::blob::test

// A table as byte files see it, with a log in memory: values begin and end to be named by records, records become durable
// in their order, and a start replays those that are. Some values are promised by transactions first, which are prepared
// or not, and end well or not. Values, jobs, syncs of the log and power cuts come by chance from a seed; after each start
// everything that records name, or that is prepared, must be what was stored. `./mk crash` lives them in great numbers
// (tests/crash/byte_lives.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/check.h"
#include "engine/files/byte_files.h"
#include "fastjournal/capabilities.h"
#include "tests/sim/sim_disk.h"

namespace fastjournal::storage::test {

class Life final : public Stores {
 public:
  explicit Life(std::uint64_t seed, std::uint64_t capacity = std::uint64_t{1} << 40U)
      : disk_(sim::SimDisk::Options{.sector_bytes = 512, .capacity_bytes = capacity}), chance_(seed) {
    options_.folder = "bytes/blobs";
    options_.table = TableId{7};
    options_.store_id = 99;
    options_.file_bytes = 256U << 10U;
    options_.reserve_bytes = 64U << 10U;
    options_.kept_free_bytes = 0;
  }

  // -- Stores ---------------------------------------------------------------
  [[nodiscard]] std::uint64_t list_extents(std::uint64_t cursor, std::uint32_t work_units,
                                           std::vector<Extent>& found) const override {
    for (auto value = named_.upper_bound(cursor); value != named_.end(); ++value) {
      if (work_units-- == 0) return cursor;
      found.push_back(value->second.extent);
      cursor = value->first;
    }
    return 0;
  }

  // -- starts and ends ------------------------------------------------------
  [[nodiscard]] Status start() {
    files_ = std::make_unique<ByteFiles>(disk_, options_, *this);
    if (Status status = files_->open(); !status.ok()) return status;
    named_.clear();
    promised_.clear();
    for (std::size_t i = base_; i < records_.size(); ++i) apply(records_[i], kNoLsn);
    for (auto const& [id, value] : promised_)
      if (Status status = files_->promised(value.extent); !status.ok()) return status;
    // What a start of a log found is durable before anything is done with it.
    durable_ = records_.size();
    return files_->begin(end());
  }
  void stop() {
    jobs_.clear();
    stages_.clear();
    fetches_.clear();
    files_.reset();
  }
  void power_cut(sim::Chooser const& survives) {
    stop();
    disk_.crash(survives);
    // Records that were not durable: any number of them from the front survived.
    records_.resize(durable_ + chance_() % (records_.size() - durable_ + 1));
    durable_ = records_.size();
  }
  void kill() {
    stop();
    disk_.kill();
  }
  // The same disk and records with no file open: the moment before a power cut or a kill, which must follow.
  void copy_state(Life const& other) {
    stop();
    disk_.copy_state(other.disk_);
    options_ = other.options_;
    records_ = other.records_;
    durable_ = other.durable_;
    base_ = other.base_;
    restated_ = other.restated_;
    last_id_ = other.last_id_;
    now_us_ = other.now_us_;
    named_.clear();
    promised_.clear();
  }

  // -- a life ---------------------------------------------------------------
  // One thing of chance. Not ok: something is not as it must be.
  [[nodiscard]] std::string step() {
    switch (chance_() % 13) {
      case 0:
      case 1: return carry(bytes(size(9000)));
      case 2: return store(1 + chance_() % 3);
      case 3: return begin();
      case 4:
      case 5: return go_on();
      case 6: free_one(); return {};
      case 7: return fetch();
      case 8: sync_log(); return {};
      case 9: return end_promise(chance_() % 2 == 0);
      default: return turn();
    }
  }
  // Jobs run to their end, and so does what they bring; values that are not whole are dropped.
  [[nodiscard]] std::string settle() {
    for (auto stage = stages_.begin(); stage != stages_.end();) {
      auto const one = stage++;
      if (!one->second.is_open) continue;
      files_->staging().drop(one->first);
      stages_.erase(one);
    }
    while (!promised_.empty())
      if (std::string wrong = end_promise(false); !wrong.empty()) return wrong;
    for (int i = 0; i < 200; ++i) {
      sync_log();
      if (std::string wrong = turn(true); !wrong.empty()) return wrong;
    }
    return {};
  }
  // All that is named, or promised, is what was stored.
  [[nodiscard]] std::string check() {
    std::string const wrong = check(named_);
    return wrong.empty() ? check(promised_) : wrong;
  }
  // A value of a transaction, which is prepared or not.
  void promise(Extent const& extent, std::string bytes, bool is_prepared) {
    std::uint64_t const id = ++last_id_;
    FJ_CHECK(files_->promised(extent).ok(), "a value that was stored is promised");
    promised_[id] = {extent, bytes};
    if (is_prepared) records_.push_back({id, Kind::prepared, extent, std::move(bytes), false});
  }
  // The transaction of some value is over.
  [[nodiscard]] std::string end_promise(bool is_kept) {
    if (promised_.empty()) return {};
    auto one = promised_.begin();
    std::advance(one, static_cast<std::ptrdiff_t>(chance_() % promised_.size()));
    auto const [id, value] = *one;
    if (files_->place_of(value.extent) != value.extent) return "a promised value is elsewhere";
    records_.push_back({id, is_kept ? Kind::named : Kind::rolled_back, value.extent, value.bytes, false});
    apply(Record{records_.back()}, end());
    files_->let_go(value.extent);
    return {};
  }

  [[nodiscard]] sim::SimDisk& disk() { return disk_; }
  [[nodiscard]] ByteFiles& files() { return *files_; }
  [[nodiscard]] ByteFilesOptions& options() { return options_; }
  [[nodiscard]] std::mt19937_64& chance() { return chance_; }
  [[nodiscard]] std::size_t named() const { return named_.size(); }
  [[nodiscard]] std::uint64_t named_bytes() const {
    std::uint64_t sum = 0;
    for (auto const& [id, value] : named_) sum += value.bytes.size();
    return sum;
  }
  [[nodiscard]] std::uint64_t stored() const { return stored_; }
  [[nodiscard]] std::uint64_t values_fetched() const { return fetched_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  void free_all(std::size_t but = 0) {
    while (named_.size() > but) free_one();
  }
  // Stored by a job, and then this.
  enum class Becomes : std::uint8_t { by_chance, named, promised, prepared, dropped };
  std::string store_one(std::size_t size, Becomes becomes = Becomes::named) {
    Staged staged;
    staged.becomes = becomes;
    staged.values.push_back(bytes(size));
    Result<Staging::StageId> const stage = files_->staging().store({{staged.values.back(), false}});
    if (!stage.ok()) return stage.status().text();
    stages_[stage.value()] = std::move(staged);
    std::size_t const before = named_.size() + promised_.size();
    for (int i = 0; i < 100 && named_.size() + promised_.size() == before && !stages_.empty(); ++i)
      if (std::string wrong = turn(true); !wrong.empty()) return wrong;
    return {};
  }

  // `surely`: the command is not refused after its value got a place.
  std::string carry(std::string bytes, bool surely = false) {
    Result<StoredValue> const place = files_->carry(bytes, false);
    if (!place.ok()) return refuse(place.status());
    // Some commands are refused after all.
    if (!surely && chance_() % 8 == 0)
      files_->give_back(place->extent);
    else
      name(place->extent, bytes, true);
    return {};
  }
  [[nodiscard]] std::string bytes(std::size_t size) {
    std::string out(size, '\0');
    for (char& byte : out) byte = static_cast<char>(chance_());
    return out;
  }
  // Records are durable, and the log has not dropped any.
  void mark_durable() { durable_ = records_.size(); }
  void sync_log() {
    durable_ = records_.size();
    drop_old();
  }
  [[nodiscard]] std::string turn(bool all = false) {
    now_us_ += 10'000 + static_cast<std::int64_t>(chance_() % 100'000);
    for (std::size_t i = 0; i < jobs_.size();) {
      if (!all && chance_() % 2 == 0) {
        ++i;
        continue;
      }
      Lane const lane = jobs_[i].first;
      std::unique_ptr<Job> job = std::move(jobs_[i].second);
      jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(i));
      job->run();
      files_->finish_job(lane, std::move(job));
    }
    if (!files_->failure().ok()) return "failed: " + files_->failure().text();
    if (std::string wrong = take_done(); !wrong.empty()) return wrong;
    if (std::string wrong = take_fetched(); !wrong.empty()) return wrong;
    files_->end_turn(Lsn{8 * durable_ + 8}, end(), now_us_);
    for (Lane const lane : kLanes)
      if (std::unique_ptr<Job> job = files_->take_job(lane, now_us_)) jobs_.emplace_back(lane, std::move(job));
    return {};
  }

 private:
  struct Value {
    Extent extent;
    std::string bytes;
  };
  // A value that was prepared is named under the same id when it is kept.
  enum class Kind : std::uint8_t { named, ended, prepared, rolled_back };
  struct Record {
    std::uint64_t id{0};
    Kind kind{Kind::named};
    Extent extent{};
    std::string bytes;  // of the model
    bool carried{false};
  };
  struct Staged {
    Becomes becomes{Becomes::by_chance};
    std::vector<std::string> values;
    std::string rest;  // of one in pieces
    bool is_open{false};
  };

  [[nodiscard]] std::string check(std::map<std::uint64_t, Value> const& values) {
    for (auto const& [id, value] : values) {
      std::string got;
      // It has no place, so no file stays for it.
      if (value.bytes.empty()) continue;
      Readings::Reading const reading = files_->readings().read_in_place(value.extent);
      if (reading.file == nullptr) return "the file of value " + std::to_string(id) + " is gone";
      files_->readings().finish(reading.number);
      if (Status status = read_extent(*reading.file, "file", value.extent, got); !status.ok()) return status.text();
      if (got != value.bytes) return "value " + std::to_string(id) + " is not what was stored";
    }
    return {};
  }
  [[nodiscard]] Lsn end() const { return Lsn{8 * records_.size() + 8}; }
  void apply(Record const& record, Lsn lsn) {
    if (record.kind == Kind::prepared) {
      promised_[record.id] = {record.extent, record.bytes};
      return;
    }
    if (record.kind != Kind::ended) promised_.erase(record.id);
    if (record.kind == Kind::rolled_back) return;
    if (record.kind == Kind::named) {
      named_[record.id] = {record.extent, record.bytes};
      files_->named(record.extent, record.carried ? std::string_view{record.bytes} : std::string_view{});
    } else if (auto const found = named_.find(record.id); found != named_.end()) {
      named_.erase(found);
      files_->freed(record.extent, lsn);
    }
  }
  // A log drops what is not needed: records of values that ended, and carried bytes that are durable in their file.
  void drop_old() {
    Lsn const needed = files_->oldest_needed();
    std::size_t const most = needed.is_none() ? durable_ : std::min<std::size_t>(durable_, needed.value / 8 - 1);
    // What lives is written again, without its bytes.
    for (; restated_ < most; ++restated_) records_[restated_].carried = false;
    auto const lives = [this](Record const& record) {
      return (record.kind == Kind::named && named_.contains(record.id)) ||
             (record.kind == Kind::prepared && promised_.contains(record.id));
    };
    while (base_ < most && !lives(records_[base_])) ++base_;
  }
  void name(Extent extent, std::string bytes, bool carried) {
    records_.push_back({++last_id_, Kind::named, extent, std::move(bytes), carried});
    apply(records_.back(), end());
    ++stored_;
  }
  void free_one() {
    if (named_.empty()) return;
    auto value = named_.begin();
    std::advance(value, static_cast<std::ptrdiff_t>(chance_() % named_.size()));
    records_.push_back({value->first, Kind::ended, value->second.extent, {}, false});
    apply(Record{records_.back()}, end());
  }
  // Values are refused for want of space, and where a test had a call of the disk fail.
  [[nodiscard]] std::string refuse(Status const& status) {
    ++refused_;
    bool const is_planned = status.message().find("injected failure") != std::string::npos;
    return status.code() == Code::no_space || is_planned ? std::string{} : status.text();
  }
  // Some are empty.
  [[nodiscard]] std::size_t size(std::size_t most) { return chance_() % 10 == 0 ? 0 : 1 + chance_() % most; }
  [[nodiscard]] std::string store(std::size_t count) {
    Staged staged;
    for (std::size_t i = 0; i < count; ++i) staged.values.push_back(bytes(size(40'000)));
    Buffer message;
    for (std::string const& value : staged.values) message.append(" " + value);
    bool const is_given = chance_() % 2 == 0;
    std::vector<Staging::Piece> pieces;
    std::size_t at = 0;
    for (std::string const& value : staged.values) {
      pieces.push_back({is_given ? message.view().substr(at + 1, value.size()) : value, false});
      at += 1 + value.size();
    }
    Result<Staging::StageId> const stage = files_->staging().store(pieces, is_given ? &message : nullptr);
    if (!stage.ok()) return refuse(stage.status());
    if (chance_() % 8 == 0)
      files_->staging().drop(stage.value());
    else
      stages_[stage.value()] = std::move(staged);
    return {};
  }
  [[nodiscard]] std::string begin() {
    Staged staged;
    staged.is_open = true;
    staged.values.push_back(bytes(size(60'000)));
    staged.rest = staged.values.back();
    bool const is_known = chance_() % 2 == 0;
    Result<Staging::StageId> const stage =
        files_->staging().begin_value(is_known ? staged.rest.size() : UINT64_MAX, 100'000);
    if (!stage.ok()) return refuse(stage.status());
    stages_[stage.value()] = std::move(staged);
    return {};
  }
  [[nodiscard]] std::string go_on() {
    for (auto& [id, staged] : stages_) {
      if (!staged.is_open) continue;
      if (chance_() % 16 == 0) {
        files_->staging().drop(id);
        stages_.erase(id);
        return {};
      }
      std::size_t const some = std::min<std::size_t>(staged.rest.size(), 1 + chance_() % 20'000);
      if (Status status = files_->staging().add(id, std::string_view{staged.rest}.substr(0, some)); !status.ok())
        return status.text();
      staged.rest.erase(0, some);
      if (!staged.rest.empty()) return {};
      staged.is_open = false;
      Status const status = files_->staging().end_value(id);
      return status.ok() ? std::string{} : status.text();
    }
    return {};
  }
  [[nodiscard]] std::string fetch() {
    if (named_.empty()) return {};
    std::vector<Extent> extents;
    std::vector<std::string> wanted;
    for (std::size_t i = 0; i < 1 + chance_() % 2; ++i) {
      auto value = named_.begin();
      std::advance(value, static_cast<std::ptrdiff_t>(chance_() % named_.size()));
      extents.push_back(value->second.extent);
      wanted.push_back(value->second.bytes);
    }
    fetches_[files_->readings().fetch(std::move(extents))] = std::move(wanted);
    return {};
  }
  [[nodiscard]] std::string take_done() {
    for (Staging::Done& done : files_->staging().take_done()) {
      auto const found = stages_.find(done.stage);
      if (found == stages_.end()) continue;
      if (!done.status.ok()) {
        if (std::string wrong = refuse(done.status); !wrong.empty()) return wrong;
        files_->staging().drop(done.stage);
        stages_.erase(found);
        continue;
      }
      Becomes becomes = found->second.becomes;
      if (becomes == Becomes::by_chance) {
        std::uint64_t const dice = chance_() % 16;
        becomes = dice < 2   ? Becomes::promised
                  : dice < 4 ? Becomes::prepared
                  : dice < 6 ? Becomes::dropped
                             : Becomes::named;
      }
      for (std::size_t i = 0; i < done.values.size() && becomes != Becomes::dropped; ++i) {
        if (becomes == Becomes::named)
          name(done.values[i].extent, found->second.values[i], false);
        else
          promise(done.values[i].extent, found->second.values[i], becomes == Becomes::prepared);
      }
      files_->staging().drop(done.stage);
      stages_.erase(found);
    }
    return {};
  }
  [[nodiscard]] std::string take_fetched() {
    for (Readings::Fetched& fetched : files_->readings().take_fetched()) {
      std::vector<std::string> const wanted = std::move(fetches_.extract(fetched.fetch).mapped());
      if (!fetched.status.ok()) {
        if (std::string wrong = refuse(fetched.status); !wrong.empty()) return wrong;
        continue;
      }
      if (fetched.values != wanted) return "fetched values are not what was stored";
      ++fetched_;
    }
    return {};
  }

  sim::SimDisk disk_;
  std::mt19937_64 chance_;
  ByteFilesOptions options_;
  std::unique_ptr<ByteFiles> files_;
  std::vector<Record> records_;
  std::size_t durable_{0};   // records
  std::size_t base_{0};      // records that are dropped
  std::size_t restated_{0};  // records that have no bytes any more
  std::map<std::uint64_t, Value> named_;
  std::map<std::uint64_t, Value> promised_;
  std::uint64_t last_id_{0};
  std::map<Staging::StageId, Staged> stages_;
  std::map<Readings::FetchId, std::vector<std::string>> fetches_;
  std::vector<std::pair<Lane, std::unique_ptr<Job>>> jobs_;
  std::int64_t now_us_{1'000'000};
  std::uint64_t stored_{0};
  std::uint64_t fetched_{0};
  std::uint64_t refused_{0};
};

}  // namespace fastjournal::storage::test

// The log in files: containers in a folder (bytes: storage/format.h), one open
// batch in memory, one write and one sync a commit.
//
// Owned and called by one thread. Other threads may run chores, that is, creating a container (16 MiB of zeros and a
// sync) or removing one, and the sync itself (storage/flush.h). The log continues meanwhile, and knows what waits for
// them. When each of these is due is in file_log_turn.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/log_store.h"
#include "env/clock.h"
#include "env/disk.h"
#include "storage/container.h"
#include "storage/flush.h"
#include "storage/format.h"
#include "storage/log_reader.h"
#include "storage/newest.h"

namespace fastjournal::storage {

inline constexpr std::uint64_t kContainerBytesMin = 512U << 10U;
inline constexpr std::uint64_t kContainerBytesMax = 4ULL << 30U;

enum class SyncPolicy : std::uint8_t {
  always,    // commit() syncs groups that were promised `synced`: the default
  interval,  // commit() only writes; end_turn() syncs in time
};

// Where syncs are done.
enum class SyncPlace : std::uint8_t {
  automatic,  // on the loop; elsewhere while they are slow (SyncTimes)
  on_loop,    // the shortest latency for a single client
  on_thread,  // turns continue during a sync: dates and other logs do not wait for it
};

// How a batch becomes durable. Behind a write that was not synced, write and fdatasync cost the same as two direct
// writes, and keep one order.
enum class SyncMethod : std::uint8_t {
  fdatasync,  // write, then fdatasync
  direct,     // in one call that bypasses the kernel's cache, if nothing unsynced precedes it; else as above
  automatic,  // direct, if a test at the start shows that it works
};

// The containers that an empty log keeps. Its dead records are dropped in any case, and no LSN repeats.
enum class WhenEmpty : std::uint8_t {
  reset,     // as many as allowed: max(initial-containers, 4)
  truncate,  // the current one, and the two of the reserve
  remove,    // only the current one; the next addition waits until two others are created ("delete")
};

struct LogOptions {
  std::string name{"shared"};  // for messages
  // container_bytes and block_bytes are fixed when the log is created; later its headers count.
  std::uint64_t container_bytes{16U << 20U};
  std::uint32_t initial_containers{2};
  std::size_t block_bytes{4096};  // the unit that the device writes atomically
  SyncPolicy sync{SyncPolicy::always};
  std::uint32_t sync_interval_ms{0};
  SyncPlace sync_place{SyncPlace::automatic};
  SyncMethod sync_method{SyncMethod::fdatasync};
  std::uint64_t write_buffer_bytes{
      64U << 20U};  // the most that is decided and not known to be durable; then the loop waits
  // A turn with more than this, or more than an eighth of a container, is written in several batches; one sync covers
  // them. A batch keeps every container that it touches, so a large one would make copying forward free two containers
  // at once.
  std::uint64_t batch_bytes_max{8U << 20U};
  WhenEmpty when_empty{WhenEmpty::reset};
  std::uint64_t scrub_ms{0};       // everything durable is checked once in this time; 0: never
  bool wipe{false};                // containers are overwritten with zeros when nothing in them is needed any more
  std::uint64_t store_id_seed{0};  // random, for the store id of a new log
  // For a new log with the records of another one: continues where that ended.
  Lsn first_lsn{kFirstLsn};
  std::uint32_t starts_before{0};
  // The free space of the file system that a new container must leave.
  std::uint64_t disk_reserve_bytes{0};
  std::uint64_t container_bytes_min{kContainerBytesMin};  // tests use less
  env::Workers* workers{nullptr};                         // for open(); null: the calling thread does everything
  env::Clock* clock{nullptr};                             // measures syncs; null: they are not measured
};

class FileLog final : public core::LogStore {
 public:
  // The reserve that additions cannot use: one container for removals, one to copy forward into (keep_for_copy).
  static constexpr std::uint32_t kKeptBack = 2;
  // And one more for every twelve with records, the first from five on: a copied object is a little larger than its
  // first record.
  static constexpr std::uint32_t kCopiesGrowPart = 12;
  // And one more, so that the next is there before it is needed.
  // Allowed beside twice the live bytes, unless initial-containers is larger.
  static constexpr std::uint32_t kContainersAllowed = 4;

  // Locks the folder, hands every record to `handler`, cuts a torn tail, and opens a fresh container, durable when this
  // returns. On failure nothing that was there has changed: `damaged` names container and offset, `in_use` who uses the
  // folder; a Status of the handler is returned unchanged.
  [[nodiscard]] static Result<std::unique_ptr<FileLog>> open(env::Disk& disk, std::string folder, LogOptions options,
                                                             RecordHandler& handler, RecoveryReport& report);
  ~FileLog() override;
  FileLog(FileLog const&) = delete;
  FileLog& operator=(FileLog const&) = delete;

  // -- core::Log ------------------------------------------------------------
  // `bytes` of bodies, and their headers if these are not more than that plus 4 KiB (20 bytes a record). Valid from
  // here: a second call replaces the first. False: last_refusal() has the reason.
  [[nodiscard]] bool reserve(std::size_t bytes, bool removing) override;
  [[nodiscard]] bool reserve_to_copy(std::size_t bytes) override;
  void keep_for_copy(std::uint64_t bytes) override { kept_for_copy_ = bytes; }
  Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t body_bytes) override;
  void end_group(Durability durability) override;
  // Requires that no group is open and no flush is running.
  [[nodiscard]] Status commit() override;
  void want_sync() override { sync_wanted_ = has_unsynced() || used_ > kBatchHeaderBytes; }
  [[nodiscard]] Lsn end_lsn() const override { return Lsn{batch_at_.value + used_}; }
  [[nodiscard]] Lsn durable_lsn() const override { return place_of_next(durable_); }
  [[nodiscard]] Lsn needed_lsn() const override { return needed_; }
  // Batches that a long turn wrote ahead count only after commit(): before, they may not be synced.
  [[nodiscard]] Lsn written_lsn() const override { return place_of_next(committed_); }
  void set_base(Lsn base, Lsn catalogue) override;
  [[nodiscard]] Status reset() override;
  [[nodiscard]] Lsn base_lsn() const override { return base_; }
  [[nodiscard]] std::uint32_t start() const override { return start_; }
  [[nodiscard]] std::uint64_t store_id() const override { return store_id_; }
  [[nodiscard]] core::LogUsage usage() const override;

  // -- core::LogStore (file_log_turn.cpp) -----------------------------------
  [[nodiscard]] std::string const& name() const override { return options_.name; }
  [[nodiscard]] core::Standing standing() const override {
    return error_.ok() ? core::Standing::serving : core::Standing::failed;
  }
  [[nodiscard]] Status const& why() const override { return error_; }
  [[nodiscard]] bool end_turn(std::int64_t now_us) override;
  [[nodiscard]] std::int64_t next_us() const override;
  [[nodiscard]] bool is_full() const override { return flush_out_ && unsynced_bytes() > options_.write_buffer_bytes; }
  [[nodiscard]] std::unique_ptr<core::LogJob> take_job(core::Lane lane, std::int64_t now_us) override;
  void finish_job(core::Lane lane, std::unique_ptr<core::LogJob> job) override;
  void sync_soon() override;
  // Checks that the open files are still those of this folder. Not ok: fatal, like a failed write.
  [[nodiscard]] Status look() override;
  [[nodiscard]] std::vector<core::LogNews> take_news() override { return std::exchange(news_, {}); }
  [[nodiscard]] core::LogDescription describe() const override;

  // -- the same in parts ------------------------------------------------------
  // The parts of commit(), for an owner that syncs on a thread: close_turn(); then write(), unless the batch is to wait
  // for a running flush; then, if needs_sync() and none is running, take_flush().
  void close_turn();
  // Gives the open batch to the kernel: from here on kill -9 does not lose it.
  [[nodiscard]] Status write();
  // write() and a sync, at once. Requires that no flush is running.
  [[nodiscard]] Status write_synced();
  [[nodiscard]] bool needs_sync() const { return durable_ < needed_; }
  // Covers everything that was written. Call run() on any thread, then finish_flush() on this one. One runs at a time.
  [[nodiscard]] std::unique_ptr<Flush> take_flush();
  void finish_flush(std::unique_ptr<Flush> flush);
  [[nodiscard]] bool is_flushing() const { return flush_out_; }
  // Bytes in the open batch, or written and not known to be durable.
  [[nodiscard]] std::uint64_t unsynced_bytes() const { return end_lsn().value - durable_lsn().value; }
  [[nodiscard]] SyncTimes const& sync_times() const { return sync_times_; }
  // The result of SyncMethod::automatic.
  [[nodiscard]] bool writes_direct() const { return direct_; }

  // Syncs everything that was written and not synced (SyncPolicy::interval, promises `written`). Requires that no flush
  // is running.
  [[nodiscard]] Status sync();
  [[nodiscard]] bool has_unsynced() const { return durable_ < batch_at_; }
  // True while batches are durable but nothing on disk says so: stamp the log when it has been idle for some
  // milliseconds. write_stamp() is the first part of stamp(): it leaves something that needs_sync(), and one more is
  // needed after that if something was only written.
  [[nodiscard]] bool needs_stamp() const;
  [[nodiscard]] Status write_stamp();
  [[nodiscard]] Status stamp();
  // Clean stop: commits, syncs, and writes a seal. Nothing may follow. Requires that no flush is running.
  [[nodiscard]] Status seal() override;
  // Why reserve() last returned false.
  [[nodiscard]] Status const& last_refusal() const { return refusal_; }
  [[nodiscard]] std::string shortage() const override;
  // Not ok: a write or sync failed; nothing more may be acknowledged.
  [[nodiscard]] Status const& error() const { return error_; }

  // For a copy of the files while the log goes on. What stands below `end` in these containers stays as it is until
  // unpin(), unless its space is needed: then the pin is given up, as what removes must always work. It costs the disk
  // no more than these containers. Commits and syncs first; no group may be open, and no flush be out. One pin at a time.
  [[nodiscard]] Result<core::LogSnapshot> pin() override;
  // False: the hold has ended, and the copy cannot be trusted.
  bool unpin() override;

  [[nodiscard]] std::string const& folder() const { return folder_; }
  [[nodiscard]] LogOptions const& options() const { return options_; }

  // Work to be done ahead, or nullptr. Call it once a turn; call run() on any thread, then finish_chore() on this one.
  // At most one runs at a time. Without a thread it is run at once.
  [[nodiscard]] std::unique_ptr<Chore> take_chore();
  void finish_chore(std::unique_ptr<Chore> chore);
  void run_chores();

  // Also a chore: the next step of checking everything durable. nullptr: another chore is running, or the round is over
  // (round_total of the report is 0) and the next call begins another.
  [[nodiscard]] std::unique_ptr<Chore> take_scrub();
  [[nodiscard]] ScrubReport const& scrub_report() const { return scrub_.report; }
  // Something that is needed cannot be read: a start would be refused.
  [[nodiscard]] bool is_damaged() const { return scrub_.damaged_lap != 0; }
  [[nodiscard]] Lsn damaged_end() const override;
  // The log's part in healing, between batches, until is_damaged() is false: the log leaves a damaged current container
  // as soon as nothing is unsynced, since only others can be freed, and then records that on disk.
  [[nodiscard]] Status mend();

 private:
  struct Container {
    ContainerHeader header;
    std::shared_ptr<env::File> file;  // open while it is written
    Lsn live_until{};                 // end of the last batch that touches it
    std::uint8_t stale_copy{0};
    bool dirty{false};  // has writes since its last sync began
    bool clean{false};  // no record of an earlier use is in it (LogOptions::wipe)
  };

  FileLog(env::Disk& disk, std::string folder, LogOptions options);
  Status recover(RecordHandler& handler, RecoveryReport& report);
  Status make_folder();
  [[nodiscard]] Status check_known(LogReader& reader) const;
  Status remember_store();
  Status remove_unfinished();
  Status take_newest(LogReader const& reader, Lsn end);
  Status prove(LogReader& reader);
  void adopt(LogReader& reader, RecoveryReport const& report);
  Status start_container(RecoveryReport& report);

  [[nodiscard]] Lsn place_of_next(Lsn batch) const {
    return batch == batch_at_ ? Lsn{batch.value + kBatchHeaderBytes} : batch;
  }
  [[nodiscard]] Lsn end_of_records() const { return used_ == kBatchHeaderBytes ? batch_at_ : end_lsn(); }
  [[nodiscard]] std::uint64_t spares() const { return free_.size() + ready_.size(); }
  [[nodiscard]] std::uint64_t containers_total() const { return chain_.size() + spares(); }
  [[nodiscard]] ContainerHeader unused_header();
  [[nodiscard]] Status check_disk_space();
  // The space that must remain.
  struct KeptBack {
    std::uint32_t containers{0};
    std::uint64_t bytes{0};
  };
  [[nodiscard]] bool take_room(std::uint64_t need, KeptBack kept);
  // Containers for `bytes` from the begin of the open batch.
  [[nodiscard]] bool make_room(std::uint64_t bytes, KeptBack kept);
  // From the begin of the open batch to the end of the last spare container.
  [[nodiscard]] std::uint64_t room_bytes() const;
  // A free container, preferably one that needs no wiping.
  [[nodiscard]] Container take_free();
  // Containers are prepared one earlier than they are needed, so that nothing waits for them.
  [[nodiscard]] std::uint32_t kept_back() const {
    return kKeptBack + (static_cast<std::uint32_t>(chain_.size()) + 7) / kCopiesGrowPart;
  }
  [[nodiscard]] std::uint32_t spares_most() const {
    return kKeptBack + 1 + (static_cast<std::uint32_t>(chain_.size()) + 8) / kCopiesGrowPart;
  }
  [[nodiscard]] std::uint64_t spares_wanted() const;
  [[nodiscard]] std::uint64_t containers_allowed() const;
  [[nodiscard]] std::unique_ptr<Chore> chore_to_make();
  [[nodiscard]] std::unique_ptr<Chore> chore_to_wipe();
  [[nodiscard]] std::unique_ptr<Chore> chore_to_remove();
  // Writes a base above this container to the disk, so that it may be freed. False: not possible now.
  [[nodiscard]] bool is_below_base_on_disk(Container const& container);
  [[nodiscard]] Status extend();
  Status prepare_next();
  Status put_header(Container& container);
  // The current contents for `newest`.
  [[nodiscard]] Newest newest_now(Lsn durable) const { return {store_id_, newest_lap_, durable, start_}; }
  Status tell_lap(std::uint64_t lap);
  Status put_base_on_disk();
  [[nodiscard]] Lsn base_for_header() const;
  // The fields that every header gets when it is written.
  void tell(ContainerHeader& header) const;
  void free_below_base();
  void give_up_pin();
  void grow_buffer(std::uint64_t bytes);
  enum class How : std::uint8_t { to_kernel, through };
  Status write_open_batch(std::uint32_t flags, How how = How::to_kernel);
  Status write_bytes(Lsn at, std::span<std::byte const> bytes, How how);
  // The open batch, as it stands.
  [[nodiscard]] bool may_go_through() const;
  Status try_direct(Container& container);
  [[nodiscard]] Status leave_container();
  void enter_next_container();
  // On the spot.
  Status sync_written();
  [[nodiscard]] std::optional<ScrubStep::Task> next_scrub_task();
  void finish_scrub(ScrubStep const& step);
  // Everything fails from here on.
  Status fail(Status const& why);
  [[nodiscard]] bool syncs_elsewhere() const;
  [[nodiscard]] Status write_turn(std::int64_t now_us, bool& wrote);
  [[nodiscard]] std::unique_ptr<Chore> take_scrub_in_time(std::int64_t now_us);
  void tell_damage(std::int64_t now_us);
  void tell_opened(RecoveryReport const& report);

  env::Disk& disk_;
  std::string folder_;
  LogOptions options_;
  std::unique_ptr<env::FolderLock> lock_;
  std::uint64_t store_id_{0};
  std::uint32_t start_{0};
  std::uint64_t lap_{0};    // the highest given
  std::uint32_t index_{0};  // the highest given

  std::deque<Container> chain_;     // from that of the base to the current one (the last)
  std::deque<Container> ready_;     // follow it; headers durable
  std::vector<Container> free_;     // free for reuse
  std::optional<Container> wiped_;  // being overwritten by a chore
  std::vector<Container> pinned_;   // not needed, but for pin()
  std::uint64_t pinned_lap_{0};     // the last that is pinned; 0: none

  // The open batch.
  struct FreeAligned {
    void operator()(std::byte* bytes) const { ::operator delete (bytes, std::align_val_t{env::kDirectAlignment}); }
  };
  std::unique_ptr<std::byte, FreeAligned> buffer_;
  std::uint64_t buffer_bytes_{0};
  std::uint64_t reserved_{0};
  Lsn batch_at_{};
  std::uint64_t used_{kBatchHeaderBytes};
  std::uint64_t last_record_{0};  // offset in the buffer; 0: none
  bool describes_{false};         // it has records of table 0, clocks apart
  Lsn described_{};               // end of the last batch that has
  bool group_open_{false};
  bool promised_{false};     // since the last end_turn() something was promised `synced`,
  bool sync_wanted_{false};  // or a sync was asked for

  Lsn durable_{};
  Lsn needed_{};     // end of the records that must be durable before output is sent
  Lsn committed_{};  // end of the written part
  bool flush_out_{false};
  bool direct_{false};
  Lsn data_end_{};         // end of the last batch with records,
  Lsn data_synced_{};      // and of the last one that is durable
  Lsn durable_told_{};     // the highest durable LSN that the disk tells,
  Lsn durable_telling_{};  // and that it will tell after the next sync
  Lsn base_{};
  Lsn catalogue_{};       // nothing below is needed of the records of table 0
  Lsn base_needs_{};      // both take effect once everything below this is durable
  Lsn base_safe_{};       // the base in effect,
  Lsn catalogue_safe_{};  // and the catalogue LSN in effect
  Lsn base_in_header_{};  // the highest base in a durable container header

  // The file `newest`: of the container that was made last, and of what a stamp or seal made durable.
  std::unique_ptr<NewestWriter> newest_containers_;
  std::shared_ptr<NewestWriter> newest_durable_;
  std::uint64_t newest_lap_{0};  // the highest that it tells,
  Lsn newest_told_{};            // and what is durable, durably told,
  Lsn newest_telling_{};         // or told, or on its way

  // A round of scrubbing.
  struct Scrub {
    ScrubReport report;
    Lsn at{};                     // where the next step begins
    Lsn until{};                  // what was durable when the round began; none: no round is under way
    std::uint64_t step_bytes{0};  // the next step reads more than usual
    bool lost{false};
    bool passed_over{false};
    std::uint64_t damaged_lap{0};  // the last container that must be freed because of damage; 0: none
  } scrub_;

  // When end_turn() has something to do without a cause.
  struct Dates {
    std::int64_t now_us{0};  // of the last turn
    std::int64_t stamp_us{INT64_MAX};
    std::int64_t sync_us{INT64_MAX};  // by its interval
    std::int64_t scrub_us{0};         // the next step
    std::int64_t scrub_round_us{0};   // began
    std::int64_t looked_us{0};        // at the folder
  } dates_;
  bool flush_wanted_{false};  // on a thread
  std::vector<core::LogNews> news_;
  std::uint64_t damaged_told_{0};
  bool mending_{false};

  SyncTimes sync_times_;
  Status error_;
  Status refusal_;
  bool chore_out_{false};
  bool coming_{false};  // the running chore creates a container
  std::uint64_t kept_for_copy_{0};
  bool resting_{false};  // empty since the last addition
  std::uint32_t chore_failures_{0};
  std::uint32_t chore_pause_{0};  // number of calls of take_chore to skip
};

}  // namespace fastjournal::storage

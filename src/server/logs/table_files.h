// The files of bytes outside the logs, of all tables that have any: made when a table is hosted, driven at the end of
// each turn in which something was asked of them or is due, looked at while an acknowledgement rests on them
// (base/env/look_times.h), and removed when it was dropped. What was stored, read or copied is passed on: to the commands and answers
// that wait for it (stored_commands.h, stored_answers.h), and to the table. Owned by the server.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/env/look_times.h"
#include "base/env/network.h"
#include "engine/engine.h"
#include "engine/files/byte_files.h"
#include "engine/outside.h"
#include "fastjournal/status.h"
#include "server/admin/backup.h"
#include "server/daemon_alerts.h"
#include "server/logs/served_logs.h"
#include "server/server_host.h"
#include "server/turn_clock.h"

namespace fastjournal::server {

// Values outside the log were found damaged; an operator lowers it.
inline constexpr std::string_view kBytesDamaged = "bytes-damaged";

class TableFiles final : public engine::OutsideMaker, public admin::BackupFiles {
 public:
  TableFiles(engine::Engine& engine, ByteHost& host, ServedLogs& logs, DaemonAlerts& alerts, env::Network& network,
             TurnClock& clock)
      : engine_(engine), host_(host), logs_(logs), alerts_(alerts), network_(network), clock_(clock) {
    engine.store_with(*this);
  }

  [[nodiscard]] Result<engine::Outside*> outside_of(engine::HostedTable& table) override;
  // Once all logs were replayed. Not ok: something that records name is not there.
  [[nodiscard]] Status begin();

  // Null: the table has none.
  [[nodiscard]] static storage::ByteFiles* of(engine::HostedTable const& table) {
    return static_cast<storage::ByteFiles*>(table.outside);
  }
  [[nodiscard]] static storage::ByteFiles& of(StoredValue const& value) {
    return *static_cast<storage::ByteFiles*>(static_cast<engine::Outside*>(value.owner));
  }
  // As readers on this computer open it.
  [[nodiscard]] std::string path_of(storage::ByteFiles const& files, std::uint32_t file) const;

  // visit(ByteFiles&), of each that may have something to tell; more may come meanwhile.
  template <typename Visit>
  void for_each_touched(Visit&& visit) {
    for (std::size_t i = 0; i < touched_.size(); ++i) visit(*touched_[i]->files);
  }

  // Null: it was dropped.
  [[nodiscard]] static engine::HostedTable* table_of(storage::ByteFiles const& files) {
    return files.is_dropped() ? nullptr : one_of(files).table;
  }
  // After a RELOAD: who may open the files of each table. What failed, in words.
  [[nodiscard]] std::vector<std::string> declared_anew();
  // A clean end: after it, the log may be written anew without the bytes that its records carry.
  [[nodiscard]] Status finish();
  // Tables whose readers by name are to be disconnected (ManagesFiles::take_detached).
  [[nodiscard]] std::vector<engine::HostedTable*> take_detached();
  // Finished jobs are taken back. False: the daemon is dead.
  [[nodiscard]] bool collect();
  // Copies that are done are told to their tables. True: another turn is wanted.
  [[nodiscard]] bool move_copied(TimeMs now);
  // Bytes that a table brings itself (Offloads::request_offload): those that are stored are told to it. False: they are
  // not of a table.
  [[nodiscard]] bool take_stored(storage::ByteFiles& files, storage::Staging::Done const& done, TimeMs now);
  // After the logs' turn, before anything leaves: what was carried is written, and what is to be done beside the loop is
  // begun. False: the daemon is dead.
  [[nodiscard]] bool end_turn();
  [[nodiscard]] std::int64_t next_us() const {
    std::int64_t const due_us = dates_.empty() ? INT64_MAX : dates_.begin()->first;
    return is_any_there_ ? std::min(due_us, look_times_.next_us()) : due_us;
  }
  // How often the files of a table were looked at since the start.
  [[nodiscard]] std::uint64_t looks() const { return looks_; }
  // admin::BackupFiles
  [[nodiscard]] std::vector<Held> hold_all() override;
  void let_go_all() override { hold(false); }

 private:
  struct One final : storage::ByteFilesOwner {
    One(TableFiles& all, engine::HostedTable& hosted) : owner(all), table(&hosted), log(hosted.log) {}
    void touched() override { owner.touched_.push_back(this); }

    TableFiles& owner;
    engine::HostedTable* table;  // until it is dropped
    engine::HostedLog* log;
    std::unique_ptr<storage::ByteFiles> files;
    storage::Staging::StageId moving_out{0};  // 0: nothing is
    std::int64_t due_us{INT64_MAX};           // as in dates_
    bool is_written{false};                   // in written_
  };
  [[nodiscard]] static One& one_of(storage::ByteFiles const& files) { return static_cast<One&>(*files.owner()); }
  [[nodiscard]] Status begin(One& one);
  // False: the daemon is dead.
  [[nodiscard]] bool end_turn_of(One& one, std::int64_t now_us);
  // Whether everything is where a start will look for it: of what was written to, and of the others in rounds. False:
  // the daemon is dead.
  [[nodiscard]] bool look(std::int64_t passed_us);
  [[nodiscard]] bool look_at(One& one, bool all);
  void forget(One& one);
  void set_date(One& one, std::int64_t due_us);
  void hold(bool held);
  // True: it wants to be asked again.
  [[nodiscard]] bool move_out(One& one);

  engine::Engine& engine_;
  ByteHost& host_;
  ServedLogs& logs_;
  DaemonAlerts& alerts_;
  env::Network& network_;
  TurnClock& clock_;
  std::map<std::string, std::unique_ptr<One>, std::less<>> all_;  // by folder
  std::vector<One*> touched_;
  std::vector<One*> looking_;                                  // memory that is reused
  std::set<std::pair<std::int64_t, std::string_view>> dates_;  // ByteFiles::next_us() and the folder, if there is any
  std::vector<One*> written_;                                  // since the last look
  env::LookTimes look_times_;
  std::string looked_to_;     // the folder that the round has come to
  bool is_any_there_{false};  // some table has a folder
  std::uint64_t looks_{0};
  bool is_serving_{false};
  bool is_held_{false};
  std::vector<std::string> moved_out_;  // memory that is reused
};

}  // namespace fastjournal::server

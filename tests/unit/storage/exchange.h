// A table that says its files, as byte files see it, while the files are exchanged, given up and exchanged again: values on
// their way, in each way of coming; a value of a transaction that is not over, also over starts; and empty values, which
// have no place, beside others.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/files/byte_files.h"
#include "fastjournal/capabilities.h"
#include "tests/sim/sim_disk.h"

namespace fastjournal::storage::test {

class ExchangingTable final : public Stores, public ManagesFiles {
 public:
  explicit ExchangingTable(std::uint64_t capacity = std::uint64_t{1} << 40U)
      : disk(sim::SimDisk::Options{.sector_bytes = 512, .capacity_bytes = capacity}) {
    options.folder = "bytes/blobs";
    options.table = TableId{7};
    options.store_id = 99;
    options.reserve_bytes = 4096;
    options.kept_free_bytes = 0;
  }

  [[nodiscard]] std::uint64_t list_extents(std::uint64_t, std::uint32_t, std::vector<Extent>&) const override {
    return 0;
  }
  [[nodiscard]] std::uint32_t file_for_new() const override { return current; }
  [[nodiscard]] std::uint32_t file_to_be() const override { return next; }
  [[nodiscard]] bool holds_new() const override { return false; }
  void link_leads_to(std::string_view, std::uint32_t) override {}
  [[nodiscard]] bool take_detached() override { return false; }
  [[nodiscard]] bool decide_moved(std::span<Moved const>, Decision&) const override { return false; }
  void decide_not_moved(std::span<CopyRequest const>, Status const&, Decision&) const override {}
  void list_files(std::vector<FileRequest>& requests) const override {
    requests.push_back({.number = current, .link = {}});
    requests.push_back({.number = next, .link = {}});
  }
  void has_promised(std::uint64_t count, std::uint32_t file) override {
    promised = count;
    copied_to = file;
  }
  void file_has(std::uint32_t file, std::uint64_t, std::uint64_t hollow) override {
    if (file == current) hollow_bytes = hollow;
  }
  [[nodiscard]] std::uint32_t request_copies(std::uint64_t, std::vector<CopyRequest>& out) const override {
    out = to_copy;
    return to_copy.empty() ? 0 : next;
  }

  // Those of before the end are in doubt.
  [[nodiscard]] Status start(std::vector<Extent> const& in_doubt = {}) {
    jobs.clear();
    files = std::make_unique<ByteFiles>(disk, options, *this, this);
    if (Status status = files->open(); !status.ok()) return status;
    for (Extent const& extent : in_doubt)
      if (Status status = files->promised(extent); !status.ok()) return status;
    return files->begin(Lsn{8});
  }
  void kill() {
    jobs.clear();
    files.reset();
    disk.kill();
  }
  // Jobs run, and what they bring is taken. `durable`: the end of the log is.
  void turn(bool is_durable = true) {
    for (auto& [lane, job] : std::exchange(jobs, {})) {
      job->run();
      files->finish_job(lane, std::move(job));
    }
    if (files->copying().has_copied()) {
      to_copy.clear();
      if (!files->copying().copied().not_moved.empty()) not_moved = files->copying().copied().why;
      files->copying().settle_copied();
    }
    end += 8;
    if (is_durable) durable = end;
    now_us += 10'000;
    files->end_turn(Lsn{durable}, Lsn{end}, now_us);
    for (Lane const lane : kLanes)
      if (std::unique_ptr<Job> job = files->take_job(lane, now_us)) jobs.emplace_back(lane, std::move(job));
  }
  void turns(int count = 6) {
    for (int i = 0; i < count; ++i) turn();
  }
  // Its stage is there until it is dropped.
  Staging::Done store(std::string const& bytes) {
    static_cast<void>(files->staging().store({{bytes, false}}));
    for (int i = 0; i < 10; ++i) {
      turn();
      for (Staging::Done& done : files->staging().take_done()) return std::move(done);
    }
    return {};
  }
  // Stored, and promised.
  Extent promise(std::string const& bytes) {
    Staging::Done const done = store(bytes);
    if (done.values.empty()) return {};
    static_cast<void>(files->promised(done.values.front().extent));
    files->staging().drop(done.stage);
    return done.values.front().extent;
  }
  void exchange() {
    current = next;
    next = 0;
  }
  [[nodiscard]] std::string bytes_at(Extent const& place) const {
    FilePtr const file = files->file(place.file);
    std::string out;
    if (file == nullptr) return "(no file)";
    Status const status = read_extent(*file, "file", place, out);
    return status.ok() ? out : status.message();
  }
  [[nodiscard]] bool has_file(std::uint32_t number) const { return files->file(number) != nullptr; }

  sim::SimDisk disk;
  ByteFilesOptions options;
  std::unique_ptr<ByteFiles> files;
  std::uint32_t current{1};
  std::uint32_t next{0};
  std::uint64_t promised{0};
  std::uint32_t copied_to{0};
  std::uint64_t hollow_bytes{0};     // of the file for new values
  std::vector<CopyRequest> to_copy;  // of the table itself, once
  Status not_moved{};                // why something was not copied
  std::vector<std::pair<Lane, std::unique_ptr<Job>>> jobs;
  std::uint64_t end{8};
  std::uint64_t durable{8};
  std::int64_t now_us{1'000'000};
};

// Two exchanges and two starts with a value in doubt. Empty: it was where it must be.
inline std::string exchange_with_a_promise() {
  ExchangingTable table;
  if (!table.start().ok()) return "no start";
  std::string const bytes(9000, 'p');
  Extent const first = table.promise(bytes);
  if (table.promised != 1 || table.copied_to != 0) return "the table does not know of it";
  table.next = 2;
  table.turns();
  if (table.copied_to != 2) return "it was not copied";
  table.exchange();
  table.turns();
  if (table.files->place_of(first).file != 2) return "it is not in the file for new values";
  if (table.bytes_at(table.files->place_of(first)) != bytes) return "its copy is not what was stored";
  if (!table.has_file(1)) return "the file that a start needs was removed";
  table.kill();
  // Each start copies it anew from the older file, into the one for new values.
  for (std::uint32_t const number : {3U, 4U}) {
    std::string const newer = "bytes/blobs/data.00000" + std::to_string(number - 1);
    std::size_t const before = table.disk.content(newer).size();
    if (Status const status = table.start({first}); !status.ok()) return status.text();
    if (!table.has_file(1)) return "a start removed the file that it needs";
    if (table.bytes_at(first) != bytes) return "it is not where it was stored";
    if (table.disk.content(newer).size() < before + bytes.size()) return "a start did not copy it";
    table.next = number;
    table.turns();
    table.exchange();
    table.turns();
    if (table.bytes_at(table.files->place_of(first)) != bytes) return "its next copy is not what was stored";
    if (table.has_file(number - 1)) return "a file that nobody needs stays";
    table.kill();
  }
  if (Status const status = table.start({first}); !status.ok()) return status.text();
  table.files->let_go(first);
  table.turns();
  if (table.has_file(1)) return "the file stays when the value is let go";
  if (table.promised != 0) return "the table is not told of the end";
  return {};
}

// How values come.
enum class Coming : std::uint8_t { whole, several, known, unknown, unknown_empty };
inline constexpr std::array kComings = {Coming::whole, Coming::several, Coming::known, Coming::unknown,
                                        Coming::unknown_empty};

// Values that come in this way; the files are exchanged in this turn of it, and again `again` turns later. As a server
// does, it stores again what is in another file than the one for new values. Others are beside it: a value that is
// promised, and one that is broken off. Empty: what is named at last is what came, and nothing of the way is left.
inline std::string exchange_on_the_way(Coming coming, int moment, int again) {
  constexpr int kTurns = 40;
  ExchangingTable table;
  if (!table.start().ok()) return "no start";
  std::vector<std::string> bytes{std::string(70'000, 'v')};
  if (coming == Coming::several) bytes = {std::string(5'000, 'a'), "", std::string(9'000, 'b')};
  if (coming == Coming::unknown_empty) bytes = {""};
  std::string const beside(9000, 'p');
  Extent const promised = table.promise(beside);
  table.next = 2;
  table.turns();
  bool const is_open = coming != Coming::whole && coming != Coming::several;
  std::vector<Staging::Piece> pieces;
  for (std::string const& one : bytes) pieces.push_back({one, false});
  std::uint64_t const size = coming == Coming::known ? bytes.front().size() : UINT64_MAX;
  Result<Staging::StageId> const stage =
      is_open ? table.files->staging().begin_value(size, 1U << 20U) : table.files->staging().store(pieces);
  Result<Staging::StageId> const broken_off = table.files->staging().begin_value(UINT64_MAX, 1U << 20U);
  if (!stage.ok() || !broken_off.ok()) return "no stage";
  static_cast<void>(table.files->staging().add(broken_off.value(), "some"));
  std::string_view rest = is_open ? std::string_view{bytes.front()} : std::string_view{};
  bool is_over = !is_open;
  for (int turn = 0; turn < kTurns; ++turn) {
    if (turn == moment || turn == moment + again) {
      if (table.copied_to != table.next) return "what is promised was not copied";
      table.exchange();
      table.next = table.current + 1;
    }
    if (turn == moment + 2) table.files->staging().drop(broken_off.value());
    if (!is_over && rest.empty()) {
      if (Status const status = table.files->staging().end_value(stage.value()); !status.ok()) return status.text();
      is_over = true;
    } else if (!is_over) {
      if (Status const status = table.files->staging().add(stage.value(), rest.substr(0, 25'000)); !status.ok())
        return status.text();
      rest.remove_prefix(std::min<std::size_t>(rest.size(), 25'000));
    }
    table.turn();
    for (Staging::Done const& done : table.files->staging().take_done()) {
      if (done.stage != stage.value()) return "something else is told";
      if (!done.status.ok()) return done.status.text();
      // Later exchanges find it as well.
      if (!table.files->staging().is_current(done) || turn < moment + again) {
        if (Status const status = table.files->staging().store_again(done.stage); !status.ok()) return status.text();
        continue;
      }
      if (done.values.size() != bytes.size()) return "other values are told";
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        Extent const& place = done.values[i].extent;
        if (place.hash != hash128(bytes[i]).low) return "its hash is not that of what came";
        if (table.bytes_at(place) != bytes[i]) return "other bytes are where it is: " + table.bytes_at(place);
        table.files->named(place, {});
      }
      table.files->staging().drop(done.stage);
      table.turns();
      for (std::size_t i = 0; i < bytes.size(); ++i)
        if (table.bytes_at(done.values[i].extent) != bytes[i]) return "it did not stay";
      if (table.bytes_at(table.files->place_of(promised)) != beside) return "what was beside it did not stay";
      table.files->let_go(promised);
      table.turns();
      for (std::uint32_t file = 1; file < table.current; ++file)
        if (table.has_file(file)) return "an older file stays, as if something of it were on its way";
      for (std::string const& path : table.disk.files())
        if (path.find("stage.") != std::string::npos) return path + " stays";
      return {};
    }
  }
  return "it was not stored";
}

// In each turn of each way.
inline std::string exchanges_on_the_way() {
  for (Coming const coming : kComings)
    for (int moment = 0; moment < 12; ++moment)
      for (int const again : {3, 5, 8})
        if (std::string wrong = exchange_on_the_way(coming, moment, again); !wrong.empty())
          return "way " + std::to_string(static_cast<int>(coming)) + ", exchanged in turn " + std::to_string(moment) +
                 " and " + std::to_string(again) + " later: " + wrong;
  return {};
}

// A value of unknown length is changed in its own file, or in a data file, before it moves.
inline std::string change_before_a_move(bool is_stored) {
  ExchangingTable table;
  if (!table.start().ok()) return "no start";
  table.next = 2;
  table.turns();
  Result<Staging::StageId> const stage = table.files->staging().begin_value(UINT64_MAX, 1U << 20U);
  if (!stage.ok() || !table.files->staging().add(stage.value(), std::string(9000, 'v')).ok()) return "no stage";
  table.turns();
  if (!is_stored) table.disk.flip("bytes/blobs/stage.000001", 77, 1);
  if (!table.files->staging().end_value(stage.value()).ok()) return "no end";
  if (is_stored) {
    table.turns();
    if (table.files->staging().take_done().size() != 1U) return "it is not stored";
    table.disk.flip("bytes/blobs/data.000001", 4096 + 77, 1);
    table.exchange();
    if (!table.files->staging().store_again(stage.value()).ok()) return "not again";
  }
  table.turns();
  for (Staging::Done const& done : table.files->staging().take_done()) {
    if (done.status.ok()) return "what changed is told as stored";
    bool const is_told = done.status.code() == Code::damaged && !table.files->take_damage().empty();
    table.files->staging().drop(done.stage);
    return is_told ? "" : "damage is told as " + done.status.text();
  }
  return "nothing is told";
}
inline std::string changes_before_a_move() {
  std::string wrong = change_before_a_move(false);
  return wrong.empty() ? change_before_a_move(true) : wrong;
}

// An empty value begins where the next one does: what ends it must not end that one.
inline std::string empty_beside_others() {
  std::string const bytes(9000, 'p');
  ExchangingTable table;
  if (!table.start().ok()) return "no start";
  // Both on their way; the empty one is dropped first.
  Staging::Done const empty = table.store("");
  Staging::Done const other = table.store(bytes);
  Extent const none = empty.values.front().extent;
  Extent const place = other.values.front().extent;
  if (none.begin != place.begin) return "they are not beside one another";
  table.files->staging().drop(empty.stage);
  table.turns();
  if (table.bytes_at(place) != bytes) return "the end of an empty value ended the one beside it";
  // Of two transactions; that of the empty one is over first.
  if (!table.files->promised(none).ok() || !table.files->promised(place).ok()) return "no promise";
  table.files->staging().drop(other.stage);
  table.files->let_go(none);
  table.turns();
  if (table.promised != 1 || table.bytes_at(place) != bytes) return "an empty value let the one beside it go";
  // Copies of both are beside one another as well; that of the empty one is given back.
  table.next = 2;
  table.turns(2);
  table.to_copy.push_back({.key = {1, 1}, .from = none});
  table.turns();
  if (table.copied_to != 2) return "it was not copied";
  table.exchange();
  table.turns();
  if (table.bytes_at(table.files->place_of(place)) != bytes) return "an empty copy ended the one beside it";
  return {};
}

}  // namespace fastjournal::storage::test

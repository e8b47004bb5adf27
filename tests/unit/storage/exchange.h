// A table that says its files, as byte files see it: a value of a transaction that is not over, while the files are
// exchanged, given up and exchanged again, and over starts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fastjournal/capabilities.h"
#include "storage/byte_files.h"
#include "tests/sim/sim_disk.h"

namespace fastjournal::storage::test {

class ExchangingTable final : public Stores {
 public:
  explicit ExchangingTable(std::uint64_t capacity = std::uint64_t{1} << 40U)
      : disk(sim::SimDisk::Options{.sector_bytes = 512, .capacity_bytes = capacity}) {
    options.folder = "bytes/blobs";
    options.table = TableId{7};
    options.store_id = 99;
    options.reserve_bytes = 4096;
    options.kept_free_bytes = 0;
  }

  [[nodiscard]] Status wish_to_store(Command const&, TimeMs, StoreWish&) const override { return {}; }
  [[nodiscard]] Result<std::uint64_t> accept_content(Command const&, TimeMs, std::uint64_t bytes) const override {
    return bytes;
  }
  [[nodiscard]] std::uint64_t list_extents(std::uint64_t, std::uint32_t, std::vector<Extent>&) const override {
    return 0;
  }
  [[nodiscard]] std::uint32_t file_for_new() const override { return current; }
  [[nodiscard]] std::uint32_t file_to_be() const override { return next; }
  void list_files(std::vector<FileWish>& wishes) const override {
    wishes.push_back({.number = current, .link = {}});
    wishes.push_back({.number = next, .link = {}});
  }
  void has_promised(std::uint64_t count, std::uint32_t file) override {
    promised = count;
    copied_to = file;
  }

  // Those of before the end are in doubt.
  [[nodiscard]] Status start(std::vector<Extent> const& in_doubt = {}) {
    jobs.clear();
    files = std::make_unique<ByteFiles>(disk, options, *this);
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
    if (files->has_copied()) {
      if (!files->copied().not_moved.empty()) not_moved = files->copied().why;
      files->settle_copied();
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
  // Stored, and promised.
  Extent promise(std::string const& bytes) {
    Result<ByteFiles::StageId> const stage = files->store({{bytes, false}});
    for (int i = 0; i < 10; ++i) {
      turn();
      for (ByteFiles::Done const& done : files->take_done()) {
        Extent const extent = done.values.front().extent;
        static_cast<void>(files->promised(extent));
        files->drop(stage.value());
        return extent;
      }
    }
    return {};
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
  Status not_moved{};  // why something was not copied
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

}  // namespace fastjournal::storage::test

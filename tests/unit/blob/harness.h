// A blob table alone (tests/support/table_harness.h), with an owner of its files in memory: it gives out places, copies
// what the table wants to be copied, and makes and removes files as the table lists them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "plugins/blob/blob.h"
#include "tests/support/table_harness.h"
#include "wire/bcdb/key.h"

namespace fastjournal::blob::test {

using fastjournal::test::digest_of;
using fastjournal::test::Reply;
using fastjournal::test::Texts;

inline std::shared_ptr<TypeDeclaration const> blob_type() {
  static std::shared_ptr<TypeDeclaration const> const type =
      fastjournal::test::read_table_type(FJ_SOURCE_DIR "/plugins/blob/blob.xml");
  return type;
}

inline std::shared_ptr<TableDeclaration const> declare(Texts const& options = {}) {
  auto out = std::make_shared<TableDeclaration>();
  out->name = "blobs";
  out->type = "blob";
  out->file = "blobs.xml";
  out->options = fastjournal::test::options_of(*blob_type(), options);
  return out;
}

// The files of the table, as bytes.
class FilesInMemory {
 public:
  static constexpr std::uint64_t kHeaderBytes = 4096;

  // As the table lists them. A file stays while a link leads to it: that is what a daemon changes first.
  void follow(ManagesFiles const& table) {
    std::vector<FileRequest> requests;
    table.list_files(requests);
    std::set<std::uint32_t> wanted;
    for (auto const& [name, number] : links) wanted.insert(number);
    for (FileRequest const& request : requests) {
      if (request.number == 0) continue;
      wanted.insert(request.number);
      if (files.contains(request.number)) continue;
      if (inodes_.contains(request.number)) throw std::runtime_error("a file's number is given twice");
      files[request.number].assign(kHeaderBytes, 'h');
      inodes_.emplace(request.number, std::string{});
    }
    for (auto file = files.begin(); file != files.end();) {
      if (wanted.contains(file->first)) {
        ++file;
        continue;
      }
      inodes_[file->first] = std::move(file->second);
      file = files.erase(file);
    }
  }
  // The links too. `all`: the table does not know so far where they lead.
  void relink(ManagesFiles& table, bool all = false) {
    std::vector<FileRequest> requests;
    table.list_files(requests);
    for (FileRequest const& request : requests) {
      if (request.link.empty()) continue;
      std::string const name{request.link};
      bool const is_right = link_of(name) == request.number;
      if (is_right && !all) continue;
      links[name] = request.number;
      if (request.number == 0) links.erase(name);
      table.link_leads_to(request.link, request.number);
    }
    link = link_of("bcdb_data");
    follow(table);
  }
  [[nodiscard]] std::uint32_t link_of(std::string const& name) const {
    auto const found = links.find(name);
    return found == links.end() ? 0 : found->second;
  }
  Extent store(std::uint32_t number, std::string_view bytes) {
    std::string& file = files.at(number);
    Extent const extent{number, file.size(), file.size() + bytes.size(), hash128(bytes).low};
    file += bytes;
    return extent;
  }
  [[nodiscard]] std::string read(std::uint32_t number, std::uint64_t begin, std::uint64_t end) const {
    auto const file = files.find(number);
    if (file == files.end() || end > file->second.size() || begin > end) return "(not there)";
    return file->second.substr(begin, end - begin);
  }
  // By whoever has it open: it may have no name any more.
  [[nodiscard]] std::string read_open(std::uint32_t number, std::uint64_t begin, std::uint64_t end) const {
    if (files.contains(number)) return read(number, begin, end);
    auto const file = inodes_.find(number);
    if (file == inodes_.end() || end > file->second.size() || begin > end) return "(not there)";
    return file->second.substr(begin, end - begin);
  }
  [[nodiscard]] std::uint64_t end_of(std::uint32_t number) const {
    auto const file = files.find(number);
    return file == files.end() ? inodes_.at(number).size() : file->second.size();
  }

  std::map<std::uint32_t, std::string> files;
  std::map<std::string, std::uint32_t> links;
  std::uint32_t link{0};  // where bcdb_data leads to

 private:
  std::map<std::uint32_t, std::string> inodes_;  // all that ever were; their bytes once they are removed
};

class Harness : public fastjournal::test::TableHarness<BlobTable> {
 public:
  explicit Harness(Texts const& options = {}) : TableHarness(blob_type(), declare(options)) {
    files.follow(*table);
    files.relink(*table, true);
  }

  // As the server does it: the bytes are stored first. `carried`: the record has them too.
  Reply put(Texts more, std::string const& bytes, bool carried = false) {
    Message message{"PUT"};
    for (auto const& [name, value] : more) message.set(name, std::string_view{value});
    Reply refused;
    refused.status = request(message, bytes);
    if (!refused.status.ok()) return refused;
    return put_stored(message, files.store(table->file_for_new(), bytes), hash128(bytes).high,
                      carried ? std::string_view{bytes} : std::string_view{});
  }
  Status request(Message& message, std::string const& bytes) {
    message.set("data", Value::of_binary(bytes));
    Command command;
    command.index = index_of("PUT");
    command.message = &message;
    StoreRequest request;
    Status status = table->request_store(command, now, request);
    check(!status.ok() || (request.pieces.size() == 1 && request.pieces[0].bytes == bytes),
          "a PUT requests its bytes to be stored");
    return status;
  }
  // The bytes are there already.
  Reply put_stored(Message& message, Extent const& extent, std::uint64_t hash_high, std::string_view carried = {}) {
    StoredValue const stored{.extent = extent, .hash_high = hash_high};
    message.set("data", Value::of_stored(stored, carried));
    Reply reply = TableHarness::run(message);
    follow();
    return reply;
  }
  Reply put(std::string const& key, std::string const& bytes) { return put(Texts{{"key", key}}, bytes); }
  Reply run(std::string_view command, Texts const& parameters) {
    Reply reply = TableHarness::run(command, parameters);
    follow();
    return reply;
  }
  void pass(std::int64_t ms) {
    TableHarness::pass(ms);
    follow();
    // What waited for a file that was made just now.
    TableHarness::pass(0);
    follow();
  }
  void lose(std::int64_t ms) {
    for (Promise& promise : promises) promise.until = promise.until + DurationMs{ms};
    TableHarness::lose(ms);
    follow();
  }
  // What the table does beside its decisions; these wait.
  void work() {
    now = now + DurationMs{1};
    settle_due();
  }
  // As the server does it behind each turn. `links_wait`: these are not changed so far.
  void follow() {
    files.follow(*table);
    if (std::uint32_t const newer = table->file_to_be(); newer != 0 && files.files.contains(newer))
      table->file_has(newer, FilesInMemory::kHeaderBytes, 0);
    if (!links_wait) files.relink(*table);
    if (!table->take_detached()) return;
    ++detached;
    opened.clear();
  }
  // The bytes that a reader finds by the coordinates that he is given; "-": there is no such blob.
  std::string bytes_of(Texts const& key) {
    Reply const reply = run("GET", key);
    if (!reply.error().empty()) return reply.error();
    if (reply.get("result") != "found") return "-";
    auto const number = [&](char const* name) { return std::stoull(reply.get(name)); };
    if (number("file") != table->file_for_new()) return "(another file than the current one)";
    if (!links_wait && files.link != table->file_for_new()) return "(another file than bcdb_data)";
    return files.read(static_cast<std::uint32_t>(number("file")), number("begin"), number("end"));
  }
  std::string bytes_of(std::string const& key) { return bytes_of(Texts{{"key", key}}); }

  // -- transactions, of one PUT each: the owner of the files keeps their bytes ---------------
  struct Held {
    Message message{"PUT"};
    StoredValue stored{};
    std::string bytes;
    Hold hold{};
    std::vector<Extent> copies{};
    bool is_prepared{false};
  };
  std::map<std::uint64_t, std::unique_ptr<Held>> held;

  Reply promise(std::uint64_t id, Texts const& more, std::string const& bytes) {
    auto one = std::make_unique<Held>();
    for (auto const& [name, value] : more) one->message.set(name, std::string_view{value});
    Reply reply;
    reply.status = request(one->message, bytes);
    if (!reply.status.ok()) return reply;
    one->bytes = bytes;
    one->stored = {.extent = files.store(table->file_for_new(), bytes), .hash_high = hash128(bytes).high};
    one->message.set("data", Value::of_stored(one->stored));
    one->message.own();
    std::size_t const records = log.stored().size();
    reply = run_as(Phase::promise, id, *one);
    check(log.stored().size() == records, "a promise appended records");
    if (reply.status.ok()) {
      table->hold(TransactionId{id}, one->hold);
      held[id] = std::move(one);
      tell_promised();
    }
    follow();
    return reply;
  }
  Reply keep(std::uint64_t id) {
    Held& one = *held.at(id);
    std::uint32_t const current = table->file_for_new();
    if (one.bytes.empty())
      one.stored.extent = {current, FilesInMemory::kHeaderBytes, FilesInMemory::kHeaderBytes, one.stored.extent.hash};
    for (Extent const& copy : one.copies)
      if (copy.file == current) one.stored.extent = copy;
    check(one.stored.extent.file == current, "files were exchanged before a promised value was copied");
    Reply const reply = run_as(Phase::keep, id, one);
    let_go(id);
    return reply;
  }
  void let_go(std::uint64_t id) {
    held.erase(id);
    table->release(TransactionId{id});
    tell_promised();
    follow();
  }
  Reply run_as(Phase as, std::uint64_t id, Held& one) {
    phase = as;
    transaction = TransactionId{id};
    hold = &one.hold;
    Reply reply = TableHarness::run(one.message);
    phase = Phase::now;
    transaction = TransactionId::none;
    hold = nullptr;
    return reply;
  }
  [[nodiscard]] static bool is_in(Held const& one, std::uint32_t file) {
    return one.stored.extent.file == file || std::ranges::find(one.copies, file, &Extent::file) != one.copies.end();
  }
  void tell_promised() {
    std::uint32_t const next = table->file_to_be();
    std::uint64_t count = 0;
    bool all = next != 0;
    for (auto const& [id, one] : held) {
      if (one->bytes.empty()) continue;
      ++count;
      all = all && is_in(*one, next);
    }
    table->has_promised(count, all ? next : 0);
  }
  // Of a start: what is prepared holds again, and is in the current file.
  void restore_held() {
    std::erase_if(held, [](auto const& one) { return !one.second->is_prepared; });
    std::uint32_t const current = table->file_for_new();
    for (auto const& [id, one] : held) {
      table->hold(TransactionId{id}, one->hold);
      one->copies.clear();
      Extent const& extent = one->stored.extent;
      if (extent.file != current && !one->bytes.empty())
        one->copies.push_back(files.store(current, files.read_open(extent.file, extent.begin, extent.end)));
    }
    tell_promised();
  }

  // -- readers by name: what is told to them is right for a minute -------------------
  struct Promise {
    std::string link;
    std::uint64_t begin{0};
    std::uint64_t end{0};
    std::string bytes;
    TimeMs until{};
  };
  // One that opens the file behind the answer; or one on a stream, which opens each file once (`opened`).
  std::string named_bytes_of(Texts key, bool on_stream = false) {
    key["by_name"] = "1";
    Reply const reply = run("GET", key);
    is_newer = reply.get("newer") == "1";
    if (!reply.error().empty()) {
      // A query that is refused ends the stream.
      if (on_stream) opened.clear();
      return reply.error();
    }
    if (reply.get("result") != "found") return "-";
    auto const number = [&](char const* name) { return std::stoull(reply.get(name)); };
    std::string const link = is_newer ? "bcdb_data.new" : "bcdb_data";
    std::uint32_t file = files.link_of(link);
    if (on_stream && opened.contains(link)) file = opened[link];
    if (on_stream) opened[link] = file;
    std::string bytes = files.read_open(file, number("begin"), number("end"));
    if (!on_stream && promises.size() < 200)
      promises.push_back({link, number("begin"), number("end"), bytes, now + DurationMs{60'000}});
    return bytes;
  }
  // Empty, or what is not kept.
  [[nodiscard]] std::string check_promises() {
    std::erase_if(promises, [&](Promise const& promise) { return promise.until <= now; });
    for (Promise const& promise : promises)
      if (files.read(files.link_of(promise.link), promise.begin, promise.end) != promise.bytes)
        return "within a minute after an answer " + promise.link + " has other bytes at its place";
    return "";
  }

  // -- copies -----------------------------------------------------------------
  struct Copies {
    std::uint32_t file{0};
    std::vector<Moved> moved;
    std::vector<CopyRequest> failed;
    Status why{};
    std::vector<std::pair<std::uint64_t, Extent>> promised;  // by transaction
  };
  // What the table wants now, copied into its new file. Bytes that do not have their hash are damaged.
  Copies copy(std::uint64_t bytes_max = std::uint64_t{1} << 20U) {
    Copies out;
    std::vector<CopyRequest> requests;
    out.file = table->request_copies(bytes_max, requests);
    if (out.file == 0) out.file = table->file_to_be();
    for (auto const& [id, one] : held)
      if (out.file != 0 && !one->bytes.empty() && !is_in(*one, out.file))
        out.promised.emplace_back(id, files.store(out.file, one->bytes));
    for (CopyRequest const& request : requests) {
      std::string const bytes = files.read(request.from.file, request.from.begin, request.from.end);
      if (hash128(bytes).low != request.from.hash) {
        out.failed.push_back(request);
        out.why = {Code::damaged, "the bytes have another hash"};
      } else {
        out.moved.push_back({request.key, request.from, files.store(out.file, bytes)});
      }
    }
    return out;
  }
  void settle(Copies const& copies) {
    std::array<std::uint64_t, 4> carry{};
    for (auto const& [id, copy] : copies.promised)
      if (auto const one = held.find(id); one != held.end()) one->second->copies.push_back(copy);
    tell_promised();
    if (!copies.moved.empty() || !copies.promised.empty())
      decide_until_done([&](Decision& decision) {
        decision.carry = carry;
        bool const more = table->decide_moved(copies.moved, decision);
        carry = decision.carry;
        return more;
      });
    if (!copies.failed.empty())
      decide_until_done([&](Decision& decision) {
        table->decide_not_moved(copies.failed, copies.why, decision);
        return false;
      });
    follow();
  }
  // All of it, until the files are exchanged or the maintenance is given up.
  void copy_all() {
    for (int round = 0; table->state().is_building(); ++round) {
      check(round < 100'000, "a maintenance never ends");
      pass(1);
      settle(copy());
    }
    pass(1);
  }

  // -- what is named ----------------------------------------------------------
  [[nodiscard]] static std::vector<Extent> named(BlobTable const& table, std::uint32_t work_units = 100) {
    std::vector<Extent> out;
    for (std::uint64_t cursor = 0;;) {
      cursor = table.list_extents(cursor, work_units, out);
      if (cursor == 0) break;
    }
    return sorted(std::move(out));
  }
  [[nodiscard]] static std::vector<Extent> sorted(std::vector<Extent> extents) {
    std::ranges::sort(extents, {}, [](Extent const& extent) { return std::pair{extent.file, extent.begin}; });
    return extents;
  }
  // What the table has told is what it lists; empty, or what is wrong.
  [[nodiscard]] std::string check_named() {
    if (alerts.extents_wrong != 0) return "an extent was told twice, or ended without being named";
    do pass(1);
    while (!table->index().is_settled());
    if (sorted(alerts.extents) == named(*table)) return "";
    return "the table lists " + std::to_string(named(*table).size()) + " extents, and has told of " +
           std::to_string(alerts.extents.size());
  }
  // kill -9 and start, from what the log has to keep.
  void kill() {
    Lsn const base = table->oldest_lsn().is_none() ? log.end() : table->oldest_lsn();
    std::uint64_t const digest = digest_of(*table);
    std::uint64_t const blobs = table->index().size();
    auto twin = std::make_unique<BlobTable>(context, type, declaration);
    fastjournal::test::Alerts told;
    log.drop_below(base);
    for (auto const& record : log.stored())
      check(twin->apply(record.view(), {.live = false, .now = {}, .base = base}, told),
            "a record was refused at replay");
    check(digest_of(*twin) == digest, "a replay from the oldest record has another digest");
    check(twin->index().size() == blobs, "a replay counts other blobs");
    table = std::move(twin);
    alerts.extents = std::move(told.extents);
    alerts.extents_wrong += told.extents_wrong;
    ++start;
    restore_held();
    decide_until_done([&](Decision& decision) { return table->decide_recovered(decision); });
    start_files();
    pass(0);
  }
  // The links are made right before anybody is answered, and all connections are new ones.
  void start_files() {
    opened.clear();
    files.follow(*table);
    files.relink(*table, true);
    static_cast<void>(table->take_detached());
  }

  FilesInMemory files;
  bool links_wait{false};
  std::vector<Promise> promises;
  std::map<std::string, std::uint32_t> opened;  // by the reader on a stream
  bool is_newer{false};                         // what the last answer said
  std::uint64_t detached{0};
};

}  // namespace fastjournal::blob::test

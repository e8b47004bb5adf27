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
#include "bcdb/key.h"
#include "plugins/blob/blob.h"
#include "tests/support/table_harness.h"

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

  // As the table lists them.
  void follow(Stores const& table) {
    std::vector<FileWish> wishes;
    table.list_files(wishes);
    std::set<std::uint32_t> wanted;
    link = 0;
    for (FileWish const& wish : wishes) {
      wanted.insert(wish.number);
      if (wish.link == "bcdb_data") link = wish.number;
      if (files.contains(wish.number)) continue;
      if (!ever_.insert(wish.number).second) throw std::runtime_error("a file's number is given twice");
      files[wish.number].assign(kHeaderBytes, 'h');
    }
    std::erase_if(files, [&](auto const& file) { return !wanted.contains(file.first); });
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

  std::map<std::uint32_t, std::string> files;
  std::uint32_t link{0};  // where bcdb_data leads to

 private:
  std::set<std::uint32_t> ever_;
};

class Harness : public fastjournal::test::TableHarness<BlobTable> {
 public:
  explicit Harness(Texts const& options = {}) : TableHarness(blob_type(), declare(options)) { files.follow(*table); }

  // As the server does it: the bytes are stored first. `carried`: the record has them too.
  Reply put(Texts more, std::string const& bytes, bool carried = false) {
    Message message{"PUT"};
    for (auto const& [name, value] : more) message.set(name, std::string_view{value});
    message.set("data", Value::of_binary(bytes));
    Command command;
    command.index = index_of("PUT");
    command.message = &message;
    StoreWish wish;
    if (Status status = table->wish_to_store(command, now, wish); !status.ok()) {
      Reply refused;
      refused.status = std::move(status);
      return refused;
    }
    check(wish.pieces.size() == 1 && wish.pieces[0].bytes == bytes, "a PUT wishes its bytes to be stored");
    return put_stored(message, files.store(table->file_for_new(), bytes), hash128(bytes).high,
                      carried ? std::string_view{bytes} : std::string_view{});
  }
  // The bytes are there already.
  Reply put_stored(Message& message, Extent const& extent, std::uint64_t hash_high, std::string_view carried = {}) {
    StoredValue const stored{.extent = extent, .hash_high = hash_high};
    message.set("data", Value::of_stored(stored, carried));
    Reply reply = TableHarness::run(message);
    files.follow(*table);
    return reply;
  }
  Reply put(std::string const& key, std::string const& bytes) { return put(Texts{{"key", key}}, bytes); }
  Reply run(std::string_view command, Texts const& parameters) {
    Reply reply = TableHarness::run(command, parameters);
    files.follow(*table);
    return reply;
  }
  void pass(std::int64_t ms) {
    TableHarness::pass(ms);
    files.follow(*table);
  }
  // The bytes that a reader finds by the coordinates that he is given; "-": there is no such blob.
  std::string bytes_of(Texts const& key) {
    Reply const reply = run("GET", key);
    if (!reply.error().empty()) return reply.error();
    if (reply.get("result") != "found") return "-";
    auto const number = [&](char const* name) { return std::stoull(reply.get(name)); };
    if (number("file") != files.link) return "(another file than bcdb_data)";
    return files.read(static_cast<std::uint32_t>(number("file")), number("begin"), number("end"));
  }
  std::string bytes_of(std::string const& key) { return bytes_of(Texts{{"key", key}}); }

  // -- copies -----------------------------------------------------------------
  struct Copies {
    std::uint32_t file{0};
    std::vector<Moved> moved;
    std::vector<CopyWish> failed;
    Status why{};
  };
  // What the table wants now, copied into its new file. Bytes that do not have their hash are damaged.
  Copies copy(std::uint64_t bytes_max = std::uint64_t{1} << 20U) {
    Copies out;
    std::vector<CopyWish> wishes;
    out.file = table->wish_to_copy(bytes_max, wishes);
    for (CopyWish const& wish : wishes) {
      std::string const bytes = files.read(wish.from.file, wish.from.begin, wish.from.end);
      if (hash128(bytes).low != wish.from.hash) {
        out.failed.push_back(wish);
        out.why = {Code::damaged, "the bytes have another hash"};
      } else {
        out.moved.push_back({wish.key, wish.from, files.store(out.file, bytes)});
      }
    }
    return out;
  }
  void settle(Copies const& copies) {
    std::array<std::uint64_t, 4> carry{};
    if (!copies.moved.empty())
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
    files.follow(*table);
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
  [[nodiscard]] static std::vector<Extent> named(BlobTable const& table, std::uint32_t looks = 100) {
    std::vector<Extent> out;
    for (std::uint64_t cursor = 0;;) {
      cursor = table.list_extents(cursor, looks, out);
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
    decide_until_done([&](Decision& decision) { return table->decide_recovered(decision); });
    files.follow(*table);
    pass(0);
  }

  FilesInMemory files;
};

}  // namespace fastjournal::blob::test

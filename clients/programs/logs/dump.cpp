#include "clients/programs/logs/dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "clients/programs/logs/rewrite.h"
#include "clients/programs/logs/scan.h"
#include "log/catalogue.h"

namespace fastjournal::tools {
namespace {

// The tables by number, as far as the catalogue is readable.
class DumpNames final : public ScanVisitor {
 public:
  Status on_batch(ScannedSegment const&, std::uint64_t, log::file::BatchHeader const& header,
                  std::span<std::byte const> bytes) override {
    return for_each_record(header, bytes, {}, [&](RecordView const& record, bool) -> Status {
      if (record.table == TableId::catalogue) static_cast<void>(catalogue.apply(record));
      return {};
    });
  }

  log::Catalogue catalogue;
};

void put(Message& to, std::string_view name, std::uint64_t value) { to.set(name, Value::of_unsigned(value)); }

std::string hex_of(std::span<std::byte const> bytes, std::size_t most) {
  std::string out;
  for (std::byte const byte : bytes.first(std::min(most, bytes.size())))
    out += fmt::format("{:02x}", static_cast<unsigned>(byte));
  if (bytes.size() > most) out += "...";
  return out;
}

class Dumper final : public ScanVisitor {
 public:
  Dumper(DumpRequest const& wish, std::optional<TableId> table, log::Catalogue const& catalogue, DumpSink const& sink)
      : wish_(wish), table_(table), catalogue_(catalogue), sink_(sink) {}

  void on_segment(ScannedSegment const& segment) override {
    if (wants(segment.name)) describe(segment);
  }

  Status on_batch(ScannedSegment const& segment, std::uint64_t offset, log::file::BatchHeader const& header,
                  std::span<std::byte const> bytes) override {
    if (!wants(segment.name) || header.end() <= wish_.from || header.lsn >= wish_.to) return {};
    Message out("BATCH");
    out.set("container", segment.name);
    put(out, "offset", offset);
    put(out, "lsn", header.lsn.value);
    put(out, "bytes", header.length);
    put(out, "used", header.used);
    put(out, "durable", header.durable.value);
    put(out, "base", header.base.value);
    if ((header.flags & log::file::kBatchCleanShutdown) != 0) out.set("seal", "yes");
    if (!table_) sink_(out);
    return for_each_record(header, bytes, wish_.from, [&](RecordView const& record, bool last_of_group) -> Status {
      if (record.lsn < wish_.to && (!table_ || record.table == *table_)) describe(record, last_of_group);
      return {};
    });
  }

  void on_gap(Gap const& gap) override {
    damaged = damaged || gap.damage;
    if (!gap.segment.empty() && !wants(gap.segment)) return;
    if (gap.end <= wish_.from || gap.begin >= wish_.to) return;
    Message out(gap.damage ? "DAMAGE" : "REST");
    if (!gap.segment.empty()) out.set("container", gap.segment);
    if (!gap.segment.empty()) put(out, "offset", gap.offset);
    put(out, "lsn", gap.begin.value);
    put(out, "end", gap.end.value);
    out.set("reason", gap.reason);
    sink_(out);
  }

  void describe(ScannedSegment const& segment) {
    Message out("CONTAINER");
    out.set("container", segment.name);
    put(out, "bytes", segment.file_bytes);
    if (segment.header) {
      log::file::SegmentHeader const& header = *segment.header;
      put(out, "lap", header.generation);
      put(out, "lap_before", header.generation_before);
      put(out, "first", header.first.value);
      put(out, "end", header.end().value);
      put(out, "cut", header.cut.value);
      put(out, "base", header.base.value);
      put(out, "durable", header.durable.value);
      put(out, "catalogue", header.catalogue.value);
      put(out, "described", header.described.value);
      put(out, "start", header.start);
      put(out, "block", header.block);
    }
    out.set("in_stream", segment.in_stream ? "yes" : "no");
    if (!segment.problem.empty()) out.set("problem", segment.problem);
    sink_(out);
  }

  [[nodiscard]] bool wants(std::string_view segment) const {
    if (wish_.segment.empty() || wish_.segment == segment) return true;
    return log::file::index_of_segment(segment) == index_wanted();
  }

  bool damaged{false};

 private:
  [[nodiscard]] std::optional<std::uint32_t> index_wanted() const {
    bool const digits = wish_.segment.find_first_not_of("0123456789") == std::string::npos;
    if (!digits || wish_.segment.size() > 9) return std::nullopt;
    return static_cast<std::uint32_t>(std::stoul(wish_.segment));
  }

  void describe(RecordView const& record, bool last_of_group) {
    Message out("RECORD");
    put(out, "lsn", record.lsn.value);
    log::Catalogue::TableEntry const* const entry = catalogue_.find(record.table);
    if (record.table == TableId::catalogue)
      out.set("table", "(catalogue)");
    else if (entry != nullptr)
      out.set("table", entry->name);
    put(out, "number", static_cast<std::uint32_t>(record.table));
    put(out, "type", record.type);
    if (std::string_view const is = name_of(record, entry); !is.empty()) out.set("is", is);
    put(out, "version", record.version);
    put(out, "object", record.object.value);
    if (record.object == object_of(record.lsn)) out.set("begins", "yes");
    if (last_of_group) out.set("ends_group", "yes");
    put(out, "bytes", record.body.size());
    std::string const body = hex_of(record.body, wish_.body_bytes);
    out.set("body", body);
    sink_(out);
  }

  // Empty: not known.
  [[nodiscard]] std::string_view name_of(RecordView const& record, log::Catalogue::TableEntry const* entry) const {
    if (record.table == TableId::catalogue) return log::Catalogue::name_of(record.type);
    auto const names = entry == nullptr ? wish_.names.end() : wish_.names.find(entry->type);
    if (names == wish_.names.end()) return {};
    auto const name = names->second.find(record.type);
    return name == names->second.end() ? std::string_view{} : std::string_view{name->second};
  }

  DumpRequest const& wish_;
  std::optional<TableId> table_;
  log::Catalogue const& catalogue_;
  DumpSink const& sink_;
};

Result<std::optional<TableId>> find_table(std::string const& wanted, log::Catalogue const& catalogue) {
  if (wanted.empty()) return std::optional<TableId>{};
  std::string known;
  for (auto const& [id, entry] : catalogue.tables()) {
    std::string const number = std::to_string(static_cast<std::uint32_t>(id));
    if (wanted == entry.name || wanted == number) return std::optional{id};
    known.append(known.empty() ? "" : ", ").append(entry.name).append(" (").append(number).append(")");
  }
  // The number of a table that was dropped, or whose name is lost.
  bool const digits = wanted.find_first_not_of("0123456789") == std::string::npos;
  if (digits && wanted.size() <= 9) return std::optional{static_cast<TableId>(std::stoul(wanted))};
  return Status{Code::bad_parameter, fmt::format("no table \"{}\" in the catalogue of this log, which knows {}", wanted,
                                                 known.empty() ? "none" : known)};
}

}  // namespace

Result<bool> dump(env::Disk& disk, std::string const& folder, DumpRequest const& wish, DumpSink const& sink) {
  auto const lock = disk.lock_folder_to_read(folder);
  if (!lock.ok()) return lock.status();
  Result<Scan> scan = Scan::open(disk, folder);
  if (!scan.ok()) return scan.status();
  DumpNames names;
  if (Status status = scan->walk(names); !status.ok()) return status;
  auto const table = find_table(wish.table, names.catalogue);
  if (!table.ok()) return table.status();
  Dumper dumper{wish, table.value(), names.catalogue, sink};
  bool const found = std::any_of(scan->segments().begin(), scan->segments().end(),
                                 [&](ScannedSegment const& one) { return dumper.wants(one.name); });
  if (!found) return Status{Code::bad_parameter, "no segment " + wish.segment + " in this folder"};
  for (ScannedSegment const& one : scan->segments())
    if (!one.in_stream && dumper.wants(one.name)) dumper.describe(one);
  if (Status status = scan->walk(dumper); !status.ok()) return status;
  return dumper.damaged;
}

}  // namespace fastjournal::tools

// The smallest table type (notes.xml): lines of text, without columns, key, time, leases, listeners or work.
#pragma once

#include <cstring>
#include <map>
#include <string>

#include "base/bytes.h"
#include "fastjournal/table.h"

namespace fastjournal::test {

class Notes final : public Table {
 public:
  enum : std::uint16_t { kNote, kRead, kWipe };
  enum : std::uint8_t { kLine = 1, kWiped = 2 };

  Verdict decide(Command const& command, Decision& decision) const override {
    if (command.index == kNote) {
      Lsn const lsn = append(decision.records, kLine, {}, command.message->text("text"));
      decision.answer.message("NOTED").add("note", object_of(lsn).value);
    } else if (command.index == kRead) {
      for (auto const& [object, line] : lines_)
        decision.answer.message("LINE").add("text", std::string_view{line.text});
    } else if (!lines_.empty()) {
      append(decision.records, kWiped, lines_.begin()->first, {});
      return Verdict::again;
    } else {
      decision.answer.message("WIPED");
    }
    return Verdict::done;
  }

  bool apply(RecordView const& record, ApplyContext const& context, TableObserver&) noexcept override {
    if (record.type == kLine) lines_[record.object] = {std::string{as_text(record.body)}, record.lsn};
    if (record.type == kWiped) return lines_.erase(record.object) == 1 || record.object.value < context.base.value;
    return record.type == kLine;
  }
  std::uint8_t newest_version(std::uint8_t type) const override { return type == kLine || type == kWiped ? 1 : 0; }
  Lsn oldest_lsn() const override {
    Lsn oldest = kNoLsn;
    for (auto const& [object, line] : lines_)
      if (oldest.is_none() || line.lsn < oldest) oldest = line.lsn;
    return oldest;
  }
  Compacted compact_oldest(Lsn below, std::size_t, Decision& decision) const override {
    for (auto const& [object, line] : lines_) {
      if (line.lsn >= below) continue;
      append(decision.records, kLine, object, line.text);
      return {true, 0};
    }
    return {};
  }
  std::uint64_t live_bytes() const override { return lines_.size() * 64; }
  std::uint64_t memory_bytes() const override { return lines_.size() * 100; }
  void digest(DigestSink& sink) const override {
    for (auto const& [object, line] : lines_) sink.object(as_bytes(line.text));
  }
  void metrics(TimeMs, MetricSink& sink) const override {
    sink.integer({"rows", "lines that are there"}, static_cast<std::int64_t>(lines_.size()));
  }
  Status check_change(TableDeclaration const&) const override { return {}; }
  void change(std::shared_ptr<TableDeclaration const>) override {}

  static PluginDescriptor const& type() {
    static PluginDescriptor const descriptor{
        .build = "test",
        .name = "notes",
        .check_type = [](TypeDeclaration const&) { return Status{}; },
        .create = [](TableContext const&, std::shared_ptr<TypeDeclaration const>,
                     std::shared_ptr<TableDeclaration const>) -> Result<std::unique_ptr<Table>> {
          return std::unique_ptr<Table>{std::make_unique<Notes>()};
        }};
    return descriptor;
  }

 private:
  struct Line {
    std::string text;
    Lsn lsn;
  };
  static Lsn append(Records& records, std::uint8_t type, ObjectId object, std::string_view body) {
    Records::Place const place = records.append(type, 1, object, body.size());
    if (!body.empty()) std::memcpy(place.body.data(), body.data(), body.size());
    return place.lsn;
  }

  std::map<ObjectId, Line> lines_;
};

}  // namespace fastjournal::test

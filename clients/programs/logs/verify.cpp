#include "clients/programs/logs/verify.h"

#include <utility>

namespace fastjournal::tools {

Result<LogFacts> verify(env::Disk& disk, std::string const& folder, engine::TableTypes const& types,
                        Progress progress) {
  auto const lock = disk.lock_folder_to_read(folder);
  if (!lock.ok()) return lock.status();
  return read_log(disk, folder, types, std::move(progress));
}

Status no_log_here() { return {Code::not_found, "no log here: a log's folder holds files container-000001 and so on"}; }

Result<LogFacts> read_log(env::Disk& disk, std::string const& folder, engine::TableTypes const& types,
                          Progress progress) {
  auto opened = log::file::LogReader::open(disk, folder);
  if (!opened.ok()) return opened.status();
  log::file::LogReader& reader = opened.value();
  if (reader.segments().empty()) return no_log_here();
  LogFacts out;
  log::file::SegmentHeader const& first = reader.segments().front().header;
  out.segment_bytes = first.size;
  out.block_bytes = first.block;
  Recovered tables{types, std::move(progress)};
  tables.expect("reading", reader.segments().size() * first.payload_bytes());
  if (Status status = reader.read(tables, out.report); !status.ok()) return status;
  out.digest = tables.digest();
  out.records_of_no_table = tables.records_of_no_table();
  out.tables = tables.tables();
  return out;
}

}  // namespace fastjournal::tools

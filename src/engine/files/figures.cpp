#include "engine/files/figures.h"

namespace fastjournal::storage {

void tell_figures(ByteFigures const& out, MetricSink& sink) {
  auto const now = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    sink.integer({name, help, Metric::Kind::gauge}, static_cast<std::int64_t>(value));
  };
  auto const count = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    sink.integer({name, help, Metric::Kind::counter}, static_cast<std::int64_t>(value));
  };
  now("outside_files", "files of bytes outside the log", out.files);
  now("outside_file_bytes", "bytes of these files, what was given back included", out.file_bytes);
  now("outside_named_bytes", "bytes in these files that rows, values or blobs are", out.named_bytes);
  now("outside_promised_bytes", "bytes in these files that transactions have which are not over", out.promised_bytes);
  now("outside_staged_bytes", "bytes in memory that wait to be written to a file", out.staged_bytes);
  count("outside_stored_bytes", "bytes written to files", out.stored_bytes);
  count("outside_fetched_bytes", "bytes read from files for answers", out.fetched_bytes);
  count("outside_copied_bytes", "bytes copied from file to file", out.copied_bytes);
  count("outside_freed_bytes", "bytes whose space was given back", out.given_back_bytes);
  count("outside_syncs", "syncs of files", out.syncs);
  count("outside_scrubbed_bytes", "bytes in files that were read again and checked", out.scrubbed_bytes);
  count("outside_scrub_rounds", "how often all of them were read again and checked", out.scrub_rounds);
  count("outside_damaged", "values found damaged; one that stays is counted each time", out.damaged);
}

}  // namespace fastjournal::storage

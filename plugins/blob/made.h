// Made by ./mk generate from plugins/blob/blob.xml: do not edit.
// clang-format off
// The options of blob tables.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plugins/rows/table_type.h"

namespace fastjournal::blob::made {

enum class MaintenanceChoice : std::uint8_t { modern, online, offline };

// The options of a table; durations are ms, sizes bytes.
struct Options {
  // what is seen of a maintenance: modern, nothing; online, readers by name are told which of two data files a blob is
  // in; offline, new blobs are refused meanwhile. The last two keep the former file until the next one
  MaintenanceChoice maintenance{MaintenanceChoice::modern};
  // how long after the last maintenance the next one begins by itself; 0: never
  std::int64_t maintain_every{604'800'000};
  std::int64_t expire_age{0};  // maintenance leaves out blobs that were stored longer ago; 0: none
  std::uint64_t expire_size{0};  // maintenance leaves out the oldest blobs beyond so many bytes; 0: none
  // maintenance leaves out blobs that were not read for so long, since the daemon started; 0: none
  std::int64_t expire_unreferenced{0};
  std::uint64_t blob_size_max{1'073'741'824};  // the largest blob
  std::uint64_t data_size_max{0};  // the largest data file, what was replaced in it included; 0: no limit
  std::uint32_t blobs_max{0};  // so many blobs at most; 0: no limit
  // for names chosen by others: their keys are made with this secret, of at least 16 bytes, so that nobody can find two
  // names with one key; empty: none. Blobs are not found under another one, so it changes only while there are none
  std::string key_secret{};
  std::int64_t client_keep{604'800'000};  // how long a silent client's sequence numbers are remembered
  // how many clients' names and sequence numbers are remembered; one origin may have half of them
  std::uint32_t clients_max{100'000};

  [[nodiscard]] static std::span<rows::NamedOption<Options> const> all();
};

}  // namespace fastjournal::blob::made

// The real input of the main job: which files of a machine are texts, where
// each is found again by its URI, and what text a file holds. Apart because
// producer and backends need it, and neither needs the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::main_job {

// Of one document, unpacked: what lies beyond is not read.
inline constexpr std::size_t kDocumentBytesMax = std::size_t{1} << 20U;
// Of the title that a document is listed under.
inline constexpr std::size_t kTitleBytesMax = 120;

struct Document {
  std::string title;
  std::string text;             // UTF-8; no markup, no control characters but line feed and tab
  std::uint64_t bytes_read{0};  // of the file, unpacked, before markup went
};

// The folders of texts that a Debian machine has once the packages of README are installed.
[[nodiscard]] std::vector<std::filesystem::path> default_folders();

// At most `documents_max` regular files below `folders` (those that do not exist are passed over) that
// look like text, unpacked if need be. Each folder gives the same number as far as it has them, and
// the choice is the same for the same files. not_found: there is none; says where it looked.
[[nodiscard]] Result<std::vector<std::filesystem::path>> find_documents(
    std::vector<std::filesystem::path> const& folders, std::size_t documents_max);

// Reads, unpacks (gzip, known by its first bytes) and extracts. io_error, damaged: says what and where.
[[nodiscard]] Result<Document> read_document(std::filesystem::path const& path);

// file:///usr/share/doc/a%20b; for absolute paths.
[[nodiscard]] std::string uri_of(std::filesystem::path const& path);
[[nodiscard]] Result<std::filesystem::path> path_of(std::string_view uri);

}  // namespace fastjournal::main_job

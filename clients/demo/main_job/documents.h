// The real input of the main job: the texts on this machine, their URIs, and the text of a file. Apart because producer
// and backends need it, and neither needs the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::main_job {

// Limit of one document, unpacked; the rest is not read.
inline constexpr std::size_t kDocumentBytesMax = std::size_t{1} << 20U;
// Limit of a document's title.
inline constexpr std::size_t kTitleBytesMax = 120;

struct Document {
  std::string title;
  std::string text;             // UTF-8, without markup and without control characters other than line feed and tab
  std::uint64_t bytes_read{0};  // of the file, unpacked, with its markup
};

// The folders with texts on a Debian machine with the packages of README.
[[nodiscard]] std::vector<std::filesystem::path> default_folders();

// At most `documents_max` regular files below `folders` (missing ones are skipped) that look like text, unpacked if
// necessary. Each folder contributes the same number as far as possible, and the choice is the same for the same files.
// not_found: there is none; the message lists the folders.
[[nodiscard]] Result<std::vector<std::filesystem::path>> find_documents(
    std::vector<std::filesystem::path> const& folders, std::size_t documents_max);

// Reads, unpacks (gzip, detected by its first bytes) and extracts. io_error, damaged: with the reason and the path.
[[nodiscard]] Result<Document> read_document(std::filesystem::path const& path);

// file:///usr/share/doc/a%20b; for absolute paths.
[[nodiscard]] std::string uri_of(std::filesystem::path const& path);
[[nodiscard]] Result<std::filesystem::path> path_of(std::string_view uri);

}  // namespace fastjournal::main_job

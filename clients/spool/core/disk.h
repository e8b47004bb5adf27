// The calls that producers, the forwarder's folder and people's commands share. Errors name path and reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "clients/spool/core/record.h"
#include "fastjournal/status.h"
#include "platform/files/folder.h"

namespace fastjournal::spool {

using files::Descriptor;
using files::failure;

// At most `bytes`, appended to `to`. Fewer: the file ends there.
[[nodiscard]] Status read_at(int fd, std::string const& path, std::uint64_t offset, std::size_t bytes, std::string& to);
// All of it. What a failure leaves behind is passed over by readers.
[[nodiscard]] Status write_all(int fd, std::string const& path, std::string_view bytes);
// The same, and durable. After a failure the file must not be synced once more (syncs.h).
[[nodiscard]] Status append(int fd, std::string const& path, std::string_view bytes);
// At once whole and durable under its name; a file of that name is replaced.
[[nodiscard]] Status make_file(files::Folder const& folder, std::string const& name, std::string_view bytes);
// Gives it a name that ends with ".damaged", or ".damaged-2" and so on where there are some: for people.
[[nodiscard]] Status rename_damaged(files::Folder const& folder, std::string const& name);
// This byte, from `from` to `to`.
[[nodiscard]] Status fill(int fd, std::string const& path, std::uint64_t from, std::uint64_t to, char byte);
// Zeros without disk space, or at least zeros.
[[nodiscard]] Status punch(int fd, std::string const& path, std::uint64_t from, std::uint64_t to);

// By getrandom. Waits only on a computer that is still booting.
[[nodiscard]] Seed draw_seed();
// Of an open file that can be read. Nothing: it has no whole head.
[[nodiscard]] Result<std::optional<Seed>> read_seed(int fd, std::string const& path);

}  // namespace fastjournal::spool

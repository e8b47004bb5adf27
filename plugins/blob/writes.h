// PUT and OMIT: what is stored, and under which limits.
#pragma once

#include <optional>

#include "base/hash.h"
#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "plugins/blob/table_state.h"
#include "plugins/rows/claims.h"

namespace fastjournal::blob {

class Writes {
 public:
  explicit Writes(TableState const& shared) : shared_(shared) {}

  Verdict put(Command const& command, Decision& decision) const;
  Verdict omit(Command const& command, Decision& decision) const;

  // Of a PUT, before its bytes are stored.
  [[nodiscard]] Status request_store(Command const& command, StoreRequest& request) const;
  [[nodiscard]] Result<std::uint64_t> accept_content(Command const& command, std::uint64_t bytes) const;

 private:
  // Not while an offline maintenance runs.
  [[nodiscard]] Status check_open() const;
  [[nodiscard]] Status check_room(Key const& key, std::uint64_t bytes, std::uint64_t taken) const;
  // Of one that comes; not of one that was promised.
  [[nodiscard]] Status check_stored(Blob const& blob, std::optional<Hash128> const& wanted,
                                    StoredValue const& stored) const;
  static void promise(Key const& key, bool is_new, Decision& decision);
  void tell(Key const& key, Blob const& blob, std::string_view result, Decision& decision) const;

  TableState const& shared_;
};

}  // namespace fastjournal::blob

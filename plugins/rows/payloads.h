// The data of rows beside their headers (payload.h has the layout), in memory of the payload store: written, read and
// rewritten. A row's header has the handle.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "base/prefetch.h"
#include "model/row_codec.h"
#include "plugins/rows/payload.h"
#include "plugins/rows/payload_store.h"

namespace fastjournal::rows {

class Payloads {
 public:
  // -- reading ------------------------------------------------------------
  [[nodiscard]] PayloadView view(std::uint32_t handle) const;
  [[nodiscard]] std::int64_t arrival(std::uint32_t handle) const { return payload::arrival_at(store_.at(handle)); }
  [[nodiscard]] std::uint32_t merges(std::uint32_t handle) const {
    return payload::has_merges(store_.at(handle)) ? view(handle).facts.merges : 0;
  }
  void prefetch(std::uint32_t handle) const { fastjournal::prefetch(store_.at(handle)); }
  [[nodiscard]] bool is_nearly_full() const { return store_.is_nearly_full(); }
  [[nodiscard]] std::uint64_t memory_bytes() const { return store_.memory_bytes(); }

  // -- writing ------------------------------------------------------------
  // Lengths in the facts are those of key, data and error. Returns the handle.
  std::uint32_t write(Facts const& facts, std::string_view key, std::string_view data, std::string_view error);
  // `view`: of this handle, also below. Views of it end.
  void release(std::uint32_t handle, PayloadView const& view);
  // With the old key. The new contents may be parts of the old. Returns the handle from now on.
  std::uint32_t rewrite(std::uint32_t handle, PayloadView const& old, Facts const& facts, std::string_view data,
                        std::string_view error);
  // The same, with the data as pieces of the old and the new: a large payload stays in place.
  std::uint32_t rewrite(std::uint32_t handle, PayloadView const& old, Facts const& facts, model::Pieces const& pieces,
                        std::string_view error);

  // Other bytes of rows, which few have: behind their length.
  [[nodiscard]] std::string_view text(std::uint32_t handle) const {
    char const* const at = store_.at(handle);
    return {at + kLengthBytes, load_little<std::uint32_t>(at)};
  }
  std::uint32_t write_text(std::string_view text);
  void release_text(std::uint32_t handle) { store_.release(handle, kLengthBytes + text(handle).size()); }

 private:
  static constexpr std::size_t kLengthBytes = sizeof(std::uint32_t);

  PayloadStore store_;
};

}  // namespace fastjournal::rows

// One watch, over all the streams that carry it one after the other: where it stands, how a stream of it begins, and
// what the messages of a stream tell that is new. Pure: messages in, news out; client.h has the streams.
//
// No gap: a stream begins one revision before the next that is missing, and what was told already is left out. Not at
// the next itself: etcd 3.4 and 3.5, but for their latest, leave out a deletion at exactly the revision that was
// compacted (issues 18089 and 19179 of etcd), without a word. Asked for the one before, they say that it is compacted.
//
// No doubles: events before the next revision are left out. Whole revisions: etcd sends large messages in parts; events
// of the last revision of a part are kept until the rest of it has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "log/etcd/client/cluster.h"
#include "log/etcd/client/wire.h"

namespace fastjournal::etcd {

class WatchReader {
 public:
  // The next step of the watch after a message.
  enum class Then : std::uint8_t {
    goes_on,
    is_over,       // the last of the news says why
    begins_again,  // the stream is of no use; `why`
    needs_token,   // the same, and the user is not known or may not do it: only a new token can help
  };
  struct Step {
    Then then{Then::goes_on};
    std::vector<WatchNews> news{};
    std::string why{};
  };

  // Of one revision of which a part has come; etcd takes no change of more than 1.5 MiB, but one deletion may have
  // any number of keys.
  static constexpr std::size_t kKeptBytesMax = std::size_t{64} << 20U;

  WatchReader(WatchId id, WatchWish wish) : id_(id), wish_(std::move(wish)), next_(wish_.revision) {}

  // The request that begins a stream; what is left of the last stream is forgotten.
  [[nodiscard]] std::string begin();
  [[nodiscard]] Step read(std::string_view message);
  // The watch cannot go on.
  [[nodiscard]] WatchNews refused(std::string why) const;

  // The first revision that was not told so far; 0: it is not known which.
  [[nodiscard]] std::int64_t next() const { return next_; }

 private:
  [[nodiscard]] Step ended(wire::WatchMessage const& message) const;
  // Appends events of whole revisions to the news.
  void tell(std::vector<WatchNews::Event> events, std::vector<WatchNews>& news);

  WatchId id_;
  WatchWish wish_;
  std::int64_t next_;
  std::int64_t last_{0};                // of the events of this stream
  std::vector<WatchNews::Event> kept_;  // all of revision `last_`
  std::size_t kept_bytes_{0};
};

}  // namespace fastjournal::etcd

// Messages of other systems that a table refuses. Their answer has no room for the reason, which is put into the
// daemon's log and an alert. A sender that waits for a confirmation would repeat the line for ever: with refused="keep"
// a message that can never be accepted is written to a file and then confirmed. It is not parked as a row, as it may
// violate the rules of the table. The file is bounded, and never read back.
//
// Owned by the server, which answers the senders. No more lines are being written than the limits below allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/env/notes.h"
#include "engine/engine.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "server/communicator/aliases.h"

namespace fastjournal::communicator {

// A message of another system can never be accepted.
inline constexpr std::string_view kAliasRefused = "alias-refused";

// The files of refused messages, one for each table.
class RefusalFiles {
 public:
  virtual ~RefusalFiles() = default;
  // Appends `text`, whole lines, to the file of messages that this table refused but confirmed. When that is durable,
  // or has failed, Server::refused_kept is called with the ticket, on the thread of the loop: at once, or in a later
  // LogHost::collect_work.
  virtual void keep_refused(std::string_view table, std::string text, std::uint64_t ticket) = 0;
};

class RefusedAliases {
 public:
  // The most lines that are being written to files; further ones are refused, and will be repeated.
  static constexpr std::size_t kLinesMax = 1024;
  static constexpr std::size_t kBytesMax = 16U << 20U;
  // Reasons are logged at most this often.
  static constexpr std::int64_t kNoteEveryUs = 1'000'000;

  // A message whose sender is answered once its line is in the file.
  struct Kept {
    ConnectionId connection{};
    Message message;  // owned
    std::size_t bytes{0};
  };

  RefusedAliases(engine::Engine& engine, env::Notes& notes, RefusalFiles& files)
      : engine_(engine), notes_(notes), files_(files) {}

  struct Refusal {
    Aliases::Alias const& alias;
    Message const& message;
    ConnectionId connection{};
    std::string_view peer;  // for people
    Status const& why;
  };
  // True: its line is being written, and its sender is answered when take() returns it. False: it is answered now.
  [[nodiscard]] bool keep(Refusal const& refusal, std::int64_t monotonic_us, TimeMs now);
  // The line of this ticket was written, or could not be.
  [[nodiscard]] std::optional<Kept> take(std::uint64_t ticket);
  void tell_lost(Aliases::Alias const& alias, Status const& why) {
    tell(alias, "a sender", why.message(), "its line could not be kept");
  }

  // Memory of the lines that are being written.
  [[nodiscard]] std::uint64_t memory_bytes() const { return kCopies * bytes_; }

 private:
  // The message, and the line that is being written.
  static constexpr std::uint64_t kCopies = 2;

  void tell(Aliases::Alias const& alias, std::string_view peer, std::string_view why, std::string_view kept);

  engine::Engine& engine_;
  env::Notes& notes_;
  RefusalFiles& files_;
  std::unordered_map<std::uint64_t, Kept> lines_;  // by ticket; never iterated
  std::size_t bytes_{0};
  std::uint64_t last_ticket_{0};
  std::int64_t note_at_us_{0};
};

}  // namespace fastjournal::communicator

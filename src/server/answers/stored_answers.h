// Answers and pushes that have values outside the log, or a text that many are sent. Four ways:
//
//   shared   the text follows the answer from its only place in memory, where the protocol can do that
//   place    its receiver gets the place of the bytes, or the descriptor of their file
//   sent     the bytes follow the answer from their file (Protocol::sends_stored); they stay in their place meanwhile
//   fetched  the answer leaves when the bytes were read. Until then nothing more is read from a session whose command is
//            answered, so that answers keep their order
//
// Owned by the server.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/env/network.h"
#include "engine/engine.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "log/log.h"
#include "server/answers/replies.h"
#include "server/dispatch/stored_commands.h"
#include "server/logs/table_files.h"
#include "server/session/sessions.h"

namespace fastjournal::server {

// The most bytes outside the log that one answer brings into memory; those that a protocol sends from their file are not
// limited.
inline constexpr std::uint64_t kBroughtBytesMax = 64U << 20U;

class StoredAnswers final : public BytesLater {
 public:
  StoredAnswers(Sessions& sessions, TableFiles& files, Replies& replies, env::Network& network)
      : sessions_(sessions), files_(files), replies_(replies), network_(network) {}

  [[nodiscard]] bool answer(Session& session, Message const& command, Answer& answer, log::Log const* log) override;
  [[nodiscard]] bool push(Session& session, Answer& messages, log::Log const* log) override;

  // Those whose bytes are there now, and `commands` that waited for some. True: there was any.
  bool tell_fetched(StoredCommands& commands);

 private:
  struct Waiting {
    ConnectionId connection{};
    bool is_push{false};
    Message command;  // what an answer repeats of it
    Answer answer;
    log::Log const* log{nullptr};
    std::vector<std::size_t> params;  // of the answer, in the order of the fetch
    storage::FilePtr descriptor;      // goes along; null: none
    std::uint64_t bytes{0};           // that it brings, of the session's memory
  };

  // It leaves now, and one of its values, of these bytes, follows it.
  void send(Session& session, Message const& command, Answer& answer, log::Log const* log, storage::ByteFiles& files,
            Extent const& extent);
  // False: nothing of it has to be read.
  [[nodiscard]] bool wait(Session& session, bool is_push, Message const& command, Answer& answer, log::Log const* log);
  // The same of a text in memory: `text` is its value.
  void send_shared(Session& session, Message const& command, Answer& answer, log::Log const* log, std::size_t text);
  void tell_place(Answer& answer, std::size_t param);
  static void attach(Session& session, storage::FilePtr file);
  void tell(Waiting& waiting, storage::Readings::Fetched& fetched);

  Sessions& sessions_;
  TableFiles& files_;
  Replies& replies_;
  env::Network& network_;
  std::map<std::pair<storage::ByteFiles*, storage::Readings::FetchId>, Waiting> waiting_;
};

}  // namespace fastjournal::server

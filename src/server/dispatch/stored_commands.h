// Commands whose values are stored outside the log before they are decided (Stores): small values get their place, and
// the record carries them; for others the session waits while they are written and synced, and then the command is run
// as if it had come just now. A value may also come in pieces (Protocol::Kind::begin). Of a TRANSACTION the values of all
// commands are stored first, in the files of several tables. Owned by the server.
//
// A command may also want bytes of its table before it is decided (Verdict::fetch): the session waits in the same way.
//
// Rights, names, limits and space are looked at before the first byte is taken, and again when the command is run.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/env/network.h"
#include "config/access/user.h"
#include "engine/engine.h"
#include "fastjournal/capabilities.h"
#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "fastjournal/status.h"
#include "server/dispatch/dispatch.h"
#include "server/listeners.h"
#include "server/logs/table_files.h"
#include "server/session/sessions.h"
#include "server/turn_clock.h"

namespace fastjournal::server {

class StoredCommands final : public ValuesFirst {
 public:
  StoredCommands(Sessions& sessions, TableFiles& files, Dispatch& dispatch, env::Network& network, TurnClock& clock)
      : sessions_(sessions), files_(files), dispatch_(dispatch), network_(network), clock_(clock) {}

  [[nodiscard]] std::optional<engine::Outcome> prepare(Speaker const& speaker, engine::HostedTable& table,
                                                       Command const& command, bool is_promised,
                                                       Message& message) override;
  void settle() override;
  [[nodiscard]] work::Fetching resumed() override { return std::exchange(resumed_, {}); }
  [[nodiscard]] engine::Outcome read(Speaker const& speaker, engine::HostedTable& table, work::Fetching const& fetching,
                                     Message& message) override;
  [[nodiscard]] static Status refusal_without_connection(Message const& message);

  // -- values of a TRANSACTION -----------------------------------------------
  struct WholeRequest {
    std::size_t command{0};  // its number among the commands
    engine::HostedTable* table{nullptr};
    StoreRequest store{};
  };
  // The message comes again when they are stored, or is refused. A deque: the bytes to store stay where they are.
  [[nodiscard]] engine::Outcome store_whole(Session& session, Message const& message,
                                            std::deque<WholeRequest> const& requests);
  // Then its commands get them; false: it comes for the first time.
  [[nodiscard]] bool fill(std::vector<Message>& commands) const;

  // -- values that come in pieces -------------------------------------------
  void begin(Session& session, Message& message, Protocol::Piece const& piece);
  void add(Session& session, std::string_view content);
  void end(Session& session, Protocol::Piece const& piece);
  // It will not become whole.
  void give_up(Session& session);

  // Commands whose values are stored by now. True: there was any.
  bool run_stored();
  // Bytes that were read for a command; nothing happens if they are for none.
  void tell_fetched(storage::ByteFiles& files, storage::Readings::Fetched const& fetched);
  // When the next value is late; INT64_MAX: none is under way.
  [[nodiscard]] std::int64_t next_us() const;
  void session_ended(Session const& session);
  // It sent a value whole, and gets no answer: that it is gone changes nothing.
  [[nodiscard]] bool goes_on_alone(Session const& session) const;

 private:
  // The values of one table.
  struct Values {
    struct Place {
      std::size_t command{0};  // of a TRANSACTION
      std::size_t param{0};
    };
    storage::ByteFiles* files{nullptr};
    storage::Staging::StageId stage{0};
    std::vector<Place> places;  // where they go
    std::optional<storage::Staging::Done> done{};
  };
  // Of a command that wants bytes.
  struct Reading {
    storage::ByteFiles* files{nullptr};
    storage::Readings::FetchId fetch{0};
    work::Fetching fetching{};
  };
  // Of a session; at most one.
  struct Held {
    std::vector<Values> values;  // several only of a TRANSACTION
    std::optional<Reading> reading{};
    Message message;
    bool is_whole{false};    // a TRANSACTION
    std::uint64_t bytes{0};  // of its memory
    Identity who{};          // the session's user may be another one by then
    // Of a value in pieces.
    bool is_open{false};
    bool is_refused{false};
    std::string value;  // the name of its parameter
    std::optional<std::array<std::uint64_t, 2>> hash;
    std::int64_t ends_us{INT64_MAX};  // it must be whole by then,
    std::int64_t bytes_a_second{0};   // and what comes meanwhile gives it more time; 0: none
  };

  [[nodiscard]] Status carry(storage::ByteFiles& files, Message& message);
  [[nodiscard]] Status store(Speaker const& speaker, storage::ByteFiles& files, Message& message);
  [[nodiscard]] bool gives_input(Session const& session, std::uint64_t bytes) const;
  void hold(Session& session, Held held);
  void refuse(Session& session, Held& held, Status const& why);
  // True: a session goes on by it.
  bool take_done(storage::ByteFiles& files, storage::Staging::Done done);
  bool run_if_ready(ConnectionId id);
  void run(Session& session, Held held, Status const& status);
  static void drop_values(Held& held);
  enum class Wait : std::uint8_t { no, for_files, for_values };
  [[nodiscard]] Result<Wait> waits(Held& held);
  void let_go_on();
  void end_late();

  Sessions& sessions_;
  TableFiles& files_;
  Dispatch& dispatch_;
  env::Network& network_;
  TurnClock& clock_;
  StoreRequest request_;
  std::map<ConnectionId, Held> held_;
  std::vector<ConnectionId> ready_;  // whose values are stored; some wait for their files
  Held const* filled_{nullptr};      // the TRANSACTION that is being run
  work::Fetching resumed_;           // of the command that is run again
  // Of the command that is being run.
  std::deque<StoredValue> values_;
  std::vector<std::pair<storage::ByteFiles*, Extent>> carried_;
};

}  // namespace fastjournal::server

// libfastjournal: talking to a fastjournald. A Connection carries commands and
// their answers, one by one or many in flight, and what LISTEN brings; it
// reconnects by itself. The journal's own commands have typed calls in
// journal.h; this header knows messages only, so it serves every table type.
//
//   using namespace fastjournal::client;
//   auto opened = Connection::open({.server = "127.0.0.1:4050"});
//   if (!opened.ok()) return complain(opened.status());
//   Connection& connection = *opened.value();
//   auto reply = connection.call("PEEK", {{"table", Value::of_text("pages")}, {"row", Value::of_integer(812)}});
//   if (reply.ok()) use(reply->first().text("uri"));
//   else complain(reply.status());  // the daemon's ERROR: code, sentence, facts
//
// A Connection belongs to one thread at a time; nothing happens between calls.
// No call throws, except std::bad_alloc.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clients/lib/command_rule.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::client {

enum class Framing : std::uint8_t { msgpack, text };

using Milliseconds = std::chrono::milliseconds;
// The time limit of those who wait as long as it takes.
inline constexpr Milliseconds kForever{Milliseconds::max()};

struct Options {
  // "127.0.0.1:4050", "[::1]:4050", "name:4050", "unix:/run/fastjournal.sock"; a bare
  // path that begins with '/' is a unix socket.
  std::string server{"127.0.0.1:4050"};
  Framing framing{Framing::msgpack};
  // How long a command may take from send to answer, reconnecting included. NEXT with `wait` adds that to it.
  Milliseconds time_limit{30'000};
  Milliseconds connect_limit{5'000};  // of one attempt to connect
  // After a loss: attempts follow after these pauses (each up to a quarter more or less, so
  // that a thousand clients do not come back at once); the last one repeats. Empty: never reconnect.
  std::vector<Milliseconds> back_off{Milliseconds{1'000},  Milliseconds{1'000},  Milliseconds{1'000},
                                     Milliseconds{3'000},  Milliseconds{5'000},  Milliseconds{10'000},
                                     Milliseconds{20'000}, Milliseconds{30'000}, Milliseconds{60'000}};
  // Told when a connection that was there is lost (why), and when it is there again (ok), from within the call that
  // notices: for people. Must not call the connection.
  std::function<void(Status const&)> on_connection{};
  std::size_t in_flight_max{4096};                   // tickets that were not received yet
  std::size_t pushes_max{65'536};                    // pushes that nobody fetched yet
  std::size_t message_bytes_max{64U * 1024 * 1024};  // of one answer
  // Commands of table types; borrowed, so for as long as the connection is there.
  std::span<CommandRule const> commands{journal_commands()};
};

// Of a buffer column Value::of_binary is right in both framings; Value::of_text is base64 in a text message only.
using Params = std::vector<Param>;

// An answer: one message or, for NEXT, LIST, STATS, ..., several. It owns its bytes.
struct Reply {
  std::vector<Message> messages;  // never empty
  bool resent{false};             // the command was sent again after a loss

  [[nodiscard]] Message const& first() const { return messages.front(); }
};

// A command in flight.
enum class Ticket : std::uint64_t {};

class Connection {
 public:
  // Connects at once, in one attempt: `unavailable` says what is not there.
  [[nodiscard]] static Result<std::unique_ptr<Connection>> open(Options options);
  ~Connection();
  Connection(Connection const&) = delete;
  Connection& operator=(Connection const&) = delete;

  // Sends and waits. The daemon's refusal (ERROR, UNKNOWN, INVALID) becomes the
  // Status: its code, sentence and the other parameters as facts. Besides:
  //   timed_out    no answer in time; an answer that comes later is dropped, and rows it leases are released
  //   closed       the connection was lost and the command is not one that may be sent
  //                again: whether it was carried out is not known
  //   unavailable  the daemon cannot be reached
  //   over_limit   in_flight_max tickets are waiting to be received
  // After a loss those are sent again that Options::commands says: of a journal what only reads, NEXT, TOUCH, INSERT
  // that carries client and sequence, and DONE (answered unknown_row the second time, it counts as done).
  [[nodiscard]] Result<Reply> call(Message const& command);
  [[nodiscard]] Result<Reply> call(std::string_view command, Params const& params = {});

  // Pipelining: many commands in flight. Bytes leave with the next receive, wait_push
  // or flush, or once 64 KiB have gathered. Every ticket must be received once.
  // Without a connection send waits for one: timed_out, and nothing was sent, if `wake_fd` (if any) became readable
  // before there was one.
  [[nodiscard]] Result<Ticket> send(Message const& command, int wake_fd = -1);
  [[nodiscard]] Result<Reply> receive(Ticket ticket);
  [[nodiscard]] Status flush();
  // For those who wait for keys or signals too. True: receive(ticket) returns at once. False: `limit` is over, or
  // `wake_fd` became readable.
  [[nodiscard]] bool wait_answer(Ticket ticket, Milliseconds limit, int wake_fd = -1);

  // Subscribes (LISTEN), and again after every reconnect. `params` beside `table`: domain, mode,
  // credit, worker. A subscription that is refused after a reconnect arrives as an ERROR push.
  [[nodiscard]] Status listen(std::string_view table, Params const& params = {});
  [[nodiscard]] Status unlisten(std::string_view table, Params const& params = {});
  // The next message that no command asked for: LISTEN (wake, row) or ROW (deliver).
  // timed_out: nothing came within `limit`, or `wake_fd` (if any) became readable: for
  // those who wait for signals too.
  [[nodiscard]] Result<Message> wait_push(Milliseconds limit, int wake_fd = -1);
  // Pushes that were lost because pushes_max were waiting. Rows already leased are never dropped.
  [[nodiscard]] std::uint64_t pushes_dropped() const;

  [[nodiscard]] Options const& options() const;
  // How often the connection was made; more than 1: it was lost in between.
  [[nodiscard]] std::uint64_t connects() const;

 private:
  class Body;
  explicit Connection(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

// Keeps up to `depth` commands in flight and hands each answer over in the order
// of the commands. For producers:
//
//   Pipeline pipeline(connection, 256, [&](std::uint64_t nr, Result<Reply> reply) { ... });
//   for (...) if (Status sent = pipeline.send(insert); !sent.ok()) ...
//   pipeline.finish();
class Pipeline {
 public:
  // `nr` counts the commands from 0.
  using OnReply = std::function<void(std::uint64_t nr, Result<Reply> reply)>;

  // `depth` must be at least 1 and at most Options::in_flight_max.
  Pipeline(Connection& connection, std::size_t depth, OnReply on_reply);

  // Receives the oldest first if `depth` are in flight. Not ok: this command was not sent.
  [[nodiscard]] Status send(Message const& command);
  // Receives all that is in flight.
  void finish();

 private:
  void receive_oldest();

  Connection& connection_;
  std::size_t depth_;
  OnReply on_reply_;
  std::vector<Ticket> ring_;
  std::uint64_t sent_{0};
  std::uint64_t received_{0};
};

}  // namespace fastjournal::client

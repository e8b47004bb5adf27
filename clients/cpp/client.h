// libfastjournal: a client of fastjournald. A Connection carries commands and their answers, one by one or many in
// flight, and the notices of LISTEN and WATCH; it reconnects by itself. The commands of a table type have typed calls in
// journal.h, key_value.h, queues.h, documents.h and blob_table.h; this header knows only messages, so it is for all types.
//
//   using namespace fastjournal::client;
//   auto opened = Connection::open({.server = "127.0.0.1:4050"});
//   if (!opened.ok()) return complain(opened.status());
//   Connection& connection = *opened.value();
//   auto reply = connection.call("PEEK", {{"table", Value::of_text("pages")}, {"row", Value::of_integer(812)}});
//   if (reply.ok()) use(reply->first().text("uri"));
//   else complain(reply.status());  // the daemon's ERROR: code, sentence, facts
//
// A Connection belongs to one thread at a time; nothing happens between calls. No call throws, except std::bad_alloc. In a
// child of fork() all calls are refused (not_supported): a child connects itself. The end of a Connection there only closes
// the child's descriptors.
//
// Tables may be on several daemons, called nodes, of which one decides for a table at a time. All commands go to home, the
// daemon that `server` names, until one is answered with `moved`. The library connects to the node that the answer names,
// with the same token and TLS files, sends the command there, and all later ones of the table. Tables that home has for
// itself stay there. What is sent again keeps the order of a table's commands, but for those by which the daemon waits.
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

#include "clients/cpp/command_rule.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::client {

enum class Framing : std::uint8_t { msgpack, text };

using Milliseconds = std::chrono::milliseconds;
// No time limit.
inline constexpr Milliseconds kForever{Milliseconds::max()};

struct Options {
  // "127.0.0.1:4050", "[::1]:4050", "name:4050", "unix:/run/fastjournal.sock"; a path that begins with '/' alone is a
  // unix socket. With "tls:" before it, encrypted: the daemon's certificate must be for this name or IP address, or for
  // "localhost" on a unix socket. Several, separated by commas, are daemons with the same tables: one of them is home,
  // the first that answers. No path may have a comma then.
  std::string server{"127.0.0.1:4050"};
  // For "tls:", in PEM format, reread with each attempt to connect after one that failed. The authorities that are
  // trusted (empty: the system's), and this client's certificate with its key (empty: it has none).
  std::string ca_file{};
  std::string certificate_file{};
  std::string key_file{};
  // Of a user; empty: none. Shown to the daemon (AUTH) on each new connection, before anything else is sent. A refused
  // one ends the attempt, and no other follows by itself.
  std::string token{};
  Framing framing{Framing::msgpack};
  // Time limit of a command from send to answer, including reconnects. `wait` of a NEXT is added.
  Milliseconds time_limit{30'000};
  Milliseconds connect_limit{5'000};  // of one attempt; nothing else is done meanwhile
  // With several addresses: a node that owes an answer and says nothing for so long is given up as if its connection were
  // lost, as a computer that has no power says nothing. None may take longer to connect, and for some seconds after it was
  // given up no longer than 200 ms. Listeners ask it now and then. kForever: never. Commands that take longer than this,
  // such as DIGEST, and BACKUP with digest=1, on large tables, need more.
  Milliseconds silence_limit{2'000};
  // Pauses before the attempts to reconnect; the last one repeats. Each varies by up to a quarter, so that a thousand
  // clients do not come back at once. With several addresses the others are tried at once, and a pause is made when each
  // was tried. Empty: never reconnect; the loss of a node is the loss of all then.
  std::vector<Milliseconds> back_off{Milliseconds{1'000},  Milliseconds{1'000},  Milliseconds{1'000},
                                     Milliseconds{3'000},  Milliseconds{5'000},  Milliseconds{10'000},
                                     Milliseconds{20'000}, Milliseconds{30'000}, Milliseconds{60'000}};
  // For people: called with the reason when an existing connection is lost, and with ok when it is back, from within
  // the call that notices. When a node other than home is lost, ok follows at once if home is there. For such nodes ok has
  // a sentence, which names an address. Must not call the connection.
  std::function<void(Status const&)> on_connection{};
  std::size_t in_flight_max{4096};                   // tickets not yet received
  std::size_t pushes_max{65'536};                    // pushes not yet fetched
  std::size_t message_bytes_max{66U * 1024 * 1024};  // of one answer: a body of 64 MiB, and what goes with it
  // The commands of table types; borrowed, so it must outlive the connection.
  std::span<CommandRule const> commands{known_commands()};
  // The name under which Connection::number() numbers, 1 to 128 bytes; empty: a random one of 128 bits. It must be new for
  // each start of the process, and belongs to the origin that used it first.
  std::string client{};
};

// For a buffer column, Value::of_binary is right in both framings; Value::of_text is base64 in a text message only.
using Params = std::vector<Param>;

// An answer: one message or, for NEXT, LIST, STATS, ..., several. It owns its bytes.
struct Reply {
  std::vector<Message> messages;  // never empty
  bool resent{false};             // the command was resent after a loss

  [[nodiscard]] Message const& first() const { return messages.front(); }
};

// A command in flight.
enum class Ticket : std::uint64_t {};

class Connection {
 public:
  // Connects at once, with one attempt for each address; `unavailable` states the addresses and the reasons.
  [[nodiscard]] static Result<std::unique_ptr<Connection>> open(Options options);
  ~Connection();
  Connection(Connection const&) = delete;
  Connection& operator=(Connection const&) = delete;

  // Sends and waits. A refusal by the daemon (ERROR, UNKNOWN, INVALID) becomes the Status: its code, its
  // sentence and the other parameters as facts. Other errors:
  //   timed_out    no answer in time; a later answer is dropped, and what it leases is released
  //   closed       the connection was lost and the command must not be resent: whether it was carried out
  //                is not known
  //   unavailable  the daemon cannot be reached; or no node decides for the table (fact `retry`), which was tried
  //                again until the time limit
  //   moved        the node that decides for the table (facts `address`, `node`, `token`) was not found until the
  //                time limit; or at once, if the command is of a transaction or has no `table`
  //   not_allowed  also: it refuses the token
  //   over_limit   in_flight_max tickets are waiting to be received
  // By `moved` and `retry` nothing was done, so every command may be sent again. When a node other than home is lost,
  // home is asked where its tables are; when home is lost, the next address takes its place.
  // After a loss, commands are resent according to Options::commands. For a journal: reads, NEXT, TOUCH, INSERT with
  // client and sequence, and DONE (unknown_row to a resent one counts as done). For a key/value table: GET, and changes
  // with client and sequence. For a queue table: reads, ACQUIRE, TOUCH, ACCEPT (as DONE), SEND with client and
  // sequence, and what declares, binds, removes and purges. For all: what pauses, drains and resumes; and what ends a
  // lease (RELEASE, FAIL, REJECT, FAILED, DROPPED), which is refused (not_leased, stale_epoch, unknown_row) if it was
  // carried out before, or the lease has ended.
  // A transaction is of one connection: BEGIN and TRANSACTION go to home, and so do all commands up to the COMMIT. For
  // tables that have moved it needs a Connection of its own, to the address that owner_of() returns.
  [[nodiscard]] Result<Reply> call(Message const& command);
  [[nodiscard]] Result<Reply> call(std::string_view command, Params const& params = {});

  // Gives a change `client` and `sequence`, unless it has one of them: the name of this connection, and the next number of
  // the table. So it is sent again after a loss, and counts once. Not between BEGIN and COMMIT, where nothing is sent twice.
  // put(), send(), publish() and the changes of KeyValue without a condition are numbered so.
  void number(Message& command);
  // As call(), numbered. Where the table has no room for one more name it is sent without, and so are those of the next
  // minute.
  [[nodiscard]] Result<Reply> call_numbered(Message& command);
  [[nodiscard]] std::string const& client() const;

  // Pipelining: many commands in flight. Bytes leave with the next receive, wait_push or flush, or once 64 KiB are
  // buffered. Every ticket must be received once. Without a connection send waits for one: timed_out, and nothing was
  // sent, if `wake_fd` (if any) becomes readable before.
  [[nodiscard]] Result<Ticket> send(Message const& command, int wake_fd = -1);
  [[nodiscard]] Result<Reply> receive(Ticket ticket);
  // An answer that is not needed any more: its memory serves for the next ones. For who receives many.
  void recycle(Reply reply);
  [[nodiscard]] Status flush();
  // For callers that also wait for keys or signals. True: receive(ticket) returns at once. False: `limit` is over, or
  // `wake_fd` became readable.
  [[nodiscard]] bool wait_answer(Ticket ticket, Milliseconds limit, int wake_fd = -1);

  // Subscribes (LISTEN), and again after every reconnect. `params` besides `table`: domain or queue, mode, credit,
  // worker; or key, key_binary or prefix. A subscription refused after a reconnect arrives as an ERROR push; one of
  // keys that is in force again as a push CHANGED with missed=1, as changes in between were not reported. When its
  // table moves, it moves too, and is tried until it is in force.
  [[nodiscard]] Status listen(std::string_view table, Params const& params = {});
  [[nodiscard]] Status unlisten(std::string_view table, Params const& params = {});
  // The same for the figures (WATCH); `params`: table, every. Its rounds come as pushes: STATS and FIGURES.
  [[nodiscard]] Status watch(Params const& params = {});
  // For callers that sent WATCH or LISTEN themselves: it is sent again after every reconnect.
  void keep(Message const& subscription);
  // The next message that does not belong to a command: LISTEN (wake, row), ROW or MESSAGE (deliver), STATS, ...
  // timed_out: nothing arrived within `limit`, or `wake_fd` (if any) became readable, for callers that also wait for
  // signals.
  [[nodiscard]] Result<Message> wait_push(Milliseconds limit, int wake_fd = -1);
  // The address, as one of Options::server, to which commands of the table go now. Asks the daemon (STATS), and follows
  // `moved`. Errors are those of call(). Not between BEGIN and COMMIT.
  [[nodiscard]] Result<std::string> owner_of(std::string_view table);
  // Number of pushes lost because pushes_max were waiting. Leased rows are never dropped.
  [[nodiscard]] std::uint64_t pushes_dropped() const;

  [[nodiscard]] Options const& options() const;
  // Number of connections made to home, of those to other nodes that were lost, and of tables that moved. More than
  // before: what belongs to a connection, such as locks, may be over.
  [[nodiscard]] std::uint64_t connects() const;
  // To home, and all subscriptions were sent to where their tables are. As far as the calls have noticed: between them
  // nobody looks.
  [[nodiscard]] bool is_connected() const;

 private:
  class Body;
  explicit Connection(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

// Keeps up to `depth` commands in flight and passes on each answer, in the order of the commands. For producers:
//
//   Pipeline pipeline(connection, 256, [&](std::uint64_t nr, Result<Reply> reply) { ... });
//   for (...) if (Status sent = pipeline.send(insert); !sent.ok()) ...
//   pipeline.finish();
class Pipeline {
 public:
  // `nr` is the number of the command, from 0.
  using OnReply = std::function<void(std::uint64_t nr, Result<Reply> reply)>;

  // `depth`: 1 to Options::in_flight_max.
  Pipeline(Connection& connection, std::size_t depth, OnReply on_reply);

  // Receives the oldest first if `depth` are in flight. Not ok: this command was not sent.
  [[nodiscard]] Status send(Message const& command);
  // Receives all answers in flight.
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

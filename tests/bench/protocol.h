// The protocol of one kind of server on one connection of the bench: the bytes to send for each operation, and the
// meaning of the received bytes. I/O and clock are in the driver, which is the same for every peer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fastjournal::bench {

// A row to insert.
struct Row {
  std::uint64_t number{0};  // identity: comes back with the row, which is counted by it
  std::uint64_t key{0};     // rows of one key merge, if the peer can do that
  std::uint8_t priority{100};
  std::int64_t due_ms{0};    // wall clock; 0: now
  std::int64_t delay_ms{0};  // the same, relative to now
  bool merge{false};         // a row of this key may be there already
  std::string_view data;
};

// A row that was handed out, with the names that the peer uses for it.
struct Lease {
  std::uint64_t number{0};
  std::uint64_t row{0};
  std::uint64_t epoch{0};
};

struct Event {
  enum class Kind : std::uint8_t {
    none,      // no complete answer yet
    ready,     // the reply to hello()
    inserted,  // `count` rows, as durable as the peer makes them
    leased,
    nothing,  // no work now; `next_ms`: when there will be, 0 if the peer does not say
    done,
    woken,    // there is work: ask for it
    refused,  // `text` has the reason
  };
  Kind kind{Kind::none};
  std::uint32_t count{1};
  Lease lease{};
  std::int64_t next_ms{0};
  std::int64_t due_ms{0};  // of a leased or announced row, if the peer tells it; else 0
  std::string_view text{};
};

class Protocol {
 public:
  virtual ~Protocol() = default;

  // Sent before anything else; the driver waits for `ready`. False if the protocol needs no such message.
  virtual bool hello(std::string& out) = 0;
  virtual void insert(Row const& row, std::string& out) = 0;
  // `wait`: the peer may delay its answer until there is work; otherwise `nothing` tells when to ask again.
  virtual void take(bool wait, std::string& out) = 0;
  // Finishes the row; with `take_next` the same message asks for the next one. Only if can_chain().
  virtual void done(Lease const& lease, bool take_next, std::string& out) = 0;
  [[nodiscard]] virtual bool can_chain() const { return false; }
  // Asks for rows to be delivered, at most `credit` at once, or for messages that there are some. False: not supported.
  virtual bool subscribe(std::uint32_t credit, std::string& out) {
    static_cast<void>(credit);
    static_cast<void>(out);
    return false;
  }
  // Whether waiting workers are told of work, and need not ask again.
  [[nodiscard]] virtual bool wakes() const { return false; }
  // Called after operations that are sent together.
  virtual void flush(std::string& out) { static_cast<void>(out); }
  // Reads one event from the front; returns the number of its bytes. Kind `none` with bytes means that they are of no
  // interest.
  virtual std::size_t read(std::string_view in, Event& event) = 0;
};

// In decimal, without the cost of a format string: the driver must not be the limit.
inline void append_number(std::string& out, std::uint64_t value) {
  char digits[20];
  char* at = digits + sizeof digits;
  do {
    *--at = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  out.append(at, static_cast<std::size_t>(digits + sizeof digits - at));
}

// The decimal number at the front of `text`.
inline std::uint64_t leading_number(std::string_view text) {
  std::uint64_t value = 0;
  for (char const c : text) {
    if (c < '0' || c > '9') break;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

}  // namespace fastjournal::bench

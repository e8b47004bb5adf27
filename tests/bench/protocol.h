// How one connection of the bench talks with one kind of server: bytes to
// send for each operation, and what the bytes that come back mean. No I/O, no
// clock: the driver has those, and is the same for every peer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fastjournal::bench {

// A row to insert.
struct Row {
  std::uint64_t number{0};  // who it is: comes back with the work, to be counted by id
  std::uint64_t key{0};     // rows of one key merge, where a peer can
  std::uint8_t priority{100};
  std::int64_t due_ms{0};    // wall clock; 0: now
  std::int64_t delay_ms{0};  // the same, from now on
  bool merge{false};         // its key may be there already
  std::string_view data;
};

// A row that was handed out, as the peer names it.
struct Lease {
  std::uint64_t number{0};
  std::uint64_t row{0};
  std::uint64_t epoch{0};
};

struct Event {
  enum class Kind : std::uint8_t {
    none,      // not a whole answer yet
    ready,     // the hello is over
    inserted,  // `count` rows, durable as the peer has it
    leased,
    nothing,  // no work now; `next_ms`: when there will be, 0 if the peer does not say
    done,
    woken,    // work is there: ask
    refused,  // `text` says what
  };
  Kind kind{Kind::none};
  std::uint32_t count{1};
  Lease lease{};
  std::int64_t next_ms{0};
  std::int64_t due_ms{0};  // of a leased or announced row, where the peer says; else 0
  std::string_view text{};
};

class Protocol {
 public:
  virtual ~Protocol() = default;

  // Before anything else; the driver waits for `ready`. False: there is nothing to say.
  virtual bool hello(std::string& out) = 0;
  virtual void insert(Row const& row, std::string& out) = 0;
  // `wait`: the answer may take its time; or else `nothing` tells when to ask again.
  virtual void take(bool wait, std::string& out) = 0;
  // Ends the row's work; `take_next`: and asks for the next one in the same message. Only if can_chain().
  virtual void done(Lease const& lease, bool take_next, std::string& out) = 0;
  [[nodiscard]] virtual bool can_chain() const { return false; }
  // Rows come without being asked for, `credit` at once, or a message says that there are some. False: the peer has no such thing.
  virtual bool subscribe(std::uint32_t credit, std::string& out) {
    static_cast<void>(credit);
    static_cast<void>(out);
    return false;
  }
  // Who waits hears of work, and need not ask again.
  [[nodiscard]] virtual bool wakes() const { return false; }
  // After the operations that are sent together.
  virtual void flush(std::string& out) { static_cast<void>(out); }
  // Reads one event off the front; returns how many bytes it took. An event of the kind
  // `none` with bytes taken is something of no interest.
  virtual std::size_t read(std::string_view in, Event& event) = 0;
};

// Decimal digits, without the cost of a format string: the driver must not be the limit.
inline void append_number(std::string& out, std::uint64_t value) {
  char digits[20];
  char* at = digits + sizeof digits;
  do {
    *--at = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  out.append(at, static_cast<std::size_t>(digits + sizeof digits - at));
}

// The digits at the front of `text`.
inline std::uint64_t leading_number(std::string_view text) {
  std::uint64_t value = 0;
  for (char const c : text) {
    if (c < '0' || c > '9') break;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

}  // namespace fastjournal::bench

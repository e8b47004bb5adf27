// The outcome of an operation: Status, Result<T> and the one table of error codes.
//
// A failure of the outside world (bad input, full disk, damage, peer gone) is a Status. An error of programming is an
// assertion (base/check.h). No exception crosses a plugin, a callback or a thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fastjournal {

// Who can correct the error.
enum class Who : std::uint8_t { nobody, producer, worker, administrator, developer };

// One row per code: identifier, name on the wire, sentence, who should act. The names on the wire are part of the
// protocol (doc/protocol.md): new ones may be added, none is ever renamed. Each code has a test that provokes it.
#define FASTJOURNAL_CODES(ROW)                                                                        \
  ROW(ok, "ok", "done", nobody)                                                                       \
  ROW(invalid, "invalid", "the message cannot be read", developer)                                    \
  ROW(unknown_command, "unknown_command", "this command does not exist here", developer)              \
  ROW(unknown_table, "unknown_table", "no table of this name", developer)                             \
  ROW(unknown_row, "unknown_row", "no such row (done, deleted, expired or never there)", worker)      \
  ROW(missing_parameter, "missing_parameter", "a required parameter is missing", developer)           \
  ROW(unknown_parameter, "unknown_parameter", "the command has no such parameter", developer)         \
  ROW(bad_parameter, "bad_parameter", "a parameter's value is not acceptable", developer)             \
  ROW(too_large, "too_large", "a value or message is larger than its limit", producer)                \
  ROW(over_limit, "over_limit", "a limit is reached", administrator)                                  \
  ROW(stale_epoch, "stale_epoch", "the lease is not yours any more", worker)                          \
  ROW(stale_sequence, "stale_sequence", "the sequence number is below the client's window", producer) \
  ROW(not_leased, "not_leased", "the row is not leased", worker)                                      \
  ROW(expired, "expired", "the row is past its expiration date", worker)                              \
  ROW(wrong_state, "wrong_state", "the object's state does not allow this", worker)                   \
  ROW(paused, "paused", "the table is paused", administrator)                                         \
  ROW(no_space, "no_space", "disk or memory is short: only what removes works", administrator)        \
  ROW(not_supported, "not_supported", "not supported here", developer)                                \
  ROW(not_allowed, "not_allowed", "this connection may not do that", administrator)                   \
  ROW(unavailable, "unavailable", "not available right now", nobody)                                  \
  ROW(timed_out, "timed_out", "no answer in time", nobody)                                            \
  ROW(closed, "closed", "the connection is closed", nobody)                                           \
  ROW(in_use, "in_use", "somebody else uses it", administrator)                                       \
  ROW(not_found, "not_found", "it does not exist", administrator)                                     \
  ROW(bad_configuration, "bad_configuration", "the configuration is wrong", administrator)            \
  ROW(damaged, "damaged", "stored data is damaged", administrator)                                    \
  ROW(io_error, "io_error", "the operating system reports a failure", administrator)                  \
  ROW(in_transaction, "in_transaction", "a transaction that is not over holds it", nobody)            \
  ROW(rolled_back, "rolled_back", "the transaction was rolled back: nothing of it was done", nobody)  \
  ROW(moved, "moved", "another node decides for this table", nobody)

enum class Code : std::uint8_t {
#define FASTJOURNAL_CODE_NAME(identifier, wire, text, who) identifier,
  FASTJOURNAL_CODES(FASTJOURNAL_CODE_NAME)
#undef FASTJOURNAL_CODE_NAME
};

struct CodeRow {
  Code code;
  std::string_view wire_name;
  std::string_view text;
  Who who;
};

inline constexpr CodeRow kCodeRows[] = {
#define FASTJOURNAL_CODE_ROW(identifier, wire, text, who) {Code::identifier, wire, text, Who::who},
    FASTJOURNAL_CODES(FASTJOURNAL_CODE_ROW)
#undef FASTJOURNAL_CODE_ROW
};

[[nodiscard]] constexpr CodeRow const& row_of(Code code) { return kCodeRows[static_cast<std::size_t>(code)]; }

// Empty for a name that is no code.
[[nodiscard]] constexpr std::optional<Code> code_of_wire_name(std::string_view name) {
  for (CodeRow const& row : kCodeRows)
    if (row.wire_name == name) return row.code;
  return std::nullopt;
}

// Success, or a code with a sentence (what happened, where, what was expected, what to do) and facts for programs: they
// become parameters of the ERROR message (`holder`, `epoch`, ...). Success allocates nothing.
class [[nodiscard]] Status {
 public:
  using Facts = std::vector<std::pair<std::string, std::string>>;

  Status() = default;
  Status(Code code, std::string message)
      : code_(code), detail_(std::make_unique<Detail>(Detail{std::move(message), {}})) {}
  Status(Status const& other)
      : code_(other.code_), detail_(other.detail_ ? std::make_unique<Detail>(*other.detail_) : nullptr) {}
  Status& operator=(Status const& other) {
    if (this != &other) *this = Status{other};
    return *this;
  }
  Status(Status&&) = default;
  Status& operator=(Status&&) = default;
  ~Status() = default;

  [[nodiscard]] bool ok() const { return code_ == Code::ok; }
  [[nodiscard]] Code code() const { return code_; }
  [[nodiscard]] std::string const& message() const { return detail().message; }
  [[nodiscard]] Facts const& facts() const { return detail().facts; }

  Status&& with(std::string name, std::string value) && {
    if (!detail_) detail_ = std::make_unique<Detail>();
    detail_->facts.emplace_back(std::move(name), std::move(value));
    return std::move(*this);
  }

  // For people: "unknown_row: no row 812 in table pages".
  [[nodiscard]] std::string text() const {
    std::string out{row_of(code_).wire_name};
    if (!message().empty()) out.append(": ").append(message());
    return out;
  }

 private:
  // Behind one pointer: a Status is moved and destroyed several times per message, and it is nearly always ok.
  struct Detail {
    std::string message;
    Facts facts;
  };

  [[nodiscard]] Detail const& detail() const {
    static Detail const nothing;
    return detail_ ? *detail_ : nothing;
  }

  Code code_{Code::ok};
  std::unique_ptr<Detail> detail_;
};

// A value, or the Status with the reason for its absence. value() and -> require ok().
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor): `return value;`
  Result(Status status) : status_(std::move(status)) {}  // NOLINT(google-explicit-constructor): `return status;`

  [[nodiscard]] bool ok() const { return value_.has_value(); }
  [[nodiscard]] Status const& status() const { return status_; }
  [[nodiscard]] T& value() & { return *value_; }
  [[nodiscard]] T const& value() const& { return *value_; }
  [[nodiscard]] T&& value() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  T const* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace fastjournal

// The body of a message on a queue, as the data of its row (model/row_codec.h). A message that an exchange put on
// several queues has one body, which its rows share: one on each queue, which names it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/declaration.h"
#include "fastjournal/message.h"
#include "fastjournal/table.h"
#include "model/value.h"
#include "plugins/rows/rules.h"

namespace fastjournal::queue {

// The columns, in this order. Fixed: no declaration changes them.
enum class Part : std::uint8_t {
  bytes,     // of the body
  origin,    // the shared shared body that has all of it but the queue; absent: the row has it itself
  queue,     // of a row
  dead_of,   // the queue on which it died
  exchange,  // by which it came
  routing_key,
  properties,   // in JSON, as it came
  body,         // of text,
  body_binary,  // or of bytes
  group,        // of a row
};
inline constexpr std::size_t kParts = 10;
static_assert((kParts + 7) / 8 == (kParts - 1 + 7) / 8, "both schemas have as many presence bytes");
inline constexpr std::size_t kGroupBytesMax = 128;
inline constexpr std::size_t kPropertiesBytesMax = 64U << 10U;
inline constexpr std::uint64_t kBodyBytesMax = 64U << 20U;

[[nodiscard]] Schema const& shared_body_schema();
// That of a row with a group: with the last part as well. Data of the other one is data of this one, too: its presence
// bits take as many bytes.
[[nodiscard]] Schema const& grouped_schema();
[[nodiscard]] constexpr std::string_view name_of(Part part) {
  constexpr std::array<std::string_view, kParts> names{"bytes",       "origin",     "queue", "dead_of",     "exchange",
                                                       "routing_key", "properties", "body",  "body_binary", "group"};
  return names[static_cast<std::size_t>(part)];
}
// What goes with a message or a queue is one object in JSON, or nothing.
[[nodiscard]] Status check_properties(std::string_view text);
// The queue is the domain of a row.
[[nodiscard]] rows::DomainSource queue_source();

// A view of the data.
class MessageBody {
 public:
  // Only the first two parts, which are all that counting needs.
  [[nodiscard]] static MessageBody front(std::string_view data);
  [[nodiscard]] static MessageBody whole(std::string_view data);

  [[nodiscard]] std::uint64_t bytes() const { return number(Part::bytes); }
  [[nodiscard]] ObjectId origin() const { return ObjectId{number(Part::origin)}; }
  [[nodiscard]] bool has(Part part) const { return cell(part).has_value(); }
  // Of text.
  [[nodiscard]] std::string_view text(Part part) const {
    return cell(part).has_value() ? cell(part)->bytes : std::string_view{};
  }
  // Body or body_binary; null: it is empty.
  [[nodiscard]] model::Cell const* body() const;
  [[nodiscard]] bool is_text() const { return !has(Part::body_binary); }

 private:
  [[nodiscard]] std::optional<model::Cell> const& cell(Part part) const {
    return cells_[static_cast<std::size_t>(part)];
  }
  [[nodiscard]] std::uint64_t number(Part part) const {
    return cell(part).has_value() ? cell(part)->unsigned_integer : 0;
  }

  std::array<std::optional<model::Cell>, kParts> cells_{};
};

// Writes data part by part.
class SharedBodyWriter {
 public:
  SharedBodyWriter& set(Part part, Value value) {
    message_.set(name_of(part), value);
    return *this;
  }
  SharedBodyWriter& set(Part part, std::string_view text) {
    return text.empty() ? *this : set(part, Value::of_verbatim(text));
  }
  void clear() { message_.clear(); }
  // Replaces `out`. Not ok: a part is not acceptable; the status names it.
  [[nodiscard]] Status write(Schema const& schema, std::string& out) const;

 private:
  Message message_;
};

}  // namespace fastjournal::queue

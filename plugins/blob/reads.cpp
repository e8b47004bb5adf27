#include "plugins/blob/reads.h"

#include <algorithm>
#include <optional>
#include <string>

#include "plugins/blob/parameters.h"

namespace fastjournal::blob {
namespace {

constexpr std::int64_t kCountMax = 1'000;
constexpr std::int64_t kCount = 100;
// Entries that one page of a list looks at, shown or not.
constexpr std::uint32_t kWorkUnitsMax = 10'000;

}  // namespace

void Reads::tell(Blob const& blob, bool is_newer, Answer& answer) const {
  answer.message("BLOB")
      .add("table", std::string_view{shared_.table()})
      .add("hash", std::string_view{bcdb::digits_of(blob.key)})
      .add("result", Value::of_text(blob.extent.file == 0 ? "absent" : "found"))
      .add("entry_time", std::uint64_t{blob.entry_time})
      .add("begin", blob.extent.begin)
      .add("end", blob.extent.end)
      .add("length", blob.extent.size())
      .add("file", std::uint64_t{blob.extent.file})
      .add("newer", std::uint64_t{is_newer ? 1U : 0U});
  if (shared_.options.mode() == Mode::online) answer.add("files", std::uint64_t{2});
}

// The client knows two files, and the newer one has its name.
bool Reads::tells_newer() const {
  if (shared_.options.mode() != Mode::online || !shared_.state.is_building_in(Mode::online)) return false;
  return shared_.names.has_newer(shared_.state.files.next);
}

Verdict Reads::get(Command const& command, Decision& decision) const {
  decision.durability = Durability::written;
  shared_.see(decision.now);
  Message const& message = *command.message;
  model::Parameters parameters{message};
  Key const key = read_key(message, shared_.options.key_secret, parameters);
  bool const wants_data = parameters.integer("data", 0, 0, 1) == 1;
  bool const wants_place = parameters.integer("place", 0, 0, 1) == 1;
  bool const wants_descriptor = parameters.integer("descriptor", 0, 0, 1) == 1;
  std::uint64_t const offset = parameters.unsigned_integer("offset", 0);
  std::uint64_t const length = parameters.unsigned_integer("length", UINT64_MAX);
  bool const is_by_name = parameters.integer("by_name", 0, 0, 1) == 1;
  if (!wants_data && (parameters.has("offset") || parameters.has("length")))
    parameters.refuse(Code::bad_parameter, parameters.has("offset") ? "offset" : "length",
                      "offset and length are of the bytes that are wanted; expected data=1 with them");
  if (!parameters.ok()) return decision.refuse(parameters.take_status());
  if (is_by_name && !shared_.names.may_read(shared_.index.files().current))
    return decision.refuse(
        {Code::unavailable, "table " + shared_.table() +
                                " exchanges its data file: those who open it by name are answered again "
                                "in a minute"});
  if (is_by_name) shared_.names.note_read(decision.now.value);
  std::optional<Blob> found = shared_.index.find(key);
  if (!found.has_value()) {
    ++shared_.statistics.misses;
    tell(Blob{.key = key}, false, decision.answer);
    return Verdict::done;
  }
  ++shared_.statistics.hits;
  shared_.index.note_read(key, TableState::seconds(decision.now));
  bool const is_newer = is_by_name && found->has_copy() && tells_newer();
  if (is_newer) found->extent = found->copy(shared_.state.files.next);
  tell(*found, is_newer, decision.answer);
  Extent const& whole = found->extent;
  decision.answer.add("content_hash", std::string_view{digits_of(whole.hash)});
  if (wants_data) {
    Extent part = whole;
    part.begin += std::min(offset, whole.size());
    part.end = part.begin + std::min(length, whole.end - part.begin);
    // Of a part no hash is known.
    if (part != whole) part.hash = 0;
    decision.answer.add_stored("data", {.extent = part});
  }
  if (wants_place) decision.answer.add_stored("place", {.extent = whole, .as = StoredValue::As::place});
  if (wants_descriptor) decision.answer.add_stored("descriptor", {.extent = whole, .as = StoredValue::As::descriptor});
  return Verdict::done;
}

Verdict Reads::attach(Command const& command, Decision& decision) const {
  decision.durability = Durability::written;
  model::Parameters parameters{*command.message};
  bool const wants_descriptor = parameters.integer("descriptor", 0, 0, 1) == 1;
  if (!parameters.ok()) return decision.refuse(parameters.take_status());
  std::uint32_t const file = shared_.index.files().current;
  decision.answer.message("ATTACHED").add("table", std::string_view{shared_.table()}).add("file", std::uint64_t{file});
  // All of it: what the receiver reads there is what it asks for.
  if (wants_descriptor)
    decision.answer.add_stored("descriptor", {.extent = {.file = file}, .as = StoredValue::As::descriptor});
  return Verdict::done;
}

Verdict Reads::list(Command const& command, Decision& decision) const {
  decision.durability = Durability::written;
  Message const& message = *command.message;
  model::Parameters parameters{message};
  std::optional<Key> const behind = read_hash(message, parameters, "after");
  std::int64_t const count = parameters.integer("count", kCount, 1, kCountMax);
  if (!parameters.ok()) return decision.refuse(parameters.take_status());
  std::int64_t shown = 0;
  Key last = behind.value_or(Key{});
  Key from = behind.has_value() ? after(*behind) : Key{};
  bool more = behind != kLastKey;
  if (more)
    more = shared_.index.walk(from, kWorkUnitsMax, [&](Blob const& blob, std::uint8_t) {
      if (shown == count) return false;
      tell(blob, false, decision.answer);
      decision.answer.add("content_hash", std::string_view{digits_of(blob.extent.hash)});
      last = blob.key;
      ++shown;
      return true;
    });
  decision.work_units += static_cast<std::uint32_t>(shown);
  if (shown == 0) decision.answer.message("NOTHING").add("table", std::string_view{shared_.table()});
  if (!more) return Verdict::done;
  // Where only blobs were looked at that are gone, it goes on behind these.
  if (shown < count && from != Key{})
    last = {from.hash_id == 0 ? from.hash_value - 1 : from.hash_value, from.hash_id - 1};
  decision.answer.add("after", std::string_view{bcdb::digits_of(last)});
  return Verdict::done;
}

}  // namespace fastjournal::blob

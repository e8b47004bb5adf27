#include "plugins/blob/writes.h"

#include <algorithm>
#include <string>

#include "plugins/blob/parameters.h"
#include "plugins/blob/records.h"

namespace fastjournal::blob {
namespace {

// The most of the records of a promised command: a put or a mark, the state of a new table, and what a client has.
constexpr std::size_t kPromisedRecordBytes = std::size_t{2} << 10U;

}  // namespace

Status Writes::check_open() const {
  State const& state = shared_.state;
  if (!state.is_building_in(Mode::offline)) return {};
  std::int64_t const since_s = std::max<std::int64_t>(0, shared_.names.now() - state.began) / 1000;
  return {Code::unavailable,
          "table " + shared_.table() + " builds a new data file since " + std::to_string(since_s) +
              " s, and stores no blob until it is in use (maintenance offline): " +
              std::to_string(shared_.index.copied()) + " of " + std::to_string(state.total) +
              " blobs are copied. Send it again then; MAINTAIN shows how far it is, and ends it with cancel=1"};
}

Status Writes::check_room(Key const& key, std::uint64_t bytes, std::uint64_t taken) const {
  Options const& options = shared_.options;
  if (bytes > options.blob_size_max)
    return Status{Code::too_large, "the blob has " + std::to_string(bytes) + " bytes; at most " +
                                       std::to_string(options.blob_size_max) + " are allowed (blob-size-max)"}
        .with("parameter", "data");
  std::uint64_t const most = options.data_size_max;
  if (most != 0 && bytes > most - std::min(most, taken))
    return {Code::over_limit, "the data file of table " + shared_.table() + " has " + std::to_string(taken) +
                                  " bytes, with blobs that are on their way, and may have " + std::to_string(most) +
                                  ": send MAINTAIN, which leaves out what is replaced and expired, or raise "
                                  "data-size-max"};
  std::uint64_t const to_come = shared_.holds.rows();
  if (options.blobs_max != 0 && shared_.index.size() + to_come >= options.blobs_max &&
      !shared_.index.find(key).has_value())
    return {Code::over_limit,
            "table " + shared_.table() + " has " + std::to_string(shared_.index.size()) + " blobs" +
                (to_come == 0 ? std::string{}
                              : ", and room for " + std::to_string(to_come) + " more is promised to transactions") +
                ": send MAINTAIN with what may be left out, or raise blobs-max"};
  return {};
}

Status Writes::check_stored(Blob const& blob, std::optional<Hash128> const& wanted, StoredValue const& stored) const {
  if (Status status = check_open(); !status.ok()) return status;
  if (Status status = check_room(blob.key, blob.extent.size(), shared_.taken_before(blob.extent)); !status.ok())
    return status;
  if (wanted.has_value() && (wanted->low != stored.extent.hash || wanted->high != stored.hash_high))
    return Status{Code::damaged,
                  "the blob has another content hash than its sender says: it changed on its way; send it again"}
        .with("parameter", "content_hash");
  if (blob.extent.file != shared_.index.files().current)
    return {Code::unavailable,
            "the files of table " + shared_.table() + " were exchanged while the blob came: send it again"};
  return {};
}

void Writes::promise(Key const& key, bool is_new, Decision& decision) {
  decision.hold->keys.push_back(TableState::held(key));
  decision.hold->rows = is_new ? 1 : 0;
  decision.hold->record_bytes = kPromisedRecordBytes;
}

Status Writes::request_store(Command const& command, StoreRequest& request) const {
  if (Status status = check_open(); !status.ok()) return status;
  Message const& message = *command.message;
  for (std::size_t param = 0; param < message.params().size(); ++param) {
    Param const& given = message.params()[param];
    if (given.name != "data" || given.value.outside) continue;
    model::Parameters parameters{message};
    Key const key = read_key(message, shared_.options.key_secret, parameters);
    static_cast<void>(read_content_hash(message, parameters));
    static_cast<void>(rows::read_sender(parameters));
    std::string decoded;
    std::string_view bytes;
    bool const is_read = parameters.ok() && read_bytes(given.value, "data", parameters, decoded, bytes);
    if (!is_read) return parameters.take_status();
    if (Status status = check_room(key, bytes.size(), shared_.taken_bytes()); !status.ok()) return status;
    if (bytes.data() == decoded.data()) bytes = request.kept.emplace_back(std::move(decoded));
    request.pieces.push_back({.param = param, .bytes = bytes, .is_text = false});
  }
  return {};
}

Result<std::uint64_t> Writes::accept_content(Command const& command, std::uint64_t bytes) const {
  model::Parameters parameters{*command.message};
  Key const key = read_key(*command.message, shared_.options.key_secret, parameters);
  static_cast<void>(read_content_hash(*command.message, parameters));
  static_cast<void>(rows::read_sender(parameters));
  if (!parameters.ok()) return parameters.take_status();
  if (Status status = check_open(); !status.ok()) return status;
  bool const is_known = bytes != UINT64_MAX;
  if (Status status = check_room(key, is_known ? bytes : 0, shared_.taken_bytes()); !status.ok()) return status;
  Options const& options = shared_.options;
  if (options.data_size_max == 0) return options.blob_size_max;
  return std::min(options.blob_size_max,
                  options.data_size_max - std::min(options.data_size_max, shared_.taken_bytes()));
}

void Writes::tell(Key const& key, Blob const& blob, std::string_view result, Decision& decision) const {
  decision.answer.message("STORED")
      .add("table", std::string_view{shared_.table()})
      .add("hash", std::string_view{bcdb::digits_of(key)})
      .add("entry_time", std::uint64_t{blob.entry_time})
      .add("begin", blob.extent.begin)
      .add("end", blob.extent.end)
      .add("file", std::uint64_t{blob.extent.file})
      .add("result", Value::of_text(result));
}

Verdict Writes::put(Command const& command, Decision& decision) const {
  Message const& message = *command.message;
  shared_.see(decision.now);
  model::Parameters parameters{message};
  Key const key = read_key(message, shared_.options.key_secret, parameters);
  std::optional<Hash128> const wanted = read_content_hash(message, parameters);
  rows::Claim claim{.sender = rows::read_sender(parameters)};
  Value const* const data = message.find("data");
  if (data == nullptr) parameters.refuse(Code::missing_parameter, "data", "PUT needs the parameter data");
  if (parameters.ok() && !data->outside)
    parameters.refuse(Code::not_supported, "data", "blobs are stored in files, which this log does not have");
  if (!parameters.ok()) return decision.refuse(parameters.take_status());
  bool const keeps = decision.phase == Phase::keep;
  std::int64_t const now = decision.now.value;
  std::optional<Blob> const last = shared_.index.find(key);
  if (claim.is_numbered()) {
    ObjectId none;
    rows::Before const before = rows::look_up(shared_.clients.windows(), shared_.table(), command,
                                              shared_.options.clients_max, now, claim, none, decision);
    if (before == rows::Before::over) return Verdict::done;
    if (before == rows::Before::done) {
      ++shared_.statistics.duplicates;
      tell(key, last.value_or(Blob{}), "duplicate", decision);
      return Verdict::done;
    }
  }
  StoredValue const& stored = *data->stored;
  Blob next{.key = key, .entry_time = TableState::seconds(decision.now), .extent = stored.extent};
  decision.status = shared_.check_hold(key, decision);
  // What was promised is kept under whatever limits.
  if (decision.status.ok() && !keeps) decision.status = check_stored(next, wanted, stored);
  if (!decision.status.ok()) {
    ++shared_.statistics.refused;
    return Verdict::done;
  }
  if (decision.phase == Phase::promise) {
    promise(key, !last.has_value(), decision);
    return Verdict::done;
  }
  if (shared_.state_lsn.is_none()) {
    State state = shared_.state;
    state.began = now;
    model::append_record(decision.records, {}, StateBody{state}, RecordType::state);
  }
  Lsn const lsn = model::append_record(
      decision.records, {},
      PutBody{.key = key, .entry_time = next.entry_time, .extent = next.extent, .carried = data->bytes});
  rows::append_claim(claim, now, decision.records);
  if (claim.is_numbered())
    model::append_record(decision.records, {}, rows::SeenBody{claim.sender, object_of(lsn), now});
  ++shared_.statistics.puts;
  if (last.has_value()) ++shared_.statistics.replaced;
  tell(key, next, last.has_value() ? "replaced" : "stored", decision);
  return Verdict::done;
}

Verdict Writes::omit(Command const& command, Decision& decision) const {
  model::Parameters parameters{*command.message};
  Key const key = read_key(*command.message, shared_.options.key_secret, parameters);
  if (!parameters.ok()) return decision.refuse(parameters.take_status());
  if (decision.refuses(shared_.check_hold(key, decision))) return Verdict::done;
  if (decision.phase == Phase::promise) {
    promise(key, false, decision);
    return Verdict::done;
  }
  std::optional<Blob> const blob = shared_.index.find(key);
  bool const is_marked = blob.has_value() && (blob->marks & marks::kOmitted) != 0;
  if (blob.has_value() && !is_marked) model::append_record(decision.records, {}, OmitBody{key});
  decision.answer.message("OMITTED")
      .add("table", std::string_view{shared_.table()})
      .add("hash", std::string_view{bcdb::digits_of(key)})
      .add("result", Value::of_text(blob.has_value() ? "omitted" : "absent"));
  return Verdict::done;
}

}  // namespace fastjournal::blob

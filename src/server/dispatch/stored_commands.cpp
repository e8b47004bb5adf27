#include "server/dispatch/stored_commands.h"

#include <algorithm>
#include <string>

namespace fastjournal::server {
namespace {

// Of a value that comes in pieces: so much waits to be written, then its sender does.
constexpr std::uint64_t kWaitingBytesMax = 1U << 20U;
// Fewer are copied, so that the buffer is not allocated again for each.
constexpr std::uint64_t kGivenBytesMin = 256U << 10U;

std::int64_t content_limit_us(engine::HostedTable const& table) {
  return table.declaration->option(kContentTimeoutOption).integer * 1000;
}

bool holds_new(engine::HostedTable const& table) {
  return table.can.manages_files != nullptr && table.can.manages_files->holds_new();
}

}  // namespace

// ---------------------------------------------------------------------------
// Values in a message

Status StoredCommands::refusal_without_connection(Message const& message) {
  return {Code::not_supported,
          std::string{message.command} +
              ": a value that is stored outside the log needs a connection to the daemon of its own"};
}

std::optional<engine::Outcome> StoredCommands::prepare(Speaker const& speaker, engine::HostedTable& table,
                                                       Command const& command, bool is_promised, Message& message) {
  request_.pieces.clear();
  request_.may_carry = request_.must = true;
  if (Status status = table.can.stores->request_store(command, clock_.now(), request_); !status.ok()) return status;
  if (request_.pieces.empty() || (!request_.must && !speaker.may_store)) return std::nullopt;
  storage::ByteFiles& files = *TableFiles::of(table);
  std::uint64_t bytes = 0;
  for (StoreRequest::Piece const& piece : request_.pieces) bytes += piece.bytes.size();
  // Files that are about to be exchanged get no more values that cannot wait.
  if (request_.may_carry && !is_promised && bytes <= kCarriedBytesMax && !holds_new(table)) {
    Status status = carry(files, message);
    if (status.ok()) return std::nullopt;
    settle();
    // This file system cannot promise the space.
    if (status.code() != Code::not_supported) return status;
  }
  if (!speaker.may_store) return refusal_without_connection(message);
  return engine::Outcome::later(store(speaker, files, message));
}

Status StoredCommands::carry(storage::ByteFiles& files, Message& message) {
  for (StoreRequest::Piece const& piece : request_.pieces) {
    Result<StoredValue> const value = files.carry(piece.bytes, piece.is_text);
    if (!value.ok()) return value.status();
    carried_.emplace_back(&files, value->extent);
    message.replace(piece.param, Value::of_stored(values_.emplace_back(value.value()), piece.bytes));
  }
  return {};
}

void StoredCommands::settle() {
  request_.kept.clear();
  if (carried_.empty()) return;
  for (auto const& [files, extent] : carried_) files->give_back(extent);
  carried_.clear();
  values_.clear();
}

Status StoredCommands::store(Speaker const& speaker, storage::ByteFiles& files, Message& message) {
  Session* const session = sessions_.find(speaker.connection);
  if (session == nullptr) return {Code::closed, "the connection is gone"};
  Held held{.values = {}, .message = {}, .value = {}, .hash = {}};
  Values& values = held.values.emplace_back(Values{.files = &files, .places = {}});
  std::vector<storage::Staging::Piece> pieces;
  for (StoreRequest::Piece const& piece : request_.pieces) {
    pieces.push_back({piece.bytes, piece.is_text});
    values.places.push_back({.param = piece.param});
    held.bytes += piece.bytes.size();
  }
  bool const gives = gives_input(*session, held.bytes);
  if (gives) held.bytes = session->in.bytes.capacity();
  Result<storage::Staging::StageId> const stage = files.staging().store(pieces, gives ? &session->in.bytes : nullptr);
  if (!stage.ok()) return stage.status();
  values.stage = stage.value();
  // Stored bytes are not copied once more.
  for (Values::Place const& place : values.places) message.replace(place.param, Value::of_binary({}));
  request_.kept.clear();
  message.own();
  held.message = std::move(message);
  message = Message{};  // its arena went with the other one
  hold(*session, std::move(held));
  network_.turn_again();
  return {};
}

engine::Outcome StoredCommands::store_whole(Session& session, Message const& message,
                                            std::deque<WholeRequest> const& requests) {
  Held held{.values = {}, .message = {}, .is_whole = true, .value = {}, .hash = {}};
  std::map<storage::ByteFiles*, std::vector<storage::Staging::Piece>> pieces;
  for (WholeRequest const& one : requests) {
    storage::ByteFiles* const files = TableFiles::of(*one.table);
    auto at = std::ranges::find(held.values, files, &Values::files);
    if (at == held.values.end()) at = held.values.insert(at, Values{.files = files, .places = {}});
    for (StoreRequest::Piece const& piece : one.store.pieces) {
      at->places.push_back({one.command, piece.param});
      pieces[files].push_back({piece.bytes, piece.is_text});
      held.bytes += piece.bytes.size();
    }
  }
  for (Values& values : held.values) {
    Result<storage::Staging::StageId> const stage = values.files->staging().store(pieces[values.files]);
    if (!stage.ok()) {
      drop_values(held);
      return stage.status();
    }
    values.stage = stage.value();
  }
  // It is read once more then.
  held.message.command = message.command;
  for (Param const& param : message.params()) {
    held.message.add(param.name, param.value);
    held.bytes += param.value.bytes.size();
  }
  held.message.own();
  hold(session, std::move(held));
  network_.turn_again();
  return engine::Outcome::later();
}

engine::Outcome StoredCommands::read(Speaker const& speaker, engine::HostedTable& table, work::Fetching const& fetching,
                                     Message& message) {
  Session* const session = sessions_.find(speaker.connection);
  if (session == nullptr) return Status{Code::closed, "the connection is gone"};
  Held held{.values = {}, .message = {}, .value = {}, .hash = {}};
  storage::ByteFiles* const files = TableFiles::of(table);
  held.reading = Reading{files, files->readings().fetch({fetching.wanted}), fetching};
  for (Param const& param : message.params()) held.bytes += param.value.bytes.size();
  message.own();
  held.message = std::move(message);
  message = Message{};
  hold(*session, std::move(held));
  network_.turn_again();
  return engine::Outcome::later();
}

void StoredCommands::tell_fetched(storage::ByteFiles& files, storage::Readings::Fetched const& fetched) {
  auto const found = std::ranges::find_if(held_, [&](auto const& one) {
    std::optional<Reading> const& reading = one.second.reading;
    return reading && reading->files == &files && reading->fetch == fetched.fetch;
  });
  // Its session has ended.
  if (found == held_.end()) return;
  Held held = std::move(found->second);
  Session* const session = sessions_.find(found->first);
  held_.erase(found);
  // Of a table that was dropped meanwhile nothing goes on: there may be another one of its name.
  if (engine::HostedTable const* const table = files_.table_of(files)) {
    table->can.offloads->fetched(held.reading->fetching.wanted,
                                 fetched.status.ok() ? std::string_view{fetched.values.front()} : std::string_view{},
                                 fetched.status);
    resumed_ = held.reading->fetching;
  }
  if (session != nullptr) run(*session, std::move(held), {});
  resumed_ = {};
}

bool StoredCommands::fill(std::vector<Message>& commands) const {
  if (filled_ == nullptr) return false;
  for (Values const& values : filled_->values)
    for (std::size_t i = 0; i < values.places.size(); ++i)
      commands[values.places[i].command].replace(values.places[i].param, Value::of_stored(values.done->values[i]));
  return true;
}

void StoredCommands::drop_values(Held& held) {
  for (Values& values : held.values)
    if (values.stage != 0) values.files->staging().drop(std::exchange(values.stage, 0U));
}

// Large values leave with the buffer that they came in, if it has little else: the reader keeps the rest.
bool StoredCommands::gives_input(Session const& session, std::uint64_t bytes) const {
  return bytes >= kGivenBytesMin && bytes >= session.in.bytes.size() / 2 && !session.in.has_token &&
         std::ranges::all_of(request_.pieces,
                             [&](auto const& piece) { return session.in.bytes.contains(piece.bytes); });
}

void StoredCommands::hold(Session& session, Held held) {
  held.who = session.who;
  session.life.waits_for = WaitsFor::storing;
  session.account.kept += held.bytes;
  sessions_.count(session);
  held_.insert_or_assign(session.id, std::move(held));
}

// ---------------------------------------------------------------------------
// Values in pieces

void StoredCommands::begin(Session& session, Message& message, Protocol::Piece const& piece) {
  Held held{.values = {}, .message = {}, .is_open = true, .value = {}, .hash = {}};
  Values& values = held.values.emplace_back();
  held.value = piece.value;
  held.hash = piece.value_hash;
  message.set(held.value, Value::of_binary({}));
  Result<TableCommands::Content> const accepted = dispatch_.accept_content(session, message, piece.value_bytes);
  Status status = accepted.status();
  if (status.ok()) {
    values.files = TableFiles::of(*accepted->table);
    Result<storage::Staging::StageId> const stage =
        values.files->staging().begin_value(piece.value_bytes, accepted->bytes_max);
    status = stage.status();
    if (stage.ok()) values.stage = stage.value();
  }
  for (std::size_t i = 0; i < message.params().size(); ++i)
    if (message.params()[i].name == held.value) values.places.push_back({.param = i});
  message.own();
  held.message = std::move(message);
  message = Message{};
  held.who = session.who;
  if (!status.ok()) {
    refuse(session, held, status);
  } else {
    session.protocol->accepted(session.out.bytes);
    sessions_.mark_dirty(session);
    if (std::int64_t const limit_us = content_limit_us(*accepted->table); limit_us > 0)
      held.ends_us = clock_.monotonic_us() + limit_us;
    held.bytes_a_second = accepted->table->declaration->option(kContentRateOption).integer;
  }
  held_.insert_or_assign(session.id, std::move(held));
}

// Its pieces are read and dropped from here on.
void StoredCommands::refuse(Session& session, Held& held, Status const& why) {
  drop_values(held);
  if (std::exchange(held.is_refused, true)) return;
  dispatch_.refuse(session, held.message, why);
}

void StoredCommands::add(Session& session, std::string_view content) {
  auto const found = held_.find(session.id);
  if (found == held_.end() || found->second.is_refused) return;
  Held& held = found->second;
  Values const& values = held.values.front();
  if (Status const status = values.files->staging().add(values.stage, content); !status.ok())
    return refuse(session, held, status);
  if (held.bytes_a_second > 0 && held.ends_us != INT64_MAX)
    held.ends_us += static_cast<std::int64_t>(content.size()) * 1'000'000 / held.bytes_a_second;
  if (values.files->staging().waiting_bytes(values.stage) < kWaitingBytesMax) return;
  session.life.waits_for = WaitsFor::storing;
  network_.turn_again();
}

void StoredCommands::end(Session& session, Protocol::Piece const& piece) {
  auto const found = held_.find(session.id);
  if (found == held_.end()) return;
  Held& held = found->second;
  if (held.is_refused) {
    held_.erase(found);
    return;
  }
  if (piece.value_hash) held.hash = piece.value_hash;
  Values& values = held.values.front();
  if (Status const status = values.files->staging().end_value(values.stage); !status.ok()) {
    values.stage = 0;
    refuse(session, held, status);
    held_.erase(found);
    return;
  }
  held.is_open = false;
  ++session.life.waiting;
  session.life.waits_for = WaitsFor::storing;
  network_.turn_again();
}

void StoredCommands::give_up(Session& session) {
  auto const found = held_.find(session.id);
  if (found == held_.end()) return;
  drop_values(found->second);
  held_.erase(found);
}

// ---------------------------------------------------------------------------
// The end of a turn

bool StoredCommands::run_stored() {
  bool any = false;
  files_.for_each_touched([&](storage::ByteFiles& files) {
    for (storage::Staging::Done& done : files.staging().take_done()) any = take_done(files, std::move(done)) || any;
  });
  for (ConnectionId const id : std::exchange(ready_, {})) any = run_if_ready(id) || any;
  let_go_on();
  end_late();
  return any;
}

bool StoredCommands::take_done(storage::ByteFiles& files, storage::Staging::Done done) {
  auto const is_it = [&](Values const& values) { return values.files == &files && values.stage == done.stage; };
  auto const found =
      std::ranges::find_if(held_, [&](auto const& one) { return std::ranges::any_of(one.second.values, is_it); });
  if (found == held_.end()) {
    // Else its session has ended.
    if (files_.take_stored(files, done, clock_.now())) return true;
    files.staging().drop(done.stage);
    return false;
  }
  Session* const session = sessions_.find(found->first);
  Held& held = found->second;
  if (session == nullptr || held.is_open) {
    // It was refused in the middle: the rest of its value is read and dropped.
    if (session != nullptr) refuse(*session, held, done.status);
    return true;
  }
  if (!done.status.ok()) {
    Held refused = std::move(held);
    held_.erase(found);
    run(*session, std::move(refused), done.status);
    return true;
  }
  std::ranges::find_if(held.values, is_it)->done = std::move(done);
  if (std::ranges::all_of(held.values, [](Values const& values) { return values.done.has_value(); }))
    ready_.push_back(found->first);
  return false;
}

bool StoredCommands::run_if_ready(ConnectionId id) {
  auto const found = held_.find(id);
  Session* const session = sessions_.find(id);
  if (found == held_.end() || session == nullptr) return false;
  Result<Wait> const wait = waits(found->second);
  // The end of that begins the next turn.
  if (wait.ok() && wait.value() == Wait::for_files) ready_.push_back(id);
  if (wait.ok() && wait.value() != Wait::no) return false;
  Status status = wait.status();
  Held held = std::move(found->second);
  held_.erase(found);
  if (status.ok() && held.hash) {
    StoredValue const& value = held.values.front().done->values.front();
    if (*held.hash != std::array{value.extent.hash, value.hash_high})
      status = {Code::damaged, "the value is not what its hash says: it was changed on its way; send it again"};
  }
  run(*session, std::move(held), status);
  return true;
}

// Files are about to be exchanged, or were exchanged since the values were stored: then they are stored again.
Result<StoredCommands::Wait> StoredCommands::waits(Held& held) {
  for (Values const& values : held.values)
    if (engine::HostedTable const* const table = files_.table_of(*values.files); table != nullptr && holds_new(*table))
      return Wait::for_files;
  Wait wait = Wait::no;
  for (Values& values : held.values) {
    if (files_.table_of(*values.files) == nullptr || values.files->staging().is_current(*values.done)) continue;
    if (Status status = values.files->staging().store_again(values.stage); !status.ok()) {
      values.stage = 0;
      return status;
    }
    values.done.reset();
    wait = Wait::for_values;
  }
  return wait;
}

// As if it had come now; its values are durable in their places.
void StoredCommands::run(Session& session, Held held, Status const& status) {
  session.go_on();
  session.account.kept -= held.bytes;
  sessions_.mark_dirty(session);
  if (!session.life.is_ending()) {
    std::swap(session.who, held.who);
    if (status.ok() && !held.is_whole)
      for (Values const& values : held.values)
        for (std::size_t i = 0; i < values.places.size(); ++i)
          held.message.replace(values.places[i].param, Value::of_stored(values.done->values[i]));
    if (held.is_whole) filled_ = &held;
    if (status.ok())
      dispatch_.handle(session, held.message);
    else
      dispatch_.refuse(session, held.message, status);
    filled_ = nullptr;
    std::swap(session.who, held.who);
  }
  drop_values(held);
  if (session.out.end == UnsentOutput::End::gone) return sessions_.gone(session.id);
  sessions_.end_if_wanted(session);
  sessions_.count(session);
}

// Senders whose pieces were written meanwhile.
void StoredCommands::let_go_on() {
  for (auto& [id, held] : held_) {
    if (!held.is_open) continue;
    Session* const session = sessions_.find(id);
    if (session == nullptr || !session->life.is_storing()) continue;
    Values const& values = held.values.front();
    if (values.stage != 0 && values.files->staging().waiting_bytes(values.stage) >= kWaitingBytesMax) continue;
    session->life.waits_for = WaitsFor::nothing;
    session->in.hold_back();
    sessions_.mark_dirty(*session);
  }
}

void StoredCommands::end_late() {
  std::int64_t const now_us = clock_.monotonic_us();
  for (auto& [id, held] : held_) {
    if (!held.is_open || held.ends_us > now_us) continue;
    held.ends_us = INT64_MAX;
    Session* const session = sessions_.find(id);
    if (session == nullptr) continue;
    refuse(*session, held,
           {Code::timed_out, "the value did not come within " + std::string{kContentTimeoutOption} +
                                 " of its table and the time that " + std::string{kContentRateOption} + " gives it"});
    sessions_.end_after_answers(*session);
  }
}

std::int64_t StoredCommands::next_us() const {
  std::int64_t next = INT64_MAX;
  for (auto const& [id, held] : held_)
    if (held.is_open) next = std::min(next, held.ends_us);
  return next;
}

bool StoredCommands::goes_on_alone(Session const& session) const {
  auto const found = held_.find(session.id);
  return found != held_.end() && !found->second.is_open && session.protocol->ends_output();
}

void StoredCommands::session_ended(Session const& session) {
  auto const found = held_.find(session.id);
  if (found == held_.end()) return;
  drop_values(found->second);
  held_.erase(found);
}

}  // namespace fastjournal::server

#include "server/stored_commands.h"

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

}  // namespace

// ---------------------------------------------------------------------------
// Values in a message

ValuesFirst::Ready StoredCommands::prepare(Speaker const& speaker, engine::HostedTable& table, Command const& command,
                                           Message& message, Status& status) {
  wish_.pieces.clear();
  wish_.may_carry = wish_.must = true;
  status = table.can.stores->wish_to_store(command, clock_.now(), wish_);
  if (!status.ok()) return Ready::refused;
  if (wish_.pieces.empty() || (!wish_.must && !speaker.may_store)) return Ready::now;
  storage::ByteFiles& files = *TableFiles::of(table);
  std::uint64_t bytes = 0;
  for (StoreWish::Piece const& piece : wish_.pieces) bytes += piece.bytes.size();
  // Files that are about to be exchanged get no more values that cannot wait.
  if (wish_.may_carry && bytes <= kCarriedBytesMax && !table.can.stores->holds_new()) {
    status = carry(files, wish_, message);
    if (status.ok()) return Ready::now;
    settle();
    // This file system cannot promise the space.
    if (status.code() != Code::not_supported) return Ready::refused;
    status = {};
  }
  if (!speaker.may_store) {
    status = {Code::not_supported,
              std::string{message.command} +
                  ": a value that is stored outside the log needs a connection to the daemon of its own"};
    return Ready::refused;
  }
  status = store(speaker, files, wish_, message);
  return status.ok() ? Ready::later : Ready::refused;
}

Status StoredCommands::carry(storage::ByteFiles& files, StoreWish const& wish, Message& message) {
  for (StoreWish::Piece const& piece : wish.pieces) {
    Result<StoredValue> const value = files.carry(piece.bytes, piece.is_text);
    if (!value.ok()) return value.status();
    carried_.emplace_back(&files, value->extent);
    message.replace(piece.param, Value::of_stored(values_.emplace_back(value.value()), piece.bytes));
  }
  return {};
}

void StoredCommands::settle() {
  for (auto const& [files, extent] : carried_) files->give_back(extent);
  carried_.clear();
  values_.clear();
  wish_.kept.clear();
}

Status StoredCommands::store(Speaker const& speaker, storage::ByteFiles& files, StoreWish const& wish,
                             Message& message) {
  Session* const session = sessions_.find(speaker.connection);
  if (session == nullptr) return {Code::closed, "the connection is gone"};
  Held held{.files = &files, .message = {}, .params = {}, .user = {}, .user_origin = {}, .value = {}, .hash = {}};
  std::vector<storage::ByteFiles::Piece> pieces;
  for (StoreWish::Piece const& piece : wish.pieces) {
    pieces.push_back({piece.bytes, piece.is_text});
    held.params.push_back(piece.param);
    held.bytes += piece.bytes.size();
  }
  bool const gives = gives_input(*session, wish, held.bytes);
  if (gives) held.bytes = session->in.capacity();
  Result<storage::ByteFiles::StageId> const stage = files.store(pieces, gives ? &session->in : nullptr);
  if (!stage.ok()) return stage.status();
  held.stage = stage.value();
  // What is stored is not copied once more.
  for (std::size_t const param : held.params) message.replace(param, Value::of_binary({}));
  wish_.kept.clear();
  message.own();
  held.message = std::move(message);
  message = Message{};  // its arena went with the other one
  hold(*session, std::move(held));
  network_.turn_again();
  return {};
}

// Large values leave with the buffer that they came in, if it has little else: the reader keeps the rest.
bool StoredCommands::gives_input(Session const& session, StoreWish const& wish, std::uint64_t bytes) {
  return bytes >= kGivenBytesMin && bytes >= session.in.size() / 2 && !session.wipes_input &&
         std::ranges::all_of(wish.pieces, [&](auto const& piece) { return session.in.contains(piece.bytes); });
}

void StoredCommands::hold(Session& session, Held held) {
  held.rights = session.rights;
  held.user = session.user;
  held.user_origin = session.user_origin;
  session.stores = true;
  session.kept += held.bytes;
  sessions_.count(session);
  held_.insert_or_assign(session.id, std::move(held));
}

// ---------------------------------------------------------------------------
// Values in pieces

void StoredCommands::begin(Session& session, Message& message, Protocol::Piece const& piece) {
  Held held{.message = {}, .params = {}, .user = {}, .user_origin = {}, .is_open = true, .value = {}, .hash = {}};
  held.value = piece.value;
  held.hash = piece.value_hash;
  message.set(held.value, Value::of_binary({}));
  Result<TableCommands::Content> const accepted = dispatch_.accept_content(session, message, piece.value_bytes);
  Status status = accepted.status();
  if (status.ok()) {
    held.files = TableFiles::of(*accepted->table);
    Result<storage::ByteFiles::StageId> const stage = held.files->begin_value(piece.value_bytes, accepted->bytes_max);
    status = stage.status();
    if (stage.ok()) held.stage = stage.value();
  }
  for (std::size_t i = 0; i < message.params().size(); ++i)
    if (message.params()[i].name == held.value) held.params.push_back(i);
  message.own();
  held.message = std::move(message);
  message = Message{};
  held.rights = session.rights;
  held.user = session.user;
  held.user_origin = session.user_origin;
  if (!status.ok()) {
    refuse(session, held, status);
  } else {
    session.protocol->accepted(session.out);
    sessions_.mark_dirty(session);
    if (std::int64_t const limit_us = content_limit_us(*accepted->table); limit_us > 0)
      held.ends_us = clock_.monotonic_us() + limit_us;
    held.bytes_a_second = accepted->table->declaration->option(kContentRateOption).integer;
  }
  held_.insert_or_assign(session.id, std::move(held));
}

// Its pieces are read and dropped from here on.
void StoredCommands::refuse(Session& session, Held& held, Status const& why) {
  if (held.stage != 0) held.files->drop(std::exchange(held.stage, 0U));
  if (std::exchange(held.is_refused, true)) return;
  dispatch_.refuse(session, held.message, why);
}

void StoredCommands::add(Session& session, std::string_view content) {
  auto const found = held_.find(session.id);
  if (found == held_.end() || found->second.is_refused) return;
  Held& held = found->second;
  if (Status const status = held.files->add(held.stage, content); !status.ok()) return refuse(session, held, status);
  if (held.bytes_a_second > 0 && held.ends_us != INT64_MAX)
    held.ends_us += static_cast<std::int64_t>(content.size()) * 1'000'000 / held.bytes_a_second;
  if (held.files->waiting_bytes(held.stage) < kWaitingBytesMax) return;
  session.stores = true;
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
  if (Status const status = held.files->end_value(held.stage); !status.ok()) {
    held.stage = 0;
    refuse(session, held, status);
    held_.erase(found);
    return;
  }
  held.is_open = false;
  ++session.waiting;
  session.stores = true;
  network_.turn_again();
}

void StoredCommands::give_up(Session& session) {
  auto const found = held_.find(session.id);
  if (found == held_.end()) return;
  if (found->second.stage != 0) found->second.files->drop(found->second.stage);
  held_.erase(found);
}

// ---------------------------------------------------------------------------
// The end of a turn

bool StoredCommands::run_stored() {
  files_.for_each([this](storage::ByteFiles& files) {
    for (storage::ByteFiles::Done& done : files.take_done()) done_.emplace_back(&files, std::move(done));
  });
  bool any = false;
  for (auto& [files, done] : std::exchange(done_, {})) {
    auto const found = std::ranges::find_if(held_, [&, of = files, &stage = done.stage](auto const& one) {
      return one.second.files == of && one.second.stage == stage;
    });
    // Its session has ended.
    if (found == held_.end()) {
      files->drop(done.stage);
      continue;
    }
    Session* const session = sessions_.find(found->first);
    if (session == nullptr || found->second.is_open) {
      any = true;
      // It was refused in the middle: the rest of its value is read and dropped.
      if (session != nullptr) refuse(*session, found->second, done.status);
      continue;
    }
    // What ends that brings the next turn.
    if (done.status.ok() && waits_for_files(*files, done)) continue;
    any = true;
    Held held = std::move(found->second);
    held_.erase(found);
    if (done.status.ok() && held.hash && *held.hash != std::array{done.values[0].extent.hash, done.values[0].hash_high})
      done.status = {Code::damaged, "the value is not what its hash says: it was changed on its way; send it again"};
    if (done.status.ok())
      for (std::size_t i = 0; i < held.params.size(); ++i)
        held.message.replace(held.params[i], Value::of_stored(done.values[i]));
    run(*session, std::move(held), done.status);
    files->drop(done.stage);
  }
  let_go_on();
  end_late();
  return any;
}

// Its files are about to be exchanged, or were exchanged since the value was stored.
bool StoredCommands::waits_for_files(storage::ByteFiles& files, storage::ByteFiles::Done& done) {
  engine::HostedTable const* const table = files_.table_of(files);
  if (table == nullptr) return false;
  if (table->can.stores->holds_new()) {
    done_.emplace_back(&files, std::move(done));
    return true;
  }
  if (files.is_current(done)) return false;
  done.status = files.store_again(done.stage);
  return done.status.ok();
}

// As if it had come now; its values are durable in their places.
void StoredCommands::run(Session& session, Held held, Status const& status) {
  session.stores = false;
  session.held_back = true;  // its input goes on when what it gets is written
  session.kept -= held.bytes;
  if (session.waiting != 0) --session.waiting;
  sessions_.mark_dirty(session);
  if (!session.ending) {
    std::swap(session.rights, held.rights);
    std::swap(session.user, held.user);
    std::swap(session.user_origin, held.user_origin);
    if (status.ok())
      dispatch_.handle(session, held.message);
    else
      dispatch_.refuse(session, held.message, status);
    std::swap(session.rights, held.rights);
    std::swap(session.user, held.user);
    std::swap(session.user_origin, held.user_origin);
  }
  if (session.peer_gone) return sessions_.gone(session.id);
  sessions_.end_if_wanted(session);
  sessions_.count(session);
}

// Senders whose pieces were written meanwhile.
void StoredCommands::let_go_on() {
  for (auto& [id, held] : held_) {
    if (!held.is_open) continue;
    Session* const session = sessions_.find(id);
    if (session == nullptr || !session->stores) continue;
    if (held.stage != 0 && held.files->waiting_bytes(held.stage) >= kWaitingBytesMax) continue;
    session->stores = false;
    session->held_back = true;
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
  if (found->second.stage != 0) found->second.files->drop(found->second.stage);
  held_.erase(found);
}

}  // namespace fastjournal::server

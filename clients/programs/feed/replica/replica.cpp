#include "clients/programs/feed/replica/replica.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/base64.h"
#include "base/bytes.h"
#include "config/fields.h"
#include "engine/digest.h"
#include "log/catalogue.h"

namespace fastjournal::replica {
namespace {

std::uint64_t number_of(Message const& message, std::string_view name) {
  Value const* const value = message.find(name);
  return value == nullptr ? 0 : value->as_unsigned().value_or(0);
}

Status unreadable(std::string_view what) {
  return {Code::invalid, "the daemon's " + std::string{what} + " cannot be read; is it of another version?"};
}

}  // namespace

std::uint64_t Replica::digest() const { return table_ == nullptr ? 0 : engine::digest_of(*table_, name_); }

void Replica::begin_again() {
  phase_ = Phase::empty;
  table_.reset();
  can_ = {};
  store_.clear();
  number_ = 0;
  next_ = heard_ = {};
  look_ = more_ = page_waits_ = false;
  place_ = page_place_ = {};
  page_.clear();
}

void Replica::abandon() {
  if (request_ == Request::page) page_.clear();
  request_ = Request::none;
}

// ---------------------------------------------------------------------------
// Datagrams

void Replica::take_datagram(std::string_view bytes) {
  if (!protocol::read_feed(bytes, datagram_) || datagram_.head.name != name_) {
    ++counters_.foreign;
    return;
  }
  ++counters_.datagrams;
  if (phase_ != Phase::following) return;  // included in a page or range
  char store[17];
  std::snprintf(store, sizeof store, "%016llx", static_cast<unsigned long long>(datagram_.head.store_id));
  if (store_ != store || number_ != static_cast<std::uint32_t>(datagram_.head.table)) {
    look_ = true;  // perhaps another table has this name now: ask the daemon
    return;
  }
  Lsn const previous = datagram_.head.previous;
  Lsn const last = datagram_.records.empty() ? previous : datagram_.records.back().view.lsn;
  if (last < next_) {
    counters_.duplicates += datagram_.records.size();
    return;
  }
  if (previous >= next_ || (previous.is_none() && !datagram_.records.empty())) {
    if (heard_ < next_) ++counters_.gaps;
    heard_ = std::max(heard_, last);
    return;
  }
  for (protocol::FeedDatagram::Record const& record : datagram_.records) {
    heard_ = std::max(heard_, record.view.lsn);
    if (record.announced && record.view.lsn >= next_) return;
    apply_following(record.view);
    if (phase_ != Phase::following) return;
  }
}

void Replica::apply_following(RecordView const& record) {
  if (record.lsn < next_) {
    ++counters_.duplicates;
    return;
  }
  if (!apply(record)) {
    ++counters_.damaged;
    begin_again();
    return;
  }
  next_ = Lsn{record.lsn.value + 1};
}

// ---------------------------------------------------------------------------
// Asking

bool Replica::next_request(Message& out) {
  if (request_ != Request::none) return false;
  bool const behind = look_ || more_ || heard_ >= next_;
  if (phase_ == Phase::following && !behind) return false;
  std::string const cursor = place_.text();
  out.clear();
  out.command = "FETCH";
  out.set("table", name_);
  if (phase_ == Phase::following || page_waits_) {
    request_ = Request::range;
    ++counters_.fetches;
    look_ = false;
    out.set("from", Value::of_unsigned(next_.value));
    if (page_waits_) out.set("to", Value::of_unsigned(page_lsn_.value));
  } else {
    request_ = Request::page;
    if (phase_ == Phase::empty) ++counters_.snapshots;
    out.set("snapshot", Value::of_unsigned(1));
    if (phase_ == Phase::snapshot) out.set("cursor", cursor);
  }
  out.own();
  return true;
}

Status Replica::take_answer(Message const& message) {
  if (message.command == "RECORD") return take_record(message);
  if (message.command == "FETCHED") return end_of_page(message);
  if (message.command == "GONE") {
    request_ = Request::none;
    begin_again();
    return {};
  }
  request_ = Request::none;
  Code const code = code_of_wire_name(message.text("code")).value_or(Code::invalid);
  return {code, std::string{message.text("message")}};
}

Status Replica::take_record(Message const& message) {
  Value const* const body = message.find("body");
  if (body == nullptr) return unreadable("RECORD");
  if (body->kind == Value::Kind::binary)
    body_.assign(body->bytes);
  else if (!decode_base64(body->bytes, body_))
    return unreadable("RECORD");
  RecordView record;
  bool const of_catalogue = message.has("catalogue");
  record.table = of_catalogue ? TableId::catalogue : TableId{static_cast<std::uint32_t>(number_)};
  record.type = static_cast<std::uint8_t>(number_of(message, "type"));
  record.version = static_cast<std::uint8_t>(number_of(message, "version"));
  record.lsn = Lsn{number_of(message, "lsn")};
  record.object = ObjectId{number_of(message, "object")};
  record.body = as_bytes(body_);
  if (request_ == Request::page) {
    page_.push_back({record, of_catalogue, body_});
  } else if (request_ == Request::range && phase_ == Phase::following) {
    apply_following(record);
  } else if (request_ == Request::range && page_waits_ && record.lsn >= next_ && record.lsn < page_lsn_) {
    if (!apply(record)) {
      ++counters_.damaged;
      begin_again();
    } else {
      next_ = Lsn{record.lsn.value + 1};
    }
  }
  return {};
}

// False: the name belongs to another table or another log now.
bool Replica::is_same_table(Message const& message) {
  std::string const store{message.text("store")};
  std::uint64_t const number = number_of(message, "number");
  if (store_.empty()) {
    store_ = store;
    number_ = number;
    type_ = message.text("type");
  }
  feed_address_ = message.text("feed");
  return store_ == store && number_ == number;
}

Status Replica::end_of_page(Message const& message) {
  Request const request = std::exchange(request_, Request::none);
  if (!is_same_table(message)) {
    begin_again();
    return {};
  }
  Lsn const next{number_of(message, "next")};
  more_ = number_of(message, "more") == 1;
  if (request == Request::range) {
    if (phase_ == Phase::empty) return {};  // a record of it did not fit
    next_ = std::max(next_, next);
    if (page_waits_ && !more_) return apply_page();
    return {};
  }
  page_lsn_ = next;
  page_place_ = {};
  page_place_.cursor.complete = true;
  if (more_) {
    std::optional<feed::SnapshotPlace> const place = feed::SnapshotPlace::read(message.text("cursor"));
    if (!place) return unreadable("FETCHED");
    page_place_ = *place;
  }
  more_ = false;
  page_waits_ = true;
  if (phase_ == Phase::empty || next_ == page_lsn_) return apply_page();
  return {};
}

// ---------------------------------------------------------------------------
// Applying

Status Replica::apply_page() {
  NoObserver nobody;
  for (Held& held : page_) {
    held.view.lsn = page_lsn_;  // above the LSN of every record that it sums up
    held.view.body = as_bytes(held.body);
    // The records of the first page arrive before the table's number is known.
    held.view.table = held.of_catalogue ? TableId::catalogue : TableId{static_cast<std::uint32_t>(number_)};
    ++counters_.records;
    if (held.of_catalogue) {
      if (Status status = state_schema(held.view); !status.ok()) return status;
    } else if (table_ == nullptr || !table_->apply(held.view, ApplyContext{}, nobody)) {
      return {Code::damaged, "table " + name_ + ": a restated record of type " + std::to_string(held.view.type) +
                                 " cannot be applied; are daemon and plugin of one version?"};
    }
    if (on_record_) on_record_(held.view, true);
  }
  page_.clear();
  page_waits_ = false;
  next_ = page_lsn_;
  place_ = page_place_;
  phase_ = place_.cursor.complete ? Phase::following : Phase::snapshot;
  // Records received during the last page were not checked.
  look_ = phase_ == Phase::following;
  return {};
}

bool Replica::apply(RecordView const& record) {
  NoObserver nobody;
  if (table_ == nullptr) return false;
  bool applied = false;
  if (record.table == TableId::catalogue)
    applied = state_schema(record).ok();
  else if (phase_ == Phase::following)
    applied = table_->apply(record, ApplyContext{}, nobody);
  else
    applied = can_.followed->apply_to_part(place_.cursor, record, nobody);
  if (!applied) return false;
  ++counters_.records;
  if (on_record_) on_record_(record, false);
  return true;
}

Status Replica::state_schema(RecordView const& record) {
  Result<Schema> const schema = log::Catalogue::read_schema(record);
  if (!schema.ok()) return schema.status();
  if (table_ == nullptr)
    if (Status status = create(schema.value()); !status.ok()) return status;
  if (can_.columns != nullptr) can_.columns->add_schema(schema.value());
  return {};
}

// Options only affect decisions, and a replica makes none.
Status Replica::create(Schema const& schema) {
  auto const type = types_.find(type_);
  if (type == types_.end())
    return {Code::not_found, "table " + name_ + " is of type " + type_ + ", and no plugin of that type is here"};
  auto declaration = std::make_shared<TableDeclaration>();
  declaration->name = name_;
  declaration->type = type_;
  declaration->schema = schema;
  for (OptionDeclaration const& option : type->second->declaration()->options) {
    OptionValue value;
    value.name = option.name;
    value.text = option.default_text;
    value.integer = config::parse_option(option, option.default_text).value();
    declaration->options.push_back(std::move(value));
  }
  Result<std::unique_ptr<Table>> made =
      type->second->make({.id = TableId{static_cast<std::uint32_t>(number_)}, .hash_seed = hash_seed_}, declaration);
  if (!made.ok()) return made.status();
  table_ = std::move(made).value();
  can_ = table_->capabilities();
  if (can_.followed == nullptr)
    return {Code::not_supported, "table " + name_ + " is of type " + type_ + ", which cannot be followed"};
  return {};
}

}  // namespace fastjournal::replica

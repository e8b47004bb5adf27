// FETCH: records of a table, or all its rows, for a follower: after a loss of datagrams, and at its beginning.
//
// Everything is synced before it is sent, leases included: a follower must never know more than the daemon after a
// power cut.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "engine/feed/snapshot.h"
#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

// Stated by snapshots in one turn: some 100 us of work.
constexpr std::size_t kSnapshotBytes = 128U << 10U;

// Puts the records into an answer instead of a log.
class Page final : public Records {
 public:
  Records::Place append(std::uint8_t type, std::uint8_t version, ObjectId object, std::size_t body_bytes) override {
    records_.push_back({type, version, object, std::vector<std::byte>(body_bytes)});
    return {kNoLsn, records_.back().body};
  }
  // As RECORD messages of `table`; returns how many bytes of bodies.
  std::size_t tell(std::string_view table, bool catalogue, Answer& answer) {
    std::size_t bytes = 0;
    for (Stated const& record : records_) {
      answer.message("RECORD").add("table", table).add("object", record.object.value);
      answer.add("type", std::uint64_t{record.type}).add("version", std::uint64_t{record.version});
      if (catalogue) answer.add("catalogue", std::uint64_t{1});
      answer.add_binary("body", as_text(record.body));
      bytes += record.body.size();
    }
    records_.clear();
    return bytes;
  }

 private:
  struct Stated {
    std::uint8_t type;
    std::uint8_t version;
    ObjectId object;
    std::vector<std::byte> body;
  };
  std::vector<Stated> records_;
};

void tell_gone(engine::HostedTable const& table, std::string_view why, Answer& answer) {
  answer.message("GONE").add("table", std::string_view{table.name});
  answer.add("kept_from", table.feed->kept_from().value).add("reason", why);
}

// The end of every page.
void end_page(engine::HostedTable const& table, bool more, Answer& answer) {
  FeedDeclaration const& feed = *table.declaration->feed;
  answer.message("FETCHED").add("table", std::string_view{table.name});
  answer.add("number", std::uint64_t{static_cast<std::uint32_t>(table.id)});
  answer.add("type", std::string_view{table.type->name()});
  answer.add("store", std::string_view{engine::digest_text(table.log->log->store_id())});
  answer.add("more", std::uint64_t{more ? 1U : 0U}).add("feed", std::string_view{feed.address});
}

void fetch_range(engine::HostedTable const& table, Lsn from, Lsn to, std::uint64_t count, std::uint64_t bytes_max,
                 Answer& answer) {
  feed::Feed const& feed = *table.feed;
  if (from < feed.kept_from()) return tell_gone(table, "the records from there on are not kept any more", answer);
  auto at = feed.find(from);
  std::size_t bytes = 0;
  for (; at != feed.entries().end() && at->lsn < to && count > 0 && bytes < bytes_max; ++at, --count) {
    answer.message("RECORD").add("table", std::string_view{table.name}).add("lsn", at->lsn.value);
    answer.add("previous", at->previous.value).add("object", at->object.value);
    answer.add("type", std::uint64_t{at->type}).add("version", std::uint64_t{at->version});
    if (at->table == TableId::catalogue) answer.add("catalogue", std::uint64_t{1});
    answer.add_binary("body", at->body);
    bytes += at->body.size();
  }
  bool const more = at != feed.entries().end() && at->lsn < to;
  end_page(table, more, answer);
  // Complete up to there.
  answer.add("next", more ? at->lsn.value : to.value);
}

Status fetch_snapshot(engine::HostedTable const& table, std::string_view cursor, std::size_t bytes_max,
                      Answer& answer) {
  std::uint32_t const start = table.log->log->start();
  std::optional<feed::SnapshotPlace> const begun =
      cursor.empty() ? feed::SnapshotPlace{start, 0, {}} : feed::SnapshotPlace::read(cursor);
  if (!begun) return bad_parameter("cursor", "cursor: expected what the page before it told as cursor");
  feed::SnapshotPlace place = *begun;
  if (place.start != start) {
    tell_gone(table, "the daemon was started anew since the first page", answer);
    return {};
  }
  Page page;
  std::size_t bytes = 0;
  auto const& schemas = table.log->catalogue.find(table.id)->schemas;
  if (place.schema <= UINT16_MAX) {
    auto at = schemas.lower_bound(static_cast<std::uint16_t>(place.schema));
    for (; at != schemas.end() && bytes < bytes_max; ++at) {
      log::Catalogue::append_schema(page, at->second.object, table.id, at->second.schema);
      bytes += page.tell(table.name, true, answer);
    }
    place.schema = at == schemas.end() ? UINT16_MAX + 1U : at->first;
  }
  if (place.schema > UINT16_MAX && bytes < bytes_max) {
    table.can.followed->snapshot(place.cursor, bytes_max - bytes, page);
    page.tell(table.name, false, answer);
  }
  end_page(table, !place.cursor.complete, answer);
  answer.add("snapshot", std::uint64_t{1}).add("next", table.log->log->end_lsn().value);
  if (!place.cursor.complete) answer.add("cursor", std::string_view{place.text()});
  return {};
}

}  // namespace

Command make_fetch(engine::Engine& engine) {
  return {on_table(engine, [](engine::HostedTable& table, Request const& request) -> Outcome {
    Message const& message = request.message;
    if (table.feed == nullptr)
      return Status{Code::not_supported,
                    "table " + table.name + " has no <feed>: nothing is kept for those who follow it"};
    bool const is_snapshot = request.number("snapshot") == 1;
    if (is_snapshot == message.has("from"))
      return Status{Code::missing_parameter, "FETCH needs either from, an LSN, or snapshot=1"}.with("parameter",
                                                                                                    "from");
    std::uint64_t const bytes = request.number("bytes");
    // Requests beyond the end are from followers of another log of this name: the answer has the store.
    std::uint64_t const end = table.log->log->end_lsn().value;
    std::uint64_t const to = message.has("to") ? std::min(request.number("to"), end) : end;
    table.log->log->want_sync();
    if (is_snapshot)
      return fetch_snapshot(table, message.text("cursor"), std::min<std::size_t>(bytes, kSnapshotBytes),
                            request.answer);
    fetch_range(table, Lsn{request.number("from")}, Lsn{to}, request.number("count"), bytes, request.answer);
    return {};
  })};
}

}  // namespace fastjournal::admin

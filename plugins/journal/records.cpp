#include "plugins/journal/records.h"

#include "base/bytes.h"
#include "plugins/rows/body.h"

namespace fastjournal::journal {
namespace {

constexpr std::uint8_t kStandingMask = 3;
constexpr std::uint8_t kByFailures = 4;

rows::BodyHead pause_head(PauseBody const& body) {
  rows::BodyHead head;
  head.byte(static_cast<std::uint8_t>(static_cast<std::uint8_t>(body.standing) | (body.by_failures ? kByFailures : 0)));
  head.six(body.since).text(body.by);
  return head;
}

}  // namespace

Lsn append_pause(Records& records, ObjectId pause, PauseBody const& body) {
  return rows::append_body(records, static_cast<std::uint8_t>(RecordType::pause), 1, pause, pause_head(body),
                           body.reason);
}

Lsn append_resume(Records& records, ObjectId pause) {
  return rows::append_body(records, static_cast<std::uint8_t>(RecordType::resume), 1, pause, rows::BodyHead{});
}

void write_pause(std::string& out, Pause const& pause) {
  append_little(out, pause.id.value);
  out.append(pause_head(body_of(pause)).view()).append(pause.reason);
}

PauseBody body_of(Pause const& pause) {
  return {pause.standing, pause.by_failures, pause.since, pause.by, pause.reason};
}

std::uint64_t pause_record_bytes(Pause const& pause) {
  return pause.id.is_none() ? 0 : 64U + pause.by.size() + pause.reason.size();
}

bool read_pause(std::string_view bytes, PauseBody& body) {
  rows::BodyReader tail{bytes};
  std::uint8_t const flags = tail.byte();
  body.standing = static_cast<Standing>(flags & kStandingMask);
  body.by_failures = (flags & kByFailures) != 0;
  body.since = tail.six();
  body.by = tail.text();
  body.reason = tail.rest();
  return tail.finished() && flags <= (kStandingMask | kByFailures) &&
         (body.standing == Standing::paused || body.standing == Standing::draining);
}

}  // namespace fastjournal::journal

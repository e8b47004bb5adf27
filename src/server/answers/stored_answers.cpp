#include "server/answers/stored_answers.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "server/admin/command.h"

namespace fastjournal::server {

bool StoredAnswers::answer(Session& session, Message const& command, Answer& answer, log::Log const* log) {
  for (std::size_t i = 0; i < answer.params().size(); ++i) {
    Value const& value = answer.params()[i].value;
    if (!value.outside || admin::shared_text_of(*value.stored) == nullptr) continue;
    send_shared(session, command, answer, log, i);
    return true;
  }
  return wait(session, false, command, answer, log);
}

bool StoredAnswers::push(Session& session, Answer& messages, log::Log const* log) {
  return wait(session, true, Message{}, messages, log);
}

// "OFFSET LENGTH PATH"
void StoredAnswers::tell_place(Answer& answer, std::size_t param) {
  StoredValue const& value = *answer.params()[param].value.stored;
  std::string const text = std::to_string(value.extent.begin) + " " + std::to_string(value.extent.size()) + " " +
                           files_.path_of(TableFiles::of(value), value.extent.file);
  answer.replace(param, Value::of_text(answer.keep(text)));
}

bool StoredAnswers::wait(Session& session, bool is_push, Message const& command, Answer& answer, log::Log const* log) {
  std::vector<std::size_t> params;
  std::vector<Extent> extents;
  std::uint64_t bytes = 0;
  storage::ByteFiles* files = nullptr;
  storage::FilePtr descriptor;
  for (std::size_t i = 0; i < answer.params().size(); ++i) {
    Value const& value = answer.params()[i].value;
    if (!value.outside) continue;
    if (value.stored->as == StoredValue::As::place) {
      tell_place(answer, i);
      continue;
    }
    files = &TableFiles::of(*value.stored);  // an answer is of one table
    if (value.stored->as == StoredValue::As::descriptor) {
      descriptor = files->file(value.stored->extent.file);
      answer.replace(i, Value::of_unsigned(value.stored->extent.file));
      continue;
    }
    params.push_back(i);
    extents.push_back(value.stored->extent);
    bytes += extents.back().size();
  }
  if (params.empty()) {
    attach(session, std::move(descriptor));
    return false;
  }
  if (!is_push && params.size() == 1 && descriptor == nullptr && session.protocol->sends_stored()) {
    send(session, command, answer, log, *files, extents.front());
    return true;
  }
  if (!is_push && bytes > kBroughtBytesMax) {
    Status const status{Code::too_large, "the answer would have values of " + std::to_string(bytes) +
                                             " bytes; at most " + std::to_string(kBroughtBytesMax) +
                                             " are brought at once: ask for parts, or read them from their file"};
    answer.clear();
    replies_.reply_whole(session, command, answer, {status, {.log = log}});
    return true;
  }
  Waiting waiting{.connection = session.id,
                  .is_push = is_push,
                  .command = {},
                  .answer = {},
                  .log = log,
                  .params = std::move(params),
                  .descriptor = std::move(descriptor),
                  .bytes = bytes};
  // Names may be those of a table that is changed meanwhile.
  answer.keep_names();
  waiting.answer = std::move(answer);
  answer = Answer{};
  if (!is_push) {
    keep_for_answer(command, waiting.command);
    ++session.life.fetches;
    ++session.life.waiting;
  }
  session.account.kept += bytes;
  sessions_.count(session);
  waiting_.emplace(std::pair{files, files->readings().fetch(extents)}, std::move(waiting));
  network_.turn_again();
  return true;
}

void StoredAnswers::send(Session& session, Message const& command, Answer& answer, log::Log const* log,
                         storage::ByteFiles& files, Extent const& extent) {
  engine::Basis const basis{.log = log};
  storage::Readings::Reading reading = files.readings().read_in_place(extent);
  if (reading.file == nullptr) {
    answer.clear();
    Status status{Code::damaged, files.path_of(extent.file) + ": the file is gone"};
    return replies_.reply_whole(session, command, answer, {std::move(status), basis});
  }
  replies_.reply_whole(session, command, answer, {{}, basis});
  Protocol::Part const part = session.protocol->stored_part();
  if (session.account.lost || part.bytes == 0) return files.readings().finish(reading.number);
  FJ_CHECK(part.offset <= extent.size() && part.bytes <= extent.size() - part.offset, "a part of the value");
  FileBytes bytes{.at = session.out.written(),
                  .file = std::move(reading.file),
                  .offset = extent.begin + part.offset,
                  .left = part.bytes,
                  .owner = &files.readings(),
                  .reading = reading.number};
  bytes.file->expect(bytes.offset, std::min<std::uint64_t>(bytes.left, env::kSendFileBytesMax));
  session.out.file_bytes += bytes.left;
  session.out.files.push_back(std::move(bytes));
  // One that ends with this answer is watched again.
  sessions_.heard(session);
  sessions_.count(session);
}

// Those who speak a protocol that cannot send it in this way get it as any other value.
void StoredAnswers::send_shared(Session& session, Message const& command, Answer& answer, log::Log const* log,
                                std::size_t text) {
  StoredValue const& value = *answer.params()[text].value.stored;
  admin::SharedText const& shared = *admin::shared_text_of(value);
  bool const is_sent = session.protocol->sends_stored();
  if (!is_sent) answer.replace(text, Value::of_text(*shared));
  replies_.reply_whole(session, command, answer, {{}, {.log = log}});
  if (!is_sent) return;
  Protocol::Part const part = session.protocol->stored_part();
  if (session.account.lost || part.bytes == 0) return;
  FJ_CHECK(part.offset <= shared->size() && part.bytes <= shared->size() - part.offset, "a part of the text");
  session.out.file_bytes += part.bytes;
  session.out.files.push_back({.at = session.out.written(), .text = shared, .offset = part.offset, .left = part.bytes});
  sessions_.heard(session);
  sessions_.count(session);
}

// With the first byte of what is written next.
void StoredAnswers::attach(Session& session, storage::FilePtr file) {
  if (file != nullptr) session.out.attachments.push_back({session.out.written(), std::move(file)});
}

bool StoredAnswers::tell_fetched(StoredCommands& commands) {
  bool any = false;
  files_.for_each_touched([&](storage::ByteFiles& files) {
    for (storage::Readings::Fetched& fetched : files.readings().take_fetched()) {
      auto const found = waiting_.find({&files, fetched.fetch});
      any = true;
      if (found == waiting_.end()) {
        commands.tell_fetched(files, fetched);
        continue;
      }
      Waiting waiting = std::move(found->second);
      waiting_.erase(found);
      tell(waiting, fetched);
    }
  });
  return any;
}

void StoredAnswers::tell(Waiting& waiting, storage::Readings::Fetched& fetched) {
  Session* const session = sessions_.find(waiting.connection);
  if (session == nullptr) return;
  session->account.kept -= waiting.bytes;
  for (std::size_t i = 0; i < waiting.params.size(); ++i) {
    bool const is_text = waiting.answer.params()[waiting.params[i]].value.stored->is_text;
    std::string_view const bytes = fetched.values[i];
    waiting.answer.replace(waiting.params[i], is_text ? Value::of_text(bytes) : Value::of_binary(bytes));
  }
  if (waiting.is_push) {
    // A value that cannot be read is not announced: its lease ends, and the alert says why.
    if (fetched.status.ok()) replies_.push_whole(*session, waiting.answer, {.log = waiting.log});
    return;
  }
  --session->life.fetches;
  session->life.answered();
  session->in.hold_back();
  if (!fetched.status.ok()) waiting.answer.clear();
  if (fetched.status.ok()) attach(*session, std::move(waiting.descriptor));
  replies_.reply_whole(*session, waiting.command, waiting.answer, {fetched.status, {.log = waiting.log}});
  sessions_.end_if_wanted(*session);
  sessions_.count(*session);
}

}  // namespace fastjournal::server

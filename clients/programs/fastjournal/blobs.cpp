#include "clients/programs/fastjournal/blobs.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/hash.h"
#include "clients/cpp/blob.h"
#include "clients/cpp/key_text.h"
#include "clients/cpp/secret_file.h"
#include "clients/programs/fastjournal/blob_input.h"
#include "clients/programs/fastjournal/blob_maintenance.h"
#include "clients/programs/fastjournal/blob_output.h"
#include "clients/programs/fastjournal/blob_reader.h"
#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/progress.h"
#include "clients/programs/fastjournal/rows.h"
#include "wire/bcdb/key.h"

namespace fastjournal::cli {

namespace {

constexpr std::uint64_t kBlobsPageMax = 1000;
constexpr std::uint64_t kBlobsShown = 100;  // for people
// Of `frame-bytes` in a daemon's <limits>.
constexpr std::uint64_t kMessageBytesMax = 64U << 20U;
// As often as a blob is replaced while it is read, another attempt is made.
constexpr int kTriesMax = 3;

constexpr std::string_view kPortAdvice =
    "--port sends a blob of any size: the address of a listener of the table with protocol=\"blobwrite\"; or raise "
    "`frame-bytes` in the daemon's <limits> (64MiB at most), with --text `line-bytes`";

bool is_absent(Message const& blob) { return blob.text("result") == "absent"; }

class BlobRunner {
 public:
  BlobRunner(Invocation const& invocation, Console& console, client::Connection& connection)
      : one_(invocation),
        blob_(invocation.blob),
        console_(console),
        connection_(connection),
        reader_(connection, one_.table) {}

  ExitCode put();
  ExitCode get();
  ExitCode ls();
  ExitCode stat();
  ExitCode omit();
  ExitCode check();

 private:
  ExitCode complain(Status const& status) { return cli::complain(one_, console_, status); }
  [[nodiscard]] BlobKey key() const { return {blob_.key, blob_.is_hash}; }
  ExitCode show_missing();
  Status write_all(BlobEntry const& entry, BlobOutput& out);
  void show(std::vector<Message> const& blobs);

  struct Checked {
    std::uint64_t blobs{0};
    std::uint64_t bytes{0};
    std::uint64_t damaged{0};
  };
  // not_found: it is gone. damaged, io_error: it is not what was stored.
  Status check_one(BlobEntry entry);
  void show_damage(BlobEntry const& entry, Status const& why);

  Invocation const& one_;
  BlobOptions const& blob_;
  Console& console_;
  client::Connection& connection_;
  BlobReader reader_;
};

ExitCode BlobRunner::show_missing() {
  if (!one_.json) console_.err << "no blob under " << printable(blob_.key) << '\n';
  return ExitCode::nothing;
}

// ---------------------------------------------------------------------------
// Storing

void say_stored(Invocation const& one, Console& console, Message const& stored, std::uint64_t bytes) {
  if (one.json)
    console.out << render_json(stored);
  else
    console.out << fmt::format("stored {}: {} bytes\n", printable(one.blob.key), bytes);
}

std::string input_of(Invocation const& one) { return one.file.empty() ? "-" : one.file; }

ExitCode BlobRunner::put() {
  Result<BlobInput> const input = BlobInput::open(input_of(one_), console_.in);
  if (!input.ok() && input.status().code() == Code::bad_parameter)
    return misuse(one_, console_, input.status().message());
  if (!input.ok()) return complain(input.status());
  std::string_view const bytes = input->bytes();
  if (bytes.size() > kMessageBytesMax) {
    tell(one_, console_,
         {Code::too_large, fmt::format("the blob has {} bytes; a message takes {} at most, and by default 33554432",
                                       bytes.size(), kMessageBytesMax)},
         {}, kPortAdvice);
    return ExitCode::refused;
  }
  Hash128 const hash = hash128(bytes);
  Message command("PUT");
  command.set("table", one_.table);
  key().set_in(command);
  std::string const content_hash = fmt::format("{:016x}{:016x}", hash.high, hash.low);
  command.set("content_hash", content_hash);
  command.set("data", Value::of_binary(bytes));
  Result<client::Reply> const reply = connection_.call_numbered(command);
  if (reply.ok()) {
    say_stored(one_, console_, reply->first(), bytes.size());
    return ExitCode::ok;
  }
  // Of the table's own limit the sentence says all.
  bool const is_of_message =
      reply.status().code() == Code::too_large &&
      std::ranges::none_of(reply.status().facts(), [](auto const& fact) { return fact.first == "parameter"; });
  if (!is_of_message) return complain(reply.status());
  tell(one_, console_, reply.status(), {}, kPortAdvice);
  return ExitCode::refused;
}

// ---------------------------------------------------------------------------
// Reading

Status BlobRunner::write_all(BlobEntry const& entry, BlobOutput& out) {
  bool const is_part = blob_.offset || blob_.length;
  // Of a part nothing tells whether the file is the right one.
  if (!is_part)
    if (std::optional<client::BlobView> const view = reader_.read_here(entry)) return out.write(view->bytes());
  return reader_.bring(key(), entry, blob_.offset.value_or(0), blob_.length.value_or(UINT64_MAX),
                       [&](std::string_view bytes) { return out.write(bytes); });
}

ExitCode BlobRunner::get() {
  BlobOutput out(console_, blob_.output);
  for (int i = 1;; ++i) {
    Result<Message> const blob = reader_.ask(key());
    if (!blob.ok()) return complain(blob.status());
    if (is_absent(blob.value())) return show_missing();
    // Not before there is a blob: nothing of a file is to appear without one.
    Status status = i == 1 ? out.open() : Status{};
    if (status.ok()) status = write_all(BlobEntry::of(blob.value()), out);
    if (status.code() == Code::not_found && i < kTriesMax && out.begin_again()) continue;
    if (status.ok()) status = out.finish();
    if (status.code() == Code::damaged) {
      tell(one_, console_, status, {}, "`fastjournal blob check` tells which others are; put the blob again");
      return ExitCode::damaged;
    }
    if (status.code() == Code::not_found) {
      tell(one_, console_, status, {}, "get it again");
      return ExitCode::refused;
    }
    if (!status.ok()) return complain(status);
    if (one_.json)
      console_.out << render_json(blob.value());
    else if (!blob_.output.empty())
      console_.out << fmt::format("{}: {} bytes\n", printable(blob_.output), out.size());
    return ExitCode::ok;
  }
}

// For people.
void make_readable(Message& blob, Look const& look) {
  for (std::string_view const name : {"table", "result", "newer"}) blob.erase(name);
  if (auto const seconds = blob.integer("entry_time"))
    blob.set("entry_time", blob.arena().copy(date_text(*seconds * 1000, look)));
}

void BlobRunner::show(std::vector<Message> const& blobs) {
  if (!one_.json) {
    console_.out << render_table(blobs, console_.look);
    return;
  }
  for (Message const& blob : blobs) console_.out << render_json(blob);
}

ExitCode BlobRunner::ls() {
  std::uint64_t wanted = one_.count.value_or(one_.json ? UINT64_MAX : kBlobsShown);
  std::vector<Message> blobs;
  std::string after = one_.after;
  bool more = true;
  bool is_empty = true;
  while (more && wanted > 0) {
    Message command("LIST");
    command.set("table", one_.table);
    command.set("count", Value::of_unsigned(std::min(wanted, kBlobsPageMax)));
    if (!after.empty()) command.set("after", after);
    Result<client::Reply> reply = connection_.call(command);
    if (!reply.ok()) return complain(reply.status());
    after = cursor_of(reply->messages.back(), after);
    more = !after.empty();
    for (Message& blob : reply->messages) {
      if (blob.command != "BLOB") continue;
      is_empty = false;
      --wanted;
      if (!one_.json) make_readable(blob, console_.look);
      blobs.push_back(std::move(blob));
    }
    if (!one_.json) continue;
    show(blobs);
    blobs.clear();
  }
  if (one_.json) return ExitCode::ok;
  show(blobs);
  if (more) console_.err << "there may be more: --count, or --after " << after << '\n';
  if (is_empty && !more)
    console_.err << "table " << one_.table << (one_.after.empty() ? " has no blobs\n" : " has no more blobs\n");
  return ExitCode::ok;
}

ExitCode BlobRunner::stat() {
  if (blob_.key.empty()) {
    Result<client::Reply> const reply = connection_.call("STATS", {{"table", Value::of_text(one_.table)}});
    if (!reply.ok()) return complain(reply.status());
    console_.out << (one_.json ? render_json(reply->first()) : render_sheet(reply->first(), console_.look));
    return ExitCode::ok;
  }
  Result<Message> blob = reader_.ask(key());
  if (!blob.ok()) return complain(blob.status());
  if (is_absent(blob.value())) return show_missing();
  if (!one_.json) make_readable(blob.value(), console_.look);
  console_.out << (one_.json ? render_json(blob.value()) : render_sheet(blob.value(), console_.look));
  return ExitCode::ok;
}

ExitCode BlobRunner::omit() {
  Message command("OMIT");
  command.set("table", one_.table);
  key().set_in(command);
  Result<client::Reply> const reply = connection_.call(command);
  if (!reply.ok()) return complain(reply.status());
  if (is_absent(reply->first())) return show_missing();
  if (one_.json)
    console_.out << render_json(reply->first());
  else
    console_.out << "the next maintenance leaves out " << printable(blob_.key) << '\n';
  return ExitCode::ok;
}

// ---------------------------------------------------------------------------
// Checking

Status BlobRunner::check_one(BlobEntry entry) {
  Status why;
  for (int i = 1; i <= kTriesMax; ++i) {
    if (reader_.read_here(entry)) return {};
    why = reader_.bring({entry.hash, true}, entry, 0, UINT64_MAX, [](std::string_view) { return Status{}; });
    if (why.code() != Code::not_found && why.code() != Code::damaged && why.code() != Code::io_error) return why;
    Result<Message> const now = reader_.ask({entry.hash, true});
    if (!now.ok()) return now.status();
    if (is_absent(now.value())) return {Code::not_found, "the blob is gone"};
    BlobEntry next = BlobEntry::of(now.value());
    // The same bytes, read twice: it stays so.
    if (next.is_same_place(entry) && why.code() != Code::not_found) return why;
    entry = std::move(next);
  }
  return why;
}

void BlobRunner::show_damage(BlobEntry const& entry, Status const& why) {
  if (!one_.json) {
    console_.out << fmt::format("{} is damaged: file {}, {} bytes at offset {}: {}\n", entry.hash, entry.file,
                                entry.size(), entry.begin, printable(why.message()));
    return;
  }
  Message out("BLOB");
  out.set("table", one_.table);
  out.set("hash", entry.hash);
  out.set("result", "damaged");
  out.set("file", Value::of_unsigned(entry.file));
  out.set("begin", Value::of_unsigned(entry.begin));
  out.set("end", Value::of_unsigned(entry.end));
  out.set("reason", why.message());
  console_.out << render_json(out);
}

ExitCode BlobRunner::check() {
  Checked all;
  StatusLine line(console_);
  for (std::string after;;) {
    Message command("LIST");
    command.set("table", one_.table);
    command.set("count", Value::of_unsigned(kBlobsPageMax));
    if (!after.empty()) command.set("after", after);
    Result<client::Reply> const reply = connection_.call(command);
    if (!reply.ok()) return complain(reply.status());
    for (Message const& blob : reply->messages) {
      if (blob.command != "BLOB") continue;
      BlobEntry const entry = BlobEntry::of(blob);
      Status const status = check_one(entry);
      bool const is_damaged = status.code() == Code::damaged || status.code() == Code::io_error;
      if (!status.ok() && !is_damaged && status.code() != Code::not_found) return complain(status);
      if (is_damaged) {
        line.clear();
        show_damage(entry, status);
        ++all.damaged;
      }
      ++all.blobs;
      all.bytes += entry.size();
      line.show(fmt::format("{}: {} blobs, {} MiB", one_.table, all.blobs, all.bytes >> 20U));
    }
    after = cursor_of(reply->messages.back(), after);
    if (after.empty()) break;
  }
  line.clear();
  if (one_.json) {
    Message out("CHECKED");
    out.set("table", one_.table);
    out.set("blobs", Value::of_unsigned(all.blobs));
    out.set("bytes", Value::of_unsigned(all.bytes));
    out.set("damaged", Value::of_unsigned(all.damaged));
    console_.out << render_json(out);
  } else {
    console_.out << fmt::format("{} blobs, {} bytes: {}\n", all.blobs, all.bytes,
                                all.damaged == 0 ? "all sound" : fmt::format("{} damaged", all.damaged));
  }
  return all.damaged == 0 ? ExitCode::ok : ExitCode::damaged;
}

}  // namespace

ExitCode put_blob_by_port(Invocation const& one, Console& console) {
  Result<BlobInput> const input = BlobInput::open(input_of(one), console.in);
  if (!input.ok() && input.status().code() == Code::bad_parameter)
    return misuse(one, console, input.status().message());
  if (!input.ok()) return complain(one, console, input.status());
  auto const opened = client::Blobs::open({.write = one.blob.port,
                                           .ca_file = one.ca_file,
                                           .certificate_file = one.certificate_file,
                                           .key_file = one.key_file,
                                           .time_limit = one.timeout});
  if (!opened.ok()) return misuse(one, console, opened.status().message());
  std::string secret;
  if (!one.blob.key_secret_file.empty()) {
    Result<std::string> const text = client::read_secret(one.blob.key_secret_file);
    if (!text.ok()) return complain(one, console, text.status());
    secret = text.value().substr(0, text.value().find('\n'));
    if (secret.size() < bcdb::kSecretBytesMin)
      return misuse(one, console,
                    one.blob.key_secret_file + ": its first line has " + std::to_string(secret.size()) +
                        " bytes; expected a key-secret of at least " + std::to_string(bcdb::kSecretBytesMin));
  }
  bcdb::Key const key =
      one.blob.is_hash ? bcdb::key_of_digits(one.blob.key).value() : bcdb::make_key(one.blob.key, secret);
  Result<client::BlobPlace> const put = opened.value()->put(key, input->bytes());
  if (!put.ok()) {
    if (put.status().code() == Code::unavailable)
      tell(one, console, put.status(), {},
           "--port is a listener of the table, with protocol=\"blobwrite\" and the right add");
    else
      return complain(one, console, put.status());
    return ExitCode::unreachable;
  }
  Message stored("STORED");
  stored.set("table", one.table);
  stored.set("hash", stored.arena().copy(bcdb::digits_of(key)));
  stored.set("entry_time", Value::of_unsigned(put->entry_time));
  stored.set("begin", Value::of_unsigned(put->begin));
  stored.set("end", Value::of_unsigned(put->end));
  stored.set("file", Value::of_unsigned(put->file));
  say_stored(one, console, stored, input->bytes().size());
  return ExitCode::ok;
}

ExitCode run_blobs(Invocation const& invocation, Console& console, client::Connection& connection) {
  if (invocation.verb == "blob maintain") return maintain_blobs(invocation, console, connection);
  using Step = ExitCode (BlobRunner::*)();
  static std::map<std::string_view, Step> const kSteps{
      {"blob put", &BlobRunner::put},   {"blob get", &BlobRunner::get},   {"blob ls", &BlobRunner::ls},
      {"blob stat", &BlobRunner::stat}, {"blob omit", &BlobRunner::omit}, {"blob check", &BlobRunner::check}};
  BlobRunner runner(invocation, console, connection);
  return (runner.*kSteps.at(invocation.verb))();
}

}  // namespace fastjournal::cli

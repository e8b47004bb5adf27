// The verbs `blob ...`: blobs are stored, read, listed, left out and checked, and their table is maintained.
#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "base/hash.h"
#include "clients/cpp/blob.h"
#include "clients/cpp/key_text.h"
#include "clients/cpp/secret_file.h"
#include "clients/programs/fastjournal/blob_input.h"
#include "clients/programs/fastjournal/blob_output.h"
#include "clients/programs/fastjournal/blob_reader.h"
#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/progress.h"
#include "clients/programs/fastjournal/verbs.h"
#include "wire/bcdb/key.h"

namespace fastjournal::cli {

namespace {

constexpr std::uint64_t kBlobsShown = 100;  // for people
// Of `frame-bytes` in a daemon's <limits>.
constexpr std::uint64_t kMessageBytesMax = 64U << 20U;
// As often as a blob is replaced while it is read, another attempt is made.
constexpr int kTriesMax = 3;

constexpr std::string_view kPortAdvice =
    "--port sends a blob of any size: the address of a listener of the table with protocol=\"blobwrite\"; or raise "
    "`frame-bytes` in the daemon's <limits> (64MiB at most), with --text `line-bytes`";

bool is_absent(Message const& blob) { return blob.text("result") == "absent"; }

void maybe(CLI::Option& /*option*/) {}

// About one blob.
struct BlobAction {
  OptionSet& to;
  void (*presence)(CLI::Option& option);
  Text text{to, "KEY", "the key", presence};
  Flag is_hash{to, "--hash", "KEY is the hash of a key, 24 hex digits, as `blob ls` shows it"};

  std::string contradiction(Globals const& /*all*/) const {
    if (!is_hash || bcdb::key_of_digits(text)) return {};
    return "--hash: '" + text + "' is no hash of a key; expected 24 hex digits, as `blob ls` shows them";
  }

  [[nodiscard]] BlobKey key() const { return {text.str(), is_hash}; }
  [[nodiscard]] ExitCode show_missing(Call& call) const {
    if (!call.json) call.console.err << "no blob under " << printable(text) << '\n';
    return ExitCode::nothing;
  }
};

// ---------------------------------------------------------------------------
// Storing

struct BlobPut : BlobAction {
  Text file{to, "FILE", "the bytes; - or nothing: standard input"};
  Text port{to, "--port",
            "address of the table's socket of the protocol blobwrite, as unix:PATH: for blobs that are larger than a "
            "message may be",
            called("ADDRESS")};
  Text key_secret_file{to, "--key-secret-file",
                       "with --port: a file with the key-secret of the table, if it has one; mode 0600",
                       only_with(port), called("FILE")};

  Needs needs(Needs usual) const { return port.empty() ? usual : Needs::nothing; }

  ExitCode run(Call& call) {
    Result<BlobInput> const input = BlobInput::open(file.or_else("-"), call.console.in);
    if (!input.ok() && input.status().code() == Code::bad_parameter) return call.misuse(input.status().message());
    if (!input.ok()) return call.complain(input.status());
    return port.empty() ? send(call, input->bytes()) : write_to_port(call, input->bytes());
  }

  ExitCode say_stored(Call& call, Message const& stored, std::size_t size) const {
    return call.say(stored, fmt::format("stored {}: {} bytes", printable(text), size));
  }

  // In one message.
  ExitCode send(Call& call, std::string_view bytes) const {
    if (bytes.size() > kMessageBytesMax) {
      call.tell(
          {Code::too_large, fmt::format("the blob has {} bytes; a message takes {} at most, and by default 33554432",
                                        bytes.size(), kMessageBytesMax)},
          {}, kPortAdvice);
      return ExitCode::refused;
    }
    Hash128 const hash = hash128(bytes);
    Message command = call.about_table("PUT");
    key().set_in(command);
    std::string const content_hash = fmt::format("{:016x}{:016x}", hash.high, hash.low);
    command.set("content_hash", content_hash);
    command.set("data", Value::of_binary(bytes));
    Result<client::Reply> const reply = call.connection().call_numbered(command);
    if (reply.ok()) return say_stored(call, reply->first(), bytes.size());
    // Of the table's own limit the sentence says all.
    bool const is_of_message =
        reply.status().code() == Code::too_large &&
        std::ranges::none_of(reply.status().facts(), [](auto const& fact) { return fact.first == "parameter"; });
    if (!is_of_message) return call.complain(reply.status());
    call.tell(reply.status(), {}, kPortAdvice);
    return ExitCode::refused;
  }

  ExitCode write_to_port(Call& call, std::string_view bytes) const {
    auto const opened = client::Blobs::open({.write = port.str(),
                                             .ca_file = call.ca_file,
                                             .certificate_file = call.certificate_file,
                                             .key_file = call.key_file,
                                             .time_limit = call.time_limit()});
    if (!opened.ok()) return call.misuse(opened.status().message());
    std::string secret;
    if (!key_secret_file.empty()) {
      Result<std::string> const read = client::read_secret(key_secret_file);
      if (!read.ok()) return call.complain(read.status());
      secret = read.value().substr(0, read.value().find('\n'));
      if (secret.size() < bcdb::kSecretBytesMin)
        return call.misuse(key_secret_file + ": its first line has " + std::to_string(secret.size()) +
                           " bytes; expected a key-secret of at least " + std::to_string(bcdb::kSecretBytesMin));
    }
    bcdb::Key const place = is_hash ? bcdb::key_of_digits(text).value() : bcdb::make_key(text, secret);
    Result<client::BlobPlace> const put = opened.value()->put(place, bytes);
    if (put.status().code() == Code::unavailable) {
      call.tell(put.status(), {}, "--port is a listener of the table, with protocol=\"blobwrite\" and the right add");
      return ExitCode::unreachable;
    }
    if (!put.ok()) return call.complain(put.status());
    Message stored("STORED");
    stored.set("table", call.table);
    stored.set("hash", stored.arena().copy(bcdb::digits_of(place)));
    stored.set("entry_time", Value::of_unsigned(put->entry_time));
    stored.set("begin", Value::of_unsigned(put->begin));
    stored.set("end", Value::of_unsigned(put->end));
    stored.set("file", Value::of_unsigned(put->file));
    return say_stored(call, stored, bytes.size());
  }
};

// ---------------------------------------------------------------------------
// Reading

struct BlobGet : BlobAction {
  Text output{to, "-o,--output", "into this file, which appears when all of it is there", called("FILE")};
  Number<> offset{to, "--offset", "from this byte of the blob on"};
  Number<> length{to, "--length", blob::get::length};

  std::string contradiction(Globals const& all) const {
    std::string const wrong = BlobAction::contradiction(all);
    if (!wrong.empty() || !all.json || !output.empty()) return wrong;
    return "blob get --json needs -o FILE: the bytes of a blob are no JSON; `blob stat` shows what is known of it";
  }

  ExitCode run(Call& call) {
    BlobReader reader(call.connection(), call.table);
    BlobOutput out(call.console, output.str());
    for (int i = 1;; ++i) {
      Result<Message> const blob = reader.ask(key());
      if (!blob.ok()) return call.complain(blob.status());
      if (is_absent(blob.value())) return show_missing(call);
      // Not before there is a blob: nothing of a file is to appear without one.
      Status status = i == 1 ? out.open() : Status{};
      if (status.ok()) status = write_all(reader, BlobEntry::of(blob.value()), out);
      if (status.code() == Code::not_found && i < kTriesMax && out.begin_again()) continue;
      if (status.ok()) status = out.finish();
      if (status.code() == Code::damaged) {
        call.tell(status, {}, "`fastjournal blob check` tells which others are; put the blob again");
        return ExitCode::damaged;
      }
      if (status.code() == Code::not_found) {
        call.tell(status, {}, "get it again");
        return ExitCode::refused;
      }
      if (!status.ok()) return call.complain(status);
      if (!output.empty()) call.say(blob.value(), fmt::format("{}: {} bytes", printable(output), out.size()));
      return ExitCode::ok;
    }
  }

  Status write_all(BlobReader& reader, BlobEntry const& entry, BlobOutput& out) const {
    bool const is_part = offset || length;
    // Of a part nothing tells whether the file is the right one.
    if (!is_part)
      if (std::optional<client::BlobView> const view = reader.read_here(entry)) return out.write(view->bytes());
    return reader.bring(key(), entry, offset.value_or(0), length.value_or(UINT64_MAX),
                        [&](std::string_view bytes) { return out.write(bytes); });
  }
};

// For people.
void make_readable(Message& blob, Look const& look) {
  for (std::string_view const name : {"table", "result", "newer"}) blob.erase(name);
  if (auto const seconds = blob.integer("entry_time"))
    blob.set("entry_time", blob.arena().copy(date_text(*seconds * 1000, look)));
}

struct BlobLs {
  OptionSet& to;
  Page pages{to};

  ExitCode run(Call& call) {
    Paging paging = pages.paging(call.json ? UINT64_MAX : kBlobsShown);
    std::vector<Message> blobs;
    bool is_empty = true;
    Status const listed = call.each_page(call.about_table("LIST"), paging, [&](std::vector<Message>& page) -> Status {
      for (Message& blob : page) {
        if (blob.command != "BLOB") continue;
        is_empty = false;
        --paging.left;
        if (!call.json) make_readable(blob, call.console.look);
        blobs.push_back(std::move(blob));
      }
      if (!call.json) return {};
      call.show(blobs);
      blobs.clear();
      return {};
    });
    if (!listed.ok()) return call.complain(listed);
    if (call.json) return ExitCode::ok;
    call.show(blobs);
    if (!paging.after.empty())
      call.console.err << "there may be more: --count, or --after " << paging.after << '\n';
    else if (is_empty)
      call.console.err << "table " << call.table << (pages.after.empty() ? " has no blobs\n" : " has no more blobs\n");
    return ExitCode::ok;
  }
};

struct BlobStat : BlobAction {
  ExitCode run(Call& call) {
    bool const is_of_table = text.empty();
    Result<Message> found =
        is_of_table ? call.ask(call.about_table("STATS")) : BlobReader{call.connection(), call.table}.ask(key());
    if (!found.ok()) return call.complain(found.status());
    if (!is_of_table && is_absent(found.value())) return show_missing(call);
    if (!is_of_table && !call.json) make_readable(found.value(), call.console.look);
    call.console.out << (call.json ? render_json(found.value()) : render_sheet(found.value(), call.console.look));
    return ExitCode::ok;
  }
};

struct BlobOmit : BlobAction {
  ExitCode run(Call& call) {
    Message command = call.about_table("OMIT");
    key().set_in(command);
    Result<Message> const answer = call.ask(command);
    if (!answer.ok()) return call.complain(answer.status());
    if (is_absent(answer.value())) return show_missing(call);
    return call.say(answer.value(), "the next maintenance leaves out " + printable(text));
  }
};

// ---------------------------------------------------------------------------
// Checking

struct BlobCheck {
  OptionSet& to;

  ExitCode run(Call& call) {
    BlobReader reader(call.connection(), call.table);
    std::uint64_t blobs = 0;
    std::uint64_t bytes = 0;
    std::uint64_t damaged = 0;
    StatusLine line(call.console);
    Paging paging;
    Status const checked = call.each_page(call.about_table("LIST"), paging, [&](std::vector<Message>& page) -> Status {
      for (Message const& blob : page) {
        if (blob.command != "BLOB") continue;
        BlobEntry const entry = BlobEntry::of(blob);
        Status status = check_one(reader, entry);
        bool const is_damaged = status.code() == Code::damaged || status.code() == Code::io_error;
        if (!status.ok() && !is_damaged && status.code() != Code::not_found) return status;
        if (is_damaged) {
          line.clear();
          show_damage(call, entry, status);
          ++damaged;
        }
        ++blobs;
        bytes += entry.size();
        line.show(fmt::format("{}: {} blobs, {} MiB", call.table, blobs, bytes >> 20U));
      }
      return {};
    });
    if (!checked.ok()) return call.complain(checked);
    line.clear();
    Message out("CHECKED");
    out.set("table", call.table);
    out.set("blobs", Value::of_unsigned(blobs));
    out.set("bytes", Value::of_unsigned(bytes));
    out.set("damaged", Value::of_unsigned(damaged));
    call.say(out, fmt::format("{} blobs, {} bytes: {}", blobs, bytes,
                              damaged == 0 ? "all sound" : fmt::format("{} damaged", damaged)));
    return damaged == 0 ? ExitCode::ok : ExitCode::damaged;
  }

  // not_found: it is gone. damaged, io_error: it is not what was stored.
  static Status check_one(BlobReader& reader, BlobEntry entry) {
    Status why;
    for (int i = 1; i <= kTriesMax; ++i) {
      if (reader.read_here(entry)) return {};
      why = reader.bring({entry.hash, true}, entry, 0, UINT64_MAX, [](std::string_view) { return Status{}; });
      if (why.code() != Code::not_found && why.code() != Code::damaged && why.code() != Code::io_error) return why;
      Result<Message> const now = reader.ask({entry.hash, true});
      if (!now.ok()) return now.status();
      if (is_absent(now.value())) return {Code::not_found, "the blob is gone"};
      BlobEntry next = BlobEntry::of(now.value());
      // The same bytes, read twice: it stays so.
      if (next.is_same_place(entry) && why.code() != Code::not_found) return why;
      entry = std::move(next);
    }
    return why;
  }

  static void show_damage(Call& call, BlobEntry const& entry, Status const& why) {
    Message out("BLOB");
    out.set("table", call.table);
    out.set("hash", entry.hash);
    out.set("result", "damaged");
    out.set("file", Value::of_unsigned(entry.file));
    out.set("begin", Value::of_unsigned(entry.begin));
    out.set("end", Value::of_unsigned(entry.end));
    out.set("reason", why.message());
    call.say(out, fmt::format("{} is damaged: file {}, {} bytes at offset {}: {}", entry.hash, entry.file, entry.size(),
                              entry.begin, printable(why.message())));
  }
};

// ---------------------------------------------------------------------------
// Maintenance

constexpr client::Milliseconds kLookEvery{250};

std::uint64_t maintenance_number(Message const& message, std::string_view name) {
  Value const* const value = message.find(name);
  return value == nullptr ? 0 : value->as_unsigned().value_or(0);
}

struct BlobMaintain {
  OptionSet& to;
  Duration age{to, "--age", blob::maintain::age};
  Size size{to, "--size", blob::maintain::size};
  Duration unreferenced{to, "--unreferenced", blob::maintain::unreferenced};
  Flag wait{to, "--wait", "until it has ended, with its progress"};
  Flag cancel{
      to, "--cancel", blob::maintain::cancel, excludes(age), excludes(size), excludes(unreferenced), excludes(wait)};

  ExitCode run(Call& call) {
    std::uint64_t given_up = 0;
    if (wait) {
      Result<Message> const before = call.ask(call.about_table("STATS"));
      if (!before.ok()) return call.complain(before.status());
      given_up = maintenance_number(before.value(), "maintenances_given_up");
    }
    Result<Message> const answer = call.ask(call.about_table("MAINTAIN", to));
    // Not now, says the daemon, which is there.
    if (answer.status().code() == Code::unavailable && call.connection().is_connected()) {
      call.tell(answer.status(), {}, {});
      return ExitCode::refused;
    }
    if (!answer.ok()) return call.complain(answer.status());
    std::string_view const result = answer->text("result");
    std::uint64_t const file = maintenance_number(answer.value(), "file");
    std::uint64_t const total = maintenance_number(answer.value(), "total");
    if (result == "begun")
      call.say(answer.value(),
               fmt::format("maintenance of {} began: {} blobs, into data file {}", call.table, total, file));
    else if (result == "running")
      call.say(answer.value(), fmt::format("maintenance of {} runs already: {} of {} blobs are in data file {}",
                                           call.table, maintenance_number(answer.value(), "done"), total, file));
    else if (result == "cancelled")
      call.say(answer.value(), fmt::format("maintenance of {} is given up: nothing is lost", call.table));
    else if (call.json)
      call.say(answer.value(), {});
    call.console.out << std::flush;
    if (result == "idle") {
      if (!call.json) call.console.err << "no maintenance of " << call.table << " runs\n";
      return ExitCode::nothing;
    }
    return wait ? await(call, file, given_up) : ExitCode::ok;
  }

  static ExitCode await(Call& call, std::uint64_t file, std::uint64_t given_up) {
    StatusLine line(call.console);
    for (;;) {
      Result<Message> const now = call.ask(call.about_table("STATS"));
      if (!now.ok()) {
        line.clear();
        return call.complain(now.status());
      }
      if (maintenance_number(now.value(), "maintenance_running") == 0) {
        line.clear();
        return say_ended(call, now.value(), file, given_up);
      }
      line.show(fmt::format("maintenance of {}: {} of {} blobs, {} MiB", call.table,
                            maintenance_number(now.value(), "maintenance_done_blobs"),
                            maintenance_number(now.value(), "maintenance_total_blobs"),
                            maintenance_number(now.value(), "maintenance_bytes_done") >> 20U));
      // A pause; whether the connection is there, the next look tells.
      static_cast<void>(call.connection().wait_push(kLookEvery));
    }
  }

  static ExitCode say_ended(Call& call, Message const& stats, std::uint64_t file, std::uint64_t given_up) {
    bool const is_exchanged = maintenance_number(stats, "file_number") == file;
    bool const has_failed = !is_exchanged && maintenance_number(stats, "maintenances_given_up") != given_up;
    if (has_failed) {
      call.tell({Code::io_error, "the maintenance is given up, and nothing is lost"}, {},
                "`fastjournal alerts " + call.table + "` says why");
      return ExitCode::refused;
    }
    if (!is_exchanged && !call.json) {
      call.console.err << "the maintenance of " << call.table << " was cancelled\n";
      return ExitCode::nothing;
    }
    Message out("MAINTAINING");
    out.set("table", call.table);
    out.set("result", is_exchanged ? "exchanged" : "cancelled");
    out.set("file", Value::of_unsigned(maintenance_number(stats, "file_number")));
    out.set("blobs", Value::of_unsigned(maintenance_number(stats, "rows")));
    out.set("bytes", Value::of_unsigned(maintenance_number(stats, "blob_bytes")));
    call.say(out, fmt::format("data file {} is in use: {} blobs, {} bytes; the old one goes in a minute", file,
                              maintenance_number(stats, "rows"), maintenance_number(stats, "blob_bytes")));
    return is_exchanged ? ExitCode::ok : ExitCode::nothing;
  }
};

constexpr Verb kBlobVerbs[]{
    {"blob put", "store a blob under a key, in place of the one that is there", Needs::table,
     declare<BlobPut, required>,
     "fastjournal blob put images logo logo.png\n"
     "tar c site | fastjournal blob put images site.tar --port unix:/run/fastjournal/images-write",
     "When the command returns, the blob is durable, and whoever asks sees it. Without --port it goes in one message,\n"
     "of 32 MiB at most unless `frame-bytes` of the daemon's <limits> says otherwise, and with --text of `line-bytes`\n"
     "as base64. With --port a file is read as it is sent; standard input goes to a temporary file first."},
    {"blob get", "write the bytes of a blob to standard output or a file", Needs::table, declare<BlobGet, required>,
     "fastjournal blob get images logo -o logo.png\n"
     "fastjournal blob get images site.tar | tar t",
     "The bytes are read from the data file where this computer has it and you may read it; otherwise, and with\n"
     "--offset or --length, the daemon sends them. A whole blob is compared with its content hash. Exit code 4: there "
     "is\nno such blob; 7: its bytes are not those that were stored."},
    {"blob ls", "list blobs in the order of their hashes", Needs::table, declare<BlobLs>,
     "fastjournal blob ls images --json",
     "Keys are not stored, only what is made of them: 24 hex digits, with which --hash of the others works."},
    {"blob stat", "show what is known of a blob, or the figures of the table", Needs::table, declare<BlobStat, maybe>,
     "fastjournal blob stat images logo\n"
     "fastjournal blob stat images",
     "Exit code 4: there is no such blob."},
    {"blob omit", "have the next maintenance leave a blob out, unless it is stored again", Needs::table,
     declare<BlobOmit, required>, "fastjournal blob omit images logo",
     "Needs the right manage. Until then the blob is found and read as before. Exit code 4: there is none."},
    {"blob maintain", "begin a maintenance: blobs that are kept are copied into a new data file", Needs::table,
     declare<BlobMaintain>,
     "fastjournal blob maintain images --age 30d --wait\n"
     "fastjournal blob maintain images --cancel",
     "Needs the right manage, and room for a second data file. Blobs are stored and read meanwhile. If one runs "
     "already,\nthat one is shown, and keeps the limits that it began with. Exit code 4: --cancel found none, or it "
     "was cancelled\nwhile --wait waited."},
    {"blob check", "read all blobs, and say which are not what was stored", Needs::table, declare<BlobCheck>,
     "fastjournal blob check images",
     "Compares each with its content hash: from the data file where this computer has it and you may read it, which "
     "the\ndaemon does not notice; otherwise the daemon sends them, and each counts as read. Exit code 7: at least one "
     "is damaged."},
};

}  // namespace

Verbs blob_verbs() { return kBlobVerbs; }

}  // namespace fastjournal::cli

#include "clients/programs/fastjournal/document_contents.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "clients/programs/fastjournal/blob_input.h"
#include "platform/files/new_file.h"

namespace fastjournal::cli {

namespace fs = std::filesystem;
using client::ContentHash;
using client::Document;

namespace {

// Another worker may store the same content while it is read.
constexpr int kKeptTriesMax = 3;

BlobKey key_of(ContentName const& name) { return {name.source + "/" + name.uri + "#" + name.hash}; }

// Others can say FOUND too, with any uri: what is not below the folder is neither read nor written. Folders on the way may
// be links.
bool is_below(fs::path const& folder, fs::path const& uri) {
  if (!uri.is_relative() || std::ranges::find(uri, fs::path{".."}) != uri.end()) return false;
  std::error_code error;
  fs::path const root = fs::weakly_canonical(folder, error);
  if (error) return false;
  fs::path const where = fs::weakly_canonical(root / uri, error).lexically_relative(root);
  return !error && !where.empty() && *where.begin() != fs::path{".."};
}

bool is_file(std::string const& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::regular;
}

// URIs with earlier versions that have arrived.
constexpr std::size_t kRememberedMax = 100'000;

ContentName name_of(Document const& document) { return {document.source, document.uri, document.hash}; }

}  // namespace

ContentHash hash_of(plan::Step const& source) {
  switch (source.hash) {
    case plan::Hash::xxh3: return ContentHash::xxh3;
    case plan::Hash::sha256: return ContentHash::sha256;
    case plan::Hash::none: break;
  }
  return ContentHash::none;
}

DocumentContents::DocumentContents(plan::Plan const& plan, std::map<std::string, std::string> const& folders,
                                   client::Connection& connection, client::Documents& documents,
                                   std::string const& table, fs::path work)
    : plan_(plan),
      folders_(folders),
      connection_(connection),
      documents_(documents),
      table_(table),
      work_(std::move(work)) {
  if (!table.empty()) kept_.emplace(connection, table);
}

plan::Step const& DocumentContents::source(std::string const& name) const {
  return *std::ranges::find(plan_.steps, name, &plan::Step::name);
}

std::string DocumentContents::check() const {
  if (!kept_) return {};
  bool const any = std::ranges::any_of(folders_, [&](auto const& one) { return keeps(one.first); });
  if (any) return {};
  return "--keep " + table_ + ": no source given by --source has versions=\"all\" in plan " + plan_.name;
}

std::string DocumentContents::unkept() const {
  for (auto const& [name, folder] : folders_)
    if (!kept_ && keeps(name)) return name;
  return {};
}

Result<std::string> DocumentContents::copy_and_hash(std::string const& name, std::string const& path,
                                                    fs::path const& copy) const {
  files::Descriptor const from{files::open_regular(path, O_RDONLY)};
  if (!from.is_open() && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) return std::string{};
  if (!from.is_open()) return files::failure("open of", path, errno);
  Result<files::NewFile> to = files::NewFile::make(copy.string(), 0600);
  if (!to.ok()) return to.status();
  if (Status status = to->copy(from.fd); !status.ok()) return status;
  if (Status status = to->finish(files::NewFile::Durable::no); !status.ok()) return status;
  return client::hash_of_file(copy.string(), hash_of(source(name)));
}

Result<DocumentContents::Kept> DocumentContents::keep(std::string const& name, client::ScannedFile const& file) {
  if (!kept_ || !keeps(name)) return Kept::yes;
  Result<Document> const known = documents_.found(name, file.uri, file.hash, {.dry_run = true});
  if (!known.ok()) return known.status();
  if (known->change != Document::Change::fresh && known->change != Document::Change::changed) return Kept::yes;
  fs::path const copy = work_ / "kept";
  Result<std::string> const hash = copy_and_hash(name, file.path, copy);
  if (!hash.ok()) return hash.status();
  if (hash.value() != file.hash) return Kept::changing;
  Status const kept = kept_->keep({name, file.uri, file.hash}, copy.string());
  if (kept.code() == Code::too_large) return Kept::too_large;
  if (!kept.ok()) return kept;
  return Kept::yes;
}

Result<DocumentContents::Found> DocumentContents::find(Document const& document) {
  fs::path const folder = folders_.at(document.source);
  if (!is_below(folder, document.uri))
    return Found{.path = {}, .failure = "outside", .why = "its uri leads out of the folder of its source"};
  if (document.is_gone) return Found{};
  std::string path = (folder / document.uri).string();
  if (keeps(document.source)) return find_version(document, path);
  if (is_file(path)) return Found{.path = std::move(path)};
  return Found{.path = {}, .failure = "gone", .why = path + " is not there any more"};
}

Result<DocumentContents::Found> DocumentContents::find_version(Document const& document, std::string const& path) {
  fs::path const copy = work_ / "version";
  Result<std::string> const hash = copy_and_hash(document.source, path, copy);
  if (!hash.ok()) return hash.status();
  if (hash.value() == document.hash) return Found{.path = copy.string()};
  if (kept_) {
    Result<bool> const brought = kept_->bring(name_of(document), copy);
    if (!brought.ok()) return brought.status();
    if (brought.value()) return Found{.path = copy.string()};
  }
  return Found{.path = {},
               .failure = "gone",
               .why = path + " has another version, and this one " +
                      (kept_ ? "is not in table " + table_ : "was not kept: give --keep TABLE")};
}

Status DocumentContents::look_at_end(Document const& document) {
  if (!kept_ || !keeps(document.source)) return {};
  Result<client::Reply> const reply = connection_.call(
      "WHY", {{"table", Value::of_text(documents_.table())}, {"document", Value::of_unsigned(document.document)}});
  std::pair const name{document.source, document.uri};
  // One that a newer version has followed is forgotten when it has arrived.
  if (!reply.ok() && reply.status().code() == Code::unknown_row) {
    if (arrived_.size() < kRememberedMax) arrived_[name].insert(document.hash);
    return {};
  }
  if (!reply.ok()) return reply.status();
  // It is needed to try again what failed.
  std::string_view const states = reply->first().text("states");
  bool const has_failed =
      states.find("=dead") != std::string_view::npos || states.find("=error_doc") != std::string_view::npos;
  if (has_failed || reply->first().integer("done").value_or(0) != 1 || reply->first().has("newer")) return {};
  std::set<std::string> hashes{document.hash};
  if (auto const before = arrived_.find(name); before != arrived_.end()) {
    hashes.merge(before->second);
    arrived_.erase(before);
  }
  for (std::string const& hash : hashes)
    if (Status const dropped = kept_->drop({document.source, document.uri, hash}); !dropped.ok()) return dropped;
  return {};
}

KeptContents::KeptContents(client::Connection& connection, std::string table)
    : connection_(connection), table_(std::move(table)), reader_(connection, table_) {}

Status KeptContents::keep(ContentName const& name, std::string const& path) {
  std::istringstream nothing;
  Result<BlobInput> const input = BlobInput::open(path, nothing);
  if (!input.ok()) return input.status();
  Message put("PUT");
  put.set("table", table_);
  key_of(name).set_in(put);
  put.set("data", Value::of_binary(input->bytes()));
  return connection_.call(put).status();
}

Result<bool> KeptContents::bring(ContentName const& name, std::filesystem::path const& to) {
  BlobKey const key = key_of(name);
  for (int attempt = 1;; ++attempt) {
    Result<Message> const blob = reader_.ask(key);
    if (!blob.ok()) return blob.status();
    if (blob->text("result") == "absent") return false;
    std::ofstream out{to, std::ios::binary | std::ios::trunc};
    auto const write = [&](std::string_view bytes) {
      out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      return out ? Status{} : Status{Code::io_error, "write " + to.string() + ": it is not possible"};
    };
    BlobEntry const entry = BlobEntry::of(blob.value());
    Status brought;
    if (std::optional<client::BlobView> const view = reader_.read_here(entry))
      brought = write(view->bytes());
    else
      brought = reader_.bring(key, entry, 0, UINT64_MAX, write);
    if (brought.ok() && out.flush()) return true;
    if (brought.ok()) return Status{Code::io_error, "write " + to.string() + ": it is not possible"};
    if (brought.code() != Code::not_found || attempt == kKeptTriesMax) return brought;
  }
}

Status KeptContents::drop(ContentName const& name) {
  Message omit("OMIT");
  omit.set("table", table_);
  key_of(name).set_in(omit);
  return connection_.call(omit).status();
}

}  // namespace fastjournal::cli

#include "clients/programs/fastjournal/kept_contents.h"

#include <fstream>
#include <sstream>
#include <utility>

#include "clients/programs/fastjournal/blob_input.h"

namespace fastjournal::cli {
namespace {

// Another worker may store the same content while it is read.
constexpr int kKeptTriesMax = 3;

BlobKey key_of(ContentName const& name) { return {name.source + "/" + name.uri + "#" + name.hash}; }

}  // namespace

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

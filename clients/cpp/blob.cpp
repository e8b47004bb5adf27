#include "clients/cpp/blob.h"

#include <array>
#include <deque>
#include <utility>

#include "clients/cpp/blob_datagram.h"
#include "clients/cpp/blob_stream.h"

namespace fastjournal::client {
namespace {

using std::chrono::steady_clock;

// A place that is asked for again because the file is another one by now.
constexpr int kTriesMax = 3;

bool is_lost(Status const& status) { return status.code() == Code::closed; }

std::optional<BlobPlace> place_of(bcdb::Reply const& reply, bcdb::Key const& key, steady_clock::time_point asked,
                                  std::uint64_t connection) {
  if (reply.outcome == bcdb::Outcome::absent) return std::nullopt;
  return BlobPlace{.key = key,
                   .entry_time = reply.entry_time,
                   .begin = reply.begin,
                   .end = reply.end,
                   .file = reply.file,
                   .newer = (reply.flags & bcdb::kNewer) != 0,
                   .asked = asked,
                   .connection = connection};
}

Status check(BlobOptions const& options) {
  if (options.version != 1 && options.version != 2)
    return {Code::bad_parameter, "version is " + std::to_string(options.version) + "; expected 1 or 2"};
  if (options.version == 1 && options.bytes != BlobBytes::file)
    return {Code::bad_parameter, "version 1 has neither descriptors nor a relay: bytes come from the data file"};
  if (options.version == 2 && options.two_files)
    return {Code::bad_parameter, "two_files is of version 1; in version 2 the daemon says where a blob is"};
  return {};
}

}  // namespace

class Blobs::Body {
 public:
  explicit Body(BlobOptions options) : options_(std::move(options)) {}

  Result<BlobPlace> put(bcdb::Key const& key, std::string_view bytes) {
    if (options_.version == 1) {
      Result<BlobStreamOptions> const port = port_of(options_.write, "write");
      if (!port.ok()) return port.status();
      if (Status status = BlobStream::write_version_1(port.value(), key, bytes); !status.ok()) return status;
      return BlobPlace{.key = key};
    }
    if (!puts_.empty()) return in_flight("puts");
    for (int i = 0;; ++i) {
      // What the daemon says of a put that it does not take to its end is an answer.
      Status const sent = send_put(key, bytes);
      Result<BlobPlace> out = puts_.empty() ? Result<BlobPlace>{sent} : receive_put();
      if (out.ok() || !is_lost(out.status()) || i > 0) return out;
    }
  }

  Status send_put(bcdb::Key const& key, std::string_view bytes) {
    if (options_.version == 1) return {Code::not_supported, "version 1 writes a blob a connection"};
    if (writer_ == nullptr || !writer_->is_open()) {
      if (!puts_.empty()) return {Code::closed, "the connection was lost: receive what was put before"};
      if (Status status = connect(options_.write, "write", writer_); !status.ok()) return status;
    }
    std::size_t const before = writer_->in_flight();
    Status status = writer_->send_put(key, bytes);
    if (writer_->in_flight() > before) puts_.push_back(key);
    return status;
  }

  Result<BlobPlace> receive_put() {
    if (puts_.empty()) return Status{Code::wrong_state, "nothing was put that has no result"};
    bcdb::Key const key = puts_.front();
    puts_.pop_front();
    Result<BlobAnswer> const answer = receive(*writer_, puts_);
    if (!answer.ok()) return answer.status();
    std::optional<BlobPlace> place = place_of(answer.value().reply, key, steady_clock::now(), 0);
    if (!place) return Status{Code::closed, options_.write + " says of a put that it is absent"};
    return *place;
  }

  Result<std::optional<BlobPlace>> find(bcdb::Key const& key) {
    if (!finds_.empty()) return in_flight("queries");
    for (int i = 0;; ++i) {
      Status const sent = send_find(key);
      Result<std::optional<BlobPlace>> out = finds_.empty() ? Result<std::optional<BlobPlace>>{sent} : receive_find();
      if (out.ok() || !is_lost(out.status()) || i > 0) return out;
    }
  }

  Status send_find(bcdb::Key const& key) {
    if (reader_ == nullptr || !reader_->is_open()) {
      if (!finds_.empty()) return {Code::closed, "the connection was lost: receive what was asked before"};
      if (Status status = connect_reader(); !status.ok()) return status;
    }
    Find const find{.key = key, .asked = steady_clock::now()};
    std::size_t const before = reader_->in_flight();
    Status status = reader_->send({.op = bcdb::Op::query, .key = key});
    if (reader_->in_flight() > before) finds_.push_back(find);
    return status;
  }

  Result<std::optional<BlobPlace>> receive_find() {
    if (finds_.empty()) return Status{Code::wrong_state, "nothing was asked that has no answer"};
    Find const find = finds_.front();
    finds_.pop_front();
    Result<BlobAnswer> const answer = receive(*reader_, finds_);
    if (!answer.ok()) return answer.status();
    return place_of(answer.value().reply, find.key, find.asked, connects_);
  }

  Result<std::optional<BlobPlace>> find_once(bcdb::Key const& key) {
    if (options_.datagrams.empty())
      return Status{Code::bad_parameter, "no port for datagrams was given"}.with("parameter", "datagrams");
    steady_clock::time_point const asked = steady_clock::now();
    Result<bcdb::Response> const answer =
        ask_by_datagram(options_.datagrams, options_.own_path, key, options_.time_limit);
    if (!answer.ok()) return answer.status();
    bcdb::Response const& told = answer.value();
    if (told.entry_time == 0 && told.end == 0) return std::optional<BlobPlace>{};
    return place_of({.entry_time = told.entry_time, .begin = told.begin, .end = told.end, .flags = told.flags}, key,
                    asked, 0);
  }

  Result<std::optional<std::string>> get(bcdb::Key const& key) {
    if (options_.bytes == BlobBytes::relay) return fetch(key, 0, bcdb::kToItsEnd);
    return read(BlobPlace{.key = key});  // too old
  }

  Result<std::optional<std::string>> read(BlobPlace const& place) {
    if (options_.bytes == BlobBytes::relay) return fetch(place.key, 0, bcdb::kToItsEnd);
    return at<std::string>(
        place, [&](BlobFile const& file, BlobPlace const& at) { return file.read(at.begin, at.end, bytes_max()); });
  }

  Result<std::optional<BlobView>> view(BlobPlace const& place) {
    if (options_.bytes == BlobBytes::relay) return Status{Code::not_supported, "a relay sends copies only"};
    return at<BlobView>(
        place, [&](BlobFile const& file, BlobPlace const& at) { return file.view(at.begin, at.end, bytes_max()); });
  }

  Result<std::optional<std::string>> fetch(bcdb::Key const& key, std::uint64_t offset, std::uint64_t length) {
    Result<BlobAnswer> answer = call({.op = bcdb::Op::fetch, .key = key, .offset = offset, .length = length});
    if (!answer.ok()) return answer.status();
    if (answer->reply.outcome == bcdb::Outcome::absent) return std::optional<std::string>{};
    return std::optional<std::string>{std::move(answer->content)};
  }

  Result<BlobFile> attach() {
    Result<BlobAnswer> const answer = call({.op = bcdb::Op::attach});
    if (!answer.ok()) return answer.status();
    if (answer.value().descriptor < 0)
      return Status{Code::not_supported, options_.read + " passed no descriptor: it goes over unix sockets only"};
    return BlobFile::adopt(answer.value().descriptor, "the file from " + options_.read);
  }

  [[nodiscard]] std::uint64_t connects() const { return connects_; }

 private:
  struct Find {
    bcdb::Key key{};
    steady_clock::time_point asked{};
  };

  [[nodiscard]] std::uint64_t bytes_max() const { return options_.blob_bytes_max; }

  static Status in_flight(std::string_view what) {
    return {Code::wrong_state, std::string{what} + " are in flight: receive their answers first"};
  }

  Result<BlobStreamOptions> port_of(std::string const& server, char const* name) const {
    if (server.empty())
      return Status{Code::bad_parameter, std::string{"no port to "} + name + " was given"}.with("parameter", name);
    return BlobStreamOptions{.server = server,
                             .ca_file = options_.ca_file,
                             .certificate_file = options_.certificate_file,
                             .key_file = options_.key_file,
                             .version = options_.version,
                             .two_files = options_.two_files,
                             .time_limit = options_.time_limit,
                             .blob_bytes_max = options_.blob_bytes_max};
  }

  Status connect(std::string const& server, char const* name, std::unique_ptr<BlobStream>& stream) const {
    stream = nullptr;
    Result<BlobStreamOptions> const port = port_of(server, name);
    if (!port.ok()) return port.status();
    Result<std::unique_ptr<BlobStream>> opened = BlobStream::open(port.value());
    if (!opened.ok()) return opened.status();
    stream = std::move(opened).value();
    return {};
  }

  // The files are opened behind it, so that they are of the daemon's time that it is connected to.
  Status connect_reader() {
    files_ = {};
    if (Status status = connect(options_.read, "read", reader_); !status.ok()) return status;
    ++connects_;
    return {};
  }

  // An answer for the first of these; nothing is asked any more where it is lost.
  template <typename Asked>
  static Result<BlobAnswer> receive(BlobStream& stream, std::deque<Asked>& asked) {
    Result<BlobAnswer> out = stream.receive();
    if (!out.ok()) {
      if (!stream.is_open()) asked.clear();
      return out;
    }
    if (Status status = BlobStream::status_of(out->reply); !status.ok()) return status;
    return out;
  }

  // One frame of version 2 and its answer.
  Result<BlobAnswer> call(bcdb::Frame const& frame) {
    if (!finds_.empty()) return in_flight("queries");
    for (int i = 0;; ++i) {
      Status status;
      if (reader_ == nullptr || !reader_->is_open()) status = connect_reader();
      if (!status.ok()) return status;
      status = reader_->send(frame);
      Result<BlobAnswer> out = reader_->in_flight() == 0 ? Result<BlobAnswer>{status} : receive(*reader_, finds_);
      if (out.ok() || !is_lost(out.status()) || i > 0) return out;
    }
  }

  [[nodiscard]] bool may_be_used(BlobPlace const& place) const {
    if (steady_clock::now() - place.asked >= options_.place_limit) return false;
    // Of a datagram, or of a put: the names of the files are right for that time.
    return place.connection == 0 || place.connection == connects_;
  }

  // What `take` makes of the file and the place in it.
  template <typename Out, typename Take>
  Result<std::optional<Out>> at(BlobPlace place, Take const& take) {
    Status why;
    bool is_known = place.asked != steady_clock::time_point{} && may_be_used(place);
    for (int i = 0; i < kTriesMax; ++i) {
      if (!is_known) {
        Result<std::optional<BlobPlace>> found = find(place.key);
        if (!found.ok()) return found.status();
        if (!found.value()) return std::optional<Out>{};
        place = *found.value();
      }
      is_known = false;
      Result<BlobFile const*> const file = file_of(place);
      if (!file.ok()) {
        why = file.status();
        continue;
      }
      Result<Out> out = take(*file.value(), place);
      if (!out.ok()) return out.status();
      return std::optional<Out>{std::move(out).value()};
    }
    return why;
  }

  // The file of this place; its number is compared where it was told. unavailable: it is another one.
  Result<BlobFile const*> file_of(BlobPlace const& place) {
    std::optional<BlobFile>& file = files_[place.newer ? 1 : 0];
    bool const is_of_its_time = place.file != 0 || (place.connection != 0 && place.connection == connects_);
    if (file && is_of_its_time && (place.file == 0 || place.file == file->number())) return &*file;
    file.reset();
    Result<BlobFile> opened = options_.bytes == BlobBytes::descriptor ? attach() : open_file(place);
    if (!opened.ok()) return opened.status();
    if (place.file != 0 && opened->number() != place.file)
      return Status{Code::unavailable, "the blob is in the file " + std::to_string(place.file) + ", and the file is " +
                                           std::to_string(opened->number())};
    std::optional<BlobFile>& kept = files_[place.newer ? 1 : 0];
    kept = std::move(opened).value();
    return &*kept;
  }

  // By its number where it was told: after an exchange of files the link follows a moment later.
  [[nodiscard]] Result<BlobFile> open_file(BlobPlace const& place) const {
    if (place.file != 0) {
      Result<BlobFile> numbered = BlobFile::open(BlobFile::numbered(options_.data_file, place.file));
      if (numbered.ok()) return numbered;
    }
    return BlobFile::open(options_.data_file + (place.newer ? ".new" : ""));
  }

  BlobOptions options_;
  std::unique_ptr<BlobStream> reader_;
  std::unique_ptr<BlobStream> writer_;
  std::uint64_t connects_{0};
  std::deque<Find> finds_;
  std::deque<bcdb::Key> puts_;
  std::array<std::optional<BlobFile>, 2> files_{};  // the newer one behind
};

Blobs::Blobs(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Blobs::~Blobs() = default;

Result<std::unique_ptr<Blobs>> Blobs::open(BlobOptions options) {
  if (Status status = check(options); !status.ok()) return status;
  return std::unique_ptr<Blobs>{new Blobs(std::make_unique<Body>(std::move(options)))};
}

Result<BlobPlace> Blobs::put(bcdb::Key const& key, std::string_view bytes) { return body_->put(key, bytes); }
Status Blobs::send_put(bcdb::Key const& key, std::string_view bytes) { return body_->send_put(key, bytes); }
Result<BlobPlace> Blobs::receive_put() { return body_->receive_put(); }
Result<std::optional<BlobPlace>> Blobs::find(bcdb::Key const& key) { return body_->find(key); }
Status Blobs::send_find(bcdb::Key const& key) { return body_->send_find(key); }
Result<std::optional<BlobPlace>> Blobs::receive_find() { return body_->receive_find(); }
Result<std::optional<BlobPlace>> Blobs::find_once(bcdb::Key const& key) { return body_->find_once(key); }
Result<std::optional<std::string>> Blobs::get(bcdb::Key const& key) { return body_->get(key); }
Result<std::optional<std::string>> Blobs::read(BlobPlace const& place) { return body_->read(place); }
Result<std::optional<BlobView>> Blobs::view(BlobPlace const& place) { return body_->view(place); }
Result<std::optional<std::string>> Blobs::fetch(bcdb::Key const& key, std::uint64_t offset, std::uint64_t length) {
  return body_->fetch(key, offset, length);
}
Result<BlobFile> Blobs::attach() { return body_->attach(); }
std::uint64_t Blobs::connects() const { return body_->connects(); }

}  // namespace fastjournal::client

#include "log/etcd/client/channel.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/check.h"

namespace fastjournal::etcd {
namespace {

constexpr std::size_t kPrefixBytes = 5;
// Streams have odd numbers up to 2^31 - 1. Before that another connection is made, in good time.
constexpr std::uint32_t kStreamsEnd = 0x7FFF0000U;

std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
}

nghttp2_nv header(std::string_view name, std::string_view value) {
  return {bytes_of(name), bytes_of(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

void append_message(std::string& to, std::string_view message) {
  auto const size = static_cast<std::uint32_t>(message.size());
  std::array<char, kPrefixBytes> const prefix{0, static_cast<char>(size >> 24U), static_cast<char>(size >> 16U),
                                              static_cast<char>(size >> 8U), static_cast<char>(size)};
  to.reserve(to.size() + prefix.size() + message.size());
  to.append(prefix.data(), prefix.size()).append(message);
}

std::size_t message_bytes(std::string_view prefix) {
  std::size_t size = 0;
  for (std::size_t at = 1; at < kPrefixBytes; ++at) size = size << 8U | static_cast<unsigned char>(prefix[at]);
  return size;
}

int number_of(std::string_view text) {
  int number = -1;
  char const* const end = text.data() + text.size();
  auto const [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && at == end ? number : -1;
}

// grpc-message has bytes other than printable ASCII as %XX.
std::string unescaped(std::string_view text) {
  std::string out;
  text = text.substr(0, 3 * CallEnd::kTextBytesMax);
  for (std::size_t at = 0; at < text.size() && out.size() < CallEnd::kTextBytesMax; ++at) {
    unsigned byte = 0;
    char const* const digits = text.data() + at + 1;
    if (text[at] == '%' && at + 2 < text.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out.push_back(static_cast<char>(byte));
      at += 2;
    } else {
      out.push_back(text[at]);
    }
  }
  return out;
}

}  // namespace

// What libnghttp2 calls; each is given the channel. An exception must not pass through C: without memory the process
// ends, as elsewhere.
struct Channel::Callbacks {
  static Channel& of(void* channel) { return *static_cast<Channel*>(channel); }

  static int on_header(nghttp2_session*, nghttp2_frame const* frame, std::uint8_t const* name, std::size_t name_size,
                       std::uint8_t const* value, std::size_t value_size, std::uint8_t, void* channel) noexcept {
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    if (Call* const call = of(channel).find(frame->hd.stream_id); call != nullptr)
      of(channel).take_header(*call, {reinterpret_cast<char const*>(name), name_size},
                              {reinterpret_cast<char const*>(value), value_size});
    return 0;
  }

  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t stream, std::uint8_t const* data, std::size_t size,
                     void* channel) noexcept {
    std::string_view bytes{reinterpret_cast<char const*>(data), size};
    if (Call* const call = of(channel).find(stream); call != nullptr)
      static_cast<void>(of(channel).take_data(stream, *call, bytes));
    return 0;
  }

  static int on_received(nghttp2_session*, nghttp2_frame const* frame, void* channel) noexcept {
    if (frame->hd.type == NGHTTP2_GOAWAY) of(channel).going_away_ = true;
    bool const may_end = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    if (may_end && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) of(channel).on_answered(frame->hd.stream_id);
    return 0;
  }

  static int on_closed(nghttp2_session*, std::int32_t stream, std::uint32_t error, void* channel) noexcept {
    of(channel).on_stream_closed(stream, error);
    return 0;
  }

  static int on_sent(nghttp2_session*, nghttp2_frame const* frame, void* channel) noexcept {
    Channel& self = of(channel);
    if (frame->hd.type == NGHTTP2_DATA && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
      self.written_whole_.push_back(frame->hd.stream_id);
    // We end the connection: libnghttp2 found what came wrong, and looks at no more of it.
    if (frame->hd.type == NGHTTP2_GOAWAY && frame->goaway.error_code != NGHTTP2_NO_ERROR)
      self.broken_ =
          self.last_error_.empty() ? nghttp2_http2_strerror(frame->goaway.error_code) : std::move(self.last_error_);
    return 0;
  }

  // A call that waited in the queue, and cannot be begun any more.
  static int on_not_sent(nghttp2_session*, nghttp2_frame const* frame, int error, void* channel) noexcept {
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    of(channel).end(frame->hd.stream_id,
                    {.text = std::string{"not sent: "} + nghttp2_strerror(error), .may_be_done = false});
    return 0;
  }

  static int on_error(nghttp2_session*, int, char const* text, std::size_t size, void* channel) noexcept {
    of(channel).last_error_.assign(text, std::min(size, CallEnd::kTextBytesMax));
    return 0;
  }

  static ssize_t read_request(nghttp2_session*, std::int32_t stream, std::uint8_t* to, std::size_t size,
                              std::uint32_t* flags, nghttp2_data_source*, void* channel) noexcept {
    Call* const call = of(channel).find(stream);
    if (call == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // canceled
    std::size_t const taken = std::min(size, call->request.size() - call->request_at);
    if (taken == 0 && !call->request_ended) return NGHTTP2_ERR_DEFERRED;
    call->request.copy(reinterpret_cast<char*>(to), taken, call->request_at);
    call->request_at += taken;
    of(channel).request_bytes_ -= taken;
    if (call->request_at == call->request.size()) {
      call->request = {};
      call->request_at = 0;
      if (call->request_ended) *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    return static_cast<ssize_t>(taken);
  }
};

void Channel::SessionDeleter::operator()(nghttp2_session* session) const { nghttp2_session_del(session); }

Channel::Channel(ChannelOptions options) : options_(std::move(options)) {
  nghttp2_session_callbacks* callbacks = nullptr;
  FJ_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0, "memory for an HTTP/2 session");
  nghttp2_session_callbacks_set_on_header_callback(callbacks, &Callbacks::on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &Callbacks::on_data);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &Callbacks::on_received);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &Callbacks::on_closed);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, &Callbacks::on_sent);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, &Callbacks::on_not_sent);
  nghttp2_session_callbacks_set_error_callback2(callbacks, &Callbacks::on_error);
  nghttp2_session* session = nullptr;
  int const made = nghttp2_session_client_new(&session, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  FJ_CHECK(made == 0, "memory for an HTTP/2 session");
  session_.reset(session);

  std::array<nghttp2_settings_entry, 3> const settings{
      {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
       {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(kStreamWindowBytes)},
       {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kHeaderListBytesMax}}};
  int const settled = nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  int const widened = nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kConnectionWindowBytes);
  FJ_CHECK(settled == 0 && widened == 0, "the first frames of an HTTP/2 session");
}

Channel::~Channel() = default;

// ---------------------------------------------------------------------------
// Calls

Channel::Call* Channel::find(std::int32_t stream) {
  auto const found = calls_.find(stream);
  return found == calls_.end() ? nullptr : &found->second;
}

bool Channel::takes_calls() const {
  return session_ != nullptr && !going_away_ && broken_.empty() &&
         nghttp2_session_get_next_stream_id(session_.get()) < kStreamsEnd;
}

Result<CallId> Channel::start(std::string_view path, std::span<Metadata const> metadata, std::string_view message,
                              bool more) {
  if (!takes_calls())
    return Status{Code::unavailable, "the connection to " + options_.authority + " takes no more calls"};
  if (message.size() > options_.request_bytes_max - std::min(request_bytes_, options_.request_bytes_max))
    return Status{Code::over_limit, "requests to " + options_.authority + " that wait to be sent have " +
                                        std::to_string(request_bytes_) + " bytes; at most " +
                                        std::to_string(options_.request_bytes_max)};
  std::vector<nghttp2_nv> headers{header(":method", "POST"),
                                  header(":scheme", options_.tls ? "https" : "http"),
                                  header(":path", path),
                                  header(":authority", options_.authority),
                                  header("content-type", "application/grpc"),
                                  header("te", "trailers")};
  for (Metadata const& one : metadata) headers.push_back(header(one.name, one.value));
  nghttp2_data_provider provider{};
  provider.read_callback = &Callbacks::read_request;
  std::int32_t const stream =
      nghttp2_submit_request(session_.get(), nullptr, headers.data(), headers.size(), &provider, nullptr);
  if (stream < 0)
    return Status{Code::unavailable, "call " + std::string{path} + " to " + options_.authority + ": " +
                                         nghttp2_strerror(static_cast<int>(stream))};
  Call& call = calls_[stream];
  append_message(call.request, message);
  call.request_ended = !more;
  request_bytes_ += call.request.size();
  return CallId{stream};
}

Status Channel::send(CallId id, std::string_view message) {
  auto const stream = static_cast<std::int32_t>(id);
  Call* const call = find(stream);
  if (call == nullptr || call->request_ended || session_ == nullptr)
    return {Code::not_found, "send to " + options_.authority + ": the call is over"};
  if (message.size() > options_.request_bytes_max - std::min(request_bytes_, options_.request_bytes_max))
    return {Code::over_limit, "send to " + options_.authority + ": more than " +
                                  std::to_string(options_.request_bytes_max) + " bytes wait to be sent"};
  std::size_t const before = call->request.size();
  append_message(call->request, message);
  request_bytes_ += call->request.size() - before;
  // It need not be deferred: then this says so, and nothing is lost.
  static_cast<void>(nghttp2_session_resume_data(session_.get(), stream));
  return {};
}

void Channel::finish(CallId id) {
  auto const stream = static_cast<std::int32_t>(id);
  Call* const call = find(stream);
  if (call == nullptr || session_ == nullptr) return;
  call->request_ended = true;
  static_cast<void>(nghttp2_session_resume_data(session_.get(), stream));
}

bool Channel::cancel(CallId id) {
  auto const stream = static_cast<std::int32_t>(id);
  std::erase_if(events_, [id](CallEvent const& event) { return event.call == id; });
  auto const found = calls_.find(stream);
  if (found == calls_.end()) return true;
  // What is in the output will be sent.
  bool const may_be_done = found->second.end_at != 0;
  drop_request(found->second);
  partial_bytes_ -= found->second.answer.size();
  calls_.erase(found);
  if (session_ != nullptr)
    static_cast<void>(nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL));
  return may_be_done;
}

void Channel::drop_request(Call& call) { request_bytes_ -= call.request.size() - call.request_at; }

void Channel::end(std::int32_t stream, CallEnd end) {
  auto const found = calls_.find(stream);
  if (found == calls_.end()) return;
  drop_request(found->second);
  partial_bytes_ -= found->second.answer.size();
  calls_.erase(found);
  events_.push_back({.call = CallId{stream}, .has_ended = true, .end = std::move(end)});
}

void Channel::reset(std::int32_t stream, std::uint32_t error, std::string text) {
  if (Call const* const call = find(stream); call != nullptr)
    end(stream, {.text = std::move(text), .may_be_done = call->end_at != 0});
  static_cast<void>(nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream, error));
}

// A server may answer before it has the whole request, or while an open stream could have more of them: whatever is
// left of the request is not sent.
void Channel::on_answered(std::int32_t stream) {
  Call const* const call = find(stream);
  if (call == nullptr) return;
  bool const is_whole = call->end_at != 0;
  on_stream_closed(stream, NGHTTP2_NO_ERROR);
  if (!is_whole)
    static_cast<void>(nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL));
}

void Channel::on_stream_closed(std::int32_t stream, std::uint32_t error) {
  Call* const call = find(stream);
  if (call == nullptr) return;
  if (call->status >= 0 && call->answer.empty()) {
    end(stream, {.status = call->status, .text = std::move(call->text)});
  } else if (call->status >= 0) {
    end(stream, {.text = "the answer ends within a message", .may_be_done = call->end_at != 0});
  } else if (error == NGHTTP2_REFUSED_STREAM) {
    end(stream, {.text = "the server did not take the call (REFUSED_STREAM)", .may_be_done = false});
  } else if (error != NGHTTP2_NO_ERROR) {
    end(stream, {.text = std::string{"the stream was reset: "} + nghttp2_http2_strerror(error),
                 .may_be_done = was_sent(*call)});
  } else if (call->http_status != 200) {
    end(stream, {.text = "HTTP status " + std::to_string(call->http_status) + " instead of 200, and no grpc-status",
                 .may_be_done = was_sent(*call)});
  } else {
    end(stream, {.text = "the answer ended without grpc-status", .may_be_done = was_sent(*call)});
  }
}

// ---------------------------------------------------------------------------
// What arrives

void Channel::take_header(Call& call, std::string_view name, std::string_view value) {
  if (name == ":status")
    call.http_status = number_of(value);
  else if (name == "grpc-status")
    call.status = number_of(value);
  else if (name == "grpc-message")
    call.text = unescaped(value);
}

bool Channel::take_data(std::int32_t stream, Call& call, std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t const had = call.answer.size();
    if (had < kPrefixBytes) {
      std::string_view const part = bytes.substr(0, kPrefixBytes - had);
      call.answer.append(part);
      partial_bytes_ += part.size();
      bytes.remove_prefix(part.size());
      if (call.answer.size() < kPrefixBytes) return true;
      if (call.answer[0] != 0) {
        reset(stream, NGHTTP2_PROTOCOL_ERROR, "the answer is compressed, which was not asked for");
        return false;
      }
      if (message_bytes(call.answer) > options_.message_bytes_max) {
        reset(stream, NGHTTP2_CANCEL,
              "the answer has " + std::to_string(message_bytes(call.answer)) + " bytes; at most " +
                  std::to_string(options_.message_bytes_max));
        return false;
      }
    }
    std::size_t const whole = kPrefixBytes + message_bytes(call.answer);
    std::string_view const part = bytes.substr(0, whole - call.answer.size());
    if (part.size() > options_.partial_bytes_max - std::min(partial_bytes_, options_.partial_bytes_max)) {
      reset(stream, NGHTTP2_CANCEL,
            "answers that arrived in part have more than " + std::to_string(options_.partial_bytes_max) + " bytes");
      return false;
    }
    call.answer.append(part);
    partial_bytes_ += part.size();
    bytes.remove_prefix(part.size());
    if (call.answer.size() < whole) return true;
    partial_bytes_ -= whole;
    call.answer.erase(0, kPrefixBytes);
    events_.push_back({.call = CallId{stream}, .message = std::exchange(call.answer, {})});
  }
  return true;
}

Status Channel::receive(std::string_view bytes) {
  if (session_ == nullptr) return {Code::closed, "the connection to " + options_.authority + " is lost"};
  ssize_t const read = nghttp2_session_mem_recv(session_.get(), bytes_of(bytes), bytes.size());
  if (read < 0) broken_ = nghttp2_strerror(static_cast<int>(read));
  // The answer to something wrong is a GOAWAY; only when it is written do we hear of it.
  if (read >= 0) fill_output();
  if (broken_.empty()) return {};
  Status failure{Code::io_error, "what came from " + options_.authority + " is no gRPC over HTTP/2: " + broken_};
  lose(failure.message());
  return failure;
}

void Channel::lose(std::string_view why) {
  if (session_ == nullptr) return;
  // Before the session: its end closes streams, which is not reported.
  while (!calls_.empty()) {
    auto const& [stream, call] = *calls_.begin();
    CallEnd how{.text = std::string{why.substr(0, CallEnd::kTextBytesMax)}, .may_be_done = was_sent(call)};
    end(stream, std::move(how));
  }
  session_.reset();
}

// ---------------------------------------------------------------------------
// What is sent

void Channel::fill_output() {
  if (session_ == nullptr) return;
  while (output_.size() - output_at_ < kOutputBytes) {
    std::uint8_t const* data = nullptr;
    ssize_t const size = nghttp2_session_mem_send(session_.get(), &data);
    if (size < 0 && broken_.empty()) broken_ = nghttp2_strerror(static_cast<int>(size));
    if (size <= 0) break;
    output_.append(reinterpret_cast<char const*>(data), static_cast<std::size_t>(size));
    written_ += static_cast<std::uint64_t>(size);
    for (std::int32_t const stream : written_whole_)
      if (Call* const call = find(stream); call != nullptr) call->end_at = written_;
    written_whole_.clear();
  }
}

std::string_view Channel::output() {
  fill_output();
  return std::string_view{output_}.substr(output_at_);
}

void Channel::sent(std::size_t bytes) {
  FJ_CHECK(bytes <= output_.size() - output_at_, "more sent than there is");
  output_at_ += bytes;
  sent_ += bytes;
  if (output_at_ == output_.size()) {
    output_.clear();
    output_at_ = 0;
  } else if (output_at_ >= kOutputBytes) {
    output_.erase(0, output_at_);
    output_at_ = 0;
  }
}

void Channel::ping() {
  if (session_ != nullptr) static_cast<void>(nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr));
}

}  // namespace fastjournal::etcd

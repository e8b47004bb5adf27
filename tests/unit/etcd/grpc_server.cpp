#include "tests/unit/etcd/grpc_server.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace fastjournal::test {
namespace {

nghttp2_nv header(std::string_view name, std::string_view value) {
  auto const bytes = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

void require(int result) {
  if (result != 0) throw std::runtime_error{nghttp2_strerror(result)};
}

}  // namespace

std::string framed(std::string_view message) {
  std::string out(5, '\0');
  for (std::size_t at = 0; at < 4; ++at) out[4 - at] = static_cast<char>(message.size() >> (8 * at));
  return out.append(message);
}

struct GrpcServer::Callbacks {
  static GrpcServer& of(void* server) { return *static_cast<GrpcServer*>(server); }

  static int on_header(nghttp2_session*, nghttp2_frame const* frame, std::uint8_t const* name, std::size_t name_size,
                       std::uint8_t const* value, std::size_t value_size, std::uint8_t, void* server) {
    Call& call = of(server).calls_[frame->hd.stream_id];
    std::string const key{reinterpret_cast<char const*>(name), name_size};
    std::string const text{reinterpret_cast<char const*>(value), value_size};
    call.headers[key] = text;
    if (key == ":path") call.path = text;
    return 0;
  }

  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t stream, std::uint8_t const* data, std::size_t size,
                     void* server) {
    Call& call = of(server).calls_[stream];
    call.input.append(reinterpret_cast<char const*>(data), size);
    while (call.input.size() >= 5) {
      std::size_t bytes = 0;
      for (std::size_t at = 1; at < 5; ++at) bytes = bytes << 8U | static_cast<unsigned char>(call.input[at]);
      if (call.input.size() < 5 + bytes) break;
      call.requests.push_back(call.input.substr(5, bytes));
      call.input.erase(0, 5 + bytes);
    }
    return 0;
  }

  static int on_received(nghttp2_session*, nghttp2_frame const* frame, void* server) {
    if ((frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS) &&
        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
      of(server).calls_[frame->hd.stream_id].has_ended = true;
    return 0;
  }

  static int on_closed(nghttp2_session*, std::int32_t stream, std::uint32_t, void* server) {
    Call& call = of(server).calls_[stream];
    if (!call.output_ended) call.is_reset = true;
    return 0;
  }

  static ssize_t read_output(nghttp2_session* session, std::int32_t stream, std::uint8_t* to, std::size_t size,
                             std::uint32_t* flags, nghttp2_data_source*, void* server) {
    Call& call = of(server).calls_[stream];
    std::size_t const taken = std::min(size, call.output.size());
    if (taken == 0 && !call.output_ended) return NGHTTP2_ERR_DEFERRED;
    call.output.copy(reinterpret_cast<char*>(to), taken);
    call.output.erase(0, taken);
    if (call.output.empty() && call.output_ended) {
      *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
      std::string const status = std::to_string(call.status);
      std::vector<nghttp2_nv> trailers{header("x-more", "1")};
      if (call.status >= 0) trailers.push_back(header("grpc-status", status));
      if (!call.text.empty()) trailers.push_back(header("grpc-message", call.text));
      require(nghttp2_submit_trailer(session, stream, trailers.data(), trailers.size()));
    }
    return static_cast<ssize_t>(taken);
  }
};

GrpcServer::GrpcServer(std::uint32_t streams_max, std::uint32_t window_bytes) {
  nghttp2_session_callbacks* callbacks = nullptr;
  require(nghttp2_session_callbacks_new(&callbacks));
  nghttp2_session_callbacks_set_on_header_callback(callbacks, &Callbacks::on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &Callbacks::on_data);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &Callbacks::on_received);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &Callbacks::on_closed);
  require(nghttp2_session_server_new(&session_, callbacks, this));
  nghttp2_session_callbacks_del(callbacks);
  std::array<nghttp2_settings_entry, 2> const settings{
      {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams_max}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window_bytes}}};
  require(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size()));
  if (window_bytes > 65535)
    require(
        nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, static_cast<std::int32_t>(window_bytes)));
}

GrpcServer::~GrpcServer() { nghttp2_session_del(session_); }

bool GrpcServer::receive(std::string_view bytes) {
  return nghttp2_session_mem_recv(session_, reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size()) >= 0;
}

std::string GrpcServer::output() {
  std::string out = std::exchange(made_, {});
  std::uint8_t const* data = nullptr;
  for (ssize_t size = 0; (size = nghttp2_session_mem_send(session_, &data)) > 0;)
    out.append(reinterpret_cast<char const*>(data), static_cast<std::size_t>(size));
  return out;
}

std::int32_t GrpcServer::find(std::string_view path) const {
  for (auto const& [stream, call] : calls_)
    if (call.path == path && !call.output_ended && !call.is_reset && !call.requests.empty()) return stream;
  return 0;
}

void GrpcServer::begin(std::int32_t stream) {
  Call& call = calls_.at(stream);
  if (call.has_begun) {
    static_cast<void>(nghttp2_session_resume_data(session_, stream));
    return;
  }
  call.has_begun = true;
  std::array<nghttp2_nv, 2> const headers{header(":status", "200"), header("content-type", "application/grpc")};
  nghttp2_data_provider provider{};
  provider.read_callback = &Callbacks::read_output;
  require(nghttp2_submit_response(session_, stream, headers.data(), headers.size(), &provider));
}

void GrpcServer::message(std::int32_t stream, std::string_view bytes) { raw(stream, framed(bytes)); }

void GrpcServer::raw(std::int32_t stream, std::string_view bytes) {
  calls_.at(stream).output.append(bytes);
  begin(stream);
}

void GrpcServer::finish(std::int32_t stream, int status, std::string_view text) {
  Call& call = calls_.at(stream);
  call.output_ended = true;
  call.status = status;
  call.text = text;
  if (call.has_begun) {
    begin(stream);
    return;
  }
  std::string const number = std::to_string(status);
  std::vector<nghttp2_nv> headers{header(":status", "200"), header("content-type", "application/grpc")};
  if (status >= 0) headers.push_back(header("grpc-status", number));
  if (!call.text.empty()) headers.push_back(header("grpc-message", call.text));
  require(nghttp2_submit_response(session_, stream, headers.data(), headers.size(), nullptr));
}

void GrpcServer::http_status(std::int32_t stream, std::string_view status) {
  calls_.at(stream).output_ended = true;
  nghttp2_nv const one = header(":status", status);
  require(nghttp2_submit_response(session_, stream, &one, 1, nullptr));
}

void GrpcServer::reset(std::int32_t stream, std::uint32_t error) {
  require(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, error));
}

void GrpcServer::go_away(std::int32_t last) {
  std::int32_t const seen = nghttp2_session_get_last_proc_stream_id(session_);
  require(nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, last < 0 ? seen : last, NGHTTP2_NO_ERROR, nullptr, 0));
  // Now: a call that comes before it is written would be taken all the same.
  made_ = output();
}

}  // namespace fastjournal::test

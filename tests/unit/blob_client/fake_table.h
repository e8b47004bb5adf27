// A blob table's ports for tests of clients: real sockets in a folder, and a thread that runs the test's script, which
// reads and writes packets in any pieces; and data files as the daemon makes them. Errors in the script make the test
// fail at its end.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/bytes.h"
#include "tests/support/temporary_folder.h"
#include "wire/bcdb/packet.h"

namespace fastjournal::client {

// Long enough for any machine; only a failing test waits for it.
inline constexpr int kScriptLimitMs = 20'000;

template <typename Packet>
std::string bytes_of(Packet const& packet) {
  std::string out;
  bcdb::write(packet, out);
  return out;
}

// A data file, with a header whose rest a reader does not know.
class DataFile {
 public:
  DataFile(std::string path, std::uint32_t number) : path_(std::move(path)), number_(number) {
    std::string header{"FJBYTES\n"};
    append_little(header, std::uint32_t{1});
    append_little(header, number);
    header.resize(4096, '?');
    std::ofstream{path_, std::ios::binary} << header;
  }
  // Appends it and says where it is.
  bcdb::Reply add(std::string_view bytes) {
    std::uint64_t const begin = std::filesystem::file_size(path_);
    std::ofstream{path_, std::ios::binary | std::ios::app} << bytes;
    return {.entry_time = 1'700'000'000, .begin = begin, .end = begin + bytes.size(), .file = number_};
  }
  // The link by which clients find it, swapped as the daemon does.
  void link_as(std::string const& link) const {
    std::filesystem::create_symlink(path_, link + ".making");
    std::filesystem::rename(link + ".making", link);
  }
  [[nodiscard]] std::string const& path() const { return path_; }

 private:
  std::string path_;
  std::uint32_t number_;
};

class Peer {
 public:
  Peer(int listening, int datagrams) : listening_(listening), datagrams_(datagrams) {}
  Peer(Peer const&) = delete;
  Peer& operator=(Peer const&) = delete;
  ~Peer() { close(); }

  // The next connection; the one before is ended.
  void accept() {
    close();
    wait(listening_, POLLIN, "no client connects");
    fd_ = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd_ < 0) throw std::runtime_error("accept failed");
  }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
    in_.clear();
  }
  void half_close() { ::shutdown(fd_, SHUT_WR); }

  std::string read(std::size_t bytes) {
    while (in_.size() < bytes)
      if (!read_some()) throw std::runtime_error("the client ended within a packet");
    std::string out = in_.substr(0, bytes);
    in_.erase(0, bytes);
    return out;
  }
  std::string read_to_end() {
    while (read_some()) continue;
    return std::exchange(in_, {});
  }
  // False: the end.
  bool read_frame(bcdb::Frame& frame) {
    for (;;) {
      bcdb::Cut const cut = bcdb::read(in_, frame);
      if (cut.kind == bcdb::Cut::Kind::broken) throw std::runtime_error("the client sent no frame: " + cut.problem);
      if (cut.kind == bcdb::Cut::Kind::whole) {
        in_.erase(0, cut.bytes);
        return true;
      }
      if (!read_some()) {
        if (!in_.empty()) throw std::runtime_error("the client ended within a frame");
        return false;
      }
    }
  }
  bcdb::Frame frame(bcdb::Op op) {
    bcdb::Frame out;
    if (!read_frame(out) || out.op != op) throw std::runtime_error("expected " + std::string{name_of(op)});
    return out;
  }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      wait(fd_, POLLOUT, "the client does not read");
      ssize_t const took = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (took <= 0) throw std::runtime_error("the client is gone");
      bytes.remove_prefix(static_cast<std::size_t>(took));
    }
  }
  // With a descriptor.
  void send(std::string_view bytes, int descriptor) {
    std::string copy{bytes};
    iovec place{copy.data(), copy.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &place;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
    if (::sendmsg(fd_, &message, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
      throw std::runtime_error("the descriptor was not sent");
  }
  void answer(bcdb::Frame const& frame, bcdb::Reply reply, std::string_view content = {}) {
    reply.op = frame.op;
    reply.echo = frame.echo;
    send(bytes_of(reply).append(content));
  }
  // Version 2 begins.
  void greet(std::uint32_t file = 0) {
    if (read(bcdb::kHelloBytes) != bytes_of(bcdb::Hello{})) throw std::runtime_error("the client sent no hello");
    send(bytes_of(bcdb::Hello{.file = file}));
  }
  // The next connection, of version 2.
  void meet(std::uint32_t file = 0) {
    accept();
    greet(file);
  }

  // The client ends, though nothing more is read.
  void wait_for_end() { wait(fd_, POLLRDHUP, "the client does not end the connection"); }

  // A datagram, and an answer to its sender.
  void on_datagram(std::function<std::string(std::string_view)> const& answer) {
    wait(datagrams_, POLLIN, "no datagram comes");
    char buffer[256];
    sockaddr_un from{};
    socklen_t size = sizeof from;
    ssize_t const got = ::recvfrom(datagrams_, buffer, sizeof buffer, 0, reinterpret_cast<sockaddr*>(&from), &size);
    if (got < 0) throw std::runtime_error("recvfrom failed");
    std::string const out = answer({buffer, static_cast<std::size_t>(got)});
    if (out.empty()) return;
    if (::sendto(datagrams_, out.data(), out.size(), 0, reinterpret_cast<sockaddr*>(&from), size) < 0)
      throw std::runtime_error("the client's address takes no answer");
  }

 private:
  static void wait(int fd, short events, char const* what) {
    pollfd one{fd, events, 0};
    if (::poll(&one, 1, kScriptLimitMs) != 1) throw std::runtime_error(what);
  }
  bool read_some() {
    wait(fd_, POLLIN, "the client sends nothing");
    char buffer[65'536];
    ssize_t const got = ::recv(fd_, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    in_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }

  int listening_;
  int datagrams_;
  int fd_{-1};
  std::string in_;
};

class FakeTable {
 public:
  explicit FakeTable(std::function<void(Peer&)> script)
      : listening_(bound(SOCK_STREAM, port())), datagrams_(bound(SOCK_DGRAM, datagrams())) {
    if (::listen(listening_, 16) != 0) throw std::runtime_error("listen failed");
    thread_ = std::thread{[this, script = std::move(script)] {
      try {
        Peer peer{listening_, datagrams_};
        script(peer);
      } catch (std::exception const& error) {
        problem_ = error.what();
      }
    }};
  }
  FakeTable(FakeTable const&) = delete;
  FakeTable& operator=(FakeTable const&) = delete;
  ~FakeTable() {
    if (std::uncaught_exceptions() == 0) finish();
    if (thread_.joinable()) thread_.join();
    ::close(listening_);
    ::close(datagrams_);
  }

  [[nodiscard]] int listening() const { return listening_; }
  [[nodiscard]] int datagram_socket() const { return datagrams_; }
  [[nodiscard]] std::string port() const { return folder_ / "port"; }
  [[nodiscard]] std::string datagrams() const { return folder_ / "datagrams"; }
  [[nodiscard]] std::string link() const { return folder_ / "bcdb_data"; }
  [[nodiscard]] std::string file(std::uint32_t number) const {
    return folder_ / ("data.00000" + std::to_string(number));
  }
  // A file that the link leads to.
  [[nodiscard]] DataFile current_file(std::uint32_t number) const {
    DataFile out{file(number), number};
    out.link_as(link());
    return out;
  }
  [[nodiscard]] test::TemporaryFolder const& folder() const { return folder_; }
  // The script has come to its end.
  void finish() {
    if (!thread_.joinable()) return;
    thread_.join();
    BOOST_TEST(problem_ == "");
  }

 private:
  static int bound(int type, std::string const& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    int const out = ::socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    if (::bind(out, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0)
      throw std::runtime_error("bind failed");
    return out;
  }

  test::TemporaryFolder folder_;
  int listening_;
  int datagrams_;
  std::string problem_;
  std::thread thread_;
};

}  // namespace fastjournal::client

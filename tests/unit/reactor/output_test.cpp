// What connections are given beside bytes: ranges of files, descriptors of files, and the end of our output. Over real
// sockets and real files, to peers that are slow, that go, and that do not read at all.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <map>

#include <fmt/format.h>

#include "base/bytes.h"
#include "platform/os/posix_disk.h"
#include "tests/unit/reactor/tls_fixture.h"

namespace fastjournal::reactor {
namespace {

// Larger than what the kernel takes at once, and no multiple of anything.
constexpr std::size_t kLong = (20U << 20U) + 12'345;

// A file whose bytes cannot be read, or that has no descriptor, in front of a real one.
class OddFile final : public env::File {
 public:
  enum class Kind : std::uint8_t { unreadable, without_descriptor, with_pipe };
  OddFile(env::File& file, Kind kind, int descriptor = -1) : file_(file), kind_(kind), descriptor_(descriptor) {}

  std::size_t reads{0};

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) override {
    ++reads;
    if (kind_ == Kind::unreadable && offset >= unreadable_from)
      return Status{Code::io_error, "read odd: no such block"};
    return file_.read(offset, into);
  }
  std::uint64_t unreadable_from{0};
  void expect(std::uint64_t, std::uint64_t) override {}
  void forget_cached(std::uint64_t, std::uint64_t) override {}
  Status write(std::uint64_t, std::span<std::byte const>) override { return {}; }
  Status write_through(std::uint64_t, std::span<std::byte const>) override { return {}; }
  Status sync() override { return {}; }
  Result<std::uint64_t> size() override { return file_.size(); }
  Status truncate(std::uint64_t) override { return {}; }
  Status reserve(std::uint64_t, std::uint64_t) override { return {}; }
  Status punch(std::uint64_t, std::uint64_t) override { return {}; }
  Status look() override { return {}; }
  int descriptor() const override { return descriptor_; }
  Result<std::unique_ptr<env::File>> reopen_to_read() override {
    return Status{Code::io_error, "open odd: no more descriptors"};
  }

 private:
  env::File& file_;
  Kind kind_;
  int descriptor_;
};

// Gives each connection that sends a line the range of the file that it asks for, or what the test has for it.
struct FileServer : Server {
  struct Range {
    env::File* file{nullptr};
    std::uint64_t offset{0};
    std::uint64_t bytes{0};
  };

  explicit FileServer(std::string const& content) : disk(folder.path().string()) {
    auto opened = disk.open("data", env::OpenMode::create_new);
    BOOST_REQUIRE(opened.ok());
    file = std::move(opened).value();
    BOOST_REQUIRE(file->write(0, as_bytes(content)).ok());
    handler.writable_hook = [this](ConnectionId id) { give(id); };
  }
  ~FileServer() { finish(); }

  // The connection gets the range when it says something.
  void serve(Range range) {
    handler.bytes_hook = [this, range](ConnectionId id, std::string_view) {
      ranges[id] = range;
      give(id);
    };
  }
  void give(ConnectionId id) {
    auto const found = ranges.find(id);
    if (found == ranges.end()) return;
    Range& range = found->second;
    ++calls;
    Result<std::size_t> const taken = reactor->send_file(id, *range.file, range.offset, range.bytes);
    if (!taken.ok()) {
      failed = taken.status();
      ranges.erase(id);
      reactor->close(id);
      return;
    }
    largest = std::max(largest, taken.value());
    range.offset += taken.value();
    range.bytes -= taken.value();
    if (range.bytes > 0) return;
    ranges.erase(id);
    if (close_when_sent) reactor->close(id);
  }

  TemporaryFolder folder;
  os::PosixDisk disk;
  std::unique_ptr<env::File> file;
  std::map<ConnectionId, Range> ranges;
  Status failed;
  std::size_t calls{0};
  std::size_t largest{0};
  bool close_when_sent{true};
};

// The descriptors that came with bytes.
struct Received {
  std::string bytes;
  std::vector<UniqueFd> descriptors;
};
Received receive_descriptors(int socket) {
  char bytes[256];
  iovec part{bytes, sizeof bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  Received out;
  ssize_t const got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (got > 0) out.bytes.assign(bytes, static_cast<std::size_t>(got));
  for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = 0; at + sizeof(int) <= one->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(one) + at, sizeof fd);
      out.descriptors.emplace_back(fd);
    }
  }
  return out;
}

// The end of input comes, and the client may still send.
bool sees_end(LineClient const& client) {
  pollfd one{client.fd(), POLLIN, 0};
  char byte = 0;
  return ::poll(&one, 1, static_cast<int>(test::kPatience.count())) == 1 && ::recv(client.fd(), &byte, 1, 0) == 0;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(output, Secured)

BOOST_AUTO_TEST_CASE(ranges_of_a_file_arrive_over_every_kind_of_socket) {
  std::string const content = numbered(kLong);
  for (std::string const kind : {"tcp", "unix", "tls"}) {
    BOOST_TEST_CONTEXT(kind) {
      FileServer server{content};
      std::string const address = kind == "tls"    ? listen(server)
                                  : kind == "unix" ? server.listen("unix:" + (server.folder / "a.sock"))
                                                   : server.listen();
      server.serve({server.file.get(), 333, kLong - 777});
      server.start();
      std::optional<std::string> got;
      if (kind == "tls") {
        TlsClient client{address, trusting()};
        shake(client);
        client.send("go\n");
        got = client.read_all();
      } else {
        LineClient client{address};
        client.send("go\n");
        got = client.read_all();
      }
      BOOST_REQUIRE(got.has_value());
      BOOST_TEST((*got == content.substr(333, kLong - 777)));
      server.finish();
      BOOST_TEST(server.failed.ok(), server.failed.text());
      BOOST_TEST(server.largest <= env::kSendFileBytesMax);
      BOOST_TEST(server.calls >= kLong / env::kSendFileBytesMax);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_file_without_a_descriptor_is_read_instead) {
  std::string const content = numbered(kLong);
  FileServer server{content};
  OddFile odd{*server.file, OddFile::Kind::without_descriptor};
  // sendfile(2) does not read from a pipe.
  int pipe[2];
  BOOST_REQUIRE(::pipe2(pipe, O_CLOEXEC | O_NONBLOCK) == 0);
  UniqueFd const reading{pipe[0]};
  UniqueFd const writing{pipe[1]};
  OddFile with_pipe{*server.file, OddFile::Kind::with_pipe, reading.get()};
  std::string const address = server.listen();
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
    server.ranges[id] = {bytes == "pipe\n" ? &with_pipe : &odd, 0, kLong};
    server.give(id);
  };
  server.start();
  for (std::string const what : {"odd\n", "pipe\n"}) {
    LineClient client{address};
    client.send(what);
    auto const got = client.read_all();
    BOOST_REQUIRE(got.has_value());
    BOOST_TEST((*got == content));
  }
  server.finish();
  BOOST_TEST(odd.reads > 1U);
  BOOST_TEST(with_pipe.reads > 1U);
}

BOOST_AUTO_TEST_CASE(a_slow_reader_gets_all_and_the_loop_does_not_spin) {
  std::string const content = numbered(kLong);
  for (bool const local : {false, true}) {
    FileServer server{content};
    std::string const address = server.listen(local ? "unix:" + (server.folder / "a.sock") : kLoopback);
    server.serve({server.file.get(), 0, content.size()});
    server.start();
    LineClient slow{address};
    slow.send("go\n");
    std::string got;
    for (std::size_t step = 1; got.size() < content.size(); step = step % 100'000 + 7777) {
      auto const part = slow.read_bytes(std::min(step, content.size() - got.size()));
      BOOST_REQUIRE(part.has_value());
      got += *part;
    }
    BOOST_TEST((got == content));
    server.finish();
    BOOST_TEST(server.handler.writable_calls >= 1U);
    BOOST_TEST(server.handler.turns <= server.handler.writable_calls + 10U);
  }
}

BOOST_AUTO_TEST_CASE(others_are_served_while_a_fast_reader_gets_a_long_range) {
  std::string const content = numbered(kLong);
  FileServer server{content};
  std::string const address = server.listen();
  std::size_t echoed = 0;
  std::size_t echoed_before_the_end = 0;
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
    if (bytes == "go\n") {
      server.ranges[id] = {server.file.get(), 0, kLong};
      server.give(id);
      return;
    }
    ++echoed;
    if (!server.ranges.empty()) ++echoed_before_the_end;
    server.handler.answer(id, bytes);
  };
  server.start();
  LineClient fast{address};
  LineClient other{address};
  BOOST_TEST(other.ask("x") == "x");
  fast.send("go\n");
  BOOST_REQUIRE(fast.read_bytes(1).has_value());
  // As nobody takes the rest so far, the range cannot have ended.
  BOOST_TEST(other.ask("y") == "y");
  auto const rest = fast.read_all();
  BOOST_REQUIRE(rest.has_value());
  BOOST_TEST((*rest == content.substr(1)));
  server.finish();
  BOOST_TEST(echoed_before_the_end == 1U);
}

BOOST_AUTO_TEST_CASE(a_long_range_goes_on_after_the_end_of_input) {
  std::string const content = numbered(kLong);
  FileServer server{content};
  std::string const address = server.listen("unix:" + (server.folder / "a.sock"));
  server.serve({server.file.get(), 0, content.size()});
  server.handler.end_of_input_hook = [](ConnectionId) {};
  server.start();
  LineClient client{address};
  client.send("go\n");
  client.end_output();
  auto const got = client.read_all();
  BOOST_REQUIRE(got.has_value());
  BOOST_TEST((*got == content));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_too_short_or_unreadable_is_no_matter_of_the_peer) {
  std::string const content = numbered(100'000);
  for (std::string const kind : {"plain", "tls"}) {
    for (std::string const fault : {"short", "short later", "unreadable", "unreadable later"}) {
      BOOST_TEST_CONTEXT(kind << ", " << fault) {
        FileServer server{content};
        OddFile odd{*server.file, OddFile::Kind::unreadable};
        std::string const address = kind == "tls" ? listen(server) : server.listen();
        std::size_t comes = 0;
        if (fault == "short") server.serve({server.file.get(), 100'000, 10});
        if (fault == "short later") {
          server.serve({server.file.get(), 60'000, 50'000});
          comes = 40'000;
        }
        if (fault == "unreadable") server.serve({&odd, 0, 10});
        if (fault == "unreadable later") {
          odd.unreadable_from = 65'536;
          server.serve({&odd, 0, 100'000});
          comes = 65'536;
        }
        server.start();
        std::optional<std::string> got;
        if (kind == "tls") {
          TlsClient client{address, trusting()};
          shake(client);
          client.send("go\n");
          got = client.read_all();
        } else {
          LineClient client{address};
          client.send("go\n");
          got = client.read_all();
        }
        BOOST_REQUIRE(got.has_value());
        BOOST_TEST(got->size() == comes);
        server.finish();
        BOOST_TEST(!server.failed.ok());
        BOOST_TEST((server.failed.code() == (fault.starts_with("short") ? Code::damaged : Code::io_error)));
        // The server closed it.
        BOOST_TEST(server.handler.closed.empty());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_peer_that_goes_in_the_middle_of_a_range_is_only_gone) {
  std::string const content = numbered(kLong);
  for (std::string const kind : {"tcp", "unix", "tls"}) {
    for (bool const input_ends : {false, true}) {
      BOOST_TEST_CONTEXT(kind << ", " << input_ends) {
        FileServer server{content};
        std::string const address = kind == "tls"    ? listen(server)
                                    : kind == "unix" ? server.listen("unix:" + (server.folder / "a.sock"))
                                                     : server.listen();
        server.serve({server.file.get(), 0, content.size()});
        server.close_when_sent = false;
        server.handler.end_of_input_hook = [](ConnectionId) {};
        server.handler.closed_hook = [&](ConnectionId) { server.reactor->stop(); };
        server.start();
        if (kind == "tls") {
          TlsClient client{address, trusting()};
          shake(client);
          client.send("go\n");
          if (input_ends) client.end_output();
          BOOST_TEST(client.read_bytes(1).has_value());
          client.cut();
        } else {
          LineClient client{address};
          client.send("go\n");
          if (input_ends) client.end_output();
          BOOST_TEST(client.read_bytes(1).has_value());
          client.reset();
        }
        server.join();
        BOOST_TEST(server.failed.ok(), server.failed.text());
        BOOST_TEST(server.handler.closed.size() == 1U);
      }
    }
  }
}

// No signal: its default would end the process.
BOOST_AUTO_TEST_CASE(what_is_sent_to_a_peer_that_is_gone_is_dropped) {
  FileServer server{numbered(100'000)};
  std::string const address = server.listen("unix:" + (server.folder / "a.sock"));
  std::size_t taken = 0;
  ConnectionId given{};
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view) {
    given = id;
    server.reactor->pause_reading(id, true);
    server.handler.answer(id, "paused\n");
  };
  server.handler.closed_hook = [&](ConnectionId) { server.reactor->stop(); };
  LineClient* client = nullptr;
  server.handler.turn_end_hook = [&] {
    if (given == ConnectionId{} || client == nullptr) return;
    client->close();
    client = nullptr;
    taken = server.reactor->send_file(given, *server.file, 0, 50'000).value();
    taken += server.reactor->send_file(given, *server.file, 0, 50'000).value();
    taken += server.reactor->send_with_descriptor(given, "bytes", *server.file).value();
    server.reactor->pause_reading(given, false);
  };
  LineClient own{address};
  client = &own;
  own.send("x\n");
  server.start();
  server.join();
  BOOST_TEST(taken == 100'005U);
  sigset_t pending{};
  ::sigpending(&pending);
  BOOST_TEST(::sigismember(&pending, SIGPIPE) == 0);
}

BOOST_AUTO_TEST_CASE(the_receiver_of_a_descriptor_reads_the_whole_file_and_cannot_write_it) {
  FileServer server{"0123456789"};
  std::string const address = server.listen("unix:" + (server.folder / "a.sock"));
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
    if (bytes == "more\n") {
      static_cast<void>(server.file->write(10, as_bytes(std::string_view{"abc"})));
      server.handler.answer(id, bytes);
      return;
    }
    BOOST_TEST(server.reactor->send_with_descriptor(id, "here it is\n", *server.file).value() == 11U);
  };
  server.start();
  LineClient client{address};
  client.send("attach\n");
  Received const got = receive_descriptors(client.fd());
  BOOST_TEST(got.bytes == "here it is\n");
  BOOST_REQUIRE(got.descriptors.size() == 1U);
  int const fd = got.descriptors[0].get();
  auto const content = [fd] {
    char bytes[32];
    ssize_t const size = ::pread(fd, bytes, sizeof bytes, 0);
    return std::string{bytes, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  };
  BOOST_TEST(content() == "0123456789");
  BOOST_TEST(client.ask("more") == "more");
  BOOST_TEST(content() == "0123456789abc");
  BOOST_TEST(::pwrite(fd, "x", 1, 0) == -1);
  BOOST_TEST(errno == EBADF);
  BOOST_TEST(::ftruncate(fd, 0) == -1);
  BOOST_TEST((::fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY);
  // An offset of its own.
  BOOST_TEST(::lseek(fd, 5, SEEK_SET) == 5);
  BOOST_TEST(::lseek(server.file->descriptor(), 0, SEEK_CUR) == 0);
}

BOOST_AUTO_TEST_CASE(descriptors_are_given_over_unix_sockets_only) {
  FileServer server{"0123456789"};
  std::string const tcp = server.listen();
  std::string const secure = listen(server);
  std::vector<Code> codes;
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
    codes.push_back(server.reactor->send_with_descriptor(id, "x", *server.file).status().code());
    server.handler.answer(id, bytes);
  };
  server.start();
  LineClient plain{tcp};
  BOOST_TEST(plain.ask("a") == "a");
  TlsClient client{secure, trusting()};
  shake(client);
  BOOST_TEST(echo(client, "b") == "b");
  server.finish();
  BOOST_TEST((codes == std::vector{Code::not_supported, Code::not_supported}));
}

BOOST_AUTO_TEST_CASE(without_a_descriptor_nothing_goes_and_the_connection_stays) {
  FileServer server{"0123456789"};
  OddFile odd{*server.file, OddFile::Kind::without_descriptor};
  std::string const address = server.listen("unix:" + (server.folder / "a.sock"));
  Status status;
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
    if (bytes == "attach\n") status = server.reactor->send_with_descriptor(id, "x", odd).status();
    server.handler.answer(id, bytes);
  };
  server.start();
  LineClient client{address};
  BOOST_TEST(client.ask("attach") == "attach");
  BOOST_TEST(client.ask("b") == "b");
  server.finish();
  BOOST_TEST(status.message() == "open odd: no more descriptors");
}

// The peer does not read; later it finds each answer with its descriptor, in order.
BOOST_AUTO_TEST_CASE(a_full_socket_takes_neither_bytes_nor_descriptor) {
  FileServer server{"0123456789"};
  std::string const address = server.listen("unix:" + (server.folder / "a.sock"));
  std::size_t const wanted = 2000;
  std::size_t given = 0;
  std::promise<void> is_full;
  std::size_t refused = 0;
  ConnectionId to{};
  auto const give = [&] {
    while (given < wanted) {
      std::string const answer = fmt::format("{:06}\n", given);
      Result<std::size_t> const taken = server.reactor->send_with_descriptor(to, answer, *server.file);
      server.failed = taken.status();
      if (!taken.ok() || taken.value() < answer.size()) {
        if (taken.ok() && taken.value() > 0) server.failed = Status{Code::io_error, "a part was taken"};
        if (++refused == 1) is_full.set_value();
        return;
      }
      ++given;
    }
  };
  server.handler.writable_hook = [&](ConnectionId) { give(); };
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view) {
    to = id;
    give();
  };
  server.start();
  LineClient client{address};
  client.send("attach\n");
  BOOST_REQUIRE((is_full.get_future().wait_for(test::kPatience) == std::future_status::ready));
  for (std::size_t number = 0; number < wanted; ++number) {
    Received const got = receive_descriptors(client.fd());
    BOOST_REQUIRE(got.bytes == fmt::format("{:06}\n", number));
    BOOST_REQUIRE(got.descriptors.size() == 1U);
  }
  server.finish();
  BOOST_TEST(server.failed.ok(), server.failed.text());
  BOOST_TEST(refused >= 1U);
}

BOOST_AUTO_TEST_CASE(after_the_end_of_our_output_input_goes_on_until_its_end) {
  for (std::string const kind : {"tcp", "unix", "tls"}) {
    BOOST_TEST_CONTEXT(kind) {
      TemporaryFolder const folder;
      Server server;
      std::string const address = kind == "tls"    ? listen(server)
                                  : kind == "unix" ? server.listen("unix:" + (folder / "a.sock"))
                                                   : server.listen();
      std::string heard;
      server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
        if (heard.empty()) {
          BOOST_TEST(server.reactor->send(id, "echo") == 4U);
          server.reactor->end_output(id);
          server.reactor->end_output(id);
        }
        heard += bytes;
      };
      server.handler.end_of_input_hook = [](ConnectionId) {};
      server.handler.closed_hook = [&](ConnectionId) { server.reactor->stop(); };
      server.start();
      std::string const data = numbered(3U << 20U);
      if (kind == "tls") {
        TlsClient client{address, trusting()};
        shake(client);
        client.send("head");
        BOOST_TEST(client.read_all().value_or("(cut)") == "echo");
        BOOST_TEST(client.send(data));
        client.end_output();
        server.join();
      } else {
        LineClient client{address};
        client.send("head");
        BOOST_TEST(client.read_bytes(4).value_or("(none)") == "echo");
        BOOST_TEST(sees_end(client));
        BOOST_TEST(client.send(data));
        client.end_output();
        server.join();
      }
      BOOST_TEST((heard == "head" + data));
      BOOST_TEST(server.handler.ended.size() == 1U);
      BOOST_REQUIRE(server.handler.closed.size() == 1U);
      BOOST_TEST(server.handler.closed[0].second == "closed by peer");
      BOOST_TEST(server.reactor->connections() == 0U);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_end_of_our_output_after_that_of_input_is_the_end) {
  for (std::string const kind : {"tcp", "unix", "tls"}) {
    BOOST_TEST_CONTEXT(kind) {
      TemporaryFolder const folder;
      Server server;
      std::string const address = kind == "tls"    ? listen(server)
                                  : kind == "unix" ? server.listen("unix:" + (folder / "a.sock"))
                                                   : server.listen();
      server.handler.end_of_input_hook = [&](ConnectionId id) {
        BOOST_TEST(server.reactor->send(id, "last\n") == 5U);
        server.reactor->end_output(id);
      };
      server.handler.closed_hook = [&](ConnectionId) { server.reactor->stop(); };
      server.start();
      if (kind == "tls") {
        TlsClient client{address, trusting()};
        shake(client);
        BOOST_TEST(echo(client, "x") == "x");
        client.end_output();
        BOOST_TEST(client.read_all().value_or("(cut)") == "last\n");
        server.join();
      } else {
        LineClient client{address};
        BOOST_TEST(client.ask("x") == "x");
        client.end_output();
        BOOST_TEST(client.read_all().value_or("(it lasts)") == "last\n");
        server.join();
      }
      BOOST_TEST(server.handler.closed.size() == 1U);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_peer_that_goes_after_the_end_of_our_output_is_noticed) {
  for (std::string const kind : {"tcp", "unix", "tls"}) {
    BOOST_TEST_CONTEXT(kind) {
      TemporaryFolder const folder;
      Server server;
      std::string const address = kind == "tls"    ? listen(server)
                                  : kind == "unix" ? server.listen("unix:" + (folder / "a.sock"))
                                                   : server.listen();
      server.handler.bytes_hook = [&](ConnectionId id, std::string_view) { server.reactor->end_output(id); };
      server.handler.end_of_input_hook = [](ConnectionId) {};
      server.handler.closed_hook = [&](ConnectionId) { server.reactor->stop(); };
      server.start();
      if (kind == "tls") {
        TlsClient client{address, trusting()};
        shake(client);
        client.send("x");
        BOOST_TEST(client.read_all().has_value());
        client.cut();
      } else {
        LineClient client{address};
        client.send("x");
        BOOST_TEST(client.read_all().has_value());
        client.reset();
      }
      server.join();
      BOOST_TEST(server.handler.closed.size() == 1U);
    }
  }
}

// The word for the end does not fit, and goes when the peer reads. How many records fit is known from a peer before; a
// unix socket has room for so many for each of them.
BOOST_AUTO_TEST_CASE(the_end_of_our_output_over_tls_waits_for_a_full_socket) {
  TemporaryFolder const folder;
  Server server;
  auto const bound = server.reactor->listen({"unix:" + (folder / "a.sock")}, {}, {context(), kNoTls});
  BOOST_REQUIRE(bound.ok());
  std::string const record(4000, 'f');
  std::size_t fit = 0;
  bool was_full = false;
  std::promise<void> measured;
  std::promise<void> told;
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
    if (bytes == "measure") {
      while (server.reactor->send(id, record) == record.size()) ++fit;
      measured.set_value();
      return;
    }
    for (std::size_t i = 0; i < fit; ++i) was_full = server.reactor->send(id, record) < record.size() || was_full;
    server.reactor->end_output(id);
    told.set_value();
  };
  server.handler.writable_hook = [](ConnectionId) {};
  server.start();
  TlsClient first{bound->text, trusting()};
  shake(first);
  first.send("measure");
  BOOST_REQUIRE((measured.get_future().wait_for(test::kPatience) == std::future_status::ready));
  TlsClient client{bound->text, trusting()};
  shake(client);
  client.send("x");
  BOOST_REQUIRE((told.get_future().wait_for(test::kPatience) == std::future_status::ready));
  auto const got = client.read_all();
  BOOST_REQUIRE_MESSAGE(got.has_value(), client.error());
  server.finish();
  BOOST_TEST(!was_full);
  BOOST_TEST(fit > 10U);
  BOOST_TEST(got->size() == fit * record.size());
  // The handler was not told of room that it did not ask for; the loop waited for it.
  BOOST_TEST(server.handler.writable_calls == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::reactor

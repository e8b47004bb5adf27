// The commands `blob ...`: the messages that they send, what they print, and their exit codes.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/hash.h"
#include "clients/programs/fastjournal/blob_input.h"
#include "clients/programs/fastjournal/blob_output.h"
#include "clients/programs/fastjournal/blob_reader.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/clients/run_line.h"

using namespace fastjournal;
using namespace fastjournal::cli;
using namespace fastjournal::test;

namespace {

constexpr std::string_view kHash = "0123456789abcdef01234567";

std::string low_half(std::string_view bytes) { return fmt::format("{:016x}", hash128(bytes).low); }

std::string read_file(std::string const& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>(in), {}};
}

// A blob of these bytes at offset 4096.
std::vector<Param> blob_of(std::string_view bytes, std::string const& content_hash) {
  return {text("table", "images"),
          text("hash", kHash),
          text("result", "found"),
          number("entry_time", 1'795'350'000),
          number("begin", 4096),
          number("end", static_cast<std::int64_t>(4096 + bytes.size())),
          number("length", static_cast<std::int64_t>(bytes.size())),
          number("file", 1),
          number("newer", 0),
          text("content_hash", content_hash)};
}

void answer_absent(Peer& peer, Message const& about, std::string_view command = "BLOB") {
  peer.answer(about, command,
              {text("table", "images"), text("hash", kHash), text("result", "absent"), number("begin", 0),
               number("end", 0), number("file", 0)});
}

// Of a GET that asks for the place; the file is not on this computer.
void answer_place(Peer& peer, std::string_view bytes, std::string const& path = "/nowhere/at/all") {
  Message const get = peer.expect("GET");
  want(get.integer("place") == 1 && !get.has("data"), "place");
  std::string const content_hash = low_half(bytes);
  std::string const place = fmt::format("4096 {} {}", bytes.size(), path);
  std::vector<Param> params = blob_of(bytes, content_hash);
  params.push_back(text("place", place));
  peer.answer(get, "BLOB", params);
}

// The part that a GET with data=1 asks for; in lines as base64.
void answer_bytes(Peer& peer, Message const& get, std::string_view whole, std::string const& content_hash) {
  auto const offset = static_cast<std::size_t>(get.integer("offset").value_or(0));
  auto const length = static_cast<std::size_t>(get.integer("length").value_or(0));
  std::vector<Param> params = blob_of(whole, content_hash);
  params.push_back({"data", Value::of_binary(whole.substr(offset, length))});
  peer.answer(get, "BLOB", params);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cli_blobs)

BOOST_AUTO_TEST_CASE(mistakes_are_refused_with_what_was_expected) {
  BOOST_TEST(says(refused({"dance"}, "blob"), "there is no command 'blob dance'"));
  BOOST_TEST(says(refused({"get", "images"}, "blob"), "KEY is required"));
  BOOST_TEST(says(refused({"get", "images", "xyz", "--hash"}, "blob"), "expected 24 hex digits"));
  BOOST_TEST(says(refused({"get", "images", "k", "--json"}, "blob"), "needs -o FILE"));
  BOOST_TEST(says(refused({"get", "images", "k", "--offset", "-1"}, "blob"), "expected a whole number"));
  BOOST_TEST(says(refused({"maintain", "images", "--age", "1w"}, "blob"), "'1w' is no duration"));
  BOOST_TEST(says(refused({"maintain", "images", "--cancel", "--wait"}, "blob"), "--wait"));
}

BOOST_AUTO_TEST_CASE(put_sends_the_bytes_with_their_hash) {
  test::TemporaryFolder const folder;
  std::string const path = folder / "logo";
  std::string const bytes{"\x00\xff\n", 3};
  std::ofstream{path, std::ios::binary} << bytes;
  auto const script = [&](Peer& peer) {
    Message const put = peer.expect("PUT");
    want(put.text("table") == "images" && put.text("key") == "logo" && put.find("data")->bytes == bytes, "PUT");
    Hash128 const hash = hash128(bytes);
    want(put.text("content_hash") == fmt::format("{:016x}{:016x}", hash.high, hash.low), "hash");
    peer.answer(put, "STORED", {text("table", "images"), text("hash", kHash), text("result", "stored")});
  };
  BOOST_TEST(talk(script, {"blob", "put", "images", "logo", path}).out == "stored logo: 3 bytes\n");
  BOOST_TEST(talk(script, {"blob", "put", "images", "logo"}, bytes).out == "stored logo: 3 bytes\n");
  BOOST_TEST(talk(script, {"blob", "put", "images", "logo", "-", "--json"}, bytes).out ==
             "{\"table\":\"images\",\"hash\":\"0123456789abcdef01234567\",\"result\":\"stored\"}\n");
}

BOOST_AUTO_TEST_CASE(what_is_too_large_for_a_message_is_told_with_the_way_out) {
  auto const script = [](Peer& peer) {
    Message const put = peer.expect("PUT");
    want(put.text("hash") == kHash && !put.has("key"), "by hash");
    peer.answer(put, "INVALID", {text("code", "too_large"), text("message", "the frame has 5 bytes")});
  };
  Said const said = talk(script, {"blob", "put", "images", std::string{kHash}, "--hash"}, "bytes");
  BOOST_TEST((said.code == ExitCode::refused));
  BOOST_TEST(says(said.err, "--port sends a blob of any size"));
  auto const by_table = [](Peer& peer) {
    peer.answer(peer.expect("PUT"), "ERROR",
                {text("code", "too_large"), text("message", "blob-size-max"), text("parameter", "data")});
  };
  Said const other = talk(by_table, {"blob", "put", "images", "logo"}, "bytes");
  BOOST_TEST((other.code == ExitCode::refused));
  BOOST_TEST(!says(other.err, "--port"));
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_read_is_a_mistake) {
  Said const said = talk([](Peer&) {}, {"blob", "put", "images", "logo", "/nowhere/at/all"});
  BOOST_TEST((said.code == ExitCode::usage));
  BOOST_TEST(says(said.err, "open /nowhere/at/all: No such file or directory"));
}

BOOST_AUTO_TEST_CASE(get_reads_the_data_file_where_it_is) {
  test::TemporaryFolder const folder;
  std::string const path = folder / "data.000001";
  std::string const bytes = "the bytes of the blob\n";
  std::string file = "FJBYTES\n" + std::string{"\x01\x00\x00\x00\x01\x00\x00\x00", 8};
  file.resize(4096, '\0');
  std::ofstream{path, std::ios::binary} << file + bytes;
  auto const script = [&](Peer& peer) { answer_place(peer, bytes, path); };
  BOOST_TEST(talk(script, {"blob", "get", "images", "logo"}).out == bytes);
  // Another file of the same number, as on another computer: the daemon is asked for the bytes.
  std::ofstream{path, std::ios::binary} << file + "THE BYTES OF THE BLOB\n";
  auto const brought = [&](Peer& peer) {
    script(peer);
    Message const get = peer.expect("GET");
    want(get.integer("data") == 1 && get.integer("offset") == 0, "data");
    answer_bytes(peer, get, bytes, low_half(bytes));
  };
  BOOST_TEST(talk(brought, {"blob", "get", "images", "logo"}).out == bytes);
}

BOOST_AUTO_TEST_CASE(get_brings_large_blobs_in_pieces_and_parts_as_they_are) {
  std::string bytes(9'000'000, 'b');
  for (std::size_t i = 0; i < bytes.size(); i += 1000) bytes[i] = static_cast<char>(i / 1000);
  auto const script = [&](Peer& peer) {
    answer_place(peer, bytes);
    for (int i = 0; i < 3; ++i) answer_bytes(peer, peer.expect("GET"), bytes, low_half(bytes));
  };
  BOOST_TEST((talk(script, {"blob", "get", "images", "logo"}).out == bytes));
  auto const part = [&](Peer& peer) {
    answer_place(peer, bytes);
    Message const get = peer.expect("GET");
    want(get.integer("offset") == 1000 && get.integer("length") == 3, "part");
    answer_bytes(peer, get, bytes, low_half(bytes));
  };
  BOOST_TEST(talk(part, {"blob", "get", "images", "logo", "--offset", "1000", "--length", "3"}).out ==
             "\x01"
             "bb");
}

BOOST_AUTO_TEST_CASE(what_is_not_what_was_stored_leaves_no_file) {
  test::TemporaryFolder const folder;
  std::string const path = folder / "out";
  auto const script = [&](Peer& peer) {
    answer_place(peer, "bytes");
    answer_bytes(peer, peer.expect("GET"), "BYTES", low_half("bytes"));
  };
  Said const said = talk(script, {"blob", "get", "images", "logo", "-o", path});
  BOOST_TEST((said.code == ExitCode::damaged));
  BOOST_TEST(says(said.err, "another content hash"));
  BOOST_TEST(std::filesystem::is_empty(folder.path()));
  // A blob that is stored meanwhile is read from its beginning.
  auto const replaced = [&](Peer& peer) {
    answer_place(peer, "bytes");
    answer_bytes(peer, peer.expect("GET"), "other bytes", low_half("other bytes"));
    answer_place(peer, "other bytes");
    answer_bytes(peer, peer.expect("GET"), "other bytes", low_half("other bytes"));
  };
  BOOST_TEST(talk(replaced, {"blob", "get", "images", "logo", "-o", path}).out == path + ": 11 bytes\n");
  BOOST_TEST(read_file(path) == "other bytes");
  // What was there before stays where there is no blob.
  Said const none =
      talk([](Peer& peer) { answer_absent(peer, peer.expect("GET")); }, {"blob", "get", "images", "logo", "-o", path});
  BOOST_TEST((none.code == ExitCode::nothing));
  BOOST_TEST(none.err == "no blob under logo\n");
  BOOST_TEST(read_file(path) == "other bytes");
}

BOOST_AUTO_TEST_CASE(ls_shows_pages_until_there_are_enough) {
  auto const script = [](Peer& peer) {
    Message const first = peer.expect("LIST");
    want(first.integer("count") == 1000 && !first.has("after"), "first page");
    std::string const content_hash = low_half("bytes");
    std::vector<Param> params = blob_of("bytes", content_hash);
    params.push_back(text("after", kHash));
    params.push_back(number("left", 0));
    peer.answer(first, "BLOB", params);
    Message const second = peer.expect("LIST");
    want(second.text("after") == kHash, "after");
    peer.answer(second, "NOTHING", {text("table", "images")});
  };
  Said const json = talk(script, {"blob", "ls", "images", "--json"});
  BOOST_TEST(says(json.out, "\"hash\":\"0123456789abcdef01234567\""));
  BOOST_TEST(says(json.out, "\"length\":5"));
  auto const one = [](Peer& peer) {
    Message const list = peer.expect("LIST");
    want(list.integer("count") == 1, "count");
    std::string const content_hash = low_half("bytes");
    std::vector<Param> params = blob_of("bytes", content_hash);
    params.push_back(text("after", kHash));
    peer.answer(list, "BLOB", params);
  };
  Said const said = talk(one, {"blob", "ls", "images", "--count", "1"});
  BOOST_TEST(says(said.out, "hash"));
  BOOST_TEST(says(said.out, "0123456789abcdef01234567"));
  BOOST_TEST(says(said.out, "2026-11-22T"));
  BOOST_TEST(said.err == "there may be more: --count, or --after 0123456789abcdef01234567\n");
  Said const none = talk([](Peer& peer) { peer.answer(peer.expect("LIST"), "NOTHING", {text("table", "images")}); },
                         {"blob", "ls", "images"});
  BOOST_TEST(none.out == "");
  BOOST_TEST(none.err == "table images has no blobs\n");
}

BOOST_AUTO_TEST_CASE(stat_and_omit_say_what_is_not_there) {
  Said const stat =
      talk([](Peer& peer) { answer_absent(peer, peer.expect("GET")); }, {"blob", "stat", "images", "logo"});
  BOOST_TEST((stat.code == ExitCode::nothing));
  Said const figures = talk(
      [](Peer& peer) {
        peer.answer(peer.expect("STATS"), "STATS", {text("table", "images"), number("blob_bytes", 5)});
      },
      {"blob", "stat", "images", "--json"});
  BOOST_TEST(figures.out == "{\"table\":\"images\",\"blob_bytes\":5}\n");
  Said const omit =
      talk([](Peer& peer) { answer_absent(peer, peer.expect("OMIT"), "OMITTED"); }, {"blob", "omit", "images", "logo"});
  BOOST_TEST((omit.code == ExitCode::nothing));
  auto const script = [](Peer& peer) {
    Message const command = peer.expect("OMIT");
    peer.answer(command, "OMITTED", {text("table", "images"), text("hash", kHash), text("result", "omitted")});
  };
  BOOST_TEST(talk(script, {"blob", "omit", "images", "logo"}).out == "the next maintenance leaves out logo\n");
}

BOOST_AUTO_TEST_CASE(maintain_waits_until_the_new_file_is_there) {
  auto const stats = [](Peer& peer, std::int64_t running, std::int64_t file, std::int64_t given_up) {
    peer.answer(peer.expect("STATS"), "STATS",
                {text("table", "images"), number("rows", 2), number("blob_bytes", 9), number("file_number", file),
                 number("maintenance_running", running), number("maintenances_given_up", given_up)});
  };
  auto const begin = [](Peer& peer) {
    Message const command = peer.expect("MAINTAIN");
    want(command.integer("age") == 86'400'000 && command.integer("size") == 1024 && !command.has("unreferenced"),
         "limits");
    peer.answer(
        command, "MAINTAINING",
        {text("table", "images"), text("result", "begun"), number("file", 2), number("total", 3), number("done", 0)});
  };
  std::vector<std::string> const words{"blob", "maintain", "images", "--age", "1d", "--size", "1KiB", "--wait"};
  Said const done = talk(
      [&](Peer& peer) {
        stats(peer, 0, 1, 4);
        begin(peer);
        stats(peer, 1, 1, 4);
        stats(peer, 0, 2, 4);
      },
      words);
  BOOST_TEST((done.code == ExitCode::ok));
  BOOST_TEST(done.out ==
             "maintenance of images began: 3 blobs, into data file 2\n"
             "data file 2 is in use: 2 blobs, 9 bytes; the old one goes in a minute\n");
  Said const failed = talk(
      [&](Peer& peer) {
        stats(peer, 0, 1, 4);
        begin(peer);
        stats(peer, 0, 1, 5);
      },
      words);
  BOOST_TEST((failed.code == ExitCode::refused));
  BOOST_TEST(says(failed.err, "given up, and nothing is lost"));
  Said const cancelled = talk(
      [&](Peer& peer) {
        stats(peer, 0, 1, 4);
        begin(peer);
        stats(peer, 0, 1, 4);
      },
      words);
  BOOST_TEST((cancelled.code == ExitCode::nothing));
  Said const idle = talk(
      [](Peer& peer) {
        Message const command = peer.expect("MAINTAIN");
        want(command.integer("cancel") == 1, "cancel");
        peer.answer(command, "MAINTAINING", {text("table", "images"), text("result", "idle"), number("file", 0)});
      },
      {"blob", "maintain", "images", "--cancel"});
  BOOST_TEST((idle.code == ExitCode::nothing));
  BOOST_TEST(idle.err == "no maintenance of images runs\n");
}

BOOST_AUTO_TEST_CASE(check_tells_damage_once_it_is_sure) {
  auto const list = [](Peer& peer) {
    peer.answer(peer.expect("LIST"), "BLOB", blob_of("bytes", low_half("bytes")));
    // No data file is here.
    answer_place(peer, "bytes");
  };
  auto const sound = [&](Peer& peer) {
    list(peer);
    Message const get = peer.expect("GET");
    want(get.text("hash") == kHash, "by hash");
    answer_bytes(peer, get, "bytes", low_half("bytes"));
  };
  Said const all = talk(sound, {"blob", "check", "images"});
  BOOST_TEST((all.code == ExitCode::ok));
  BOOST_TEST(all.out == "1 blobs, 5 bytes: all sound\n");
  auto const damaged = [&](Peer& peer) {
    list(peer);
    answer_bytes(peer, peer.expect("GET"), "BYTES", low_half("bytes"));
    answer_place(peer, "bytes");
  };
  Said const bad = talk(damaged, {"blob", "check", "images"});
  BOOST_TEST((bad.code == ExitCode::damaged));
  BOOST_TEST(says(bad.out, "0123456789abcdef01234567 is damaged: file 1, 5 bytes at offset 4096"));
  BOOST_TEST(says(bad.out, "1 blobs, 5 bytes: 1 damaged\n"));
  BOOST_TEST(says(talk(damaged, {"blob", "check", "images", "--json"}).out,
                  "{\"table\":\"images\",\"blobs\":1,\"bytes\":5,\"damaged\":1}\n"));
  // It went while it was looked at.
  auto const gone = [&](Peer& peer) {
    list(peer);
    answer_absent(peer, peer.expect("GET"));
    answer_absent(peer, peer.expect("GET"));
  };
  BOOST_TEST((talk(gone, {"blob", "check", "images"}).code == ExitCode::ok));
}

BOOST_AUTO_TEST_CASE(put_by_a_port_needs_no_other_connection) {
  Said const said = test::run_line(
      "127.0.0.1:1", {"blob", "put", "images", "logo", "--port", "unix:/nowhere/at/all", "--timeout", "1s"}, "bytes");
  BOOST_TEST((said.code == ExitCode::unreachable));
  BOOST_TEST(says(said.err, "/nowhere/at/all"));
  BOOST_TEST(says(said.err, "protocol=\"blobwrite\""));
}

BOOST_AUTO_TEST_CASE(inputs_of_all_kinds_are_read_whole) {
  test::TemporaryFolder const folder;
  std::istringstream none;
  std::string const path = folder / "in";
  std::ofstream{path, std::ios::binary} << "";
  BOOST_TEST(BlobInput::open(path, none).value().bytes() == "");
  std::ofstream{path, std::ios::binary} << std::string(100'000, 'x');
  BOOST_TEST((BlobInput::open(path, none).value().bytes() == std::string(100'000, 'x')));
  std::istringstream in(std::string(200'000, 'y'));
  BOOST_TEST((BlobInput::open("-", in).value().bytes() == std::string(200'000, 'y')));
  BOOST_TEST((BlobInput::open("/dev/null", none).value().bytes() == ""));
  BOOST_TEST((BlobInput::open(folder.path().string(), none).status().code() == Code::bad_parameter));
}

BOOST_AUTO_TEST_CASE(on_a_terminal_nothing_of_a_blob_controls_it) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Console console{in, out, err, {.terminal = true}};
  BlobOutput output(console, "");
  BOOST_TEST(output.open().ok());
  BOOST_TEST(output.write("a\n\x1b[2J\n").ok());
  BOOST_TEST(output.finish().ok());
  BOOST_TEST(out.str() == "a\n\\x1b[2J\n");
}

BOOST_AUTO_TEST_CASE(the_daemon_is_here_by_its_address) {
  for (std::string_view const here :
       {"unix:/run/s", "/run/s", "127.0.0.1:4050", "localhost:4050", "[::1]:4050", "tls:unix:/run/s"})
    BOOST_TEST(is_here(here), here);
  for (std::string_view const there : {"example.com:4050", "tls:192.0.2.1:4050", "[2001:db8::1]:4050"})
    BOOST_TEST(!is_here(there), there);
}

BOOST_AUTO_TEST_SUITE_END()

// Producers that append to one folder: threads, processes, files that end or vanish under them, a disk that is full.
#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "clients/spool/core/place.h"
#include "clients/spool/core/record.h"
#include "clients/spool/core/spool.h"
#include "tests/support/in_child.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/value_of.h"
#include "wire/msgpack.h"

namespace fastjournal::spool {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<Spool> open_spool(fs::path const& folder, Options options = {}) {
  options.folder = folder;
  return fastjournal::test::value_of(Spool::open(options));
}

Status save_uri(Spool& spool, std::string_view uri) {
  Message row = Spool::row_of("pages");
  row.set("uri", uri);
  return spool.save(row);
}

std::string bytes_of(fs::path const& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

// How often each row is there, in all files.
std::map<std::string, int> rows_in(fs::path const& folder, std::size_t* damaged = nullptr) {
  std::map<std::string, int> out;
  for (auto const& file : fs::directory_iterator{folder}) {
    BOOST_TEST(place_of(file.path().filename().string()).has_value(), file.path());
    std::string const bytes = bytes_of(file.path());
    std::optional<Seed> const seed = seed_of_file(bytes);
    if (!seed) continue;
    for (std::size_t at = 0;;) {
      Found const found = find_record(bytes, at, *seed, true);
      if (damaged != nullptr) *damaged += found.damaged_bytes;
      if (found.kind != Found::Kind::record) break;
      Message message;
      BOOST_REQUIRE(protocol::parse_frame(found.body, message).ok());
      ++out[std::string{message.text("uri")}];
      at = found.end;
    }
  }
  return out;
}

std::vector<fs::path> files_in(fs::path const& folder) {
  std::set<fs::path> out;
  for (auto const& file : fs::directory_iterator{folder}) out.insert(file.path());
  return {out.begin(), out.end()};
}

using fastjournal::test::run_in_child;
using fastjournal::test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(spool)

BOOST_AUTO_TEST_CASE(a_row_that_would_never_be_handed_out_is_not_saved) {
  TemporaryFolder const folder;
  std::unique_ptr<Spool> const spool = open_spool(folder / "rows");
  auto const save = [&](std::map<std::string, std::string> const& dates) {
    Message row = Spool::row_of("pages");
    for (auto const& [name, value] : dates) row.set(name, std::string_view{value});
    return spool->save(row);
  };
  // Beyond all clocks.
  std::string const late = "9999999999999";
  std::string const later = "9999999999999999";  // too late for a date: that is for the daemon to say
  Status const refused = save({{"process_date", late}, {"expiration_date", late}});
  BOOST_TEST((refused.code() == Code::expired));
  BOOST_TEST(refused.message() ==
             "expiration_date is " + late + ", and the row is due at " + late + ": it would never be handed out");
  BOOST_TEST((refused.facts() == Status::Facts{{"parameter", "expiration_date"}}));
  Status const past = save({{"expiration_date", "1700000000000"}});
  BOOST_TEST(past.message() == "expiration_date is past: the row would never be handed out");
  BOOST_TEST((save({{"insertion_date", late}, {"expiration_date", late}}).code() == Code::expired));
  BOOST_TEST(fs::is_empty(folder / "rows"));
  for (std::map<std::string, std::string> const& good :
       std::vector<std::map<std::string, std::string>>{{{"expiration_date", late}},
                                                       {{"expiration_date", "0"}, {"process_date", late}},
                                                       {{"expiration_date", "+5"}, {"process_date", "+10"}},
                                                       {{"expiration_date", "+5"}, {"process_date", late}},
                                                       {{"expiration_date", late}, {"process_date", later}}})
    BOOST_TEST(save(good).ok());
}

BOOST_AUTO_TEST_CASE(a_row_has_what_was_set_and_its_date) {
  TemporaryFolder const folder;
  std::unique_ptr<Spool> const spool = open_spool(folder / "rows");
  Message row = Spool::row_of("pages");
  row.set("uri", std::string_view{"http://example.com/"});
  row.set_integer("priority", 20);
  BOOST_TEST(spool->save(row).ok());
  std::vector<fs::path> const files = files_in(folder / "rows");
  BOOST_REQUIRE(files.size() == 1U);
  std::string const bytes = bytes_of(files[0]);
  Found const found = find_record(bytes, 0, seed_of_file(bytes).value(), true);
  BOOST_REQUIRE((found.kind == Found::Kind::record));
  Message read;
  BOOST_REQUIRE(protocol::parse_frame(found.body, read).ok());
  BOOST_TEST(read.text("table") == "pages");
  BOOST_TEST(read.integer("priority").value_or(0) == 20);
  BOOST_TEST(read.integer("insertion_date").value_or(0) > 1'700'000'000'000);
  BOOST_TEST(((fs::status(files[0]).permissions() & fs::perms::others_all) == fs::perms::none));
}

BOOST_AUTO_TEST_CASE(a_date_of_its_own_is_kept) {
  TemporaryFolder const folder;
  std::unique_ptr<Spool> const spool = open_spool(folder / "rows");
  Message row = Spool::row_of("pages");
  row.set_integer("insertion_date", 7);
  BOOST_TEST(spool->save(row).ok());
  std::string const bytes = bytes_of(files_in(folder / "rows").at(0));
  Message read;
  BOOST_REQUIRE(protocol::parse_frame(find_record(bytes, 0, seed_of_file(bytes).value(), true).body, read).ok());
  BOOST_TEST(read.integer("insertion_date").value_or(0) == 7);
}

BOOST_AUTO_TEST_CASE(mistakes_are_told_at_once) {
  TemporaryFolder const folder;
  auto const refused = [&](Options options) { return Spool::open(std::move(options)).status().code(); };
  BOOST_TEST((refused({}) == Code::bad_parameter));
  BOOST_TEST((refused({.folder = folder / "a", .period = std::chrono::seconds{0}}) == Code::bad_parameter));
  BOOST_TEST((refused({.folder = folder / "a", .file_mode = 0440}) == Code::bad_parameter));
  BOOST_TEST((refused({.folder = folder / "a", .file_mode = 0620}) == Code::bad_parameter));
  BOOST_TEST((refused({.folder = folder / "no/such/folder"}) == Code::io_error));
  std::ofstream{folder / "file"} << "x";
  BOOST_TEST((refused({.folder = folder / "file"}) == Code::io_error));

  std::unique_ptr<Spool> const spool = open_spool(folder / "rows");
  BOOST_TEST((spool->save(Message{"INSERT"}).code() == Code::missing_parameter));
  BOOST_TEST((spool->save(Message{"DELETE"}).code() == Code::missing_parameter));
  Message numbered = Spool::row_of("pages");
  numbered.set_integer("sequence", 1);
  BOOST_TEST((spool->save(numbered).code() == Code::bad_parameter));
  BOOST_TEST(files_in(folder / "rows").empty());
}

// Threads of two Spools, and processes.
BOOST_AUTO_TEST_CASE(many_producers_lose_nothing) {
  TemporaryFolder const folder;
  constexpr int kRows = 500;
  auto const produce = [&](Spool& spool, int who) {
    for (int row = 0; row < kRows; ++row)
      if (!save_uri(spool, std::to_string(who) + "/" + std::to_string(row)).ok()) return false;
    return true;
  };
  std::vector<pid_t> children;
  for (int who = 0; who < 3; ++who) {
    pid_t const child = ::fork();
    BOOST_REQUIRE(child >= 0);
    if (child == 0) {
      Result<std::unique_ptr<Spool>> own = Spool::open({.folder = folder / "rows", .file_bytes_max = 20'000});
      ::_exit(own.ok() && produce(*own.value(), who) ? 0 : 1);
    }
    children.push_back(child);
  }
  std::unique_ptr<Spool> const first = open_spool(folder / "rows", {.file_bytes_max = 20'000});
  std::unique_ptr<Spool> const second = open_spool(folder / "rows", {.file_bytes_max = 20'000});
  std::vector<std::thread> threads;
  for (int who = 3; who < 7; ++who) threads.emplace_back([&, who] { produce(who % 2 == 0 ? *first : *second, who); });
  for (std::thread& thread : threads) thread.join();
  for (pid_t const child : children) {
    int status = 0;
    BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
    BOOST_TEST(status == 0);
  }
  std::size_t damaged = 0;
  std::map<std::string, int> const rows = rows_in(folder / "rows", &damaged);
  BOOST_TEST(rows.size() == 7U * kRows);
  for (auto const& [uri, count] : rows) BOOST_TEST(count == 1, uri);
  BOOST_TEST(damaged == 0U);
  BOOST_TEST(files_in(folder / "rows").size() > 3U);  // cut by size
}

// The forwarder ends a file: what was written still counts, the next row goes elsewhere, and then the lock is free.
BOOST_AUTO_TEST_CASE(an_ended_file_is_left) {
  TemporaryFolder const folder;
  std::unique_ptr<Spool> const spool = open_spool(folder / "rows");
  BOOST_TEST(save_uri(*spool, "first").ok());
  fs::path const file = files_in(folder / "rows").at(0);
  int const fd = ::open(file.c_str(), O_RDONLY);
  BOOST_REQUIRE(fd >= 0);
  BOOST_TEST(::flock(fd, LOCK_EX | LOCK_NB) != 0);  // the producer has it open
  BOOST_REQUIRE(::fchmod(fd, 0440) == 0);
  BOOST_TEST(save_uri(*spool, "late").ok());
  BOOST_TEST(::flock(fd, LOCK_EX | LOCK_NB) == 0);  // it noticed, and left
  // Not moved away so far: its name is passed over, by this Spool and by another.
  BOOST_TEST(save_uri(*spool, "next").ok());
  BOOST_TEST(save_uri(*open_spool(folder / "rows"), "other").ok());
  ::close(fd);
  BOOST_TEST(files_in(folder / "rows").size() == 2U);
  BOOST_TEST(rows_in(folder / "rows").size() == 4U);
  std::size_t rows_of_first = 0;
  std::string const bytes = bytes_of(file);
  for (std::size_t at = 0;; ++rows_of_first) {
    Found const found = find_record(bytes, at, seed_of_file(bytes).value(), true);
    if (found.kind != Found::Kind::record) break;
    at = found.end;
  }
  BOOST_TEST(rows_of_first == 2U);
}

// Its first producer was killed before its head was whole, or it is a file of somebody else.
BOOST_AUTO_TEST_CASE(a_file_without_a_head_is_passed_over) {
  TemporaryFolder const folder;
  fs::create_directory(folder / "rows");
  std::string const head = head_of_file({7});
  std::int64_t const now = ::time(nullptr);
  for (std::int64_t const at : {now, now + 3600}) {
    std::int64_t const begin = begin_of_period(at, 3600);
    std::ofstream{folder / ("rows/" + name_of({begin, 0}))} << head.substr(0, 10);
    std::ofstream{folder / ("rows/" + name_of({begin, 1}))} << "something else, of some length";
    std::ofstream{folder / ("rows/" + name_of({begin, 2}))} << head << head_of_file({8});
  }
  BOOST_TEST(save_uri(*open_spool(folder / "rows"), "row").ok());
  BOOST_TEST((rows_in(folder / "rows") == std::map<std::string, int>{{"row", 1}}));
  BOOST_TEST(files_in(folder / "rows").size() == 6U);
}

BOOST_AUTO_TEST_CASE(each_file_has_a_seed_of_its_own) {
  TemporaryFolder const folder;
  std::unique_ptr<Spool> const spool = open_spool(folder / "rows", {.file_bytes_max = 64});
  for (int row = 0; row < 20; ++row) BOOST_TEST(save_uri(*spool, "row").ok());
  std::set<std::uint64_t> seeds;
  for (fs::path const& file : files_in(folder / "rows")) seeds.insert(seed_of_file(bytes_of(file)).value().value);
  BOOST_TEST(seeds.size() == 20U);
}

BOOST_AUTO_TEST_CASE(a_deleted_file_takes_no_row_with_it_unnoticed) {
  TemporaryFolder const folder;
  std::unique_ptr<Spool> const spool = open_spool(folder / "rows");
  BOOST_TEST(save_uri(*spool, "gone").ok());
  fs::remove(files_in(folder / "rows").at(0));
  BOOST_TEST(save_uri(*spool, "kept").ok());
  BOOST_TEST((rows_in(folder / "rows") == std::map<std::string, int>{{"kept", 1}}));
}

// A disk that is full in the middle of a row: told, and what others write behind it is found.
BOOST_AUTO_TEST_CASE(a_row_that_does_not_fit_is_refused) {
  TemporaryFolder const folder;
  int const code = run_in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    std::unique_ptr<Spool> const spool = std::move(Spool::open({.folder = folder / "rows"}).value());
    if (!save_uri(*spool, "fits").ok()) return 1;
    rlimit const limit{200, 200};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Status const refused = save_uri(*spool, std::string(1000, 'x'));
    if (refused.ok()) return 2;
    return refused.message().find(folder / "rows") == std::string::npos ? 3 : 0;
  });
  BOOST_TEST(code == 0);
  BOOST_TEST(save_uri(*open_spool(folder / "rows"), "after").ok());
  std::size_t damaged = 0;
  BOOST_TEST((rows_in(folder / "rows", &damaged) == std::map<std::string, int>{{"fits", 1}, {"after", 1}}));
  BOOST_TEST(damaged > 0U);
}

// A real one, for whoever may mount it.
BOOST_AUTO_TEST_CASE(a_full_disk_is_told_at_once) {
  TemporaryFolder const folder;
  fs::create_directory(folder / "small");
  constexpr int kNotAllowed = 77;
  int const code = run_in_child([&] {
    std::string const small = folder / "small";
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", "none", MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", small.c_str(), "tmpfs", 0, "size=64k") != 0)
      return kNotAllowed;
    std::unique_ptr<Spool> const spool = std::move(Spool::open({.folder = small + "/rows"}).value());
    int saved = 0;
    Status status;
    for (; saved < 1'000 && (status = save_uri(*spool, std::string(1'000, 'x'))).ok();) ++saved;
    if (status.code() != Code::no_space || status.facts().empty()) return 1;
    if (saved < 30 || saved > 64) return 2;
    int rows = 0;
    std::size_t damaged = 0;
    for (auto const& [uri, count] : rows_in(small + "/rows", &damaged)) rows += count;
    return rows == saved ? 0 : 3;
  });
  if (code == kNotAllowed)
    BOOST_TEST_MESSAGE("not allowed to mount a small disk: skipped");
  else
    BOOST_TEST(code == 0);
}

BOOST_AUTO_TEST_CASE(what_is_no_file_is_refused) {
  TemporaryFolder const folder;
  fs::create_directory(folder / "rows");
  std::int64_t const now = ::time(nullptr);
  // Of this period and the next, in case it ends now.
  for (std::int64_t const at : {now, now + 3600})
    fs::create_symlink("/dev/null", folder / ("rows/" + name_of({begin_of_period(at, 3600), 0})));
  Status const status = save_uri(*open_spool(folder / "rows"), "row");
  BOOST_TEST((status.code() == Code::io_error));
  BOOST_TEST(status.message().find("Z-0.rows") != std::string::npos, status.message());
}

BOOST_AUTO_TEST_CASE(a_ping_wakes_the_forwarder_if_there_is_one) {
  TemporaryFolder const folder;
  std::unique_ptr<Spool> const spool = open_spool(folder / "rows");
  BOOST_TEST((spool->ping().code() == Code::unavailable));
  fs::create_directory(folder / "rows/forwarder");
  std::string const path = folder / "rows/forwarder/socket";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  int const fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  BOOST_REQUIRE(::bind(fd, reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0);
  // As many as there is room for, and more: nobody waits.
  for (int times = 0; times < 2'000; ++times) BOOST_REQUIRE(spool->ping().ok());
  char bytes[16];
  BOOST_TEST(::recv(fd, bytes, sizeof bytes, 0) == 4);
  ::close(fd);
  BOOST_TEST((spool->ping().code() == Code::unavailable));  // its socket is still there
}

BOOST_AUTO_TEST_CASE(too_many_columns_are_refused) {
  TemporaryFolder const folder;
  std::unique_ptr<Spool> const spool = open_spool(folder / "rows");
  std::vector<std::string> names;
  for (int column = 0; column < 255; ++column) names.push_back("c" + std::to_string(column));
  Message row = Spool::row_of("pages");
  for (int column = 0; column < 254; ++column) row.set(names[static_cast<std::size_t>(column)], "v");
  BOOST_TEST(spool->save(row).ok());
  row.set(names[254], "v");
  BOOST_TEST((spool->save(row).code() == Code::too_large));
}

// Their rows are part of what sync() makes durable; the forwarder need not wait for it.
BOOST_AUTO_TEST_CASE(files_that_were_left_are_synced_with_the_rest) {
  TemporaryFolder const folder;
  auto const opened = fastjournal::test::value_of(Spool::open({.folder = folder / "spool", .file_bytes_max = 100}));
  auto const descriptors = [] {
    return std::distance(fs::directory_iterator{"/proc/self/fd"}, fs::directory_iterator{});
  };
  auto const before = descriptors();
  for (int row = 0; row < 8; ++row) {
    Message message = Spool::row_of("pages");
    message.set("uri", std::string_view{"http://example.com/"});
    BOOST_TEST(opened->save(message).ok());
  }
  BOOST_TEST(files_in(folder.path() / "spool").size() == 8U);
  BOOST_TEST(descriptors() == before + 4);
  for (fs::path const& file : files_in(folder.path() / "spool")) {
    int const fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    BOOST_TEST(::flock(fd, LOCK_EX | LOCK_NB) == 0);
    ::close(fd);
  }
  BOOST_TEST(opened->sync().ok());
  BOOST_TEST(descriptors() == before);
}

BOOST_AUTO_TEST_CASE(syncs) {
  TemporaryFolder const folder;
  for (Sync const sync : {Sync::none, Sync::interval, Sync::each}) {
    std::unique_ptr<Spool> const spool =
        open_spool(folder / "rows", {.sync = sync, .interval = std::chrono::milliseconds{1}});
    for (int row = 0; row < 20; ++row) BOOST_TEST(save_uri(*spool, std::to_string(row)).ok());
    BOOST_TEST(spool->sync().ok());
  }
  for (auto const& [uri, count] : rows_in(folder / "rows")) BOOST_TEST(count == 3, uri);
}

// The thread that syncs is not the child's, whatever it was doing.
BOOST_AUTO_TEST_CASE(a_forked_child_goes_on_and_closes_what_its_parent_syncs_in_time) {
  TemporaryFolder const folder;
  constexpr int kChildren = 50;
  std::unique_ptr<Spool> spool =
      open_spool(folder / "rows", {.sync = Sync::interval, .interval = std::chrono::milliseconds{1}});
  for (int number = 0; number < kChildren; ++number) {
    BOOST_TEST(save_uri(*spool, "parent" + std::to_string(number)).ok());
    pid_t const child = ::fork();
    BOOST_REQUIRE(child >= 0);
    if (child == 0) {
      ::alarm(20);
      bool const saved = save_uri(*spool, "child" + std::to_string(number)).ok() && spool->sync().ok();
      spool.reset();
      ::_exit(saved ? 0 : 1);
    }
    int status = 0;
    BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
    BOOST_REQUIRE(status == 0);
  }
  BOOST_TEST(rows_in(folder / "rows").size() == 2U * kChildren);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace fastjournal::spool

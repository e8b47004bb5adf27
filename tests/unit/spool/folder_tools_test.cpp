// What people do with a spool folder: rows are listed, counted, sent again and purged, with a forwarder and without.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clients/spool/core/folder_tools.h"
#include "clients/spool/core/forwarder.h"
#include "clients/spool/core/place.h"
#include "clients/spool/core/posix_folder.h"
#include "clients/spool/core/spool.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::spool {
namespace {

namespace fs = std::filesystem;
using fastjournal::test::TemporaryFolder;

// Takes rows of `tables`, but those whose id is among `refused`.
class Daemon final : public Link {
 public:
  std::set<std::string> tables{"pages"};
  std::set<std::string> refused{"bad"};
  bool is_there{true};
  std::map<std::string, int> rows;

  [[nodiscard]] bool is_up() const override { return is_there; }
  void send(Message const& insert, std::string_view, std::uint64_t number) override {
    std::string const id{insert.text("id")};
    Status status;
    if (!tables.contains(std::string{insert.text("table")})) status = {Code::unknown_table, "no such table"};
    if (refused.contains(id)) status = {Code::bad_parameter, "no such row"};
    auto const identity = std::pair{std::string{insert.text("client")}, insert.integer("sequence").value_or(0)};
    if (status.ok() && known_.insert(identity).second) ++rows[id];
    answers_.emplace_back(number, std::move(status));
  }
  void answer(Forwarder& forwarder, TimeMs now) {
    auto const answers = std::exchange(answers_, {});
    for (auto const& [number, status] : answers) forwarder.answered(number, status, now);
  }

 private:
  std::set<std::pair<std::string, std::int64_t>> known_;
  std::vector<std::pair<std::uint64_t, Status>> answers_;
};

struct Play {
  TemporaryFolder temporary;
  std::string path{temporary / "rows"};
  std::unique_ptr<Spool> producer{std::move(Spool::open({.folder = path}).value())};
  std::unique_ptr<PosixFolder> folder;
  Daemon daemon;
  std::unique_ptr<Forwarder> forwarder;
  TimeMs now{static_cast<std::int64_t>(::time(nullptr)) * 1000};
  int names{0};

  Play() { start(); }
  void start() {
    forwarder.reset();
    folder.reset();
    folder = std::move(PosixFolder::open(path).value());
    forwarder = std::make_unique<Forwarder>(*folder, daemon, ForwarderRules{},
                                            [this] { return "client-" + std::to_string(++names); });
    BOOST_REQUIRE(forwarder->start().ok());
  }
  void save(std::string const& id, std::string const& table = "pages") {
    Message row = Spool::row_of(table);
    row.set("id", id);
    BOOST_REQUIRE(producer->save(row).ok());
  }
  void settle() {
    for (int turn = 0; turn < 5; ++turn) {
      now.value += 60'000;
      forwarder->run(now);
      daemon.answer(*forwarder, now);
    }
  }
  [[nodiscard]] std::vector<std::string> listed(RowsWanted const& wanted = {}) const {
    std::vector<std::string> out;
    Status const status = list_rows(path, wanted, [&out](RowInFolder const& row) {
      BOOST_REQUIRE(row.row != nullptr);
      BOOST_TEST(row.date_ms > 1'700'000'000'000);
      static constexpr char const* kNames[] = {"waiting", "held", "aside"};
      std::string text = std::string{kNames[static_cast<int>(row.where)]} + " " + std::string{row.table} + " " +
                         std::string{row.row->text("id")};
      if (!row.code.empty()) text += " " + std::string{row.code} + " " + std::string{row.reason};
      out.push_back(text);
      return true;
    });
    BOOST_TEST(status.ok(), status.text());
    return out;
  }
};

using Lines = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(spool_folder_tools)

BOOST_AUTO_TEST_CASE(rows_are_listed_and_counted_with_the_reason_of_their_stay) {
  Play play;
  play.save("good");
  play.save("bad");
  play.save("waits", "later");
  play.save("bad", "other");
  play.settle();
  play.daemon.is_there = false;
  play.save("new");
  BOOST_TEST(
      (play.listed() == Lines{"waiting pages new", "held later waits", "aside other bad bad_parameter no such row",
                              "aside pages bad bad_parameter no such row"}));
  BOOST_TEST(
      (play.listed({.table = "pages"}) == Lines{"waiting pages new", "aside pages bad bad_parameter no such row"}));
  BOOST_TEST((play.listed({.waiting = false, .aside = false}) == Lines{"held later waits"}));

  std::vector<FileOfRows> const files = count_rows(play.path).value();
  BOOST_REQUIRE(files.size() == 4U);
  for (FileOfRows const& file : files) {
    BOOST_TEST(file.rows == 1U, file.path);
    BOOST_TEST(file.bytes > 40U, file.path);
    BOOST_TEST(file.damaged_bytes == 0U, file.path);
    BOOST_TEST(fs::exists(play.path + "/" + file.path), file.path);
  }
  BOOST_TEST(files[1].table == "later");
  BOOST_TEST((files[1].where == Where::held));
  BOOST_TEST(files[3].path == "forwarder/aside/pages.rows");
}

BOOST_AUTO_TEST_CASE(a_list_ends_when_it_was_enough) {
  Play play;
  play.daemon.is_there = false;
  for (int row = 0; row < 100; ++row) play.save(std::to_string(row));
  int seen = 0;
  BOOST_TEST(list_rows(play.path, {}, [&seen](RowInFolder const&) { return ++seen < 7; }).ok());
  BOOST_TEST(seen == 7);
  BOOST_TEST((list_rows(play.path + "/none", {}, [](RowInFolder const&) { return true; }).code() == Code::io_error));
}

BOOST_AUTO_TEST_CASE(rows_that_were_set_aside_are_sent_again_and_purged) {
  Play play;
  play.save("bad");
  play.save("bad");
  play.save("good");
  play.settle();
  BOOST_TEST(resend(play.path, "pages").value() == 2U);
  BOOST_TEST((resend(play.path, "pages").status().code() == Code::not_found));
  play.settle();
  BOOST_TEST(play.listed().size() == 2U);  // refused again
  play.daemon.refused.clear();
  play.start();  // another one finds them in the same way
  BOOST_TEST(resend(play.path, "pages").value() == 2U);
  play.settle();
  BOOST_TEST((play.daemon.rows == std::map<std::string, int>{{"bad", 2}, {"good", 1}}));
  BOOST_TEST(play.listed().empty());

  play.daemon.refused = {"bad"};
  play.save("bad");
  play.settle();
  BOOST_TEST(purge(play.path, "pages").value() == 1U);
  BOOST_TEST((purge(play.path, "pages").status().code() == Code::not_found));
  BOOST_TEST(play.listed().empty());
  play.save("bad");
  play.settle();
  BOOST_TEST(play.listed().size() == 1U);
  for (std::string const name : {"", "../pages", "a/b", "pages.rows"})
    BOOST_TEST((purge(play.path, name).status().code() == Code::bad_parameter), name);
}

// The forwarder does not wait for the lock: the row stays where it is, and is set aside later.
BOOST_AUTO_TEST_CASE(a_file_that_somebody_has_is_tried_again_later) {
  Play play;
  play.save("bad");
  play.settle();
  std::string const file = play.path + "/forwarder/aside/pages.rows";
  int const fd = ::open(file.c_str(), O_RDONLY);
  BOOST_REQUIRE(::flock(fd, LOCK_EX) == 0);
  BOOST_TEST((resend(play.path, "pages").status().code() == Code::in_use));
  play.save("bad");
  play.settle();
  BOOST_TEST(play.forwarder->figures().failures > 0U);
  BOOST_TEST((play.forwarder->problem().code() == Code::in_use));
  BOOST_TEST(play.listed({.waiting = false}).size() == 1U);
  ::close(fd);
  play.settle();
  BOOST_TEST(play.listed().size() == 2U);
  BOOST_TEST(play.listed({.waiting = false}).size() == 2U);
}

// What is no row, and rows of what can be no table.
BOOST_AUTO_TEST_CASE(rows_of_no_table_are_with_the_others) {
  Play play;
  play.save("row", "no/table");
  play.settle();
  BOOST_TEST((play.listed() == Lines{"aside no/table row unknown_table no table has such a name: 1 to 64 letters, "
                                     "digits, _ and -"}));
  BOOST_TEST(count_rows(play.path).value().back().table == kOtherTable);
  BOOST_TEST(resend(play.path, std::string{kOtherTable}).value() == 1U);
  play.settle();
  BOOST_TEST(play.listed().size() == 1U);
  BOOST_TEST(purge(play.path, std::string{kOtherTable}).value() == 1U);
}

BOOST_AUTO_TEST_CASE(names_of_tables_are_bounded) {
  TemporaryFolder const temporary;
  fs::create_directory(temporary / "rows");
  std::string const path = temporary / "rows";
  BOOST_REQUIRE(PosixFolder::open(path).ok());
  files::Folder const own = std::move(files::Folder::open(path + "/forwarder/aside").value());
  Syncs syncs{own};
  AsideFiles files{own, syncs};
  BOOST_REQUIRE(files.open().ok());
  for (std::size_t table = 0; table < kAsideFilesMax - 1; ++table)
    std::ofstream{path + "/forwarder/aside/t" + std::to_string(table) + ".rows"} << "x";
  BOOST_REQUIRE(files.open().ok());
  Aside const aside{.code = "c", .client = "x", .sequence = 1, .row = "row"};
  for (std::string const table : {"one", "two", "three", "one"}) BOOST_TEST(files.append(table, aside).ok());
  std::map<std::string, std::uint64_t> rows;
  std::vector<FileOfRows> const counted = count_rows(path).value();
  for (FileOfRows const& file : counted)
    if (file.rows > 0) rows[file.table] = file.rows;
  BOOST_TEST((rows == std::map<std::string, std::uint64_t>{{"one", 2}, {std::string{kOtherTable}, 2}}));
  // Room again.
  BOOST_TEST(purge(path, "t7").ok());
  BOOST_TEST(purge(path, std::string{kOtherTable}).ok());
  BOOST_TEST(files.append("two", aside).ok());
  BOOST_TEST(fs::exists(path + "/forwarder/aside/two.rows"));
}

// A head that is damaged: the file is kept for people, and the rows that come now get another one.
BOOST_AUTO_TEST_CASE(a_damaged_file_is_put_out_of_the_way) {
  Play play;
  play.save("bad");
  play.save("waits", "later");
  play.settle();
  for (std::string const name : {"aside/pages", "held/later"})
    std::fstream{play.path + "/forwarder/" + name + ".rows", std::ios::in | std::ios::out} << "damage";
  play.start();
  play.save("bad");
  play.save("waits", "later");
  play.settle();
  BOOST_TEST(play.listed().size() == 2U);
  BOOST_TEST(fs::exists(play.path + "/forwarder/aside/pages.rows.damaged"));
  BOOST_TEST(fs::exists(play.path + "/forwarder/held/later.rows.damaged"));
}

// An earlier forwarder died before it kept its progress: neither held nor set aside a second time.
BOOST_AUTO_TEST_CASE(rows_that_were_settled_before_a_crash_are_known) {
  Play play;
  for (std::string const table : {"pages", "later"})
    for (int row = 0; row < 3; ++row) play.save("bad", table);
  play.save("waits", "later");
  play.save("waits", "later");
  play.daemon.refused = {"bad"};
  play.forwarder->run(play.now);
  play.daemon.answer(*play.forwarder, play.now);
  BOOST_TEST(play.forwarder->figures().set_aside == 6U);
  BOOST_TEST(play.forwarder->figures().held == 0U);  // written with the next run
  play.start();
  play.settle();
  BOOST_TEST(play.forwarder->figures().set_aside == 0U);
  BOOST_TEST(play.forwarder->figures().held == 2U);
  BOOST_TEST(play.listed().size() == 8U);
}

// A producer may put a link in place of a folder of the spool: people's commands, of root too, do not go there.
BOOST_AUTO_TEST_CASE(links_to_other_folders_are_not_followed) {
  Play play;
  play.save("bad");
  play.settle();
  TemporaryFolder const elsewhere;
  fs::rename(play.path + "/closing", elsewhere / "closing");
  fs::create_directory_symlink(elsewhere / "closing", play.path + "/closing");
  // Before the end of an hour the file of the row is there.
  auto const files = [&] { return std::distance(fs::directory_iterator{elsewhere / "closing"}, {}); };
  auto const before = files();
  BOOST_TEST(!resend(play.path, "pages").ok());
  BOOST_TEST(!count_rows(play.path).ok());
  BOOST_TEST(files() == before);
  fs::remove(play.path + "/closing");
  fs::rename(play.path + "/forwarder", elsewhere / "forwarder");
  fs::create_directory_symlink(elsewhere / "forwarder", play.path + "/forwarder");
  BOOST_TEST(!purge(play.path, "pages").ok());
  BOOST_TEST(aside_tables(play.path).empty());
  BOOST_TEST(fs::exists(elsewhere / "forwarder/aside/pages.rows"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace fastjournal::spool

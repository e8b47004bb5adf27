// What was kept is found again: never an older line in place of a damaged one.
#include "clients/spool/core/progress_file.h"

#include <signal.h>
#include <sys/resource.h>
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/hash.h"
#include "tests/support/in_child.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::spool {
namespace {

namespace fs = std::filesystem;
using fastjournal::test::run_in_child;
using fastjournal::test::TemporaryFolder;

constexpr Instance kFirst{1, 2, 3};
constexpr Instance kSecond{1, 3, 4};

struct Fixture {
  Fixture() {
    fs::create_directories(folder / "closing");
    fs::create_directories(folder / "forwarder");
    spool = files::Folder::open(folder / ".");
    closing = spool->own("closing", false);
    own = spool->own("forwarder", false);
  }

  [[nodiscard]] ProgressFile opened() const { return ProgressFile{spool.value(), closing.value(), own.value()}; }
  [[nodiscard]] std::string text() const {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  void set_text(std::string const& text) const { std::ofstream{path, std::ios::binary} << text; }
  // A line for each row that is sent: of the first file, then of both at once.
  void keep_three() const {
    ProgressFile file = opened();
    BOOST_REQUIRE(file.open().ok());
    BOOST_REQUIRE(file.write_anew().ok());
    BOOST_REQUIRE(file.keep({{{kFirst, "first", 100, 2}, Seed{7}}}).ok());
    BOOST_REQUIRE(file.keep({{{kFirst, "first", 200, 3}, Seed{7}}, {{kSecond, "second", 100, 2}, {}}}).ok());
  }

  TemporaryFolder folder;
  Result<files::Folder> spool{Status{}};
  Result<files::Folder> closing{Status{}};
  Result<files::Folder> own{Status{}};
  std::string const path = folder / "forwarder/progress";
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(spool_progress_file, Fixture)

BOOST_AUTO_TEST_CASE(a_damaged_line_is_not_passed_over) {
  keep_three();
  std::string const whole = text();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    // At the end of the last line it cannot be told from a cut.
    if (at + 1 == whole.size()) continue;
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    set_text(bad);
    ProgressFile file = opened();
    Status const status = file.open();
    BOOST_TEST((status.code() == Code::damaged), at);
  }
}

// What is appended to it would be gone with its last descriptor.
BOOST_AUTO_TEST_CASE(one_that_was_removed_or_replaced_is_written_again) {
  for (bool const is_replaced : {false, true}) {
    {
      ProgressFile file = opened();
      BOOST_REQUIRE(file.open().ok());
      BOOST_REQUIRE(file.keep({{{kFirst, "first", 100, 2}, Seed{7}}}).ok());
      fs::remove(path);
      if (is_replaced) set_text("");
      BOOST_REQUIRE(file.keep({{{kSecond, "second", 100, 2}, {}}}).ok());
    }
    ProgressFile again = opened();
    BOOST_REQUIRE(again.open().ok());
    BOOST_TEST(again.kept().size() == 2U);
    fs::remove(path);
  }
}

BOOST_AUTO_TEST_CASE(the_line_is_named) {
  keep_three();
  std::string bad = text();
  bad[bad.find('\n') + 5] = '#';
  set_text(bad);
  ProgressFile file = opened();
  Status const status = file.open();
  BOOST_TEST(status.message().starts_with("line 2 of "), status.message());
  BOOST_TEST(status.message().find("/forwarder/progress") != std::string::npos, status.message());
  BOOST_TEST(status.message().find("remove it") != std::string::npos, status.message());
}

// A sector of zeros within what was durable is damage, and within the last lines the trace of a power cut.
BOOST_AUTO_TEST_CASE(what_a_power_cut_left_is_passed_over) {
  keep_three();
  std::string const whole = text();
  std::size_t const second = whole.find('\n') + 1;
  for (std::size_t size = second; size <= whole.size(); ++size) {
    set_text(whole.substr(0, size));
    ProgressFile file = opened();
    BOOST_TEST(file.open().ok(), size);
    BOOST_TEST(file.kept().at(kFirst).progress.offset >= 100U);
  }
  std::string torn = whole;
  torn.replace(second, 4, 4, '\0');
  set_text(torn);
  ProgressFile file = opened();
  BOOST_REQUIRE(file.open().ok());
  BOOST_TEST(file.kept().at(kFirst).progress.offset == 100U);
  BOOST_TEST(file.kept().at(kSecond).progress.offset == 100U);
  torn = whole;
  torn.replace(0, 4, 4, '\0');
  set_text(torn);
  ProgressFile other = opened();
  BOOST_TEST((other.open().code() == Code::damaged));
}

BOOST_AUTO_TEST_CASE(seeds_are_found_again) {
  keep_three();
  ProgressFile file = opened();
  BOOST_REQUIRE(file.open().ok());
  BOOST_TEST((file.kept().at(kFirst) == Kept{{kFirst, "first", 200, 3}, Seed{7}}));
  BOOST_TEST((file.kept().at(kSecond) == Kept{{kSecond, "second", 100, 2}, {}}));
}

BOOST_AUTO_TEST_CASE(lines_of_earlier_versions_are_read) {
  std::string const line = "1 2 3 first 100 2";
  set_text(line + fmt::format(" {:016x}\n", hash64(line)));
  ProgressFile file = opened();
  BOOST_REQUIRE(file.open().ok());
  BOOST_TEST((file.kept().at(kFirst) == Kept{{kFirst, "first", 100, 2}, {}}));
}

// A full disk leaves half a line. It must not stay before the next ones.
BOOST_AUTO_TEST_CASE(after_a_failed_append_it_is_written_anew) {
  int const code = run_in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    ProgressFile file = opened();
    if (!file.open().ok() || !file.write_anew().ok() || !file.keep({{{kFirst, "first", 100, 2}, Seed{7}}}).ok())
      return 1;
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    rlim_t const before = limit.rlim_cur;
    limit.rlim_cur = fs::file_size(path) + 10;
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 3;
    if (file.keep({{{kFirst, "first", 200, 3}, {}}}).ok()) return 4;
    limit.rlim_cur = before;
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 5;
    if (!file.keep({{{kFirst, "first", 300, 4}, {}}}).ok()) return 6;
    return file.keep({{{kSecond, "second", 100, 2}, {}}}).ok() ? 0 : 7;
  });
  BOOST_TEST(code == 0);
  ProgressFile file = opened();
  BOOST_REQUIRE(file.open().ok());
  BOOST_TEST(file.kept().at(kFirst).progress.offset == 300U);
  BOOST_TEST(file.kept().at(kSecond).progress.offset == 100U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::spool

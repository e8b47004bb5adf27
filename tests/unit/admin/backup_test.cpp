// BACKUP and BACKUP_DONE: logs are pinned, and files of bytes held, exactly while one connection makes a backup. Whole
// copies, and what a start from them finds: tests/integration.
#include "server/admin/backup.h"
#include "tests/support/nobody.h"

#include <boost/test/unit_test.hpp>

namespace {

using namespace fastjournal;
using namespace fastjournal::admin;

struct Logs final : BackupLogs {
  Status check_serving() const override { return serving; }
  std::vector<Pinned> pin_all() override {
    BOOST_TEST(!pinned);
    pinned = true;
    return {};
  }
  bool unpin_all() override {
    BOOST_TEST(pinned);
    pinned = false;
    return kept;
  }

  Status serving;
  bool pinned{false};
  bool kept{true};
};

struct Files final : BackupFiles {
  std::vector<Held> hold_all() override {
    BOOST_TEST(!held);
    held = true;
    return {{.table = "blobs", .folder = "/data/bytes/blobs", .names = {"data.000001", "data.000002"}}};
  }
  void let_go_all() override {
    BOOST_TEST(held);
    held = false;
  }

  bool held{false};
};

struct BackupFixture {
  Status begin(std::uint64_t connection, char const* digest = nullptr) {
    Message message{"BACKUP"};
    if (digest != nullptr) message.set("digest", digest);
    return run(connection, message, &Backup::begin);
  }
  Status finish(std::uint64_t connection) {
    Message const message{"BACKUP_DONE"};
    return run(connection, message, &Backup::finish);
  }
  Status run(std::uint64_t connection, Message const& message, Outcome (Backup::*command)(Request const&)) {
    Caller const caller{.connection = ConnectionId{connection}};
    answer.clear();
    return (backup.*command)({.caller = caller, .message = message, .answer = answer}).status;
  }

  fastjournal::test::Nobody nobody;
  engine::TableTypes types;
  engine::Engine engine{types, nobody};
  Logs logs;
  Files files;
  Backup backup{logs, files, engine};
  Answer answer;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(backups, BackupFixture)

BOOST_AUTO_TEST_CASE(one_connection_at_a_time_makes_a_backup) {
  BOOST_TEST(begin(1).ok());
  BOOST_TEST(logs.pinned);
  BOOST_TEST(files.held);
  BOOST_REQUIRE(answer.heads().size() == 1U);
  BOOST_TEST(answer.heads()[0].command == "BACKUP_BYTES");
  BOOST_TEST(answer.params()[2].value.bytes == "data.000001 data.000002");
  BOOST_TEST((begin(2).code() == Code::in_use));
  BOOST_TEST((finish(2).code() == Code::wrong_state));
  BOOST_TEST(logs.pinned);
  BOOST_TEST(finish(1).ok());
  BOOST_TEST(!logs.pinned);
  BOOST_TEST(!files.held);
  BOOST_TEST(answer.heads().size() == 1U);
  BOOST_TEST(begin(2).ok());
}

BOOST_AUTO_TEST_CASE(a_connection_that_ends_gives_the_logs_free) {
  BOOST_TEST(begin(1).ok());
  backup.ended(ConnectionId{2});
  BOOST_TEST(logs.pinned);
  backup.ended(ConnectionId{1});
  BOOST_TEST(!logs.pinned);
  BOOST_TEST(!files.held);
  BOOST_TEST((finish(1).code() == Code::wrong_state));
}

BOOST_AUTO_TEST_CASE(a_copy_whose_files_were_given_up_is_no_backup) {
  BOOST_TEST(begin(1).ok());
  logs.kept = false;
  BOOST_TEST((finish(1).code() == Code::no_space));
  BOOST_TEST(answer.empty());
}

BOOST_AUTO_TEST_CASE(nothing_is_pinned_for_what_is_refused) {
  BOOST_TEST((begin(1, "2").code() == Code::bad_parameter));
  logs.serving = {Code::unavailable, "away"};
  BOOST_TEST((begin(1).code() == Code::unavailable));
  BOOST_TEST(!logs.pinned);
  BOOST_TEST(!files.held);
}

BOOST_AUTO_TEST_SUITE_END()

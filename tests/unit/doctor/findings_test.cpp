// Each judgement of `fastjournal doctor` about facts that are made up: a sound installation has only good findings, and
// each fault alone has its own.
#include <errno.h>
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "clients/programs/fastjournal/doctor.h"
#include "clients/programs/fastjournal/doctor/findings.h"

using namespace fastjournal;
using namespace fastjournal::doctor;

namespace {

constexpr std::uint64_t kMiB = 1U << 20U;
constexpr std::uint64_t kGiB = 1U << 30U;
constexpr std::int64_t kNowMs = 1'795'000'000'000;
constexpr uid_t kDaemon = 110;

// A daemon of user 110 that serves, on a good disk.
Facts sound() {
  Facts out;
  out.uid = 0;
  out.wish = {.file = "/etc/f.xml",
              .is_read = true,
              .connections = 10'016,
              .rows_bytes_max = 4 * kGiB,
              .clients_bytes_max = kGiB,
              .has_tcp = true,
              .has_udp = true};
  out.configuration.files = {"/etc/f.xml", "/etc/t.xml"};
  out.configuration.certificates = {{"/etc/c.pem", kNowMs / 1000 + 100 * 86'400}};
  out.paths = {
      {.role = Role::configuration, .path = "/etc/f.xml", .mode = 0644},
      {.role = Role::tables, .path = "/etc/tables.d", .is_folder = true, .mode = 0755},
      {.role = Role::plugins, .path = "/lib/types", .is_folder = true, .mode = 0755},
      {.role = Role::data, .path = "/data", .is_folder = true, .uid = kDaemon, .gid = 5, .mode = 0750, .entries = 2},
      {.role = Role::log,
       .path = "/data/shared",
       .is_folder = true,
       .uid = kDaemon,
       .gid = 5,
       .mode = 0750,
       .entries = 2},
      {.role = Role::socket,
       .path = "/run/s",
       .uid = kDaemon,
       .mode = 0600,
       .declared_mode = 0600,
       .is_administrators = true},
      {.role = Role::users, .path = "/etc/users.xml", .uid = kDaemon, .mode = 0600},
      {.role = Role::key, .path = "/etc/k.pem", .gid = 5, .mode = 0640},
      {.role = Role::secret, .path = "/etc/secret", .gid = 5, .mode = 0640},
      {.role = Role::token, .path = "/root/token", .mode = 0600},
      {.role = Role::bytes,
       .path = "/data/bytes/images/data.000001",
       .uid = kDaemon,
       .gid = 9,
       .mode = 0640,
       .declared_mode = 0640,
       .declared_group = 9}};
  DiskFacts disk{.folder = "/data", .type = "ext4", .bytes = 100 * kGiB, .bytes_free = 50 * kGiB};
  disk.files = 1'000'000;
  disk.files_free = 900'000;
  disk.segment_bytes = 16 * kMiB;
  disk.logs = 1;
  disk.syncs = SyncFacts{200, 300, 2'000};
  out.disks = {disk};
  out.clock = {.now_ms = kNowMs, .is_synchronised = true, .error_us_max = 5'000, .daemon_ms = 3};
  out.limits = {
      .is_of_daemon = true, .files_hard = 524'288, .core_soft = 0, .memory_bytes = 16 * kGiB, .swapped_bytes = 0};
  out.kernel = {.somaxconn = 4096, .rmem_max = 4 << 20, .overcommit = 0, .huge_pages = "madvise"};
  out.versions = {.own = "1.2.3", .daemon = "1.2.3", .daemon_program = "/sbin/fastjournald"};
  out.daemon.server = "unix:/run/s";
  out.daemon.pid = 77;
  out.daemon.uid = kDaemon;
  out.daemon.has_figures = true;
  return out;
}

PathFacts& path_of(Facts& facts, Role role) {
  return *std::find_if(facts.paths.begin(), facts.paths.end(), [&](PathFacts const& one) { return one.role == role; });
}

// The same without its daemon.
Facts dead() {
  Facts out = sound();
  out.daemon = {};
  out.daemon.problem = "nobody listens";
  return out;
}
Facts never_started() {
  Facts out = dead();
  path_of(out, Role::data).entries = 0;
  path_of(out, Role::log).error = ENOENT;
  path_of(out, Role::log).entries = 0;
  return out;
}

std::string text_of(Findings const& findings) {
  std::string out;
  for (Finding const& one : findings)
    out += std::string{name_of(one.severity)} + " " + one.check + ": " + one.found + " | " + one.expected + " | " +
           one.advice + "\n";
  return out;
}

// Exactly one finding is not ok, and is this one.
void check_only(Facts const& facts, Severity severity, std::string const& check, std::string const& part) {
  Findings bad = judge(facts);
  std::erase_if(bad, [](Finding const& one) { return one.severity == Severity::ok; });
  BOOST_TEST_REQUIRE(bad.size() == 1U, text_of(bad));
  BOOST_TEST((bad[0].severity == severity), text_of(bad));
  BOOST_TEST(bad[0].check == check, text_of(bad));
  BOOST_TEST(text_of(bad).find(part) != std::string::npos, text_of(bad));
  bool const needs_advice = severity > Severity::unseen;
  BOOST_TEST((!needs_advice || !bad[0].advice.empty()), text_of(bad));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(doctor_findings)

BOOST_AUTO_TEST_CASE(a_sound_installation_has_only_good_findings) {
  Findings const findings = judge(sound());
  BOOST_TEST((worst_of(findings) == Severity::ok), text_of(findings));
  for (char const* const check :
       {"configuration", "rights", "certificate", "file-system", "disk-space", "sync", "clock", "daemon-clock",
        "open-files", "core", "memory", "kernel", "versions", "daemon", "alert"})
    BOOST_TEST(std::any_of(findings.begin(), findings.end(), [&](Finding const& one) { return one.check == check; }),
               check);
}

BOOST_AUTO_TEST_CASE(mistakes_of_the_configuration_are_told_with_their_place) {
  Facts facts = sound();
  facts.configuration.problems = {{"/etc/t.xml", 7, "unknown element <colunm>"}};
  check_only(facts, Severity::error, "configuration", "/etc/t.xml:7: unknown element");
  facts = sound();
  facts.configuration.notes = {{"/etc/t.xml", 0, "was not looked at"}};
  Findings const findings = judge(facts);
  BOOST_TEST((worst_of(findings) == Severity::advice), text_of(findings));
  facts = sound();
  facts.forbidden = {{"/etc/users.xml", 0, "Permission denied"}};
  check_only(facts, Severity::unseen, "configuration", "/etc/users.xml: Permission denied");
  facts.uid = kDaemon;
  check_only(facts, Severity::error, "configuration", "/etc/users.xml: Permission denied");
}

BOOST_AUTO_TEST_CASE(missing_files_are_errors_unless_a_start_makes_them) {
  for (Role const role : {Role::tables, Role::plugins, Role::users, Role::key, Role::secret}) {
    Facts facts = sound();
    path_of(facts, role).error = ENOENT;
    check_only(facts, Severity::error, "rights", "does not exist");
  }
  Facts facts = never_started();
  path_of(facts, Role::data).error = ENOENT;
  Findings const findings = judge(facts);
  BOOST_TEST((worst_of(findings) == Severity::advice), text_of(findings));
  BOOST_TEST(text_of(findings).find("data folder /data: does not exist") != std::string::npos, text_of(findings));
  facts = sound();
  for (Role const role : {Role::socket, Role::token, Role::bytes}) path_of(facts, role).error = ENOENT;
  BOOST_TEST((worst_of(judge(facts)) == Severity::ok));
}

BOOST_AUTO_TEST_CASE(a_daemon_that_is_dead_is_an_error_unless_none_was_ever_started) {
  check_only(never_started(), Severity::advice, "daemon", "no daemon answers: nobody listens");
  Facts facts = dead();
  check_only(facts, Severity::error, "daemon", "no daemon answers: nobody listens");
  facts.daemon.is_refused = true;
  check_only(facts, Severity::unseen, "daemon", "nobody listens");
}

BOOST_AUTO_TEST_CASE(a_log_that_is_gone_or_empty_is_told) {
  for (bool const is_missing : {true, false}) {
    auto const lose = [&](Facts facts, Role role) {
      path_of(facts, role).error = is_missing ? ENOENT : 0;
      path_of(facts, role).entries = 0;
      return facts;
    };
    char const* const found =
        is_missing ? "log folder /data/shared: does not exist" : "log folder /data/shared: is empty";
    check_only(lose(sound(), Role::log), Severity::error, "rights", std::string{found} + ", while the daemon runs");
    check_only(lose(sound(), Role::data), Severity::error, "rights", "while the daemon runs: its files were removed");
    Facts facts = lose(dead(), Role::log);
    Findings findings = judge(facts);
    BOOST_TEST(text_of(findings).find(std::string{"warning rights: "} + found + " | its segments") != std::string::npos,
               text_of(findings));
    path_of(facts, Role::log).not_mounted = "/data/shared";
    findings = judge(facts);
    BOOST_TEST(text_of(findings).find(std::string{"error rights: "} + found + ": fstab names /data/shared, and") !=
                   std::string::npos,
               text_of(findings));
  }
}

BOOST_AUTO_TEST_CASE(an_empty_mount_is_told) {
  Facts facts = never_started();
  path_of(facts, Role::data).is_mount = true;
  Findings const findings = judge(facts);
  BOOST_TEST((worst_of(findings) == Severity::warning), text_of(findings));
  BOOST_TEST(text_of(findings).find("data folder /data: an empty file system is mounted here") != std::string::npos,
             text_of(findings));
  // One with data is as it should be, whatever fstab says.
  facts = sound();
  path_of(facts, Role::data).is_mount = true;
  path_of(facts, Role::data).not_mounted = "/data";
  BOOST_TEST((worst_of(judge(facts)) == Severity::ok));
}

// The daemon refuses to start there: the state folder knows it.
BOOST_AUTO_TEST_CASE(an_empty_folder_where_a_journal_was_is_an_error) {
  std::string const journal = "this installation had a journal here: no daemon starts with it";
  auto const told = [&](Facts const& facts, std::string const& found) {
    std::string const text = text_of(judge(facts));
    BOOST_TEST(text.find("error rights: data folder /data: " + found + ", and " + journal) != std::string::npos, text);
    BOOST_TEST(text.find("start the daemon once with --new-data") != std::string::npos, text);
  };
  Facts facts = never_started();
  path_of(facts, Role::data).is_missed = true;
  told(facts, "is empty");
  path_of(facts, Role::data).is_mount = true;
  told(facts, "is empty");
  path_of(facts, Role::data).entries = 1;  // other things, and no log
  told(facts, "has no log");
  path_of(facts, Role::data).error = ENOENT;
  path_of(facts, Role::data).entries = 0;
  told(facts, "does not exist");
  // What fstab says is better, and a folder with its logs is sound.
  path_of(facts, Role::data).not_mounted = "/data";
  BOOST_TEST(text_of(judge(facts)).find("fstab names /data, and nothing is mounted there") != std::string::npos);
  BOOST_TEST(text_of(judge(facts)).find("no start is possible without it") != std::string::npos);
  facts = sound();
  path_of(facts, Role::data).is_missed = true;
  BOOST_TEST((worst_of(judge(facts)) == Severity::ok), text_of(judge(facts)));
}

BOOST_AUTO_TEST_CASE(what_may_not_be_opened_is_unseen_or_an_error_of_the_daemons_user) {
  Facts facts = sound();
  facts.uid = 1000;
  path_of(facts, Role::users).error = EACCES;
  check_only(facts, Severity::unseen, "rights", "Permission denied");
  facts.uid = kDaemon;
  check_only(facts, Severity::error, "rights", "give the daemon's user the rights");
}

BOOST_AUTO_TEST_CASE(folders_of_data_belong_to_the_daemons_user) {
  Facts facts = sound();
  path_of(facts, Role::log).uid = 0;
  path_of(facts, Role::log).mode = 0755;
  Findings const findings = judge(facts);
  BOOST_TEST(text_of(findings).find("chown -R 110 /data/shared") != std::string::npos, text_of(findings));
  facts = sound();
  path_of(facts, Role::log).other_owners = 2;
  path_of(facts, Role::log).other_owners_example = "/data/shared/newest";
  check_only(facts, Severity::error, "rights", "2 of its entries belong to another user than the folder, as /data/sh");
  facts = sound();
  path_of(facts, Role::data).is_folder = false;
  check_only(facts, Severity::error, "rights", "is no folder");
}

BOOST_AUTO_TEST_CASE(modes_of_data_are_for_its_owner) {
  Facts facts = sound();
  path_of(facts, Role::data).mode = 0757;
  check_only(facts, Severity::error, "rights", "everybody may write it, mode 0757");
  path_of(facts, Role::data).mode = 0755;
  check_only(facts, Severity::advice, "rights", "everybody may read it");
  path_of(facts, Role::data).mode = 0550;
  check_only(facts, Severity::error, "rights", "its owner has too few rights");
}

BOOST_AUTO_TEST_CASE(the_daemons_user_reads_configuration_tables_and_types) {
  for (Role const role : {Role::configuration, Role::tables, Role::plugins}) {
    Facts facts = sound();
    path_of(facts, role).mode = path_of(facts, role).is_folder ? 0700 : 0600;
    check_only(facts, Severity::error, "rights", "the daemon's user 110 may not read it");
    path_of(facts, role).mode = path_of(facts, role).is_folder ? 0777 : 0666;
    check_only(facts, Severity::error, "rights", "everybody may change it");
    // By a group that may be his.
    path_of(facts, role).mode = path_of(facts, role).is_folder ? 0750 : 0640;
    path_of(facts, role).gid = 44;
    BOOST_TEST((worst_of(judge(facts)) == Severity::ok));
  }
}

BOOST_AUTO_TEST_CASE(secrets_are_not_for_others) {
  for (Role const role : {Role::users, Role::key, Role::secret}) {
    Facts facts = sound();
    path_of(facts, role).mode = 0644;
    check_only(facts, Severity::error, "rights", "others may use it, mode 0644");
    path_of(facts, role).uid = 0;
    path_of(facts, role).gid = 0;
    path_of(facts, role).mode = 0600;
    check_only(facts, Severity::error, "rights", "the daemon's user 110 may not read it");
  }
  Facts facts = sound();
  path_of(facts, Role::token).mode = 0640;
  check_only(facts, Severity::error, "rights", "its owner alone");
}

BOOST_AUTO_TEST_CASE(files_of_tables_have_the_declared_mode_and_group) {
  Facts facts = sound();
  path_of(facts, Role::bytes).mode = 0644;
  check_only(facts, Severity::warning, "rights",
             "mode 0644 and group 9 | mode 0640 and group 9, as its table declares");
  path_of(facts, Role::bytes).mode = 0640;
  path_of(facts, Role::bytes).gid = 5;
  check_only(facts, Severity::warning, "rights", "mode 0640 and group 5");
}

BOOST_AUTO_TEST_CASE(sockets_have_their_mode_and_owner) {
  Facts facts = sound();
  path_of(facts, Role::socket).mode = 0666;
  check_only(facts, Severity::error, "rights", "everybody may administer the daemon");
  path_of(facts, Role::socket).mode = 0660;
  check_only(facts, Severity::warning, "rights", "mode 0600, as it is declared");
  path_of(facts, Role::socket).mode = 0600;
  path_of(facts, Role::socket).uid = 1000;
  check_only(facts, Severity::warning, "rights", "belongs to user 1000");
}

BOOST_AUTO_TEST_CASE(certificates_that_end_are_told_in_time) {
  Facts facts = sound();
  auto const in_days = [&](std::int64_t days) {
    facts.configuration.certificates[0].valid_until_s = kNowMs / 1000 + days * 86'400 + 3'600;
  };
  in_days(29);
  check_only(facts, Severity::advice, "certificate", "in 29 days");
  in_days(6);
  check_only(facts, Severity::warning, "certificate", "in 6 days");
  in_days(-1);
  check_only(facts, Severity::error, "certificate", "expired on");
  // The note of the checker is about the same.
  facts.configuration.notes = {{"", 0, "attribute: /etc/c.pem: the certificate expired"}};
  check_only(facts, Severity::error, "certificate", "renew it");
}

BOOST_AUTO_TEST_CASE(disks_are_local_and_have_room) {
  Facts facts = sound();
  DiskFacts& disk = facts.disks[0];
  disk.medium = Medium::memory;
  disk.type = "tmpfs";
  check_only(facts, Severity::error, "file-system", "tmpfs, in memory");
  disk.medium = Medium::network;
  check_only(facts, Severity::warning, "file-system", "over a network");
  disk.medium = Medium::overlay;
  check_only(facts, Severity::warning, "file-system", "mount a volume");
  disk.medium = Medium::local;
  disk.bytes_free = 4 * kGiB;
  check_only(facts, Severity::advice, "disk-space", "4 GiB of 100 GiB free");
  disk.bytes_free = 40 * kMiB;
  check_only(facts, Severity::warning, "disk-space", "4 segments of 16 MiB for each log here: 64 MiB");
  disk.bytes_free = 15 * kMiB;
  check_only(facts, Severity::error, "disk-space", "inserts are refused");
  disk.bytes_free = 50 * kGiB;
  disk.files_free = 900;
  check_only(facts, Severity::warning, "disk-files", "900 of 1000000 inodes");
  disk.files_free = 3;
  check_only(facts, Severity::error, "disk-files", "df -i /data");
  disk.files = 0;
  BOOST_TEST((worst_of(judge(facts)) == Severity::ok));
  disk.is_read_only = true;
  check_only(facts, Severity::error, "disk-space", "read-only");
}

BOOST_AUTO_TEST_CASE(syncs_are_neither_slow_nor_impossible) {
  Facts facts = sound();
  DiskFacts& disk = facts.disks[0];
  disk.syncs->us_p50 = 7;
  check_only(facts, Severity::warning, "sync", "no medium is so quick");
  disk.syncs->us_p50 = 8;
  BOOST_TEST((worst_of(judge(facts)) == Severity::ok));
  disk.syncs->us_p50 = 20'001;
  check_only(facts, Severity::advice, "sync", "p50 20.00 ms");
  disk.syncs->us_p50 = 200'001;
  check_only(facts, Severity::warning, "sync", "look at the disk's health");
  disk.syncs.reset();
  disk.syncs_problem = "create a file in /data: Permission denied";
  check_only(facts, Severity::unseen, "sync", "Permission denied");
}

BOOST_AUTO_TEST_CASE(the_clock_is_set_kept_and_the_daemons) {
  Facts facts = sound();
  facts.configuration.certificates.clear();
  facts.clock.now_ms = 86'400'000;
  check_only(facts, Severity::error, "clock", "1970-01-02");
  facts = sound();
  facts.clock.is_synchronised = false;
  check_only(facts, Severity::warning, "clock", "no time service keeps it");
  facts.clock.is_synchronised.reset();
  check_only(facts, Severity::unseen, "clock", "is not known here");
  facts = sound();
  facts.clock.error_us_max = 1'500'000;
  check_only(facts, Severity::advice, "clock", "wrong by 1.5 s");
  facts = sound();
  facts.clock.daemon_ms = 1'500;
  check_only(facts, Severity::warning, "daemon-clock", "ahead of the clock by 1.5 s");
  facts.clock.daemon_ms_uncertain = 600;
  BOOST_TEST((worst_of(judge(facts)) == Severity::ok));
  facts.clock.daemon_ms = -9'000;
  check_only(facts, Severity::warning, "daemon-clock", "behind the clock by 9.0 s");
}

BOOST_AUTO_TEST_CASE(limits_are_as_the_configuration_needs_them) {
  Facts facts = sound();
  facts.limits.files_hard = 10'115;
  check_only(facts, Severity::warning, "open-files", "LimitNOFILE=10116");
  facts.limits.is_of_daemon = false;
  check_only(facts, Severity::advice, "open-files", "of this command");
  facts.limits.files_hard = 10'116;
  BOOST_TEST((worst_of(judge(facts)) == Severity::ok));
  facts = sound();
  facts.limits.core_soft = UINT64_MAX;
  check_only(facts, Severity::advice, "core", "LimitCORE=0");
  facts = sound();
  facts.limits.memory_bytes = 5 * kGiB;
  check_only(facts, Severity::warning, "memory", "this computer has 5 GiB");
  facts.limits.memory_bytes = 16 * kGiB;
  facts.limits.group_bytes = 2 * kGiB;
  check_only(facts, Severity::warning, "memory", "its control group has 2 GiB");
  facts = sound();
  facts.limits.swapped_bytes = 3 * kMiB;
  check_only(facts, Severity::warning, "swap", "3 MiB of the daemon");
}

BOOST_AUTO_TEST_CASE(settings_of_the_kernel_matter_where_they_are_used) {
  Facts facts = sound();
  facts.kernel.somaxconn = 128;
  check_only(facts, Severity::advice, "somaxconn", "sysctl net.core.somaxconn=4096");
  facts.wish.has_tcp = false;
  facts.kernel.rmem_max = 212'992;
  check_only(facts, Severity::advice, "rmem_max", "212992");
  facts.wish.has_udp = false;
  BOOST_TEST((worst_of(judge(facts)) == Severity::ok));
  facts.kernel.overcommit = 2;
  check_only(facts, Severity::advice, "overcommit", "CommitLimit");
  facts.kernel.overcommit = 1;
  facts.kernel.huge_pages = "never";
  check_only(facts, Severity::advice, "huge-pages", "madvise");
  facts.kernel = {};
  check_only(facts, Severity::unseen, "kernel", "cannot be read");
}

BOOST_AUTO_TEST_CASE(programs_are_of_one_version_and_the_installed_ones_run) {
  Facts facts = sound();
  facts.versions.daemon = "1.2.2";
  check_only(facts, Severity::warning, "versions", "fastjournal is 1.2.3, /sbin/fastjournald is 1.2.2");
  facts.versions.daemon.clear();
  check_only(facts, Severity::unseen, "versions", "no fastjournald");
  facts = sound();
  facts.daemon.program = "/sbin/fastjournald";
  facts.daemon.is_program_replaced = true;
  check_only(facts, Severity::warning, "versions", "restart the daemon");
  facts = sound();
  facts.daemon.replaced_plugins = {"/lib/types/journal.so"};
  check_only(facts, Severity::warning, "versions", "/lib/types/journal.so");
}

BOOST_AUTO_TEST_CASE(the_state_of_the_daemon_is_told) {
  Facts facts = sound();
  facts.daemon.not_ready = "log shared is failed: no medium";
  check_only(facts, Severity::error, "daemon", "log shared is failed");
  facts = sound();
  facts.daemon.alerts = {{"row-failed", "pages", "3 rows are parked", 60}};
  check_only(facts, Severity::warning, "alert", "row-failed of table pages: 3 rows");
  facts = sound();
  facts.daemon.alerts_dropped = 1;
  check_only(facts, Severity::warning, "alert", "found no room");
  facts = sound();
  facts.daemon.logs_mending = 1;
  check_only(facts, Severity::error, "log-damage", "do not stop the daemon");
  facts = sound();
  facts = sound();
  facts.daemon.waiting = {"table a: new", "table b: changed"};
  check_only(facts, Severity::warning, "tables", "files wait to be loaded: table a: new, table b: changed");
  facts = sound();
  facts.daemon.paused = {"a", "b"};
  check_only(facts, Severity::advice, "tables", "paused: a, b");
  facts = sound();
  facts.daemon.draining = {"a"};
  check_only(facts, Severity::advice, "tables", "draining");
  facts = sound();
  facts.daemon.log_disk_bytes = kGiB;
  facts.daemon.log_disk_bound = 60 * kGiB;
  check_only(facts, Severity::warning, "growth", "59 GiB free; there are 50 GiB");
  facts = sound();
  facts.daemon.has_figures = false;
  facts.daemon.problem = "STATS: not_allowed";
  check_only(facts, Severity::unseen, "figures", "not_allowed");
}

BOOST_AUTO_TEST_CASE(without_a_daemon_the_rest_is_checked) {
  Facts facts = sound();
  facts.daemon = {};
  facts.daemon.problem = "cannot connect to unix:/run/s";
  facts.clock.daemon_ms.reset();
  check_only(facts, Severity::error, "daemon", "start it");
  facts.daemon.is_refused = true;
  check_only(facts, Severity::unseen, "daemon", "run this as root");
  // Its user is then the owner of the data.
  path_of(facts, Role::key).mode = 0600;
  BOOST_TEST(text_of(judge(facts)).find("the daemon's user 110 may not read it") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_worst_finding_decides_the_exit_code) {
  using cli::ExitCode;
  BOOST_TEST((cli::exit_code_of(Severity::ok) == ExitCode::ok));
  BOOST_TEST((cli::exit_code_of(Severity::unseen) == ExitCode::ok));
  BOOST_TEST((cli::exit_code_of(Severity::advice) == ExitCode::ok));
  BOOST_TEST((cli::exit_code_of(Severity::warning) == ExitCode::warnings));
  BOOST_TEST((cli::exit_code_of(Severity::error) == ExitCode::errors));
  BOOST_TEST((worst_of({}) == Severity::ok));
}

BOOST_AUTO_TEST_CASE(lines_of_a_terminal_are_broken_at_its_width) {
  Findings const findings{{Severity::error, "disk-space", "one two three four five six seven eight", "more", "do it"}};
  BOOST_TEST(cli::render_findings(findings, {}) ==
             "error    disk-space     one two three four five six seven eight\n"
             "                        expected: more\n"
             "                        do: do it\n");
  BOOST_TEST(cli::render_findings(findings, {.terminal = true, .width = 60}) ==
             "\x1b[1merror\x1b[0m    disk-space     one two three four five six seven\n"
             "                        eight\n"
             "                        expected: more\n"
             "                        do: do it\n");
}

BOOST_AUTO_TEST_CASE(sizes_are_rounded) {
  BOOST_TEST(size_text(0) == "0 B");
  BOOST_TEST(size_text(64 * kMiB) == "64 MiB");
  BOOST_TEST(size_text(kGiB + kGiB / 2) == "1.5 GiB");
  BOOST_TEST(size_text(72 * kGiB + 5) == "72 GiB");
}

BOOST_AUTO_TEST_SUITE_END()

// TLS of the real daemon with the real command line: certificates made by the test, reloaded under open connections, and
// every mistake told with what to do.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>

#include "tests/integration/shell.h"
#include "tests/support/certificates.h"
#include "tests/support/documents.h"
#include "tests/support/tls_client.h"

namespace {

using namespace fastjournal::test;

bool tls_has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

struct TlsRunning {
  TlsRunning() : daemon{""} {
    give("server", authority.issue());
    give("anna", authority.client("anna"));
    daemon.write("ca.pem", authority.certificate());
    configure("");
    daemon.listens_as_configured = true;
  }
  ~TlsRunning() {
    if (!is_running) return;
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  void give(std::string const& name, Certificate const& one) const {
    daemon.write(name + ".pem", one.certificate);
    write_private((daemon.folder() / (name + ".key")).string(), one.key);
  }
  // One listener with TLS, one without, and the administrator's socket.
  void configure(std::string const& more) const {
    daemon.write("fastjournal.xml",
                 "<fastjournal>\n<listen address=\"127.0.0.1:0\" tls=\"true\"/>\n<listen address=\"127.0.0.1:0\"/>\n"
                 "<tls certificate=\"server.pem\" key=\"server.key\" " +
                     more + "/>\n<socket path=\"socket\" rights=\"all\"/>\n</fastjournal>\n");
  }
  void start() {
    is_running = daemon.start();
    BOOST_REQUIRE_MESSAGE(is_running, daemon.output());
    BOOST_REQUIRE_MESSAGE(tls_has(daemon.output(), "listening tls:127.0.0.1:"), daemon.output());
    plain = daemon.output().substr(daemon.output().find("listening 127.0.0.1:") + 10);
    plain.resize(plain.find_first_of(" \n"));
  }
  // The command line over TLS, with more options or variables before the command.
  Ran run(std::string const& command, std::string const& options = "--ca ca.pem") {
    return run_in_shell(daemon, "fastjournal --server " + daemon.tcp() + " " + options + " " + command);
  }
  std::string administer(std::string const& line) { return LineClient{daemon.local()}.ask(line); }

  RealDaemon daemon;
  Authority authority;
  bool is_running{false};
  std::string plain;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tls)

BOOST_FIXTURE_TEST_CASE(frames_of_the_fj_protocol_are_encrypted, TlsRunning) {
  daemon.write(
      "tables/values.xml",
      "<table name=\"values\" model=\"keyvalue\">\n<listeners>\n<listen address=\"127.0.0.1:0\" protocol=\"fj\" "
      "tls=\"true\"/>\n</listeners>\n</table>\n");
  start();
  std::string const output = daemon.output();
  std::string address = output.substr(output.rfind("listening tls:") + 10);
  address.resize(address.find_first_of(" \n"));
  BOOST_REQUIRE(address != daemon.tcp());
  auto const frame = [&](std::string const& words) {
    return run_in_shell(daemon, "fastjournal --server " + address + " --ca ca.pem " + words);
  };
  Ran ran = frame("kv frame SET k v --flag overwrite");
  BOOST_TEST(ran.code == 0, ran.output);
  ran = frame("kv frame GET k --flag data");
  BOOST_TEST(tls_has(ran.output, "string \"v\""), ran.output);
  ran = frame("kv get values k");
  BOOST_TEST(tls_has(ran.output, "what this client speaks is not spoken at this address"), ran.output);
}

BOOST_FIXTURE_TEST_CASE(the_command_line_speaks_it, TlsRunning) {
  start();
  BOOST_TEST(daemon.tcp().starts_with("tls:127.0.0.1:"));
  Ran ran = run("put jobs name=a payload=x");
  BOOST_TEST(ran.code == 0, ran.output);
  ran = run("work jobs --once -- /bin/sh -c 'echo worked'");
  BOOST_TEST(ran.code == 0, ran.output);
  BOOST_TEST(tls_has(ran.output, "worked"), ran.output);
  ran = run_in_shell(daemon, "FASTJOURNAL_SERVER=" + daemon.tcp() + " FASTJOURNAL_CA=ca.pem fastjournal ping");
  BOOST_TEST(ran.code == 0, ran.output);
  // Many rows, in both directions at once.
  ran = run("put jobs --from rows.json; exit $?", "--ca ca.pem");
  BOOST_TEST(ran.code != 0);
  std::string rows;
  for (int i = 0; i < 3000; ++i)
    rows += "{\"name\":\"n" + std::to_string(i) + "\",\"payload\":\"" + std::string(500, 'x') + "\"}\n";
  daemon.write("rows.json", rows);
  ran = run("put jobs --from - < rows.json");
  BOOST_TEST(ran.code == 0, ran.output);
  ran = run("--json ls jobs --count 3000 | wc -l");
  BOOST_TEST(ran.output == "3000\n");
}

BOOST_FIXTURE_TEST_CASE(a_server_that_is_not_trusted_is_left, TlsRunning) {
  start();
  Ran ran = run("ping", "");
  BOOST_TEST(ran.code == 3);
  BOOST_TEST(tls_has(ran.output, "its certificate is not trusted"), ran.output);
  BOOST_TEST(tls_has(ran.output, "--ca FILE"), ran.output);
  BOOST_TEST(!tls_has(ran.output, "is fastjournald running there"), ran.output);
  ran = run("ping", "--ca none.pem");
  BOOST_TEST(ran.code != 0);
  BOOST_TEST(tls_has(ran.output, "--ca: none.pem: No such file or directory"), ran.output);
}

BOOST_FIXTURE_TEST_CASE(plain_and_encrypted_addresses_are_told_apart, TlsRunning) {
  start();
  std::string const secure = daemon.tcp().substr(4);
  Ran ran = run_in_shell(daemon, "fastjournal --server " + secure + " ping");
  BOOST_TEST(ran.code == 1);
  BOOST_TEST(tls_has(ran.output, "this address speaks TLS only: use tls:HOST:PORT"), ran.output);
  BOOST_TEST(tls_has(LineClient{secure}.ask("ALIVE"), "ERROR "));
  ran = run_in_shell(daemon, "fastjournal --server tls:" + plain + " --ca ca.pem --timeout 500ms ping");
  BOOST_TEST(ran.code == 3);
  BOOST_TEST(tls_has(ran.output, "TLS"), ran.output);
}

BOOST_FIXTURE_TEST_CASE(clients_show_certificates, TlsRunning) {
  configure("client-ca=\"ca.pem\" client-certificates=\"required\"");
  start();
  Ran ran = run("ping");
  BOOST_TEST(ran.code == 1, ran.output);
  BOOST_TEST(tls_has(ran.output, "it accepts only clients with a certificate"), ran.output);
  ran = run("ping", "--ca ca.pem --certificate anna.pem --key anna.key");
  BOOST_TEST(ran.code == 0, ran.output);
  ran = run("ping", "--ca ca.pem --certificate anna.pem");
  BOOST_TEST(tls_has(ran.output, "expected --key beside it"), ran.output);
  ran = run_in_shell(
      daemon, "FASTJOURNAL_CA=ca.pem FASTJOURNAL_CERTIFICATE=anna.pem FASTJOURNAL_KEY=anna.key fastjournal --server " +
                  daemon.tcp() + " ping");
  BOOST_TEST(ran.code == 0, ran.output);
  give("stranger", Authority{"Somebody else"}.client("anna"));
  ran = run("ping", "--ca ca.pem --certificate stranger.pem --key stranger.key");
  BOOST_TEST(ran.code == 1, ran.output);
  BOOST_TEST(tls_has(ran.output, "does not trust this client's certificate"), ran.output);
}

BOOST_FIXTURE_TEST_CASE(certificates_are_reread_under_open_connections, TlsRunning) {
  start();
  std::string const secure = daemon.tcp().substr(4);
  TlsClient open{secure, {.ca = authority.certificate()}};
  BOOST_REQUIRE_MESSAGE(open.handshake(), open.error());
  auto const ask = [&] {
    BOOST_TEST(open.send("ALIVE\n"));
    return open.read_line().value_or("(no answer)");
  };
  BOOST_TEST(ask().starts_with("ABSOLUTELY "));
  BOOST_TEST(tls_has(administer("RELOAD"), "count=0"));

  // A bad one changes nothing, and is told.
  Authority next{"The next authority"};
  Certificate const renewed = next.issue();
  daemon.write("server.pem", renewed.certificate);
  std::string answer = administer("RELOAD");
  BOOST_TEST(tls_has(answer, "ERROR "), answer);
  BOOST_TEST(tls_has(answer, "fastjournal.xml:4: attribute \"key\""), answer);
  BOOST_TEST(tls_has(answer, "does not belong to the certificate"), answer);
  BOOST_TEST(run("ping").code == 0);
  give("server", next.issue({.to_s = -60}));
  answer = administer("RELOAD");
  BOOST_TEST(tls_has(answer, "expired on "), answer);
  BOOST_TEST(run("ping").code == 0);

  give("server", renewed);
  // Neither one table nor a folder with a mistake brings it.
  BOOST_TEST(tls_has(administer("RELOAD table=jobs"), "count=0"));
  daemon.write("tables/broken.xml", "<table\n");
  BOOST_TEST(tls_has(administer("RELOAD"), "ERROR "));
  std::filesystem::remove(daemon.folder() / "tables" / "broken.xml");
  BOOST_TEST(run("ping").code == 0);
  answer = administer("RELOAD dry_run=1");
  BOOST_TEST(tls_has(answer, "read again, for new connections"), answer);
  BOOST_TEST(run("ping").code == 0);
  answer = administer("RELOAD");
  BOOST_TEST(tls_has(answer, "count=1"), answer);
  BOOST_TEST(ask().starts_with("ABSOLUTELY "));
  BOOST_TEST(run("ping").code == 3);
  daemon.write("next.pem", next.certificate());
  BOOST_TEST(run("ping", "--ca next.pem").code == 0);

  // By a signal, too.
  give("server", authority.issue());
  daemon.kill(SIGHUP);
  BOOST_TEST(daemon.child().wait_for_line("reload: certificate ").has_value(), daemon.output());
  BOOST_TEST(run("ping").code == 0);
  BOOST_TEST(ask().starts_with("ABSOLUTELY "));
}

// doc/security.md: each configuration that is marked `trial`, with the commands before it and behind it, up to the next
// one.
BOOST_AUTO_TEST_CASE(the_documents_trial_works) {
  RealDaemon daemon{""};
  daemon.listens_as_configured = true;
  std::string const fixed = "localhost:4050";
  std::size_t starts = 0;
  std::size_t calls = 0;  // of the daemon that runs
  for (Example const& example : examples_of(FJ_SOURCE_DIR, "doc/security.md")) {
    std::string text;
    for (std::string const& line : example.lines) text += line + "\n";
    if (example.language == "xml" && example.words == std::vector<std::string>{"trial"}) {
      if (starts++ > 0) {
        BOOST_TEST(calls > 0U, "no command calls the daemon before line " << example.line);
        daemon.kill(SIGTERM);
        BOOST_TEST(daemon.wait().value_or(-1) == 0);
      }
      calls = 0;
      std::size_t const port = text.find("127.0.0.1:4050");
      BOOST_REQUIRE(port != std::string::npos);
      daemon.write("fastjournal.xml", text.replace(port, 14, "127.0.0.1:0"));
      // As it stands there: the folder has all that a start needs.
      Ran const check = run_in_shell(daemon, "fastjournald --config fastjournal.xml --check");
      BOOST_TEST(check.code == 0, check.output);
      BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
    }
    if (example.language != "sh") continue;
    if (std::size_t const at = text.find(fixed); at != std::string::npos) {
      ++calls;
      text.replace(at, fixed.size(), "localhost:" + daemon.tcp().substr(daemon.tcp().rfind(':') + 1));
    }
    Ran const ran = run_in_shell(daemon, text);
    BOOST_TEST(ran.code == 0, text << ran.output);
  }
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
  BOOST_TEST(starts > 0U);
  BOOST_TEST(calls > 0U);
}

BOOST_FIXTURE_TEST_CASE(a_start_with_bad_files_is_refused_with_the_place, TlsRunning) {
  auto const refusal = [&] {
    std::vector<std::string> words = daemon.command_line();
    words.push_back("--check");
    ChildProcess check{words};
    BOOST_TEST(check.wait().value_or(0) == 1);
    return check.output();
  };
  std::string const key = (daemon.folder() / "server.key").string();
  using std::filesystem::perms;
  std::filesystem::permissions(key, perms::owner_read | perms::others_read);
  std::string said = refusal();
  BOOST_TEST(tls_has(said, "fastjournal.xml:4: attribute \"key\": " + key), said);
  BOOST_TEST(tls_has(said, "chmod o= " + key), said);
  std::filesystem::remove(key);
  said = refusal();
  BOOST_TEST(tls_has(said, "No such file or directory"), said);
}

BOOST_FIXTURE_TEST_CASE(the_daemons_command_line_takes_tls_addresses, TlsRunning) {
  daemon.listens_as_configured = false;
  is_running =
      daemon.start({"--listen", "tls:127.0.0.1:0", "--listen", "tls:unix:" + (daemon.folder() / "secure").string()});
  BOOST_REQUIRE_MESSAGE(is_running, daemon.output());
  std::string const socket = "tls:unix:" + (daemon.folder() / "secure").string();
  BOOST_TEST(tls_has(daemon.output(), "listening " + socket), daemon.output());
  Ran ran = run_in_shell(daemon, "fastjournal --ca ca.pem --server " + socket + " ping");
  BOOST_TEST(ran.code == 0, ran.output);
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
  is_running = false;
  // Without a certificate there is nothing to encrypt with.
  daemon.write("fastjournal.xml", "<fastjournal/>\n");
  BOOST_TEST(!daemon.start({"--listen", "tls:127.0.0.1:0"}));
  BOOST_TEST(tls_has(daemon.output(), "expected <tls certificate="), daemon.output());
}

// etcd itself need not be there for that.
BOOST_FIXTURE_TEST_CASE(certificates_for_etcd_are_read_again, TlsRunning) {
  daemon.write("fastjournal.xml",
               "<fastjournal>\n<listen address=\"127.0.0.1:0\"/>\n<socket path=\"socket\" rights=\"all\"/>\n"
               "<cluster node=\"n1\" address=\"127.0.0.1:1\" etcd=\"https://127.0.0.1:1\" ca=\"ca.pem\" "
               "certificate=\"anna.pem\" key=\"anna.key\"/>\n"
               "<log name=\"shared\"/>\n<log name=\"common\" engine=\"etcd\"/>\n</fastjournal>\n");
  is_running = daemon.start();
  BOOST_REQUIRE_MESSAGE(is_running, daemon.output());
  BOOST_TEST(tls_has(administer("RELOAD"), "count=0"));
  // A key of another one.
  give("berta", authority.client("berta"));
  std::filesystem::copy_file(daemon.folder() / "berta.pem", daemon.folder() / "anna.pem",
                             std::filesystem::copy_options::overwrite_existing);
  std::string answer = administer("RELOAD");
  BOOST_TEST(tls_has(answer, "ERROR "), answer);
  BOOST_TEST(tls_has(answer, "fastjournal.xml:4: attribute \"key\""), answer);
  give("anna", authority.client("anna"));
  answer = administer("RELOAD");
  BOOST_TEST(tls_has(answer, "certificates for etcd: read again, for new connections"), answer);
  BOOST_TEST(tls_has(administer("RELOAD"), "count=0"));
}

BOOST_FIXTURE_TEST_CASE(a_listener_of_a_table_has_the_certificate_of_the_reload_that_opens_it, TlsRunning) {
  start();
  Authority next;
  give("server", next.issue());
  daemon.write("next.pem", next.certificate());
  daemon.write_table("jobs", "<listeners><listen address=\"127.0.0.1:0\" tls=\"true\"/></listeners>");
  std::string const reloaded = administer("RELOAD");
  std::size_t const at = reloaded.find("table jobs: listens on ");
  BOOST_REQUIRE_MESSAGE(at != std::string::npos, reloaded);
  std::string address = reloaded.substr(at + 23);
  address.resize(address.find_first_of("\\;\""));
  BOOST_REQUIRE(address.starts_with("tls:127.0.0.1:"));
  Ran const ran = run_in_shell(daemon, "fastjournal --server " + address +
                                           " --ca next.pem put jobs name=a && fastjournal --server " + address +
                                           " --ca next.pem ls jobs");
  BOOST_TEST(ran.code == 0, ran.output);
}

BOOST_FIXTURE_TEST_CASE(handshakes_are_counted, TlsRunning) {
  start();
  BOOST_TEST(run("ping").code == 0);
  BOOST_TEST(tls_has(LineClient{daemon.tcp().substr(4)}.ask("ALIVE"), "ERROR "));
  std::string const stats = administer("STATS");
  BOOST_TEST(tls_has(stats, ";handshakes=1;handshakes_failed=1;handshakes_open=0;handshakes_resumed=0;"), stats);
  BOOST_TEST(tls_has(stats, ";certificate_end_date="), stats);
}

BOOST_FIXTURE_TEST_CASE(check_says_of_certificates_what_a_start_says, TlsRunning) {
  std::filesystem::create_directory(daemon.folder() / "tables.d");
  auto const checked = [&] { return run_in_shell(daemon, "fastjournal check \"$PWD/fastjournal.xml\""); };
  Ran ran = checked();
  BOOST_TEST(ran.code == 0, ran.output);
  // A key of somebody else.
  write_private((daemon.folder() / "server.key").string(), authority.issue().key);
  ran = checked();
  BOOST_TEST(ran.code == 2, ran.output);
  BOOST_TEST(!daemon.start());
  std::string said = daemon.output().substr(daemon.output().find("attribute "));
  said.resize(said.find('\n'));
  BOOST_TEST(tls_has(ran.output, said), ran.output << said);
  std::filesystem::permissions(daemon.folder() / "server.key", std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  BOOST_TEST(tls_has(checked().output, "chmod o= "));
  std::filesystem::remove(daemon.folder() / "server.key");
  ran = checked();
  BOOST_TEST(tls_has(ran.output, "No such file or directory"), ran.output);
  BOOST_TEST(tls_has(ran.output, "fastjournal.xml:4: "), ran.output);
}

BOOST_AUTO_TEST_SUITE_END()

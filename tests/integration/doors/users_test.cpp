// Users with the real daemon and the command line: a user is added, logs in by each way that a token can be given, may do
// what the file says, and loses it with the reload that removes him. The token is in no output of the daemon.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "tests/integration/daemon.h"
#include "tests/integration/shell.h"

namespace fastjournal::test {
namespace {

namespace fs = std::filesystem;

bool users_has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// How often a text is in the memory of a process; nothing if that may not be read here.
std::optional<std::size_t> copies_in(pid_t process, std::string const& text) {
  std::string const folder = "/proc/" + std::to_string(process);
  std::ifstream maps{folder + "/maps"};
  std::ifstream memory{folder + "/mem", std::ios::binary};
  if (!maps || !memory) return std::nullopt;
  std::size_t count = 0;
  std::size_t regions = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(" rw") == std::string::npos) continue;
    std::size_t end = 0;
    std::uint64_t const first = std::stoull(line, &end, 16);
    std::uint64_t const last = std::stoull(line.substr(end + 1), nullptr, 16);
    if (last - first > std::uint64_t{1} << 30U) continue;  // what a sanitizer reserves
    std::string bytes(last - first, '\0');
    memory.clear();
    memory.seekg(static_cast<std::streamoff>(first));
    if (!memory.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) continue;
    ++regions;
    for (std::size_t at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at + 1)) ++count;
  }
  return regions == 0 ? std::nullopt : std::optional{count};
}

struct WithUsers {
  WithUsers() {
    daemon.write("fastjournal.xml",
                 "<fastjournal>\n<access users=\"users.xml\"/>\n<listen address=\"127.0.0.1:0\" rights=\"\"/>\n"
                 "<socket path=\"socket\" rights=\"all\"/>\n</fastjournal>\n");
    daemon.write_table("mail", "");
    daemon.listens_as_configured = true;
    ann = add("ann", "--rights 'read add work' --tables jobs");
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
    tcp = "--server " + daemon.tcp();
    BOOST_REQUIRE(ann.starts_with("fj_"));
  }

  // Returns the token.
  std::string add(std::string const& name, std::string const& options) {
    Ran const ran = run_in_shell(daemon, "fastjournal user add " + name + " " + options + " --file users.xml 2> " +
                                             name + ".said > " + name + ".token; code=$?; chmod 600 " + name +
                                             ".token; cat " + name + ".said; exit $code");
    BOOST_REQUIRE_MESSAGE(ran.code == 0, ran.output);
    std::string token;
    std::getline(std::ifstream{daemon.folder() / (name + ".token")}, token);
    return token;
  }
  Ran run(std::string const& command) { return run_in_shell(daemon, command); }
  ~WithUsers() {
    daemon.kill(15);
    static_cast<void>(daemon.wait());
    BOOST_TEST(!users_has(daemon.output(), "fj_"), daemon.output());
  }

  RealDaemon daemon{""};
  std::string ann;
  std::string tcp;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(users, WithUsers)

BOOST_AUTO_TEST_CASE(a_token_from_a_file_or_the_environment_gives_the_rights_of_its_user) {
  BOOST_TEST(users_has(run("fastjournal " + tcp + " tables").output, "needs the right read"));
  Ran const put = run("fastjournal " + tcp + " --token-file ann.token put jobs name=a");
  BOOST_TEST(put.code == 0, put.output);
  Ran const named = run("FASTJOURNAL_TOKEN_FILE=ann.token fastjournal " + tcp + " tables --names");
  BOOST_TEST(named.output == "jobs\n");
  Ran const given = run("FASTJOURNAL_TOKEN=$(cat ann.token) fastjournal " + tcp + " put mail name=a");
  BOOST_TEST(given.code == 1);
  BOOST_TEST(users_has(given.output, "needs the right add on table mail; user ann"), given.output);
  Ran const work = run("fastjournal " + tcp + " --token-file ann.token work jobs --once -- true");
  BOOST_TEST(work.code == 0, work.output);
  BOOST_TEST(!users_has(put.output + named.output + given.output + work.output, "fj_"));
}

BOOST_AUTO_TEST_CASE(a_file_that_others_may_read_is_refused) {
  Ran const open = run("chmod 644 ann.token; fastjournal " + tcp + " --token-file ann.token tables");
  BOOST_TEST(open.code == 2);
  BOOST_TEST(users_has(open.output, "chmod 600 ann.token"), open.output);
  Ran const users = run("chmod 640 users.xml; fastjournal user list --file users.xml");
  BOOST_TEST(users.code == 2);
  BOOST_TEST(users_has(users.output, "the file has the mode 0640"), users.output);
  Ran const reload = run("fastjournal --server unix:socket reload");
  BOOST_TEST(reload.code == 1);
  BOOST_TEST(users_has(reload.output, "chmod 600"), reload.output);
  BOOST_TEST(run("chmod 600 users.xml; fastjournal --server unix:socket reload").code == 0);
}

BOOST_AUTO_TEST_CASE(login_keeps_a_token_for_its_server) {
  std::string const home = "HOME=$PWD XDG_CONFIG_HOME= ";
  std::string other = ann;
  other[40] = other[40] == 'A' ? 'B' : 'A';
  Ran const wrong = run("echo " + other + " | " + home + "fastjournal " + tcp + " login");
  BOOST_TEST(wrong.code != 0, wrong.output);
  BOOST_TEST(!fs::exists(daemon.folder() / ".config"));
  Ran const done = run(home + "fastjournal " + tcp + " login < ann.token");
  BOOST_TEST(done.code == 0, done.output);
  BOOST_TEST(users_has(done.output, "as ann, with the rights nothing"), done.output);
  fs::perms const mode = fs::status(daemon.folder() / ".config/fastjournal/token").permissions();
  BOOST_TEST((mode == (fs::perms::owner_read | fs::perms::owner_write)));
  BOOST_TEST(run(home + "fastjournal " + tcp + " tables --names").output == "jobs\n");
  // Another server is not told.
  BOOST_TEST(run(home + "fastjournal --server unix:socket tables --names").output == "jobs\nmail\n");
}

BOOST_AUTO_TEST_CASE(a_reload_removes_a_user_and_adds_another) {
  LineClient listener{daemon.tcp()};
  BOOST_TEST(users_has(listener.ask("AUTH token=" + ann), "AUTHENTICATED"));
  std::string const bob = add("bob", "--rights read");
  BOOST_TEST(run("fastjournal user list --file users.xml").output == "ann: read add work on jobs\nbob: read\n");
  BOOST_TEST(run("fastjournal user remove ann --file users.xml").code == 0);
  Ran const reload = run("fastjournal --server unix:socket reload");
  BOOST_TEST(users_has(reload.output, "user ann removed"), reload.output);
  BOOST_TEST(users_has(reload.output, "user bob added"), reload.output);
  BOOST_TEST(users_has(listener.read_line().value_or(""), "connect again"));
  BOOST_TEST(!listener.read_line().has_value());
  Ran const gone = run("fastjournal " + tcp + " --token-file ann.token tables");
  BOOST_TEST(gone.code == 1);
  BOOST_TEST(users_has(gone.output, "refuses the token"), gone.output);
  BOOST_TEST(run("fastjournal " + tcp + " --token-file bob.token tables --names").output == "jobs\nmail\n");
  BOOST_TEST(daemon.child().wait_for_line("audit: command=RELOAD table=- user=- origin=uid:").has_value());
  BOOST_TEST(daemon.child().wait_for_line("audit: login failed, command=AUTH").has_value());
}

BOOST_AUTO_TEST_CASE(nothing_of_a_token_stays_in_the_daemons_memory) {
  {
    LineClient client{daemon.tcp()};
    BOOST_TEST(users_has(client.ask("AUTH token=" + ann), "AUTHENTICATED"));
    BOOST_TEST(users_has(client.ask("AUTH token=" + ann), "AUTHENTICATED"));
    // In two pieces, the second of which completes the message.
    BOOST_TEST(client.send("AUTH token=" + ann.substr(0, 40)));
    BOOST_TEST(users_has(LineClient{daemon.tcp()}.ask("ALIVE"), "ABSOLUTELY"));
    BOOST_TEST(users_has(client.ask(ann.substr(40)), "AUTHENTICATED"));
  }
  BOOST_TEST(users_has(LineClient{daemon.tcp()}.ask("HELP command=AUTH"), "AUTH"));
  // The part that is secret; the salt is in users.xml.
  std::optional<std::size_t> const copies = copies_in(daemon.child().pid(), ann.substr(25, 30));
  if (!copies) {
    BOOST_TEST_MESSAGE("the memory of another process may not be read here");
    return;
  }
  BOOST_TEST(*copies == 0U);
}

BOOST_AUTO_TEST_CASE(a_bad_file_of_users_ends_the_start_and_the_check) {
  daemon.write("users.xml", "<access>\n<user name=\"a b\" rights=\"read\"/>\n</access>\n");
  Ran const check = run("fastjournal check fastjournal.xml --plugins " + daemon.plugins);
  BOOST_TEST(check.code == 2, check.output);
  BOOST_TEST(users_has(check.output, "users.xml:2: attribute \"name\""), check.output);
  std::vector<std::string> words = daemon.command_line();
  words.push_back("--check");
  ChildProcess start{words};
  BOOST_TEST(start.wait().value_or(0) == 1);
  BOOST_TEST(users_has(start.output(), "users.xml:2: attribute \"name\""), start.output());
}

BOOST_AUTO_TEST_CASE(a_signing_key_is_shown_once_and_is_in_the_file) {
  Ran const added = run("fastjournal user add orders --rights 'add work' --tables jobs --sqs --file users.xml 2>said");
  BOOST_TEST(added.code == 0, added.output);
  constexpr std::string_view kFirst = "AWS_ACCESS_KEY_ID=orders\nAWS_SECRET_ACCESS_KEY=";
  BOOST_REQUIRE(added.output.starts_with(kFirst));
  std::string const secret = added.output.substr(kFirst.size(), added.output.size() - kFirst.size() - 1);
  BOOST_TEST(secret.size() == 40U);
  BOOST_TEST(!users_has(run("cat said").output, secret));
  BOOST_TEST(users_has(run("cat users.xml").output, "signing-key=\"" + secret + "\""));
  BOOST_TEST(run("stat -c %a users.xml").output == "600\n");
  std::string const list = run("fastjournal user list --file users.xml").output;
  BOOST_TEST(users_has(list, "orders: add work on jobs (by signing key)\n"), list);
  BOOST_TEST(users_has(list, "ann: read add work on jobs\n"), list);
  std::string const json = run("fastjournal user list --file users.xml --json").output;
  BOOST_TEST(users_has(json, "\"token\":0,\"signing_key\":1}"), json);
  Ran const other = run("fastjournal user add o2 --rights add --sqs --json --file users.xml");
  BOOST_TEST(users_has(other.output, "\"access_key_id\":\"o2\",\"secret_access_key\":\""), other.output);
  std::string const reload = run("fastjournal --server unix:socket reload").output;
  BOOST_TEST(users_has(reload, "user orders added"), reload);
  for (std::string const& told : {list, json, reload, daemon.output()}) BOOST_TEST(!users_has(told, secret));
  BOOST_TEST(run("fastjournal user add x --rights add --sqs --no-token --file users.xml").code == 2);
}

// The first user of a packaged daemon is added by root, and the folder of the configuration is root's.
BOOST_AUTO_TEST_CASE(a_new_file_of_users_belongs_to_whom_the_data_belongs) {
  if (::geteuid() != 0) return;  // nobody else gives files away
  constexpr unsigned kNobody = 65534;
  BOOST_REQUIRE(::chown((daemon.folder() / "data").c_str(), kNobody, kNobody) == 0);
  daemon.write("fastjournal.xml",
               "<fastjournal>\n<access users=\"new.xml\"/>\n<data folder=\"data\"/>\n</fastjournal>\n");
  Ran const ran = run("fastjournal user add bob --rights read --config fastjournal.xml 2>&1 >/dev/null");
  BOOST_TEST(ran.code == 0, ran.output);
  struct stat made {};
  BOOST_REQUIRE(::stat((daemon.folder() / "new.xml").c_str(), &made) == 0);
  BOOST_TEST(made.st_uid == kNobody);
  BOOST_TEST((made.st_mode & 07777U) == 0600U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::test

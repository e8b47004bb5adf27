// Where a table says that it is mirrored: what is a place, and what each mistake is told to be. No mistake repeats what
// may be a password.
#include <boost/test/unit_test.hpp>

#include <string>

#include "model/connect_check.h"

namespace fastjournal::model {
namespace {

Status checked(std::string const& connect, std::string const& catalog = "") {
  TableDeclaration table;
  table.file = "post.xml";
  table.lines = {{"table", 1}, {"connect", 3}, {"catalog", 4}};
  table.options = {{.name = "connect", .text = connect}, {.name = "catalog", .text = catalog}};
  return check_connect(table);
}

std::string problem(std::string const& connect, std::string const& catalog = "") {
  Status const status = checked(connect, catalog);
  BOOST_TEST((status.ok() || status.code() == Code::bad_configuration));
  return status.message();
}

bool tells(std::string const& connect, std::string const& text, std::string const& catalog = "") {
  std::string const told = problem(connect, catalog);
  BOOST_TEST_MESSAGE(told);
  return told.find(text) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(connect_check)

BOOST_AUTO_TEST_CASE(places_are_accepted) {
  for (std::string const place : {"", "queues.db", "/var/lib/x/queues.db", "./a b/ü.db", "a:b", "postgresql://",
                                  "postgres:///shop", "postgresql://db/shop", "postgresql://fj@db:5432/shop",
                                  "postgresql://fj@[::1]:5432,b:5433/shop?sslmode=require",
                                  "postgresql:///shop?host=/run/postgresql&user=fj&passfile=/etc/fastjournal/pgpass",
                                  "postgresql://fj@%2Frun%2Fpostgresql/shop"})
    BOOST_TEST(problem(place) == "");
  BOOST_TEST(problem("postgresql://db/shop", "queues_2") == "");
}

BOOST_AUTO_TEST_CASE(mistakes_are_named_with_file_and_line) {
  BOOST_TEST(problem("mysql://db/shop") ==
             "post.xml:3: element <connect> is no place that is known, expected the path of an SQLite file, or "
             "postgresql://HOST/DATABASE");
  BOOST_TEST(tells("queues/", "is a folder"));
  BOOST_TEST(tells(std::string(513, 'a'), "has 513 bytes"));
  BOOST_TEST(tells("a\nb", "control characters"));
  BOOST_TEST(tells("a\xFFz", "UTF-8"));
  BOOST_TEST(tells("postgresql://db:0/shop", "port"));
  BOOST_TEST(tells("postgresql://db:70000/shop", "port"));
  BOOST_TEST(tells("postgresql://db:http/shop", "port"));
  BOOST_TEST(tells("postgresql://[::1/shop", "bracket"));
  BOOST_TEST(tells("postgresql://db/a b", "%20"));
  BOOST_TEST(tells("postgresql://db/a%2", "hexadecimal"));
  BOOST_TEST(tells("postgresql://db/a%00", "zero byte"));
  BOOST_TEST(tells("postgresql://db/a?ssl_mode=require", "Did you mean sslmode?"));
  BOOST_TEST(tells("postgresql://db/a?user", "without a value"));
  BOOST_TEST(tells("postgresql://db/a?connect_timeout=3", "expected one of"));
}

BOOST_AUTO_TEST_CASE(a_password_is_refused_and_not_repeated) {
  for (std::string const place :
       {"postgresql://fj:hunter2@db/shop", "postgresql://fj:hunter2@db:5432/shop", "postgres://fj:hun@ter2@db/shop",
        "postgresql://db/shop?password=hunter2", "postgresql://db/shop?user=fj&password=hunter2",
        "postgresql://db/shop?sslpassword=hunter2"}) {
    BOOST_TEST(tells(place, "has a password"), place);
    BOOST_TEST(problem(place).find("ter2") == std::string::npos);
  }
  // With a slash in it, it is no URI.
  BOOST_TEST(tells("postgresql://fj:hunter2/3@db/shop", "@ behind"));
  BOOST_TEST(problem("postgresql://fj:hunter2/3@db/shop").find("hunter2") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_catalog_is_of_postgresql_and_has_a_simple_name) {
  BOOST_TEST(problem("queues.db", "mirror").starts_with("post.xml:4: element <catalog> "));
  BOOST_TEST(tells("queues.db", "an SQLite file has none", "mirror"));
  BOOST_TEST(tells("", "no <connect>", "mirror"));
  for (std::string const name : {"Mirror", "2nd", "a-b", "a\"b", "pg_own", "information_schema"})
    BOOST_TEST(tells("postgresql://db/shop", "expected a letter", name), name);
  BOOST_TEST(tells("postgresql://db/shop", "at most 63", std::string(64, 'a')));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::model

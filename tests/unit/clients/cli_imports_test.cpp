// `import`: what is a source, and what is refused before anything is asked. With real sources: tests/doors/imports.py.
#include "clients/programs/fastjournal/imports/address.h"
#include "clients/programs/fastjournal/imports/beanstalkd_client.h"
#include "clients/programs/fastjournal/imports/redis_framework.h"
#include "tests/unit/clients/run_line.h"

using namespace fastjournal;
using namespace fastjournal::test;

BOOST_AUTO_TEST_SUITE(cli_imports)

BOOST_AUTO_TEST_CASE(a_source_has_a_host_and_perhaps_a_port_a_user_and_a_database) {
  auto const place = [](std::string_view text) { return imports::read_address(text).value().place; };
  BOOST_TEST(place("beanstalkd://old") == "old:11300");
  BOOST_TEST(place("beanstalkd://127.0.0.1:7/") == "127.0.0.1:7");
  BOOST_TEST(place("beanstalkd://[::1]") == "[::1]:11300");
  BOOST_TEST(place("redis://[::1]:9/3") == "[::1]:9");
  BOOST_TEST(place("redis://unix:%2Frun%2Fredis.sock") == "unix:/run/redis.sock");
  imports::Address const redis = imports::read_address("redis://me@old/3").value();
  BOOST_TEST(redis.place == "old:6379");
  BOOST_TEST(redis.user == "me");
  BOOST_TEST(redis.database == 3U);
  BOOST_TEST((redis.kind == imports::Kind::redis));
  BOOST_TEST(imports::read_address("redis://old").value().database == 0U);
}

BOOST_AUTO_TEST_CASE(what_is_no_source_is_refused_and_a_password_is_not_repeated) {
  for (std::string const text :
       {"", "old:11300", "http://old", "beanstalkd://", "beanstalkd://old/3", "beanstalkd://me@old", "redis://old/x",
        "redis://old/99999", "redis://old/-1", "redis://old:port", "redis://%2", "redis://%zz", "redis://a:b:c",
        "redis://tls:old:1", "rediss://old"}) {
    Result<imports::Address> const read = imports::read_address(text);
    BOOST_TEST((read.status().code() == Code::bad_parameter), text);
  }
  std::string const told = imports::read_address("redis://:hunter2@old/0").status().message();
  BOOST_TEST(!says(told, "hunter2"));
  BOOST_TEST(says(told, "REDISCLI_AUTH"));
}

BOOST_AUTO_TEST_CASE(options_fit_the_source) {
  BOOST_TEST(says(refused({"import", "redis://old", "jobs"}), "--from"));
  BOOST_TEST(says(refused({"import", "beanstalkd://old", "jobs", "--from", "rq"}), "--from is of Redis only"));
  BOOST_TEST(says(refused({"import", "beanstalkd://old", "jobs", "--password-file", "x"}), "of Redis only"));
  BOOST_TEST(says(refused({"import", "redis://old", "jobs", "--from", "resque"}), "resque"));
  BOOST_TEST(says(refused({"import", "redis://a:b@old", "jobs", "--from", "rq"}), "--password-file"));
  BOOST_TEST(says(refused({"import", "beanstalkd://old"}), "TABLE"));
}

BOOST_AUTO_TEST_CASE(figures_of_beanstalkd_are_read_with_and_without_quotes) {
  auto const figures = imports::figures_in("---\nid: 55fff\nversion: \"1.12\"\npri: 7\nos: #1 a: b\nnot a figure\n");
  BOOST_TEST(figures.at("id") == "55fff");
  BOOST_TEST(figures.at("version") == "1.12");
  BOOST_TEST(imports::figure_of(figures, "pri") == 7U);
  BOOST_TEST(imports::figure_of(figures, "version") == 0U);
  BOOST_TEST(imports::figure_of(figures, "absent") == 0U);
  BOOST_TEST(imports::whole_number("18446744073709551615").value() == UINT64_MAX);
  for (std::string_view const text : {"", "-1", "1 ", "18446744073709551616", "0x1"})
    BOOST_TEST(!imports::whole_number(text), text);
}

BOOST_AUTO_TEST_CASE(scores_are_dates_never_too_early) {
  BOOST_TEST(imports::date_of_seconds("2000000000.5")->ms == 2'000'000'000'500);
  BOOST_TEST(imports::date_of_seconds("1700000000.0001")->ms == 1'700'000'000'001);
  BOOST_TEST(imports::date_of_seconds("1.7e9")->ms == 1'700'000'000'000);
  for (std::string_view const text : {"", "inf", "nan", "-1", "1e300", "5 s"})
    BOOST_TEST(!imports::date_of_seconds(text), text);
}

BOOST_AUTO_TEST_SUITE_END()

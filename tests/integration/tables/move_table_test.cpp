// `ls A --all --json | put B --from -` with the real daemon: a table with every type of column and hostile values arrives
// as it was, with priorities and dates; refused rows are corrected and put again; more rows than a page of LIST.
#include <boost/test/unit_test.hpp>

#include "tests/integration/shell.h"

namespace {

using namespace fastjournal::test;

bool move_table_says(std::string const& all, std::string_view part) { return all.find(part) != std::string::npos; }

std::string table(std::string const& name) {
  return "<table name=\"" + name +
         R"(" model="journal" row-key="id">
<schema>
<column name="id" type="uint64" required="true"/>
<column name="text" type="string"/><column name="bytes" type="buffer"/><column name="letter" type="char"/>
<column name="flag" type="bool"/><column name="small" type="int8"/><column name="large" type="int64"/>
<column name="whole" type="uint64"/><column name="near" type="float32"/><column name="real" type="float64"/>
</schema>
</table>
)";
}

struct MoveTableFixture : ShellFixture {
  MoveTableFixture() {
    for (char const* const name : {"a", "b", "c"}) daemon.write("tables/" + std::string{name} + ".xml", table(name));
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(move_table)

BOOST_FIXTURE_TEST_CASE(every_type_and_hostile_values_arrive_as_they_were, MoveTableFixture) {
  daemon.write("bytes", std::string("\0\xff\n\"raw", 8));
  daemon.write(
      "rows",
      R"({"id":1,"text":"a\nb\r\n\"q\" \\ \u0000 \u001b; x=1,2 \ud83d\ude00","bytes":"base64:AP8KIg==","letter":"\u00e9","flag":true,"small":-128,"large":-9223372036854775808,"whole":18446744073709551615,"near":0.1,"real":1e-300,"priority":0,"process_date":"+10d","expiration_date":"+20d"})"
      "\n"
      R"({"id":2,"text":"base64:AAAA","bytes":"base64:YmFzZTY0Og==","letter":"\"","flag":false,"priority":1,"insertion_date":1700000000000})"
      "\n"
      R"({"id":3,"text":"","bytes":"","near":-3.4028234663852886e38,"real":123456789.123456789})"
      "\n"
      R"({"id":18446744073709551615,"text":" \t spaces \u2028"})"
      "\n");
  run("fastjournal put a --from rows");
  run("fastjournal put a id=5 bytes=@bytes text=@@at");
  // One that is being processed, and a row of the same key behind it.
  run("fastjournal take a --count 1 >taken && fastjournal put a id=2 letter=z --priority 1 >behind");
  std::string const moved =
      run("fastjournal ls a --all --json | fastjournal put b --from - && fastjournal ls b --all --json >b.json");
  BOOST_TEST(move_table_says(moved, "6 in (5 inserted, 1 merged), 0 refused"), moved);
  // All but what describes a row: its number, table, state and counts; and dates of work that are over.
  std::string const bare =
      " | sed -E 's/\"(table|row|status|attempts|timeouts|lease_end|worker|merges|domain)\":(\"[^\"]*\"|[0-9]+),?//g; "
      "s/,}/}/; /\"id\":1,/! s/\"process_date\":[0-9]+,//' | grep -v '\"id\":2,' | sort >";
  run("fastjournal ls a --all --json" + bare + "a.bare; cat b.json" + bare + "b.bare; test $(wc -l <a.bare) = 4");
  Ran const same = run_in_shell(daemon, "diff a.bare b.bare");
  BOOST_TEST(same.code == 0, same.output);
  std::string const text = run("cat b.json");
  for (char const* const part :
       {R"("text":"a\nb\r\n\"q\" \\ \u0000 \u001b; x=1,2 )", R"("bytes":"base64:AP8KIg==")", R"("flag":true)",
        R"("small":-128)", R"("large":-9223372036854775808)", R"("whole":18446744073709551615)", R"("near":0.1,)",
        R"("real":1e-300)", R"("text":"@at")", R"("bytes":"base64:AP8KInJhdwA=")", R"("text":"",)", R"("bytes":"",)"})
    BOOST_TEST(move_table_says(text, part), part << " in " << text);
  BOOST_TEST(move_table_says(run("fastjournal peek b id=2 --json"), R"("letter":"z","priority":1)"));
}

BOOST_FIXTURE_TEST_CASE(more_rows_than_a_page_and_from_csv_and_lines, MoveTableFixture) {
  run("(echo id,text,priority; seq 3500 | sed 's/.*/&,\"row, &\",7/') >rows.csv && fastjournal put a --from rows.csv");
  BOOST_TEST(move_table_says(run("fastjournal ls a --all --json | fastjournal put b --from -"),
                             "3500 in (3500 inserted), 0 refused"));
  run("seq 3500 | sed 's/.*/id=&;text=\"row, &\";priority=7/' | fastjournal put c --from -");
  std::string const bare = " --all --json | sed -E 's/\"(table|row|process_date|insertion_date)\":[^,]*,//g' | sort >";
  run("for t in a b c; do fastjournal ls $t" + bare +
      "$t.bare; done; test $(wc -l <a.bare) = 3500 && cmp a.bare c.bare");
  run("cmp a.bare b.bare");
}

BOOST_FIXTURE_TEST_CASE(refused_rows_are_corrected_and_put_again, MoveTableFixture) {
  daemon.write("rows.csv", "id,text,small\r\n1,\"one\r\nand more\",1\r\n2,\"two\r\nand more\",1000\r\nthree,,\r\n");
  Ran const first = run_in_shell(daemon, "fastjournal put a --from rows.csv --refused bad.csv");
  BOOST_TEST(first.code == 1);
  BOOST_TEST(move_table_says(first.output, "1 in (1 inserted), 2 refused (bad.csv, why: bad.csv.reasons)"),
             first.output);
  std::string const reasons = run("cat bad.csv.reasons");
  BOOST_TEST(move_table_says(reasons, "{\"line\":4,\"error\":\"bad_parameter\""), reasons);
  BOOST_TEST(move_table_says(reasons, "{\"line\":6,"), reasons);
  run("sed -i 's/1000/100/; s/three/3/' bad.csv && fastjournal put a --from bad.csv");
  BOOST_TEST(move_table_says(run("fastjournal peek a id=2 --json"), "\"text\":\"two\\r\\nand more\""));
  BOOST_TEST(run("fastjournal ls a --all --json | wc -l") == "3\n");
}

BOOST_AUTO_TEST_SUITE_END()

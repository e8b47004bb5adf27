// Metrics as text: names, units, types, labels and buckets. tests/integration/doors/http_test.cpp holds a real daemon's against
// the parser of a monitoring system.
#include "server/admin/exposition.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>

namespace {

using namespace fastjournal;
using admin::Exposition;
using Format = Exposition::Format;

constexpr Metric kRows{"rows", "rows that are there"};
constexpr Metric kDone{"done", "rows done", Metric::Kind::counter};

std::string text_of(Exposition& exposition) {
  std::string text;
  for (std::size_t left = exposition.end(); left > 0; --left) text += exposition.take();
  BOOST_TEST(exposition.take() == "");
  return text;
}

bool has(std::string const& text, std::string_view lines) { return text.find(lines) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(exposition)

BOOST_AUTO_TEST_CASE(samples_of_a_figure_stand_together_whoever_told_them) {
  Exposition exposition;
  for (std::string_view const table : {"a", "b"}) {
    MetricSink& sink = exposition.of_table(table);
    sink.integer(kRows, 3);
    // A figure that only one of them has, in between.
    if (table == "b") sink.real({"share", "of something"}, 0.25);
    sink.integer(kDone, 4);
  }
  BOOST_TEST(text_of(exposition) ==
             "# HELP fastjournal_table_rows rows that are there\n"
             "# TYPE fastjournal_table_rows gauge\n"
             "fastjournal_table_rows{table=\"a\"} 3\n"
             "fastjournal_table_rows{table=\"b\"} 3\n"
             "# HELP fastjournal_table_done_total rows done\n"
             "# TYPE fastjournal_table_done_total counter\n"
             "fastjournal_table_done_total{table=\"a\"} 4\n"
             "fastjournal_table_done_total{table=\"b\"} 4\n"
             "# HELP fastjournal_table_share of something\n"
             "# TYPE fastjournal_table_share gauge\n"
             "fastjournal_table_share{table=\"b\"} 0.25\n");
}

BOOST_AUTO_TEST_CASE(openmetrics_names_a_counter_without_total_and_ends_with_eof) {
  Exposition exposition{Format::openmetrics};
  exposition.of_daemon().integer(kDone, 4);
  BOOST_TEST(text_of(exposition) ==
             "# HELP fastjournal_done rows done\n"
             "# TYPE fastjournal_done counter\n"
             "fastjournal_done_total 4\n"
             "# EOF\n");
}

BOOST_AUTO_TEST_CASE(milliseconds_microseconds_and_dates_become_seconds) {
  Exposition exposition;
  MetricSink& sink = exposition.of_daemon();
  sink.integer({"first_due_age_ms", "age"}, 1500);
  sink.integer({"turn_us_max", "turn"}, 250);
  sink.integer({"next_date", "date"}, 1'700'000'000'500);
  sink.integer({"messages", "ms and us inside of words stay"}, 7);
  std::string const text = text_of(exposition);
  BOOST_TEST(has(text, "fastjournal_first_due_age_seconds 1.5\n"), text);
  BOOST_TEST(has(text, "fastjournal_turn_seconds_max 0.00025\n"), text);
  BOOST_TEST(has(text, "fastjournal_next_date_timestamp_seconds 1700000000.5\n"), text);
  BOOST_TEST(has(text, "fastjournal_messages 7\n"), text);
}

BOOST_AUTO_TEST_CASE(buckets_count_exactly_what_is_at_or_below_their_bound) {
  Histogram values;
  for (std::uint64_t const value : {0U, 7U, 8U, 511U, 512U, 1'000'000U}) values.add(value);
  values.add(std::uint64_t{1} << 40U);
  Exposition exposition;
  exposition.of_log("shared").histogram({"sync_us", "syncs"}, values);
  std::string const text = text_of(exposition);
  auto const bucket = [&](std::string_view bound, std::string_view count) {
    return has(text, "fastjournal_log_sync_seconds_bucket{log=\"shared\",le=\"" + std::string{bound} + "\"} " +
                         std::string{count} + "\n");
  };
  BOOST_TEST(has(text, "# TYPE fastjournal_log_sync_seconds histogram\n"), text);
  BOOST_TEST(bucket("0.0", "1"), text);
  BOOST_TEST(bucket("7e-06", "2"), text);
  BOOST_TEST(bucket("6.3e-05", "3"), text);
  BOOST_TEST(bucket("0.000511", "4"), text);
  BOOST_TEST(bucket("0.004095", "5"), text);
  BOOST_TEST(bucket("2.097151", "6"), text);
  BOOST_TEST(bucket("+Inf", "7"), text);
  BOOST_TEST(has(text, "fastjournal_log_sync_seconds_count{log=\"shared\"} 7\n"), text);
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 2 + 13 + 2, text);
}

BOOST_AUTO_TEST_CASE(much_text_comes_in_pieces_that_end_with_a_line) {
  Exposition exposition;
  for (int i = 0; i < 4000; ++i) exposition.of_table("table" + std::to_string(i)).integer(kRows, i);
  std::uint64_t const kept = exposition.bytes();
  std::size_t const pieces = exposition.end();
  BOOST_TEST(pieces > 1U);
  std::size_t lines = 0;
  for (std::size_t left = pieces; left > 0; --left) {
    std::string const piece = exposition.take();
    BOOST_TEST(piece.ends_with('\n'));
    BOOST_TEST(piece.size() < (80U << 10U));
    lines += static_cast<std::size_t>(std::count(piece.begin(), piece.end(), '\n'));
  }
  BOOST_TEST(lines == 2U + 4000U);
  BOOST_TEST(exposition.take() == "");
  BOOST_TEST(exposition.bytes() < kept / 100);
}

BOOST_AUTO_TEST_CASE(a_histogram_without_a_value_is_left_out) {
  Exposition exposition;
  exposition.of_daemon().histogram({"sync_us", "syncs"}, Histogram{});
  BOOST_TEST(text_of(exposition) == "");
}

BOOST_AUTO_TEST_CASE(names_that_need_escapes_get_them) {
  auto const text_in = [](Format format) {
    Exposition exposition{format};
    exposition.of_table("a\"b\\c\nd").integer({"rows", "back\\slash, \"quoted\"\nand more"}, 1);
    return text_of(exposition);
  };
  std::string const text = text_in(Format::text);
  BOOST_TEST(has(text, "{table=\"a\\\"b\\\\c\\nd\"} 1\n"), text);
  BOOST_TEST(has(text, "rows back\\\\slash, \"quoted\"\\nand more\n"), text);
  BOOST_TEST(has(text_in(Format::openmetrics), "\\\"quoted\\\""));
}

BOOST_AUTO_TEST_SUITE_END()

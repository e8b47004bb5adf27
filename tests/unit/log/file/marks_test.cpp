// Which LSN counts as durable and which base is in effect, while more is written during a sync.
#include <boost/test/unit_test.hpp>

#include "log/file/base_mark.h"
#include "log/file/durable_marks.h"

namespace fastjournal::log::file::test {

BOOST_AUTO_TEST_SUITE(durable_marks)

BOOST_AUTO_TEST_CASE(a_flush_covers_what_was_written_when_it_began) {
  DurableMarks marks;
  marks.begin_at(Lsn{100});
  marks.wrote(Lsn{200}, true);
  marks.need(Lsn{200});
  auto const covered = marks.begin_flush(Lsn{200});
  marks.wrote(Lsn{300}, true);
  marks.need(Lsn{300});
  marks.end_flush();
  marks.flushed(covered);
  BOOST_CHECK(marks.durable() == Lsn{200});
  BOOST_CHECK(marks.data_durable() == Lsn{200});
  BOOST_TEST(marks.needs_sync());
  BOOST_TEST(!marks.is_flushing());
}

BOOST_AUTO_TEST_CASE(a_flush_that_failed_made_nothing_durable) {
  DurableMarks marks;
  marks.begin_at(Lsn{100});
  marks.wrote(Lsn{200}, true);
  static_cast<void>(marks.begin_flush(Lsn{200}));
  marks.end_flush();
  BOOST_CHECK(marks.durable() == Lsn{100});
}

BOOST_AUTO_TEST_CASE(records_are_untold_until_a_later_batch_or_a_header_that_names_them_is_durable) {
  for (bool const by_header : {false, true}) {
    DurableMarks marks;
    marks.begin_at(Lsn{100});
    marks.wrote(Lsn{200}, true);
    auto const records = marks.begin_flush(Lsn{200});
    marks.end_flush();
    marks.flushed(records);
    BOOST_TEST(marks.is_untold());
    if (by_header) {
      marks.told(marks.durable());
    } else {
      marks.wrote(Lsn{300}, false);
      auto const durable_marker = marks.begin_flush(Lsn{300});
      BOOST_TEST(marks.is_untold());
      marks.end_flush();
      marks.flushed(durable_marker);
    }
    BOOST_TEST(!marks.is_untold());
    BOOST_CHECK(marks.data_durable() == Lsn{200});
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(base_mark)

BOOST_AUTO_TEST_CASE(a_base_takes_effect_once_everything_before_it_was_set_is_durable) {
  BaseMark base;
  base.begin_at({Lsn{100}, Lsn{100}}, {});
  base.want({Lsn{150}, Lsn{160}}, Lsn{300}, Lsn{200});
  BOOST_CHECK(base.wanted().lsn == Lsn{150});
  BOOST_CHECK(base.in_effect().lsn == Lsn{100});
  Base const before = base.after_flush(Lsn{299});
  base.flushed(Lsn{299}, before);
  BOOST_CHECK(base.in_effect().lsn == Lsn{100});
  Base const after = base.after_flush(Lsn{300});
  base.flushed(Lsn{300}, after);
  BOOST_CHECK(base.in_effect().lsn == Lsn{150});
  BOOST_CHECK(base.in_effect().catalogue == Lsn{160});
}

BOOST_AUTO_TEST_CASE(a_base_set_during_a_flush_waits_for_the_next_one_and_the_one_before_does_not) {
  BaseMark base;
  base.begin_at({Lsn{100}, Lsn{100}}, {});
  base.want({Lsn{150}, Lsn{150}}, Lsn{300}, Lsn{200});
  Base const covered = base.after_flush(Lsn{300});
  base.want({Lsn{250}, Lsn{250}}, Lsn{400}, Lsn{200});
  base.flushed(Lsn{300}, covered);
  BOOST_CHECK(base.in_effect().lsn == Lsn{150});
  BOOST_CHECK(base.in_effect().catalogue == Lsn{150});
  BOOST_CHECK(base.wanted().lsn == Lsn{250});
}

BOOST_AUTO_TEST_CASE(a_base_that_rests_on_durable_records_only_takes_effect_at_once) {
  BaseMark base;
  base.begin_at({Lsn{100}, Lsn{100}}, {});
  base.want({Lsn{150}, Lsn{150}}, Lsn{200}, Lsn{200});
  BOOST_CHECK(base.in_effect().lsn == Lsn{150});
}

BOOST_AUTO_TEST_CASE(no_base_goes_back) {
  BaseMark base;
  base.begin_at({Lsn{100}, Lsn{120}}, {});
  BOOST_TEST(!base.is_news({Lsn{90}, Lsn{120}}));
  BOOST_TEST(base.is_news({Lsn{90}, Lsn{130}}));
  base.want({Lsn{90}, Lsn{130}}, Lsn{200}, Lsn{200});
  BOOST_CHECK(base.in_effect().lsn == Lsn{100});
  BOOST_CHECK(base.in_effect().catalogue == Lsn{130});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::file::test

// The records of a pipeline table: they come back as they were, their bytes last, and what is cut off is refused.
#include <boost/test/unit_test.hpp>

#include <string>

#include "base/bytes.h"
#include "plugins/pipeline/records.h"
#include "tests/support/memory_log.h"

namespace fastjournal::pipeline {
namespace {

rows::Leases::Terms terms() {
  rows::Leases::Terms out;
  out.epoch = LeaseEpoch{0x0102030405060708};
  out.began = 1'700'000'000'000;
  out.ends = 1'700'000'060'000;
  out.connection = 9;
  out.start = 3;
  out.worker = "w";
  return out;
}

DocumentBody document() {
  DocumentBody out;
  out.plan = ObjectId{800};
  out.source = 2;
  out.parent = ObjectId{1600};
  out.original = ObjectId{1608};
  out.maker = 4;
  out.hash = "7";
  out.name = "line 1";
  out.is_forgotten = true;
  out.generation = 5;
  out.declared = 300;
  out.choices = {{1, {2, 3}}, {4, {5}}};
  out.cell_count = 3;
  out.cells.resize(3);
  out.cells[0].state = State::error;
  out.cells[0].attempts = 2;
  out.cells[0].failure = Failure{"down", "no connection", 2, 1'700'000'000'500};
  out.cells[1].state = State::sending;
  out.cells[1].held = CellBody::Lease::leased;
  out.cells[1].lease = terms();
  out.cells[2].state = State::sending;
  out.cells[2].held = CellBody::Lease::in_doubt;
  out.cells[2].lease = terms();
  out.original_cell = CellBody{};
  return out;
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (char const byte : bytes) {
    out.push_back("0123456789abcdef"[static_cast<unsigned char>(byte) >> 4]);
    out.push_back("0123456789abcdef"[static_cast<unsigned char>(byte) & 15]);
  }
  return out;
}

// Reads the body that was appended last, whole and each part of it from the front.
template <typename Body>
Body last_of(fastjournal::test::MemoryLog const& log) {
  RecordView const record = log.stored().back().view();
  std::string_view const bytes = as_text(record.body);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Body cut;
    BOOST_TEST(!model::read_body(bytes.substr(0, size), record.version, cut),
               "the first " << size << " bytes of " << hex(bytes));
  }
  Body out;
  BOOST_REQUIRE(model::read_record(record, out));
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pipeline_records)

BOOST_AUTO_TEST_CASE(they_come_back_as_they_were) {
  fastjournal::test::MemoryLog log;
  model::append_record(log, {}, document());
  auto const body = last_of<DocumentBody>(log);
  DocumentBody const expected = document();
  BOOST_TEST((body.plan == expected.plan && body.parent == expected.parent && body.original == expected.original));
  BOOST_TEST((body.source == 2 && body.maker == 4 && body.hash == "7" && body.name == "line 1"));
  BOOST_TEST((body.is_forgotten && body.generation == 5 && body.declared == 300));
  BOOST_TEST((body.choices == expected.choices));
  BOOST_REQUIRE(body.cells.size() == 3U);
  BOOST_TEST((body.cells[0].failure == expected.cells[0].failure));
  BOOST_TEST((body.cells[1].held == CellBody::Lease::leased && body.cells[2].held == CellBody::Lease::in_doubt));
  BOOST_TEST((body.cells[1].lease.epoch == terms().epoch && body.cells[1].lease.worker == "w"));
  BOOST_TEST(body.original_cell.has_value());
  model::append_record(log, ObjectId{8}, LeaseBody{{0, kOriginalCell}, State::batched, terms()});
  auto const lease = last_of<LeaseBody>(log);
  BOOST_TEST(
      (lease.cells == Ordinals{0, kOriginalCell} && lease.to == State::batched && lease.terms.ends == terms().ends));
  model::append_record(log, ObjectId{8}, StatusBody{{1}, State::dead, 3, Failure{"k", "m", 3, 0}});
  auto const status = last_of<StatusBody>(log);
  BOOST_TEST((status.to == State::dead && status.attempts == 3 && status.failure->kind == "k"));
  BOOST_TEST(unsigned{log.stored().back().view().version} == 1U);
  model::append_record(log, ObjectId{8}, StatusBody{{1}, State::dead, 3, Failure{"k", "m\xfft", 3, 0}});
  BOOST_TEST(last_of<StatusBody>(log).failure->message == "m\xfft");
  BOOST_TEST(unsigned{log.stored().back().view().version} == 2U);
  model::append_record(log, ObjectId{8},
                       StatusBody{.cells = {1}, .to = State::processing, .attempts = 1, .keeps_failure = true});
  auto const kept = last_of<StatusBody>(log);
  BOOST_TEST((kept.keeps_failure && !kept.failure));
  BOOST_TEST(unsigned{log.stored().back().view().version} == 2U);
  DocumentBody traced = document();
  traced.cells[0].failure->message = "m\xfft";
  model::append_record(log, {}, traced);
  BOOST_TEST(unsigned{log.stored().back().view().version} == 3U);
  BOOST_TEST((last_of<DocumentBody>(log).cells[0].failure == traced.cells[0].failure));
  // A reader that does not know it would hand it out to be stored.
  DocumentBody gone = traced;
  gone.hash = kGoneHash;
  model::append_record(log, {}, gone);
  BOOST_TEST(unsigned{log.stored().back().view().version} == 4U);
  BOOST_TEST(last_of<DocumentBody>(log).hash == kGoneHash);
  model::append_record(log, ObjectId{8}, ChangedBody{"2"});
  BOOST_TEST(unsigned{log.stored().back().view().version} == 1U);
  model::append_record(log, ObjectId{8}, ChangedBody{kGoneHash});
  BOOST_TEST(unsigned{log.stored().back().view().version} == 2U);
  model::append_record(log, ObjectId{8}, HeldBody{{0, 2}, 77});
  BOOST_TEST((last_of<HeldBody>(log).at == 77));
  model::append_record(log, ObjectId{8}, RoutedBody{{1, {2}}, {}});
  BOOST_TEST((last_of<RoutedBody>(log).choice == plan::Choice{1, {2}}));
  model::append_record(log, ObjectId{8}, DeclaredBody{1'000'000});
  BOOST_TEST(last_of<DeclaredBody>(log).children == 1'000'000U);
  model::append_record(log, ObjectId{8}, DestinationBody{1, Mode::probing, "why", {{ObjectId{16}, 1}}});
  auto const destination = last_of<DestinationBody>(log);
  BOOST_TEST((destination.mode == Mode::probing && destination.reason == "why" && destination.spared.size() == 1));
  model::append_record(log, {}, ClockBody{20, 10});
  BOOST_TEST((last_of<ClockBody>(log).to == 10));
  model::append_record(log, {}, PlanBody{{{1, Mode::shut, "x"}}, "plan"});
  PlanBody plan;
  BOOST_REQUIRE(model::read_body(as_text(log.stored().back().view().body), log.stored().back().view().version, plan));
  BOOST_TEST((plan.paused.front().mode == Mode::shut && plan.text == "plan" && !plan.drain));
  model::append_record(log, {}, PlanBody{{}, "plan", DrainBody{77, "me", "it moves"}});
  BOOST_TEST(log.stored().back().view().version == 2);
  BOOST_REQUIRE(model::read_body(as_text(log.stored().back().view().body), 2, plan));
  BOOST_TEST((plan.text == "plan" && plan.drain->since == 77 && plan.drain->by == "me"));
  for (bool const drains : {false, true}) {
    std::optional<DrainBody> const its = drains ? std::optional{DrainBody{77, "me", "it moves"}} : std::nullopt;
    model::append_record(log, {}, PlanBody{{{1, Mode::shut, "x"}}, "plan", its, true});
    BOOST_TEST(unsigned{log.stored().back().view().version} == 3U);
    PlanBody telling;
    BOOST_REQUIRE(model::read_body(as_text(log.stored().back().view().body), 3, telling));
    BOOST_TEST((telling.tells_deleted && telling.text == "plan" && telling.paused.size() == 1));
    BOOST_TEST(telling.drain.has_value() == drains);
  }
  model::append_record(log, ObjectId{8}, DrainingBody{DrainBody{77, "me", "it moves"}});
  auto const drain = last_of<DrainingBody>(log).drain;
  BOOST_TEST((drain->since == 77 && drain->reason == "it moves"));
  model::append_record(log, ObjectId{8}, DrainingBody{std::nullopt});
  BOOST_TEST(!last_of<DrainingBody>(log).drain.has_value());
}

// Logs hold them: a changed body is a new version, and the readers of the old one stay.
BOOST_AUTO_TEST_CASE(their_bytes_last) {
  std::string bytes;
  model::write_body(bytes, document());
  BOOST_TEST(hex(bytes) ==
             "0f640000000000020137066c696e652031c80000000000c9000000000004"
             "05ac0202010202030401050304020104646f776e0d6e6f20636f6e6e656374696f6e02f469e5cf8b01"
             "06000208070605040302010068e5cf8b016052e6cf8b0109030177"
             "06000408070605040302010068e5cf8b016052e6cf8b0109030177000000");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::pipeline

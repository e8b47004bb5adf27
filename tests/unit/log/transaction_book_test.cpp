// Prepared transactions in the catalogue: what is stated, compacted one by one, decided and over; damaged records.
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include "base/bytes.h"
#include "log/catalogue.h"
#include "log/file/format.h"
#include "tests/support/seed.h"
#include "tests/unit/log/kept_catalogue.h"

namespace fastjournal::log {
namespace {

struct Book final : KeptCatalogue {
  ObjectId prepare(std::string const& xid, std::vector<std::string> const& ops) {
    TransactionBook::Entry entry;
    entry.xid = xid;
    entry.origin = "ip:192.0.2.1";
    entry.prepared = TimeMs{1000};
    entry.ops_count = static_cast<std::uint32_t>(ops.size());
    ObjectId const object = TransactionBook::append_prepared(*this, entry);
    for (std::size_t i = 0; i < ops.size(); ++i)
      TransactionBook::append_op(*this, object, static_cast<std::uint32_t>(i), ops[i]);
    apply();
    return object;
  }
  [[nodiscard]] TransactionBook const& book() const { return catalogue.transactions(); }
  [[nodiscard]] std::vector<std::string> digest() const {
    struct Sink final : DigestSink {
      std::vector<std::string> all;
      void object(std::span<std::byte const> canonical) override { all.emplace_back(as_text(canonical)); }
    } sink;
    catalogue.digest(sink);
    return sink.all;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(transaction_book)

// Compaction has room for what lives.
BOOST_AUTO_TEST_CASE(what_lives_is_counted_as_the_records_that_state_it_at_least) {
  Book one;
  for (std::string const& xid : {std::string{"1:aa:"}, "1:" + std::string(510, 'a') + ":" + std::string(510, 'b')}) {
    std::size_t const before = one.bodies.size();
    std::uint64_t const live = one.book().live_bytes();
    one.prepare(xid, {"", "an op", std::string(777, 'x')});
    std::uint64_t bytes = 0;
    for (std::size_t i = before; i < one.bodies.size(); ++i) bytes += record_bytes(true, one.bodies[i].size());
    BOOST_TEST(one.book().live_bytes() - live >= bytes);
    BOOST_TEST(one.book().live_bytes() - live <= bytes + 4 * TransactionBook::kRecordBytes);
  }
}

BOOST_AUTO_TEST_CASE(what_is_prepared_stays_until_it_is_over) {
  Book one;
  std::vector<std::string> const before = one.digest();
  BOOST_TEST(one.catalogue.oldest_lsn().is_none());
  ObjectId const first = one.prepare("1:aa:", {"an op", std::string(70'000, 'x'), ""});
  ObjectId const second = one.prepare("1:bb:", {});
  BOOST_REQUIRE(one.book().find(first) != nullptr);
  TransactionBook::Entry const& entry = *one.book().find(first);
  BOOST_TEST(entry.xid == "1:aa:");
  BOOST_TEST(entry.origin == "ip:192.0.2.1");
  BOOST_TEST(entry.prepared.value == 1000);
  BOOST_TEST((entry.decided == Outcome::none));
  BOOST_REQUIRE_EQUAL(entry.ops.size(), 3U);
  BOOST_TEST(entry.ops[1].body.size() == 70'000U);
  BOOST_TEST(one.catalogue.oldest_lsn().value == first.value);
  BOOST_TEST(one.catalogue.live_bytes() > 70'000U);
  TransactionBook::append_ended(one, first);
  one.apply();
  BOOST_TEST(one.book().find(first) == nullptr);
  BOOST_TEST(one.catalogue.oldest_lsn().value == second.value);
  TransactionBook::append_ended(one, second);
  // Over already: its first record is below the base.
  TransactionBook::append_ended(one, ObjectId{17});
  one.apply();
  BOOST_TEST(one.book().all().empty());
  BOOST_TEST(one.catalogue.live_bytes() == 0U);
  BOOST_TEST(one.catalogue.oldest_lsn().is_none());
  BOOST_TEST((one.digest() == before));
}

BOOST_AUTO_TEST_CASE(each_part_is_compacted_and_a_reader_of_the_copies_alone_has_all) {
  Book one;
  ObjectId const object = one.prepare("1:aa:01", {"first", "second", "third"});
  ObjectId const decided = one.prepare("1:bb:01", {"gone"});
  TransactionBook::Entry entry = *one.book().find(decided);
  entry.decided = Outcome::rolled_back;
  entry.decided_at = TimeMs{2000};
  TransactionBook::append_prepared(one, entry);
  one.apply();
  BOOST_TEST(one.book().find(decided)->ops.empty());
  std::vector<std::string> const before = one.digest();
  Lsn const end{one.next + 1};
  Book copy;
  copy.next = one.next;
  for (int steps = 0; !one.catalogue.oldest_lsn().is_none() && one.catalogue.oldest_lsn() < end; ++steps) {
    BOOST_REQUIRE(steps < 10);
    BOOST_REQUIRE(one.catalogue.compact_one(end, one));
    for (RecordView const& view : one.views) BOOST_REQUIRE(copy.catalogue.apply(view));
    one.apply();
  }
  BOOST_TEST((one.digest() == before));
  BOOST_TEST((copy.digest() == before));
  BOOST_TEST(copy.book().find(object)->ops[2].body == "third");
  BOOST_TEST((copy.book().find(decided)->decided == Outcome::rolled_back));
  BOOST_TEST(copy.book().find(decided)->decided_at.value == 2000);
  BOOST_TEST(!one.catalogue.compact_one(end, one));
}

// Of version 2, which no other transaction has.
BOOST_AUTO_TEST_CASE(what_is_over_several_logs_is_read_as_it_was_written) {
  using Role = TransactionBook::Role;
  Book one;
  TransactionBook::Entry part;
  part.xid = "1:aa:";
  part.role = Role::part;
  part.home = {4711, Lsn{65'536}};
  TransactionBook::Entry outcome;
  outcome.xid = "1:bb:";
  outcome.role = Role::outcome;
  outcome.decided = Outcome::committed;
  outcome.others = {1, UINT64_MAX};
  TransactionBook::Entry branch;
  branch.xid = "1:cc:";
  branch.others = {7};
  TransactionBook::Entry alone;
  alone.xid = "1:dd:";
  std::vector<ObjectId> objects;
  for (TransactionBook::Entry const* const entry : {&part, &outcome, &branch, &alone})
    objects.push_back(TransactionBook::append_prepared(one, *entry));
  BOOST_TEST(one.views[0].version == 2);
  BOOST_TEST(one.views[2].version == 2);
  BOOST_TEST(one.views[3].version == 1);
  std::uint64_t bytes = 0;
  for (auto const& body : one.bodies) bytes += record_bytes(true, body.size());
  one.apply();
  BOOST_TEST(one.book().live_bytes() >= bytes);
  BOOST_TEST((one.book().find(objects[0])->role == Role::part));
  BOOST_TEST(one.book().find(objects[0])->home.store_id == 4711U);
  BOOST_TEST(one.book().find(objects[0])->home.lsn.value == 65'536U);
  BOOST_TEST((one.book().find(objects[1])->role == Role::outcome));
  BOOST_TEST((one.book().find(objects[1])->others == outcome.others));
  BOOST_TEST((one.book().find(objects[2])->role == Role::branch));
  BOOST_TEST((one.book().find(objects[2])->others == branch.others));
  BOOST_TEST(one.book().find(objects[3])->others.empty());
  // Stated anew it is the same.
  std::vector<std::string> const before = one.digest();
  Lsn const end{one.next + 1};
  while (one.catalogue.oldest_lsn() < end) {
    BOOST_REQUIRE(one.catalogue.compact_one(end, one));
    one.apply();
  }
  BOOST_TEST((one.digest() == before));
  for (ObjectId const object : objects) TransactionBook::append_ended(one, object);
  one.apply();
  BOOST_TEST(one.catalogue.live_bytes() == 0U);
}

BOOST_AUTO_TEST_CASE(a_record_over_several_logs_that_is_damaged_is_refused) {
  using Role = TransactionBook::Role;
  Book source;
  TransactionBook::Entry entry;
  entry.xid = "1:aa:";
  entry.role = Role::outcome;
  entry.decided = Outcome::committed;
  entry.others = {1, 2};
  TransactionBook::append_prepared(source, entry);
  RecordView const whole = source.views.front();
  for (std::size_t cut = 0; cut < whole.body.size(); ++cut) {
    RecordView part = whole;
    part.body = whole.body.first(cut);
    Catalogue catalogue;
    BOOST_TEST(!catalogue.apply(part), "cut at " << cut);
  }
  RecordView newer = whole;
  newer.version = 3;
  Catalogue catalogue;
  BOOST_TEST(!catalogue.apply(newer));
  // An outcome that is none; a role that there is not; and one log, which has version 1.
  std::string body{as_text(whole.body)};
  std::size_t const role = body.size() - 2 * 8 - 2 - 2 * 8 - 1;
  for (auto const& [at, byte] : {std::pair{std::size_t{0}, '\0'}, std::pair{role, '\3'}}) {
    std::string wrong = body;
    wrong[at] = byte;
    RecordView record = whole;
    record.body = as_bytes(wrong);
    Catalogue other;
    BOOST_TEST(!other.apply(record), "at " << at);
  }
  std::string alone = body.substr(0, role) + std::string(1 + 8 + 8 + 2, '\0');
  RecordView record = whole;
  record.body = as_bytes(alone);
  Catalogue other;
  BOOST_TEST(!other.apply(record));
}

BOOST_AUTO_TEST_CASE(what_is_damaged_is_refused) {
  Book one;
  one.prepare("1:aa:01", {"first"});
  std::vector<RecordView> good;
  Book source;
  TransactionBook::Entry entry;
  entry.xid = "1:cc:";
  entry.origin = "uid:7";
  entry.ops_count = 1;
  ObjectId const object = TransactionBook::append_prepared(source, entry);
  TransactionBook::append_op(source, object, 0, "op");
  TransactionBook::append_ended(source, object);
  for (RecordView const& view : source.views) {
    for (std::size_t cut = 0; cut < view.body.size(); ++cut) {
      RecordView part = view;
      part.body = view.body.first(cut);
      // The rest of an op is the engine's, whatever it is.
      bool const is_refused = view.type != TransactionBook::kOp || cut < 4;
      Catalogue catalogue;
      BOOST_TEST(catalogue.apply(part) != is_refused, "type " << int{view.type} << " cut at " << cut);
    }
    for (std::uint8_t const version : {std::uint8_t{0}, std::uint8_t{3}}) {
      RecordView other = view;
      other.version = version;
      Catalogue catalogue;
      BOOST_TEST(!catalogue.apply(other));
    }
  }
  std::string const far("\xFF\xFF\xFF\x7Fop", 6);
  RecordView op = source.views[1];
  op.body = as_bytes(far);
  Catalogue catalogue;
  BOOST_TEST(!catalogue.apply(op));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log

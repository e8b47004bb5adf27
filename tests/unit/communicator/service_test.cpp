// What the daemon sends to a communicatord, and how it tells the services behind one apart. Whole conversations:
// tests/world/communicator_test.cpp.
#include "server/communicator/service.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/nobody.h"
#include "tests/support/recording_network.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::communicator;

struct Said final : LinkOutput {
  bool send(ConnectionId, Outgoing const& message, log::Log const*) override {
    commands.emplace_back(message.command);
    return true;
  }
  void rest_on_all(ConnectionId) override {}
  std::vector<std::string> commands;
};

struct ServiceFixture {
  ServiceFixture() {
    links.join({.communicator = "sim:1", .alert_service = "watcher"});
    links.tick(0);
    service.opened(*links.opened(links.communicator()));
  }
  Message from(std::string_view server, std::string_view sender) const {
    Message out{"NEXT"};
    out.from_server = server;
    out.from_service = sender;
    return out;
  }

  test::RecordingNetwork network;
  test::RecordingNotes notes;
  engine::TableTypes types;
  fastjournal::test::Nobody nobody;
  engine::Engine engine{types, nobody};
  Said said;
  OutboundLinks links{network, notes};
  Service service{links, said, engine, notes};
};

std::vector<std::string> said(std::initializer_list<char const*> words) { return {words.begin(), words.end()}; }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(service_of_a_communicatord, ServiceFixture)

BOOST_AUTO_TEST_CASE(it_registers_and_unregisters) {
  BOOST_TEST((said.commands == ::said({"REGISTER"})));
  service.leave();
  BOOST_TEST((said.commands == ::said({"REGISTER", "UNREGISTER"})));
  BOOST_TEST(links.next_us() == INT64_MAX);
}

BOOST_AUTO_TEST_CASE(a_communicatord_that_quits_is_told_nothing_more) {
  service.peer_quits();
  service.leave();
  BOOST_TEST((said.commands == ::said({"REGISTER"})));
}

BOOST_AUTO_TEST_CASE(after_a_new_connection_it_is_told_again) {
  service.peer_quits();
  links.closed(links.communicator(), "it ended", 0);
  links.tick(100'000'000);
  service.opened(*links.opened(links.communicator()));
  service.leave();
  BOOST_TEST((said.commands == ::said({"REGISTER", "REGISTER", "UNREGISTER"})));
}

BOOST_AUTO_TEST_CASE(each_sender_has_a_number_that_leads_to_the_one_connection) {
  std::optional<ConnectionId> left;
  ConnectionId const one = service.sender_of(from("box", "www"), left);
  ConnectionId const other = service.sender_of(from("box", "mail"), left);
  BOOST_TEST((one != other));
  BOOST_TEST((one == service.sender_of(from("box", "www"), left)));
  BOOST_TEST((service.connection_of(one) == links.communicator()));
  BOOST_TEST((service.connection_of(ConnectionId{77}) == ConnectionId{77}));
  BOOST_TEST(service.senders().size() == 2U);
  service.ended(TimeMs{1});
  BOOST_TEST(service.senders().empty());
}

BOOST_AUTO_TEST_CASE(only_the_communicatord_says_that_a_service_is_down) {
  std::optional<ConnectionId> left;
  static_cast<void>(service.sender_of(from("box", "www"), left));
  Message status{"STATUS"};
  status.set("service", "www");
  status.set("status", "down");
  status.from_service = "liar";
  service.note_status(status, TimeMs{1});
  BOOST_TEST(service.senders().size() == 1U);
  status.from_service = {};
  service.note_status(status, TimeMs{1});
  BOOST_TEST(service.senders().empty());
}

BOOST_AUTO_TEST_CASE(long_names_with_one_beginning_are_two_origins) {
  std::string const beginning(300, 'a');
  std::string const first{service.origin_of(from("box", beginning + "1"))};
  BOOST_TEST(first.size() <= kOriginBytesMax);
  BOOST_TEST(first != service.origin_of(from("box", beginning + "2")));
  BOOST_TEST(service.origin_of(from("box", "www")) == "service:box:www");
}

BOOST_AUTO_TEST_CASE(parameters_of_the_transport_are_dropped_unless_they_are_columns) {
  Message message{"INSERT"};
  for (char const* const name : {"cache", "broadcast_hops", "transmission_report", "table"}) message.set(name, "x");
  NameTable columns;
  columns.add("cache", 0);
  drop_transport_parameters(message, nullptr, &columns);
  BOOST_TEST(message.has("cache"));
  BOOST_TEST(message.has("table"));
  BOOST_TEST(message.params().size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

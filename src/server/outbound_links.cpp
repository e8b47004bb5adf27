// The connections that the server makes: the life as a service of a communicatord, and alerts told to a service as FLAG
// messages. Messages received over them are commands like any other, answered to their sender. FLAG is repeated for all
// current alerts whenever the connection is made anew, since the receiver may have been restarted.
#include <algorithm>

#include "base/hash.h"
#include "core/flag.h"
#include "server/server.h"
#include "wire/text.h"

namespace fastjournal::server {
namespace {

// Beside the commands of the life cycle, which a communicatord sends to all services.
constexpr Rights kCommunicatorRights{Right::add, Right::work};
// The service that receives alerts may ask for them.
constexpr Rights kAlertPeerRights{Right::read};

// A line that the receiver cannot read would be dropped silently: then the text is sent in plain characters.
std::string readable(std::string const& text) {
  std::string scratch;
  Param const params[] = {{"message", Value::of_text(text)}};
  if (wire::append_line({.command = "FLAG", .params = params}, scratch).ok()) return text;
  std::string out;
  for (char const c : text) {
    bool const plain = static_cast<unsigned char>(c) >= 0x20 && c != '\\' && c != '"' && c != ';';
    if (plain && (c != ' ' || !out.empty())) out += c;
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace

void Server::join(OutboundOptions options) {
  links_ = std::move(options);
  if (!links_.communicator.empty()) communicator_ = std::make_unique<OutboundLink>(network_, links_.communicator);
  if (!links_.alert_address.empty()) alert_peer_ = std::make_unique<OutboundLink>(network_, links_.alert_address);
}

OutboundLink* Server::link_of(ConnectionId id) const {
  for (auto const& one : {communicator_.get(), alert_peer_.get()})
    if (one != nullptr && one->is(id)) return one;
  return nullptr;
}

void Server::tick_links() {
  for (OutboundLink* const one : {communicator_.get(), alert_peer_.get()}) {
    if (one == nullptr) continue;
    std::string const why = one->tick(time_.monotonic_us());
    if (!why.empty()) host_.note(why + "; it is tried again and again");
  }
}

std::int64_t Server::next_link_us() const {
  std::int64_t next = INT64_MAX;
  for (OutboundLink const* const one : {communicator_.get(), alert_peer_.get()})
    if (one != nullptr) next = std::min(next, one->next_us());
  return next;
}

// True: it is a connection opened by the daemon.
bool Server::open_link(ConnectionId id, env::Peer const& peer) {
  OutboundLink* const one = link_of(id);
  if (one == nullptr) return false;
  static_cast<void>(one->opened(id));
  Session& session = *sessions_.emplace(id, std::make_unique<Session>(id, peer, limits_.frames)).first->second;
  memory_.open(session.account, session.origin);
  count(session);
  session.link = true;
  session.is_known = true;  // we called
  session.communicator = one == communicator_.get();
  session.rights = session.communicator ? kCommunicatorRights : kAlertPeerRights;
  if (session.communicator) {
    Param const params[] = {{"service", Value::of_text(links_.service)}, {"version", Value::of_integer(1)}};
    write(session, {.command = "REGISTER", .params = params});
    host_.inform("connected to the communicatord at " + one->address());
    engine_.tell_wakes_again();
  }
  // The receiver may have been down: all current alerts are sent again.
  if (one == flag_road()) tell_all_flags(session);
  return true;
}

// False: it is not a connection opened by the daemon. Its session, if there was one, ends like any other.
bool Server::close_link(ConnectionId id, std::string_view reason) {
  OutboundLink* const one = link_of(id);
  if (one == nullptr) return false;
  if (one->is_open() || one->is_first_failure())
    host_.note("the connection to " + one->address() + " is gone (" + std::string{reason} + "); it is made again");
  static_cast<void>(one->closed(id, time_.monotonic_us()));
  return true;
}

void Server::leave_links() {
  if (communicator_ == nullptr) return;
  communicator_->give_up();
  auto const found = sessions_.find(communicator_->id());
  if (found == sessions_.end() || found->second->quitting) return;
  Param const params[] = {{"service", Value::of_text(links_.service)}};
  write(*found->second, {.command = "UNREGISTER", .params = params});
}

// Many services share the connection: the sender is the default worker, and pushes have no receiver.
bool Server::prepare_from_link(Session& session) {
  if (session.communicator) {
    drop_transport_parameters();
    if (message_.from_service.empty() && commands_.find(message_.command) == kOfTables && !adds(message_)) {
      // A row would be leased to nobody.
      ++counters_.without_sender;
      return false;
    }
  }
  if (message_.command == "LISTEN" || message_.command == "UNLISTEN") {
    answer_.clear();
    reply(session, message_, answer_,
          Status{Code::not_supported, std::string{message_.command} + " needs a connection to the daemon of its own"});
    return false;
  }
  if (!message_.from_service.empty())
    session.worker = std::string{message_.from_server} + ":" + std::string{message_.from_service};
  return true;
}

// Parameters added by a communicatord are dropped, unless the command, an alias or the table has them.
void Server::drop_transport_parameters() {
  message_.erase(kSecretParameter);
  Aliases::Alias const* const alias = aliases_.find(message_.command);
  core::HostedTable const* const table = alias == nullptr ? engine_.find_table(message_.text("table")) : nullptr;
  auto const is_meant = [&](std::string_view name) {
    if (table != nullptr) return table->columns.has(name);
    return alias != nullptr && std::any_of(alias->declared->parameters.begin(), alias->declared->parameters.end(),
                                           [&](AliasParameter const& known) { return known.name == name; });
  };
  std::vector<std::string_view> names;
  for (Param const& param : message_.params()) {
    bool const theirs =
        param.name == "cache" || param.name == "transmission_report" || param.name.starts_with("broadcast_");
    if (theirs && !is_meant(param.name)) names.push_back(param.name);
  }
  for (std::string_view const name : names) message_.erase(name);
}

ConnectionId Server::speaker(Session const& session) {
  if (!session.communicator || message_.from_service.empty()) return session.id;
  std::optional<ConnectionId> left;
  ConnectionId const id = senders_.of(message_.from_server, message_.from_service, left);
  if (left) end_senders({*left});
  return id;
}

// Senders behind a communicatord are distinguished by their service.
std::string_view Server::origin_of(Session const& session) {
  if (!session.communicator || message_.from_service.empty()) return session.origin;
  origin_.assign("service:").append(message_.from_server).append(":").append(message_.from_service);
  // Two long names with the same beginning stay distinct.
  if (origin_.size() > kOriginBytesMax) {
    std::uint64_t const rest = hash64(origin_);
    origin_.resize(kOriginBytesMax - 17);
    origin_.append("#").append(core::digest_text(rest));
  }
  return origin_;
}

// Their waits end, and the grace of their leases begins.
void Server::end_senders(std::vector<ConnectionId> const& senders) {
  for (ConnectionId const id : senders) engine_.connection_closed(id, turn_now());
}

// Only the communicatord itself may report the state of a service. It names a server other than its own.
void Server::on_status(Session& session, Message const& message, Answer&, Status&) {
  std::string_view const service = message.text("service");
  if (!session.communicator || !message.from_service.empty() || service.empty()) return;
  if (message.text("status") == "down") {
    std::string_view const server = message.text(message.has("server_name") ? "server_name" : "server");
    end_senders(senders_.leave(server, service));
  } else if (message.text("status") == "up") {
    // It may have been down when they were sent.
    engine_.tell_wakes_again(service);
    if (service == links_.alert_service && flag_road() == communicator_.get()) tell_all_flags(session);
  }
}

// ---------------------------------------------------------------------------
// Wakes sent as a message of another system (<wake-message>)

void Server::tell_wake(core::HostedTable const& table, std::string_view topic) {
  if (communicator_ == nullptr) return;
  WakeMessage const& wake = *table.declaration->wake_message;
  std::string const place = wake_place(table.type->topic());
  std::vector<std::string> values;
  for (WakeMessage::Parameter const& parameter : wake.parameters) {
    std::string value = parameter.value;
    std::size_t at = value.find(place);
    if (at != std::string::npos && topic.empty()) return;  // rows without a topic: there is none to name
    for (; at != std::string::npos; at = value.find(place, at + topic.size())) value.replace(at, place.size(), topic);
    values.push_back(std::move(value));
  }
  std::vector<Param> params;
  for (std::size_t i = 0; i < values.size(); ++i)
    params.push_back({wake.parameters[i].name, Value::of_text(values[i])});
  wire::Outgoing const message{.service = wake.service, .command = wake.command, .params = params};
  auto const found = sessions_.find(communicator_->id());
  std::string scratch;
  bool const readable = wire::append_line(message, scratch).ok();
  if (found == sessions_.end() || !readable || found->second->unsent() > limits_.output_bytes) {
    ++counters_.wake_messages_dropped;
    return;
  }
  ++counters_.wake_messages;
  mark_dirty(*found->second);
  rest_on(*found->second, *table.log->log);
  write(*found->second, message);
}

// ---------------------------------------------------------------------------
// FLAG

OutboundLink const* Server::flag_road() const {
  if (alert_peer_ != nullptr) return alert_peer_.get();
  return links_.alert_service.empty() ? nullptr : communicator_.get();
}

void Server::tell_flag(core::AlertNotice const& notice) {
  OutboundLink const* const road = flag_road();
  if (road == nullptr) return;
  auto const found = sessions_.find(road->id());
  if (found != sessions_.end()) send_flag(*found->second, notice);
}

void Server::tell_all_flags(Session& session) {
  mark_dirty(session);
  rest_on_all(session);
  for (core::Alert const& alert : engine_.alerts()) send_flag(session, {true, alert});
}

void Server::send_flag(Session& session, core::AlertNotice const& notice) {
  core::Alert const& alert = notice.alert;
  std::string const section = core::section_of(alert.table);
  std::string const message = readable(alert.message);
  Param const params[] = {{"state", Value::of_text(notice.up ? "up" : "down")},
                          {"unit", Value::of_text(core::kUnit)},
                          {"section", Value::of_text(section)},
                          {"name", Value::of_text(alert.name)},
                          {"priority", Value::of_integer(alert.priority)},
                          {"message", Value::of_text(message)},
                          {"tags", Value::of_text(alert.tags)},
                          {"count", Value::of_unsigned(alert.count)},
                          {"date", Value::of_integer(alert.first.value / 1000)},
                          {"modified", Value::of_integer(alert.last.value / 1000)},
                          {"manual_down", Value::of_text(alert.manual ? "yes" : "no")},
                          {"hostname", Value::of_text(links_.origin.hostname)},
                          {"version", Value::of_text(links_.origin.version)}};
  // It does not read: current alerts are sent again when it is back.
  if (session.unsent() > limits_.output_bytes) return;
  write(session, {.service = links_.alert_service, .command = "FLAG", .params = params});
}

}  // namespace fastjournal::server

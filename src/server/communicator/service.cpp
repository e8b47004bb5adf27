#include "server/communicator/service.h"

#include <algorithm>

#include "base/hash.h"
#include "fastjournal/limits.h"
#include "server/communicator/datagram_messages.h"
#include "wire/text.h"

namespace fastjournal::communicator {
namespace {

// A line that the receiver cannot read would be dropped silently: then the text is sent in plain characters.
std::string readable(std::string const& text) {
  std::string scratch;
  Param const params[] = {{"message", Value::of_text(text)}};
  if (protocol::append_line({.command = "FLAG", .params = params}, scratch).ok()) return text;
  std::string out;
  for (char const c : text) {
    bool const plain = static_cast<unsigned char>(c) >= 0x20 && c != '\\' && c != '"' && c != ';';
    if (plain && (c != ' ' || !out.empty())) out += c;
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

// The values of a wake message with the topic in its places; nothing: it needs one, and the rows have none.
std::optional<std::vector<std::string>> values_of(WakeMessage const& wake, std::string const& place,
                                                  std::string_view topic) {
  std::vector<std::string> values;
  for (WakeMessage::Parameter const& parameter : wake.parameters) {
    std::string value = parameter.value;
    std::size_t at = value.find(place);
    if (at != std::string::npos && topic.empty()) return std::nullopt;
    for (; at != std::string::npos; at = value.find(place, at + topic.size())) value.replace(at, place.size(), topic);
    values.push_back(std::move(value));
  }
  return values;
}

void send_flag(LinkOutput& output, ConnectionId link, OutboundOptions const& options, bool up,
               log::Alert const& alert) {
  std::string const section = communicator::section_of(alert.table);
  std::string const message = readable(alert.message);
  Param const params[] = {{"state", Value::of_text(up ? "up" : "down")},
                          {"unit", Value::of_text(communicator::kUnit)},
                          {"section", Value::of_text(section)},
                          {"name", Value::of_text(alert.name)},
                          {"priority", Value::of_integer(alert.priority)},
                          {"message", Value::of_text(message)},
                          {"tags", Value::of_text(alert.tags)},
                          {"count", Value::of_unsigned(alert.count)},
                          {"date", Value::of_integer(alert.first.value / 1000)},
                          {"modified", Value::of_integer(alert.last.value / 1000)},
                          {"manual_down", Value::of_text(alert.manual ? "yes" : "no")},
                          {"hostname", Value::of_text(options.origin.hostname)},
                          {"version", Value::of_text(options.origin.version)}};
  // A peer that does not read gets all current alerts when it is back.
  static_cast<void>(
      output.send(link, {.service = options.alert_service, .command = "FLAG", .params = params}, nullptr));
}

}  // namespace

// ---------------------------------------------------------------------------
// Its life among the services

void Service::opened(OutboundLink const& link) {
  if (link.id() == links_.communicator()) {
    peer_quits_ = false;
    Param const params[] = {{"service", Value::of_text(links_.options().service)}, {"version", Value::of_integer(1)}};
    static_cast<void>(output_.send(link.id(), {.command = "REGISTER", .params = params}, nullptr));
    notes_.inform("connected to the communicatord at " + link.address());
    engine_.serving().tell_wakes_again();
  }
  if (link.id() == links_.alerts()) tell_all_alerts();
}

void Service::leave() {
  links_.give_up();
  if (!links_.has_communicator() || peer_quits_) return;
  Param const params[] = {{"service", Value::of_text(links_.options().service)}};
  static_cast<void>(output_.send(links_.communicator(), {.command = "UNREGISTER", .params = params}, nullptr));
}

// Only the communicatord itself may report the state of a service. It names a server other than its own.
void Service::note_status(Message const& message, TimeMs now) {
  std::string_view const service = message.text("service");
  if (!message.from_service.empty() || service.empty()) return;
  if (message.text("status") == "down") {
    std::string_view const server = message.text(message.has("server_name") ? "server_name" : "server");
    end(senders_.leave(server, service), now);
  } else if (message.text("status") == "up") {
    // It may have been down when they were sent.
    engine_.serving().tell_wakes_again(service);
    if (service == links_.options().alert_service && links_.alerts() == links_.communicator()) tell_all_alerts();
  }
}

// Two long names with the same beginning stay distinct.
std::string_view Service::origin_of(Message const& message) {
  origin_.assign("service:").append(message.from_server).append(":").append(message.from_service);
  if (origin_.size() > kOriginBytesMax) {
    std::uint64_t const rest = hash64(origin_);
    origin_.resize(kOriginBytesMax - 17);
    origin_.append("#").append(engine::digest_text(rest));
  }
  return origin_;
}

// Their waits end, and the grace of their leases begins.
void Service::end(std::vector<ConnectionId> const& senders, TimeMs now) {
  for (ConnectionId const id : senders) engine_.connection_closed(id, now);
}

void drop_transport_parameters(Message& message, Aliases::Alias const* alias, NameTable const* columns) {
  message.erase(kSecretParameter);
  auto const is_meant = [&](std::string_view name) {
    if (columns != nullptr) return columns->has(name);
    return alias != nullptr && std::any_of(alias->declared->parameters.begin(), alias->declared->parameters.end(),
                                           [&](AliasParameter const& known) { return known.name == name; });
  };
  std::vector<std::string_view> names;
  for (Param const& param : message.params()) {
    bool const theirs =
        param.name == "cache" || param.name == "transmission_report" || param.name.starts_with("broadcast_");
    if (theirs && !is_meant(param.name)) names.push_back(param.name);
  }
  for (std::string_view const name : names) message.erase(name);
}

// ---------------------------------------------------------------------------
// What it tells

void Service::tell_wake(log::Log const& rests_on, WakeMessage const& wake, TypeDeclaration const& type,
                        std::string_view topic) {
  if (!links_.has_communicator()) return;
  std::optional<std::vector<std::string>> const values = values_of(wake, wake_place(type.topic), topic);
  if (!values) return;
  std::vector<Param> params;
  for (std::size_t i = 0; i < values->size(); ++i)
    params.push_back({wake.parameters[i].name, Value::of_text((*values)[i])});
  Outgoing const message{.service = wake.service, .command = wake.command, .params = params};
  std::string scratch;
  if (protocol::append_line(message, scratch).ok() && output_.send(links_.communicator(), message, &rests_on))
    ++counters_.wake_messages;
  else
    ++counters_.wake_messages_dropped;
}

void Service::tell_alert(log::AlertNotice const& notice) {
  if (links_.alerts() == ConnectionId::none) return;
  send_flag(output_, links_.alerts(), links_.options(), notice.up, notice.alert);
}

void Service::tell_all_alerts() {
  output_.rest_on_all(links_.alerts());
  for (log::Alert const& alert : engine_.alerting().all())
    send_flag(output_, links_.alerts(), links_.options(), true, alert);
}

}  // namespace fastjournal::communicator

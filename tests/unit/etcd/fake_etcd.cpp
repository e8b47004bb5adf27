#include "tests/unit/etcd/fake_etcd.h"

#include <algorithm>

#include "etcd/rpc.pb.h"

namespace fastjournal::test {
namespace {

namespace pb = etcdserverpb;

template <typename Message>
Message parsed(std::string const& bytes) {
  Message message;
  message.ParseFromString(bytes);
  return message;
}

}  // namespace

void FakeEtcd::put(std::vector<std::string> const& keys) {
  ++revision;
  for (std::string const& key : keys) {
    ++puts[key];
    history.push_back({revision, key, "of another"});
  }
}

void FakeEtcd::serve(GrpcServer& server) {
  for (auto& [stream, call] : server.calls())
    if (!call.requests.empty() && !call.is_reset && !call.output_ended && !held.contains(call.path))
      serve_call(server, stream, call);
  feed(server);
}

bool FakeEtcd::may(GrpcServer& server, std::int32_t stream, GrpcServer::Call const& call) const {
  auto const shown = call.headers.find("token");
  if (user.empty() || (shown != call.headers.end() && shown->second == token)) return true;
  if (shown == call.headers.end())
    server.finish(stream, 3, "etcdserver: user name is empty");
  else
    server.finish(stream, 16, "etcdserver: invalid auth token");
  return false;
}

void FakeEtcd::serve_call(GrpcServer& server, std::int32_t stream, GrpcServer::Call& call) {
  headers[call.path] = call.headers;
  std::string const request = call.requests.front();
  if (call.path == "/etcdserverpb.Watch/Watch") return begin_watch(server, stream, call);
  if (!call.has_ended) return;
  call.requests.clear();
  pb::ResponseHeader header;
  header.set_cluster_id(cluster);
  header.set_raft_term(term);
  if (call.path == "/etcdserverpb.Maintenance/Status") {
    pb::StatusResponse out;
    *out.mutable_header() = header;
    out.set_version(version);
    out.set_leader(leader);
    out.set_islearner(is_learner);
    server.answer(stream, out.SerializeAsString());
  } else if (call.path == "/etcdserverpb.Auth/Authenticate") {
    ++authentications;
    auto const in = parsed<pb::AuthenticateRequest>(request);
    pb::AuthenticateResponse out;
    out.set_token(token);
    if (user.empty())
      server.finish(stream, 9, "etcdserver: authentication is not enabled");
    else if (in.name() != user || in.password() != password)
      server.finish(stream, 3, "etcdserver: authentication failed, invalid user ID or password");
    else
      server.answer(stream, out.SerializeAsString());
  } else if (!may(server, stream, call)) {
    return;
  } else if (status != 0) {
    server.finish(stream, status, text);
  } else if (call.path == "/etcdserverpb.KV/Put") {
    auto const in = parsed<pb::PutRequest>(request);
    ++revision;
    ++puts[in.key()];
    history.push_back({revision, in.key(), in.value()});
    header.set_revision(revision);
    pb::PutResponse out;
    *out.mutable_header() = header;
    if (!unanswered.contains(call.path)) server.answer(stream, out.SerializeAsString());
  } else if (call.path == "/etcdserverpb.Lease/LeaseKeepAlive") {
    pb::LeaseKeepAliveResponse out;
    out.set_id(parsed<pb::LeaseKeepAliveRequest>(request).id());
    out.set_ttl(out.id() == 404 ? 0 : 10);
    server.answer(stream, out.SerializeAsString());
  } else {
    server.finish(stream, 12, "unknown method " + call.path);
  }
}

void FakeEtcd::begin_watch(GrpcServer& server, std::int32_t stream, GrpcServer::Call& call) {
  auto const in = parsed<pb::WatchRequest>(call.requests.front()).create_request();
  call.requests.clear();
  pb::WatchResponse out;
  out.mutable_header()->set_revision(revision);
  out.set_created(true);
  auto const shown = call.headers.find("token");
  if (denies_watches || (!user.empty() && (shown == call.headers.end() || shown->second != token))) {
    // As 3.4 says it.
    out.set_canceled(true);
    out.set_watch_id(-1);
    out.set_cancel_reason("rpc error: code = PermissionDenied desc = etcdserver: permission denied");
    server.message(stream, out.SerializeAsString());
    return;
  }
  server.message(stream, out.SerializeAsString());
  std::int64_t const start = in.start_revision() == 0 ? revision + 1 : in.start_revision();
  if (start < compacted) {
    pb::WatchResponse gone;
    gone.mutable_header()->set_revision(revision);
    gone.set_canceled(true);
    gone.set_compact_revision(compacted);
    server.message(stream, gone.SerializeAsString());
    return;
  }
  watches_[&server][stream] = {.next = start, .key = in.key(), .end = in.range_end()};
}

void FakeEtcd::feed(GrpcServer& server) {
  for (auto& [stream, watch] : watches_[&server]) {
    GrpcServer::Call const& call = server.calls().at(stream);
    if (call.is_reset || call.output_ended) continue;
    std::vector<Event const*> events;
    for (Event const& event : history) {
      bool const is_in = watch.end.empty() ? event.key == watch.key : event.key >= watch.key && event.key < watch.end;
      if (event.revision >= watch.next && is_in) events.push_back(&event);
    }
    watch.next = std::max(watch.next, revision + 1);
    std::size_t const part = part_events == 0 ? SIZE_MAX : part_events;
    for (std::size_t at = 0; at < events.size(); at += std::min(part, events.size() - at)) {
      pb::WatchResponse out;
      out.mutable_header()->set_revision(revision);
      for (std::size_t i = at; i < events.size() && i - at < part; ++i) {
        pb::KeyValue& pair = *out.add_events()->mutable_kv();
        pair.set_key(events[i]->key);
        pair.set_value(events[i]->value);
        pair.set_mod_revision(events[i]->revision);
      }
      out.set_fragment(part < events.size() - at);
      server.message(stream, out.SerializeAsString());
    }
  }
}

void FakeEtcd::cancel_watches(GrpcServer& server, std::string_view reason) {
  for (auto& [stream, watch] : watches_[&server]) {
    pb::WatchResponse out;
    out.set_canceled(true);
    out.set_cancel_reason(std::string{reason});
    server.message(stream, out.SerializeAsString());
  }
  watches_[&server].clear();
}

}  // namespace fastjournal::test

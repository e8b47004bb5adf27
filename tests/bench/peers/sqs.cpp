// A queue table by the protocol of SQS, whose requests have ten messages each, and by the daemon's own HTTP.
#include <deque>
#include <utility>

#include "tests/bench/peers/door.h"

namespace fastjournal::bench {
namespace {

constexpr char kTable[] =
    "<table name=\"sqs\" model=\"queue\">\n<queues>bench</queues>\n<max-deliveries>0</max-deliveries>\n</table>\n";

// A whole response at the front; its body. Nothing: it is not whole.
std::size_t response_at(std::string_view in, std::string_view& body) {
  constexpr std::string_view kLength = "Content-Length: ";
  std::size_t const head = in.find("\r\n\r\n");
  if (head == std::string_view::npos) return 0;
  std::size_t const length = in.substr(0, head).find(kLength);
  if (length == std::string_view::npos) {
    // In chunks, whose sizes are between what is searched for.
    constexpr std::string_view kEnd = "\r\n0\r\n\r\n";
    std::size_t const end = in.find(kEnd, head);
    if (end == std::string_view::npos) return 0;
    body = in.substr(head + 4, end - head - 4);
    return end + kEnd.size();
  }
  std::size_t const size = head + 4 + leading_number(in.substr(length + kLength.size()));
  if (in.size() < size) return 0;
  body = in.substr(head + 4, size - head - 4);
  return size;
}

// What stands behind a member's name.
std::string_view behind(std::string_view body, std::string_view name, std::size_t& from) {
  std::size_t const at = body.find(name, from);
  if (at == std::string_view::npos) return {};
  from = at + name.size();
  return body.substr(from);
}

// Operations that are sent together are one request each of their kind.
class SqsProtocol final : public Protocol {
 public:
  bool hello(std::string&) override { return false; }
  void insert(Row const& row, std::string& out) override {
    entries_ += entries_.empty() ? R"({"Id":")" : R"(,{"Id":")";
    append_number(entries_, inserts_++);
    entries_ += R"(","MessageBody":")";
    append_number(entries_, row.number);
    entries_ += ':';
    entries_ += row.data;
    entries_ += "\"}";
    if (inserts_ == kTogether) send_inserts(out);
  }
  void take(bool, std::string& out) override {
    if (++takes_ == kTogether) send_takes(out);
  }
  void done(Lease const& lease, bool, std::string& out) override {
    deletes_ += deletes_.empty() ? R"({"Id":")" : R"(,{"Id":")";
    append_number(deletes_, dones_++);
    deletes_ += R"(","ReceiptHandle":")";
    deletes_ += handles_[lease.row % kHandles];
    deletes_ += "\"}";
    if (dones_ == kTogether) send_dones(out);
  }
  void flush(std::string& out) override {
    if (inserts_ > 0) send_inserts(out);
    if (dones_ > 0) send_dones(out);
    if (takes_ > 0) send_takes(out);
  }
  std::size_t read(std::string_view in, Event& event) override {
    if (events_.empty() && !fill(in)) return 0;
    event = events_.front();
    events_.pop_front();
    return events_.empty() ? size_ : 0;
  }

 private:
  enum class Asked : std::uint8_t { send, receive, remove };
  struct Request {
    Asked asked;
    std::uint32_t count;
  };
  static constexpr std::size_t kHandles = 1024;
  static constexpr std::uint32_t kTogether = 10;

  void send_inserts(std::string& out) {
    ask(Asked::send, std::exchange(inserts_, 0), "SendMessageBatch", ",\"Entries\":[" + entries_ + "]", out);
    entries_.clear();
  }
  void send_dones(std::string& out) {
    ask(Asked::remove, std::exchange(dones_, 0), "DeleteMessageBatch", ",\"Entries\":[" + deletes_ + "]", out);
    deletes_.clear();
  }
  void send_takes(std::string& out) {
    std::uint32_t const count = std::exchange(takes_, 0);
    ask(Asked::receive, count, "ReceiveMessage",
        ",\"WaitTimeSeconds\":0,\"MaxNumberOfMessages\":" + std::to_string(count), out);
  }
  void ask(Asked asked, std::uint32_t count, std::string_view action, std::string const& more, std::string& out) {
    std::string const body = R"({"QueueUrl":"http://localhost/000000000000/bench")" + more + "}";
    out += "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: AmazonSQS.";
    out += action;
    out += "\r\nContent-Length: ";
    append_number(out, body.size());
    out += "\r\n\r\n";
    out += body;
    requests_.push_back({asked, count});
  }

  bool fill(std::string_view in) {
    std::string_view body;
    size_ = response_at(in, body);
    if (size_ == 0 || requests_.empty()) return false;
    Request const request = requests_.front();
    requests_.pop_front();
    std::uint32_t found = 0;
    std::size_t from = 0;
    if (request.asked == Asked::send) {
      while (!behind(body, R"("MessageId":)", from).empty()) ++found;
      if (found > 0) events_.push_back({.kind = Event::Kind::inserted, .count = found});
    } else if (request.asked == Asked::remove) {
      while (!behind(body, R"({"Id":)", from).empty()) ++found;
      for (std::uint32_t i = 0; i < found; ++i) events_.push_back({.kind = Event::Kind::done});
    } else {
      for (std::string_view at = behind(body, R"("Body":")", from); !at.empty();
           at = behind(body, R"("Body":")", from)) {
        std::uint64_t const number = leading_number(at);
        std::string_view const handle = behind(body, R"("ReceiptHandle":")", from);
        handles_[next_ % kHandles] = handle.substr(0, handle.find('"'));
        events_.push_back({.kind = Event::Kind::leased, .lease = {number, next_++, 0}});
        ++found;
      }
      for (; found < request.count; ++found) events_.push_back({.kind = Event::Kind::nothing});
    }
    for (; found < request.count; ++found) {
      text_ = body;
      events_.push_back({.kind = Event::Kind::refused, .text = text_});
    }
    return true;
  }

  std::string entries_;
  std::string deletes_;
  std::uint32_t inserts_{0};
  std::uint32_t dones_{0};
  std::uint32_t takes_{0};
  std::deque<Request> requests_;
  std::deque<Event> events_;  // of the response in front
  std::size_t size_{0};
  std::string text_;
  std::vector<std::string> handles_{std::vector<std::string>(kHandles)};
  std::uint64_t next_{0};
};

// One message a request.
class HttpQueueProtocol final : public Protocol {
 public:
  bool hello(std::string&) override { return false; }
  void insert(Row const& row, std::string& out) override {
    std::string body = R"({"table":"sqs","queue":"bench","body":")";
    append_number(body, row.number);
    body += ':';
    body += row.data;
    body += "\"}";
    ask("SEND", body, out);
  }
  void take(bool, std::string& out) override { ask("ACQUIRE", R"({"table":"sqs","queue":"bench"})", out); }
  void done(Lease const& lease, bool, std::string& out) override {
    std::string body = R"({"table":"sqs","message":)";
    append_number(body, lease.row);
    body += R"(,"epoch":)";
    append_number(body, lease.epoch);
    ask("ACCEPT", body + "}", out);
  }
  std::size_t read(std::string_view in, Event& event) override {
    std::string_view body;
    std::size_t const size = response_at(in, body);
    if (size == 0) return 0;
    std::size_t from = 0;
    if (body.find(R"("command":"SENT")") != std::string_view::npos) {
      event.kind = Event::Kind::inserted;
    } else if (body.find(R"("command":"ACCEPTED")") != std::string_view::npos) {
      event.kind = Event::Kind::done;
    } else if (body.find(R"("command":"NOTHING")") != std::string_view::npos) {
      event.kind = Event::Kind::nothing;
    } else if (body.find(R"("command":"MESSAGE")") != std::string_view::npos) {
      event.kind = Event::Kind::leased;
      event.lease.row = leading_number(behind(body, R"("message":)", from));
      event.lease.number = leading_number(behind(body, R"("body":")", from = 0));
      event.lease.epoch = leading_number(behind(body, R"("epoch":)", from = 0));
    } else {
      event.kind = Event::Kind::refused;
      event.text = body;
    }
    return size;
  }

 private:
  static void ask(std::string_view command, std::string_view body, std::string& out) {
    out += "POST /v1/";
    out += command;
    out += " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ";
    append_number(out, body.size());
    out += "\r\n\r\n";
    out += body;
  }
};

}  // namespace

std::vector<std::unique_ptr<Peer>> make_sqs() {
  auto const house = std::make_shared<House>();
  house->daemon.write("tables/sqs.xml", kTable);
  house->daemon.write("fastjournal.xml",
                      "<fastjournal>\n<listen address=\"127.0.0.1:0\" protocol=\"sqs\" table=\"sqs\"/>\n"
                      "<listen address=\"127.0.0.1:0\" protocol=\"http\"/>\n</fastjournal>\n");
  std::vector<std::unique_ptr<Peer>> out;
  out.push_back(std::make_unique<Door>(house, "fastjournal SQS", 0, [] { return std::make_unique<SqsProtocol>(); }));
  out.push_back(
      std::make_unique<Door>(house, "fastjournal HTTP", 1, [] { return std::make_unique<HttpQueueProtocol>(); }));
  return out;
}

}  // namespace fastjournal::bench

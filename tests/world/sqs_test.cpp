// The protocol of SQS on a whole daemon, under simulated time: its actions and errors in both forms, waits, dates, dead
// letters, and what outlasts a kill. That SDKs take it is shown with them (tests/doors).
#include <boost/test/unit_test.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/documents.h"
#include "tests/world/world.h"

namespace fastjournal::sim {
namespace {

constexpr char kUrl[] = "http://127.0.0.1:9324/000000000000/";

struct Queues {
  static constexpr char kDoor[] = "127.0.0.1:4300";

  Queues() {
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/doors/sqs.xml").ok());
    world.own_listeners.push_back({.address = kDoor, .rights = kLoopbackRights, .protocol = "sqs", .table = "sqs"});
    BOOST_REQUIRE(world.start().ok());
    connect("a");
  }

  void connect(std::string const& name) { world.come_by(name, kDoor); }

  struct Answer {
    std::string status{};  // "200"; empty: there is no whole answer
    std::string head{};
    std::string body{};
  };
  Answer read(std::string const& name = "a") {
    world.settle();
    std::string& bytes = world.connection(name).to_client;
    constexpr std::string_view kLength = "Content-Length: ";
    std::size_t const end = bytes.find("\r\n\r\n");
    if (end == std::string::npos) return {};
    Answer out{.status = bytes.substr(9, 3), .head = bytes.substr(0, end), .body = {}};
    std::size_t const length = std::stoul(out.head.substr(out.head.find(kLength) + kLength.size()));
    BOOST_REQUIRE(bytes.size() >= end + 4 + length);
    out.body = bytes.substr(end + 4, length);
    bytes.erase(0, end + 4 + length);
    return out;
  }
  void send(std::string_view head, std::string_view body, std::string const& name = "a") {
    world.connection(name).to_server += std::string{head} +
                                        "Host: 127.0.0.1:9324\r\nContent-Length: " + std::to_string(body.size()) +
                                        "\r\n\r\n" + std::string{body};
  }
  static std::string json_head(std::string_view action) {
    return "POST / HTTP/1.1\r\nX-Amz-Target: AmazonSQS." + std::string{action} +
           "\r\nContent-Type: application/x-amz-json-1.0\r\n";
  }
  Answer ask(std::string_view action, std::string_view body, std::string const& name = "a") {
    send(json_head(action), body, name);
    return read(name);
  }
  // Of a queue; further members are those of `more`.
  Answer on(std::string_view queue, std::string_view action, std::string const& more = "",
            std::string const& name = "a") {
    return ask(
        action,
        "{\"QueueUrl\":\"" + std::string{kUrl} + std::string{queue} + "\"" + (more.empty() ? "" : "," + more) + "}",
        name);
  }
  Answer query(std::string_view body, std::string_view path = "/") {
    send("POST " + std::string{path} + " HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n", body);
    return read();
  }
  void make(std::string_view queue, std::string_view attributes = "{}") {
    Answer const answer = ask(
        "CreateQueue", "{\"QueueName\":\"" + std::string{queue} + "\",\"Attributes\":" + std::string{attributes} + "}");
    BOOST_REQUIRE_MESSAGE(answer.status == "200", answer.body);
  }
  // Of a member in JSON, or an element in XML.
  static std::string value(std::string const& body, std::string_view name) {
    for (auto const& [before, after] :
         {std::pair{"\"" + std::string{name} + "\":\"", "\""}, std::pair{"<" + std::string{name} + ">", "<"}})
      if (std::size_t const at = body.find(before); at != std::string::npos) {
        std::size_t const from = at + before.size();
        return body.substr(from, body.find(after, from) - from);
      }
    return {};
  }
  std::string receive(std::string_view queue, std::string const& more = "\"WaitTimeSeconds\":0") {
    return on(queue, "ReceiveMessage", more).body;
  }
  static std::string handle_in(std::string const& body) {
    return "\"ReceiptHandle\":\"" + value(body, "ReceiptHandle") + "\"";
  }
  std::string attribute(std::string_view queue, std::string_view name) {
    return value(on(queue, "GetQueueAttributes", "\"AttributeNames\":[\"" + std::string{name} + "\"]").body, name);
  }
  // "400 QueueDoesNotExist".
  static std::string fault_of(Answer const& answer) {
    std::string const type = value(answer.body, "__type");
    return answer.status + " " + (type.empty() ? value(answer.body, "Code") : type.substr(type.find('#') + 1));
  }

  World world{1};
};

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t out = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++out;
  return out;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(sqs, Queues)

// `>` is an action with its parameters, `<` its answer; $a is what the daemon gave.
BOOST_AUTO_TEST_CASE(the_example_of_the_document_is_what_happens) {
  std::map<std::string, std::string> given;
  std::string answer;
  std::size_t played = 0;
  for (test::Example const& example : test::examples_of(FJ_SOURCE_DIR, "doc/sqs.md")) {
    if (example.language != "sqs") continue;
    std::vector<std::string> lines;
    for (std::string const& line : example.lines)
      if (line.starts_with("  "))
        lines.back() += line.substr(2);
      else
        lines.push_back(line);
    for (std::string line : lines) {
      ++played;
      for (auto const& [name, value] : given)
        if (std::size_t const at = line.find(name); at != std::string::npos) line.replace(at, name.size(), value);
      if (line.starts_with("> ")) {
        std::size_t const blank = line.find(' ', 2);
        answer = ask(line.substr(2, blank - 2), line.substr(blank + 1)).body;
        continue;
      }
      for (std::size_t at = line.find('$'); at != std::string::npos; at = line.find('$')) {
        std::size_t const place = at - 2;  // of the line without "< "
        given[line.substr(at, 2)] = answer.substr(place, answer.find('"', place) - place);
        line.replace(at, 2, given[line.substr(at, 2)]);
      }
      BOOST_TEST(line.substr(2) == answer);
    }
  }
  BOOST_TEST(played == 8U);
}

BOOST_AUTO_TEST_CASE(messages_are_sent_received_and_deleted) {
  make("q");
  Answer const sent =
      on("q", "SendMessage",
         R"("MessageBody":"a\u00e9<&>\r\n","MessageAttributes":{"n":{"DataType":"Number","StringValue":)"
         R"("5"},"b":{"DataType":"Binary","BinaryValue":"AAE="},"s":{"DataType":"String",)"
         R"("StringValue":"x"}})");
  BOOST_TEST(value(sent.body, "MD5OfMessageBody") == "efdba15b03726450d343adba635bf48e");
  std::string const attributes = value(sent.body, "MD5OfMessageAttributes");
  BOOST_TEST(attributes == "20c7da9056a6361b31a8cf6e4c9a2035");  // as SDKs compute it
  std::string const all = receive("q", R"("MessageAttributeNames":["All"],"AttributeNames":["All"])");
  BOOST_TEST(value(all, "MD5OfMessageAttributes") == attributes);
  BOOST_TEST(value(all, "ApproximateReceiveCount") == "1");
  BOOST_TEST(all.find(R"("n":{"DataType":"Number","StringValue":"5"})") != std::string::npos);
  BOOST_TEST(all.find(R"("b":{"BinaryValue":"AAE=","DataType":"Binary"})") != std::string::npos);
  BOOST_TEST(receive("q") == R"({"Messages":[]})");
  BOOST_TEST(attribute("q", "ApproximateNumberOfMessagesNotVisible") == "1");
  BOOST_TEST(on("q", "DeleteMessage", handle_in(all)).body == "{}");
  BOOST_TEST(on("q", "DeleteMessage", handle_in(all)).body == "{}");
  BOOST_TEST(attribute("q", "ApproximateNumberOfMessagesNotVisible") == "0");
  // Attributes by name; of these alone is the digest.
  on("q", "SendMessage",
     R"("MessageBody":"m","MessageAttributes":{"a.b":{"DataType":"String","StringValue":"1"},"a.c":{"DataType":)"
     R"("String","StringValue":"2"},"d":{"DataType":"String","StringValue":"3"}})");
  std::string const some = receive("q", R"("MessageAttributeNames":["a.*","none"])");
  BOOST_TEST(some.find(R"("a.c")") != std::string::npos);
  BOOST_TEST(some.find(R"("d")") == std::string::npos);
}

// Messages of other doors, whatever their properties are.
BOOST_AUTO_TEST_CASE(what_other_doors_send_is_received) {
  make("q");
  std::string const deep = "{\"a\":" + std::string(30'000, '[') + std::string(30'000, ']') + "}";
  world.send("m", "SEND table=sqs;queue=q;body=deep;properties=" + deep);
  world.send("m", R"(SEND table=sqs;queue=q;body=x;properties={"b":true,"c":5,"d e":1})");
  world.send("m", "SEND table=sqs;queue=q;body_binary=AAE=");
  world.settle();
  std::string const all = receive("q", R"("MessageAttributeNames":["All"],"MaxNumberOfMessages":10)");
  BOOST_TEST(all.find(R"("b":{"DataType":"String","StringValue":"true"})") != std::string::npos);
  BOOST_TEST(all.find(R"("c":{"DataType":"Number","StringValue":"5"})") != std::string::npos);
  BOOST_TEST(all.find(R"("Body":"AAE=")") != std::string::npos);
  BOOST_TEST(all.find("d e") == std::string::npos);
  BOOST_TEST(count(all, "ReceiptHandle") == 3U);
  BOOST_TEST(count(all, "MD5OfMessageAttributes") == 1U);
}

BOOST_AUTO_TEST_CASE(fifo_queues_keep_the_order_of_groups) {
  make("f.fifo", R"({"FifoQueue":"true","VisibilityTimeout":"10"})");
  auto const send = [&](std::string const& body, std::string const& group, std::string const& id) {
    return on("f.fifo", "SendMessage",
              R"("MessageBody":")" + body + R"(","MessageGroupId":")" + group + "\"" +
                  (id.empty() ? "" : R"(,"MessageDeduplicationId":")" + id + "\""));
  };
  BOOST_TEST(fault_of(send("g1", "g", "")) == "400 InvalidParameterValueException");
  BOOST_TEST(fault_of(on("f.fifo", "SendMessage", R"("MessageBody":"m","MessageDeduplicationId":"1")")) ==
             "400 MissingRequiredParameterException");
  BOOST_TEST(fault_of(on("f.fifo", "SendMessage", R"("MessageBody":"m","MessageGroupId":"g","DelaySeconds":1)")) ==
             "400 InvalidParameterValueException");
  Answer const first = send("g1", "g", "1");
  BOOST_TEST(value(first.body, "SequenceNumber").size() == 20U);
  send("g2", "g", "2");
  send("h1", "h", "3");
  // What was sent already has the number of the first, also when that is gone, for five minutes.
  BOOST_TEST(value(send("g1", "g", "1").body, "MessageId") == value(first.body, "MessageId"));
  std::string const got = receive("f.fifo", R"("MaxNumberOfMessages":10,"AttributeNames":["All"])");
  BOOST_TEST(count(got, "ReceiptHandle") == 2U);
  BOOST_TEST(value(got, "MessageGroupId") == "g");
  BOOST_TEST(value(got, "MessageDeduplicationId") == "1");
  BOOST_TEST(value(got, "SequenceNumber") == value(first.body, "SequenceNumber"));
  BOOST_TEST(attribute("f.fifo", "ApproximateNumberOfMessages") == "1");
  BOOST_TEST(receive("f.fifo") == R"({"Messages":[]})");
  BOOST_TEST(on("f.fifo", "DeleteMessage", handle_in(got)).body == "{}");
  std::string const next = receive("f.fifo");
  BOOST_TEST(value(next, "Body") == "g2");
  // The lease of a group's message that is over deletes nothing.
  world.advance(DurationMs{10'000});
  BOOST_TEST(fault_of(on("f.fifo", "DeleteMessage", handle_in(next))) == "404 ReceiptHandleIsInvalid");
  BOOST_TEST(value(send("g1", "g", "1").body, "MessageId") == value(first.body, "MessageId"));
  world.advance(DurationMs{300'000});
  BOOST_TEST(value(send("g1", "g", "1").body, "MessageId") != value(first.body, "MessageId"));
  // By what they say.
  on("f.fifo", "SetQueueAttributes", R"("Attributes":{"ContentBasedDeduplication":"true"})");
  std::string const one = value(send("same", "g", "").body, "MessageId");
  BOOST_TEST(value(send("same", "h", "").body, "MessageId") == one);
  BOOST_TEST(value(send("other", "h", "").body, "MessageId") != one);
}

BOOST_AUTO_TEST_CASE(batches_say_what_became_of_each) {
  make("q");
  std::string entries;
  for (int i = 0; i < 10; ++i)
    entries += (i == 0 ? "" : ",") + ("{\"Id\":\"" + std::to_string(i) + "\",\"MessageBody\":\"" +
                                      (i == 3 ? "" : "m" + std::to_string(i)) + "\"}");
  Answer const sent = on("q", "SendMessageBatch", "\"Entries\":[" + entries + "]");
  BOOST_TEST(count(sent.body, "MessageId") == 9U);
  BOOST_TEST(sent.body.find(R"("Failed":[{"Code":"MissingParameter","Id":"3")") != std::string::npos);
  std::string const received = receive("q", R"("MaxNumberOfMessages":10)");
  BOOST_TEST(count(received, "ReceiptHandle") == 9U);
  BOOST_TEST(received.find("m0") < received.find("m9"));
  std::string handles;
  std::string timeouts;
  std::size_t number = 0;
  for (std::size_t at = received.find("\"ReceiptHandle\":"); at != std::string::npos;
       at = received.find("\"ReceiptHandle\":", at + 1), ++number) {
    std::string const one =
        R"({"Id":"h)" + std::to_string(number) + "\"," + received.substr(at, received.find_first_of(",}", at) - at);
    handles += (number == 0 ? "" : ",") + one + "}";
    timeouts += (number == 0 ? "" : ",") + one + ",\"VisibilityTimeout\":100}";
  }
  Answer const longer = on("q", "ChangeMessageVisibilityBatch", "\"Entries\":[" + timeouts + "]");
  BOOST_TEST(count(longer.body, "\"Id\"") == 9U);
  BOOST_TEST(longer.body.starts_with(R"({"Failed":[],)"));
  world.advance(DurationMs{60'000});
  BOOST_TEST(receive("q") == R"({"Messages":[]})");
  Answer const gone = on("q", "DeleteMessageBatch", "\"Entries\":[" + handles + ",{\"Id\":\"x\"}]");
  BOOST_TEST(count(gone.body, "\"Id\":\"h") == 9U);
  BOOST_TEST(gone.body.find(R"("Failed":[{"Code":"MissingParameter","Id":"x")") != std::string::npos);
  BOOST_TEST(fault_of(on("q", "SendMessageBatch", "\"Entries\":[]")) == "400 EmptyBatchRequest");
  BOOST_TEST(fault_of(on("q", "SendMessageBatch", "\"Entries\":[" + entries + "," + entries + "]")) ==
             "400 TooManyEntriesInBatchRequest");
  BOOST_TEST(fault_of(on("q", "DeleteMessageBatch", R"("Entries":[{"Id":"a b"}])")) == "400 InvalidBatchEntryId");
  BOOST_TEST(fault_of(on("q", "DeleteMessageBatch", R"("Entries":[{"Id":"a"},{"Id":"a"}])")) ==
             "400 BatchEntryIdsNotDistinct");
  std::string const large(400'000, 'x');
  BOOST_TEST(fault_of(on("q", "SendMessageBatch",
                         R"("Entries":[{"Id":"1","MessageBody":")" + large + R"("},{"Id":"2","MessageBody":")" + large +
                             R"("},{"Id":"3","MessageBody":")" + large + R"("}])")) == "400 BatchRequestTooLong");
}

BOOST_AUTO_TEST_CASE(a_wait_ends_by_a_message_or_by_time) {
  make("q", R"({"ReceiveMessageWaitTimeSeconds":"3"})");
  send(json_head("ReceiveMessage"), std::string{"{\"QueueUrl\":\""} + kUrl + "q\",\"WaitTimeSeconds\":20}");
  BOOST_TEST(read().status == "");
  connect("b");
  on("q", "SendMessage", R"("MessageBody":"late")", "b");
  BOOST_TEST(value(read().body, "Body") == "late");
  // As the queue says.
  send(json_head("ReceiveMessage"), std::string{"{\"QueueUrl\":\""} + kUrl + "q\"}");
  world.advance(DurationMs{2999});
  BOOST_TEST(read().status == "");
  world.advance(DurationMs{1});
  BOOST_TEST(read().body == R"({"Messages":[]})");
  // Requests that come together are answered in their order.
  send(json_head("ReceiveMessage"), std::string{"{\"QueueUrl\":\""} + kUrl + "q\"}");
  send(json_head("ListQueues"), "{}");
  BOOST_TEST(read().status == "");
  world.advance(DurationMs{3000});
  BOOST_TEST(read().body == R"({"Messages":[]})");
  BOOST_TEST(count(read().body, kUrl) == 1U);
}

BOOST_AUTO_TEST_CASE(who_waits_and_goes_away_is_handed_nothing) {
  make("q", R"({"ReceiveMessageWaitTimeSeconds":"20"})");
  connect("b");
  for (std::string const wait : {",\"WaitTimeSeconds\":20}", "}"}) {
    connect("gone");
    send(json_head("ReceiveMessage"), std::string{"{\"QueueUrl\":\""} + kUrl + "q\"" + wait, "gone");
    BOOST_TEST(read("gone").status == "");
    BOOST_TEST(!world.connection("gone").paused);  // its end is seen
    world.connection("gone").end_of_input = true;
    world.settle();
    on("q", "SendMessage", R"("MessageBody":"for another")", "b");
    BOOST_TEST(value(receive("q"), "Body") == "for another");
    world.close("gone");
  }
}

BOOST_AUTO_TEST_CASE(leases_end_are_renewed_and_given_back) {
  make("q", R"({"VisibilityTimeout":"10","DelaySeconds":"5"})");
  on("q", "SendMessage", R"("MessageBody":"m")");
  BOOST_TEST(receive("q") == R"({"Messages":[]})");
  BOOST_TEST(attribute("q", "ApproximateNumberOfMessagesDelayed") == "1");
  world.advance(DurationMs{5000});
  std::string const first = receive("q");
  world.advance(DurationMs{9000});
  BOOST_TEST(on("q", "ChangeMessageVisibility", handle_in(first) + R"(,"VisibilityTimeout":10)").body == "{}");
  world.advance(DurationMs{9999});
  BOOST_TEST(receive("q") == R"({"Messages":[]})");
  world.advance(DurationMs{1});
  std::string const second = receive("q", R"("AttributeNames":["ApproximateReceiveCount"])");
  BOOST_TEST(value(second, "ApproximateReceiveCount") == "2");
  BOOST_TEST(value(second, "MessageId") == value(first, "MessageId"));
  BOOST_TEST(value(second, "ReceiptHandle") != value(first, "ReceiptHandle"));
  // The handle of a lease that somebody else has since deletes nothing.
  BOOST_TEST(fault_of(on("q", "ChangeMessageVisibility", handle_in(first) + R"(,"VisibilityTimeout":10)")) ==
             "400 MessageNotInflight");
  BOOST_TEST(on("q", "DeleteMessage", handle_in(first)).body == "{}");
  BOOST_TEST(attribute("q", "ApproximateNumberOfMessagesNotVisible") == "1");
  BOOST_TEST(on("q", "ChangeMessageVisibility", handle_in(second) + R"(,"VisibilityTimeout":0)").body == "{}");
  std::string const third = receive("q", R"("AttributeNames":["All"])");
  BOOST_TEST(value(third, "ApproximateReceiveCount") == "3");
  BOOST_TEST(on("q", "ChangeMessageVisibility", handle_in(third) + R"(,"VisibilityTimeout":0)").body == "{}");
  // Of one that nobody has since it does.
  BOOST_TEST(on("q", "DeleteMessage", handle_in(third)).body == "{}");
  BOOST_TEST(receive("q") == R"({"Messages":[]})");
  BOOST_TEST(fault_of(on("q", "ChangeMessageVisibility", handle_in(third) + R"(,"VisibilityTimeout":1)")) ==
             "400 InvalidParameterValueException");
}

BOOST_AUTO_TEST_CASE(dead_letters_go_to_their_queue_and_back) {
  make("dead");
  make("q", R"({"VisibilityTimeout":"1","RedrivePolicy":)"
            R"("{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:dead\",\"maxReceiveCount\":2}"})");
  BOOST_TEST(count(on("dead", "ListDeadLetterSourceQueues").body, std::string{kUrl} + "q") == 1U);
  on("q", "SendMessage", R"("MessageBody":"m")");
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(value(receive("q"), "Body") == "m");
    world.advance(DurationMs{1000});
  }
  BOOST_TEST(receive("q") == R"({"Messages":[]})");
  std::string const dead = receive("dead", R"("MessageSystemAttributeNames":["All"],"VisibilityTimeout":1)");
  BOOST_TEST(value(dead, "DeadLetterQueueSourceArn") == "arn:aws:sqs:us-east-1:000000000000:q");
  world.advance(DurationMs{1000});
  std::string const source = R"("SourceArn":"arn:aws:sqs:us-east-1:000000000000:dead")";
  BOOST_TEST(ask("StartMessageMoveTask", "{" + source + "}").body == R"({"TaskHandle":"fj-task-1"})");
  std::string const tasks = ask("ListMessageMoveTasks", "{" + source + "}").body;
  BOOST_TEST(value(tasks, "Status") == "COMPLETED");
  BOOST_TEST(tasks.find(R"("ApproximateNumberOfMessagesMoved":1)") != std::string::npos, tasks);
  BOOST_TEST(value(receive("q"), "Body") == "m");
  BOOST_TEST(fault_of(ask("StartMessageMoveTask",
                          "{" + source + R"(,"DestinationArn":"arn:aws:sqs:us-east-1:000000000000:dead"})")) ==
             "400 InvalidParameterValueException");
  // More of them than a command looks at, of which none died.
  for (int i = 0; i < 10'050; ++i) world.send("m", "SEND table=sqs;queue=dead;body=alive");
  BOOST_TEST(ask("StartMessageMoveTask", "{" + source + "}").status == "200");
  BOOST_TEST(attribute("dead", "ApproximateNumberOfMessages") == "10050");
  BOOST_TEST(on("dead", "PurgeQueue").body == "{}");
  BOOST_TEST(attribute("dead", "ApproximateNumberOfMessages") == "0");
  BOOST_TEST(fault_of(ask("StartMessageMoveTask", R"({"SourceArn":"arn:aws:sqs:us-east-1:000000000000:no"})")) ==
             "404 ResourceNotFoundException");
  BOOST_TEST(fault_of(ask("CancelMessageMoveTask", R"({"TaskHandle":"fj-task-1"})")) ==
             "404 ResourceNotFoundException");
}

BOOST_AUTO_TEST_CASE(queues_are_made_shown_changed_and_removed) {
  make("q", R"({"MessageRetentionPeriod":"60"})");
  make("q", R"({"MessageRetentionPeriod":"60"})");
  make("q");
  BOOST_TEST(fault_of(ask("CreateQueue", R"({"QueueName":"q","Attributes":{"MessageRetentionPeriod":"61"}})")) ==
             "400 QueueNameExists");
  BOOST_TEST(attribute("q", "MessageRetentionPeriod") == "60");
  BOOST_TEST(attribute("q", "VisibilityTimeout") == "30");
  BOOST_TEST(attribute("q", "MaximumMessageSize") == "1048576");
  BOOST_TEST(attribute("q", "QueueArn") == "arn:aws:sqs:us-east-1:000000000000:q");
  BOOST_TEST(
      on("q", "SetQueueAttributes", R"("Attributes":{"MaximumMessageSize":"1024","VisibilityTimeout":"0"})").body ==
      "{}");
  BOOST_TEST(fault_of(on("q", "SendMessage", "\"MessageBody\":\"" + std::string(1025, 'x') + "\"")) ==
             "400 InvalidParameterValueException");
  on("q", "SendMessage", R"("MessageBody":"m")");
  BOOST_TEST(value(receive("q"), "Body") == "m");
  world.advance(DurationMs{1});
  BOOST_TEST(value(receive("q"), "Body") == "m");
  world.advance(DurationMs{60'000});
  BOOST_TEST(receive("q") == R"({"Messages":[]})");
  BOOST_TEST(on("q", "TagQueue", R"("Tags":{"a":"1","b":"2"})").body == "{}");
  BOOST_TEST(on("q", "TagQueue", R"("Tags":{"c":"3"})").body == "{}");
  BOOST_TEST(on("q", "UntagQueue", R"("TagKeys":["a"])").body == "{}");
  BOOST_TEST(on("q", "ListQueueTags").body == R"({"Tags":{"b":"2","c":"3"}})");
  for (std::string const name : {"a1", "a2", "a3", "b"}) make(name);
  BOOST_TEST(count(ask("ListQueues", "{}").body, kUrl) == 5U);
  BOOST_TEST(count(ask("ListQueues", R"({"QueueNamePrefix":"a"})").body, kUrl) == 3U);
  std::string const page = ask("ListQueues", R"({"QueueNamePrefix":"a","MaxResults":2})").body;
  BOOST_TEST(value(page, "NextToken") == "a2");
  std::string const rest = ask("ListQueues", R"({"QueueNamePrefix":"a","MaxResults":2,"NextToken":"a2"})").body;
  BOOST_TEST(rest == std::string{R"({"QueueUrls":[")"} + kUrl + "a3\"]}");
  BOOST_TEST(ask("GetQueueUrl", R"({"QueueName":"q"})").body == std::string{R"({"QueueUrl":")"} + kUrl + "q\"}");
  on("q", "SendMessage", R"("MessageBody":"m")");
  BOOST_TEST(on("q", "PurgeQueue").body == "{}");
  BOOST_TEST(attribute("q", "ApproximateNumberOfMessages") == "0");
  BOOST_TEST(on("q", "DeleteQueue").body == "{}");
  for (std::string_view const action : {"DeleteQueue", "PurgeQueue", "ListQueueTags", "ReceiveMessage"})
    BOOST_TEST(fault_of(on("q", action)) == "400 QueueDoesNotExist", action);
  BOOST_TEST(fault_of(on("q", "SendMessage", R"("MessageBody":"m")")) == "400 QueueDoesNotExist");
  BOOST_TEST(fault_of(ask("GetQueueUrl", R"({"QueueName":"q"})")) == "400 QueueDoesNotExist");
}

BOOST_AUTO_TEST_CASE(the_older_form_is_spoken_too) {
  Answer const made = query(
      "Action=CreateQueue&Version=2012-11-05&QueueName=q&Attribute.1.Name=VisibilityTimeout&Attribute.1.Value=7"
      "&Tag.1.Key=a&Tag.1.Value=%31");
  BOOST_TEST(value(made.body, "QueueUrl") == std::string{kUrl} + "q");
  BOOST_TEST(made.body.find("<CreateQueueResponse xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\">") !=
             std::string::npos);
  BOOST_TEST(query("Action=ListQueueTags", "/000000000000/q").body.find("<Tag><Key>a</Key><Value>1</Value></Tag>") !=
             std::string::npos);
  std::string const batch =
      query(
          "Action=SendMessageBatch&SendMessageBatchRequestEntry.1.Id=a&SendMessageBatchRequestEntry.1.MessageBody="
          "one+%3C%26%3E%0D&SendMessageBatchRequestEntry.1.MessageAttribute.1.Name=n"
          "&SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.DataType=Number"
          "&SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.StringValue=5"
          "&SendMessageBatchRequestEntry.2.Id=b&SendMessageBatchRequestEntry.2.DelaySeconds=1000"
          "&SendMessageBatchRequestEntry.2.MessageBody=x",
          "/000000000000/q")
          .body;
  BOOST_TEST(batch.find("<SendMessageBatchResultEntry><Id>a</Id>") != std::string::npos);
  BOOST_TEST(batch.find("<BatchResultErrorEntry><Code>InvalidParameterValue</Code><Id>b</Id>") != std::string::npos);
  std::string const got =
      query("Action=ReceiveMessage&AttributeName.1=All&MessageAttributeName.1=All&WaitTimeSeconds=0", "/0/q").body;
  BOOST_TEST(value(got, "Body") == "one &lt;&amp;&gt;&#xD;");
  BOOST_TEST(got.find("<MessageAttribute><Name>n</Name><Value><DataType>Number</DataType><StringValue>5</StringValue>"
                      "</Value></MessageAttribute>") != std::string::npos);
  BOOST_TEST(got.find("<Attribute><Name>ApproximateReceiveCount</Name><Value>1</Value></Attribute>") !=
             std::string::npos);
  Answer const wrong = query("Action=ListQueueTags", "/0/none");
  BOOST_TEST(fault_of(wrong) == "400 AWS.SimpleQueueService.NonExistentQueue");
  BOOST_TEST(wrong.head.find("x-amzn-query-error: AWS.SimpleQueueService.NonExistentQueue;Sender") !=
             std::string::npos);
  // Elements of a list by their numbers.
  BOOST_TEST(query("Action=CreateQueue&QueueName=ten").status == "200");
  std::string ten = "Action=SendMessageBatch";
  std::string bodies;
  for (int number = 1; number <= 10; ++number) {
    std::string const at = std::to_string(number);
    ten += "&SendMessageBatchRequestEntry." + at + ".Id=i" + at + "&SendMessageBatchRequestEntry." + at +
           ".MessageBody=b" + at;
    bodies += "b" + at + " ";
  }
  BOOST_TEST(query(ten, "/0/ten").status == "200");
  std::string const all = query("Action=ReceiveMessage&MaxNumberOfMessages=10&WaitTimeSeconds=0", "/0/ten").body;
  std::string received;
  for (std::size_t at = all.find("<Body>"); at != std::string::npos; at = all.find("<Body>", at + 1))
    received += all.substr(at + 6, all.find('<', at + 6) - at - 6) + " ";
  BOOST_TEST(received == bodies);
  send("GET /?Action=ListQueues HTTP/1.1\r\n", "");
  BOOST_TEST(fault_of(read()) == "400 AWS.SimpleQueueService.UnsupportedOperation");
  BOOST_TEST(fault_of(query("Version=2012-11-05")) == "400 MissingAction");
  BOOST_TEST(fault_of(query("Action=Fly")) == "400 InvalidAction");
  BOOST_TEST(fault_of(query("Action=ListQueues&x=%4")) == "400 MalformedInput");
  BOOST_TEST(fault_of(query("Action=ListQueues&a.b.c.d.e.f.g.h.i=1")) == "400 MalformedInput");
}

BOOST_AUTO_TEST_CASE(what_is_wrong_has_the_words_that_clients_know) {
  make("q");
  std::string const many(4'001, '0');
  std::string list = "[";
  for (char const c : many) list += std::string{c} + ",";
  for (auto const& [answer, fault] : std::vector<std::pair<Answer, std::string>>{
           {ask("Fly", "{}"), "400 UnknownOperationException"},
           {ask("ListQueues", "[]"), "400 SerializationException"},
           {ask("ListQueues", "{\"x\":[[[[[[[[[1]]]]]]]]]}"), "400 SerializationException"},
           {ask("ListQueues", "{\"x\":" + list + "0]}"), "400 SerializationException"},
           {ask("ListQueues", R"({"MaxResults":0})"), "400 InvalidParameterValueException"},
           {ask("ListQueues", R"({"QueueNamePrefix":5})"), "400 SerializationException"},
           {ask("CreateQueue", "{}"), "400 MissingRequiredParameterException"},
           {ask("CreateQueue", R"({"QueueName":"a b"})"), "400 InvalidParameterValueException"},
           {ask("CreateQueue", R"({"QueueName":"f.fifo"})"), "400 InvalidParameterValueException"},
           {ask("CreateQueue", R"({"QueueName":"f","Attributes":{"FifoQueue":"true"}})"), "400 InvalidAttributeValue"},
           {ask("CreateQueue", R"({"QueueName":"f","Attributes":{"Wings":"2"}})"), "400 InvalidAttributeName"},
           {ask("CreateQueue", R"({"QueueName":"f","Attributes":{"DelaySeconds":"901"}})"),
            "400 InvalidAttributeValue"},
           {ask("CreateQueue", R"({"QueueName":"f","Attributes":{"Policy":"{}"}})"), "400 InvalidAttributeValue"},
           {ask("SendMessage", R"({"MessageBody":"m"})"), "400 MissingRequiredParameterException"},
           {ask("SendMessage", R"({"QueueUrl":"http://h/0/a b"})"), "404 InvalidAddress"},
           {on("q", "SendMessage"), "400 MissingRequiredParameterException"},
           {on("q", "SendMessage", R"("MessageBody":"\u0001")"), "400 InvalidMessageContents"},
           {on("q", "SendMessage", R"("MessageBody":"\uffff")"), "400 InvalidMessageContents"},
           {on("q", "SendMessage", R"("MessageBody":"m","DelaySeconds":-1)"), "400 InvalidParameterValueException"},
           {on("q", "SendMessage", R"("MessageBody":"m","MessageDeduplicationId":"1")"),
            "400 InvalidParameterValueException"},
           {on("q", "SendMessage", R"("MessageBody":"m","MessageAttributes":{"AWS.x":{}})"),
            "400 InvalidParameterValueException"},
           {on("q", "SendMessage",
               R"("MessageBody":"m","MessageAttributes":{"aWs.x":{"DataType":"String","StringValue":"1"}})"),
            "400 InvalidParameterValueException"},
           {on("q", "SendMessage",
               R"("MessageBody":"m","MessageAttributes":{"x":{"DataType":"Strings","StringValue":"1"}})"),
            "400 InvalidParameterValueException"},
           {on("q", "SendMessage",
               R"("MessageBody":"m","MessageAttributes":{"x":{"DataType":"Binary","BinaryValue":"?"}})"),
            "400 InvalidParameterValueException"},
           {on("q", "ReceiveMessage", R"("MaxNumberOfMessages":11)"), "400 InvalidParameterValueException"},
           {on("q", "ReceiveMessage", R"("WaitTimeSeconds":21)"), "400 InvalidParameterValueException"},
           {on("q", "DeleteMessage"), "400 MissingRequiredParameterException"},
           {on("q", "DeleteMessage", R"("ReceiptHandle":"1.2.3")"), "404 ReceiptHandleIsInvalid"},
           {on("q", "GetQueueAttributes", R"("AttributeNames":["Wings"])"), "400 InvalidAttributeName"},
           {on("q", "SetQueueAttributes", R"("Attributes":{"RedrivePolicy":"{}"})"), "400 InvalidAttributeValue"},
           {on("q", "SetQueueAttributes",
               R"("Attributes":{"RedrivePolicy":"{\"deadLetterTargetArn\":\"arn:x:no\",\"maxReceiveCount\":1}"})"),
            "400 InvalidParameterValueException"},
           {on("nothing", "ListDeadLetterSourceQueues"), "400 QueueDoesNotExist"},
           {on("q", "TagQueue"), "400 MissingRequiredParameterException"},
           {on("q", "AddPermission"), "400 UnsupportedOperation"}})
    BOOST_TEST(fault_of(answer) == fault, answer.body);
}

BOOST_AUTO_TEST_CASE(requests_that_are_none_end_the_connection) {
  world.connection("a").to_server += "{\"command\":\"HELP\"}\n";
  BOOST_TEST(fault_of(read()) == "400 MalformedInput");
  BOOST_TEST(world.is_closed("a"));
  connect("b");
  world.connection("b").to_server += "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  BOOST_TEST(fault_of(read("b")) == "400 AWS.SimpleQueueService.UnsupportedOperation");
  BOOST_TEST(!world.is_closed("b"));
  send("POST / HTTP/1.1\r\nOrigin: http://example.com\r\n", "Action=ListQueues", "b");
  BOOST_TEST(fault_of(read("b")) == "403 AccessDenied");
  send("POST / HTTP/1.1\r\nSec-Fetch-Site: cross-site\r\n", "Action=ListQueues", "b");
  BOOST_TEST(fault_of(read("b")) == "403 AccessDenied");
  world.connection("b").to_server +=
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n";
  world.settle();
  BOOST_TEST(std::exchange(world.connection("b").to_client, {}) == "HTTP/1.1 100 Continue\r\n\r\n");
  world.connection("b").to_server += "7\r\nAction=\r\na\r\nListQueues\r\n0\r\n\r\n";
  BOOST_TEST(read("b").status == "200");
  world.connection("b").to_server +=
      "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 99999999\r\n\r\n";
  BOOST_TEST(read("b").status == "400");
  BOOST_TEST(world.is_closed("b"));
  // A right that is missing.
  connect("c");
  world.own_listeners.push_back(
      {.address = "127.0.0.1:4301", .rights = Rights{Right::read}, .protocol = "sqs", .table = "sqs"});
  world.kill();
  BOOST_REQUIRE(world.start().ok());
  world.come_by("d", "127.0.0.1:4301");
  BOOST_TEST(fault_of(ask("CreateQueue", R"({"QueueName":"q"})", "d")) == "403 AccessDeniedException");
  BOOST_TEST(ask("ListQueues", "{}", "d").status == "200");
}

BOOST_AUTO_TEST_CASE(what_was_acknowledged_outlasts_a_power_cut) {
  make("q", R"({"VisibilityTimeout":"600"})");
  on("q", "TagQueue", R"("Tags":{"a":"1"})");
  for (int i = 0; i < 3; ++i) on("q", "SendMessage", "\"MessageBody\":\"m" + std::to_string(i) + "\"");
  std::string const first = receive("q");
  BOOST_TEST(on("q", "DeleteMessage", handle_in(first)).body == "{}");
  std::string const held = receive("q");
  BOOST_TEST(on("q", "ChangeMessageVisibility", handle_in(held) + R"(,"VisibilityTimeout":600)").body == "{}");
  world.power_cut();
  BOOST_REQUIRE(world.start().ok());
  connect("b");
  BOOST_TEST(on("q", "ListQueueTags", "", "b").body == R"({"Tags":{"a":"1"}})");
  std::string const left = on("q", "ReceiveMessage", R"("MaxNumberOfMessages":10)", "b").body;
  BOOST_TEST(count(left, "\"Body\":\"m0\"") == 0U);
  BOOST_TEST(count(left, "\"Body\":\"m2\"") == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim

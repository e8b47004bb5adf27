// The rows, messages, documents and work of a small shop, for pictures in which something is to be seen.
#pragma once

#include <string>

#include "tests/page/served.h"
#include "tests/page/worker.h"

namespace fastjournal::test {

// Some days of a small shop. Returns the row that was given up.
inline std::string make_rows(Served& served) {
  constexpr std::string_view kTenants[] = {"acme", "globex", "initech"};
  for (int i = 0; i < 900; ++i) {
    std::string const tenant{kTenants[static_cast<std::size_t>(i * i % 7) % 3]};
    long long const after = i % 12 == 0  ? i * 61 % 60'000
                            : i % 3 == 0 ? 60'000 + i * 4'007LL % 3'540'000
                                         : i * 96'007LL % 90'000'000;
    served.insert("jobs", (i % 2 == 0 ? "invoice/2026/" : "thumbnail/") + std::to_string(10'000 + i),
                  "payload=" + tenant + ";process_date=+" + std::to_string(after));
  }
  for (int i = 0; i < 7; ++i) served.insert("mail", "reminder-" + std::to_string(i));
  std::string const row = served.insert("jobs", "invoice/2026/09999", "payload=acme;priority=0");
  std::string const leased = served.ask("NEXT table=jobs;worker=indexer-7");
  served.ask("FAIL table=jobs;row=" + row + ";epoch=" + Served::fact(leased, "epoch") +
             ";error=disk full on node 7: cannot write /var/spool/out");
  served.ask("PAUSE table=mail;reason=the relay is being replaced;worker=anna");
  return row;
}

// Its orders, mails and news in queues; some of them are dead.
inline void make_messages(Served& served) {
  LineClient client{served.local()};
  auto const ask = [&](std::string const& line) { return client.ask(line); };
  ask("DECLARE table=post;queue=orders;dead_letters=failed;max_messages=5000");
  ask("DECLARE table=post;queue=mails;dead_letters=failed;max_deliveries=3");
  ask("DECLARE table=post;exchange=news;kind=topic");
  ask("BIND table=post;exchange=news;queue=archive;routing_key=#;declare=1");
  ask("BIND table=post;exchange=news;queue=suppliers;routing_key=stock.*;declare=1");
  for (int i = 0; i < 140; ++i)
    ask("SEND table=post;queue=orders;body=order " + std::to_string(10'000 + i) +
        ": two boxes, and a letter;properties={\"tenant\":\"acme\"};priority=" + (i % 7 == 0 ? "10" : "100"));
  for (int i = 0; i < 30; ++i) ask("SEND table=post;exchange=news;routing_key=stock.paper;body=low");
  for (int i = 0; i < 4; ++i) {
    ask("SEND table=post;queue=mails;body=to: guest" + std::to_string(i) + "@example.com");
    std::string const taken = ask("ACQUIRE table=post;queue=mails;worker=mailer-2");
    ask("REJECT table=post;message=" + Served::fact(taken, "message") + ";epoch=" + Served::fact(taken, "epoch") +
        ";error=550 there is no such mailbox");
  }
}

// Its product pages and mails on their way to the index and the shop: most have arrived, some failed or are in doubt.
inline void make_documents(Served& served) {
  {
    Worker lost{served.local()};
    for (int i = 0; i < 3; ++i)
      lost.say("SENDING", lost.found("mails", "/inbox/" + std::to_string(i)), "destination=publish");
  }
  Worker worker{served.local()};
  for (int i = 0; i < 260; ++i) {
    std::string const document = i % 4 == 0
                                     ? worker.found("mails", "/orders/" + std::to_string(1000 + i))
                                     : worker.found("pages", "/products/" + std::to_string(20'000 + i) + ".html");
    if (i % 9 != 2) worker.deliver(document, "index");
    if (i % 40 == 7)
      worker.fail(document, "publish", "413: the page is too large");
    else if (i < 225)
      worker.deliver(document, "publish");
  }
  served.ask("PAUSE table=docs;destination=index;reason=a new index");
}

// Pictures of its products.
inline void make_blobs(Served& served) {
  for (int i = 0; i < 40; ++i)
    served.ask("PUT table=images;key=products/" + std::to_string(20'000 + i) +
               ".jpg;data=" + std::string(static_cast<std::size_t>(400 + i * 36), 'A'));
}

// A worker that always raises: nothing is parked, as what failed rests and is tried again.
inline void fail(Served& served, int rows, std::string const& name = "order") {
  for (int i = 0; i < rows; ++i) {
    served.insert("notify", name + "-" + std::to_string(i));
    std::string const leased = served.ask("NEXT table=notify;worker=caller-1");
    served.ask(
        "RELEASE table=notify;row=" + Served::fact(leased, "row") + ";epoch=" + Served::fact(leased, "epoch") +
        ";error=ConnectionRefusedError: [Errno 111] Connection refused to https://shop.example.com/notify/orders");
  }
}
inline void fail_deliveries(Served& served, int messages) {
  served.ask("DECLARE table=post;queue=calls");
  for (int i = 0; i < messages; ++i) {
    served.ask("SEND table=post;queue=calls;body=call " + std::to_string(i));
    std::string const taken = served.ask("ACQUIRE table=post;queue=calls;worker=caller-1");
    served.ask("RELEASE table=post;message=" + Served::fact(taken, "message") +
               ";epoch=" + Served::fact(taken, "epoch") + ";process_date=+3600000;error=no answer from the exchange");
  }
}

// So that rates and times are those of work.
inline void work(Served& served, int rows) {
  for (int i = 0; i < rows; ++i) {
    served.insert("jobs", "thumbnail/" + std::to_string(i), "payload=acme;priority=50");
    std::string const leased = served.ask("NEXT table=jobs;worker=indexer-" + std::to_string(i % 5));
    served.ask("DONE table=jobs;row=" + Served::fact(leased, "row") + ";epoch=" + Served::fact(leased, "epoch"));
  }
}

}  // namespace fastjournal::test

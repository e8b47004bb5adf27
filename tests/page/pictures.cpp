// Pictures of the page, for people who look at its appearance: page_pictures FOLDER writes VIEW-WIDTH-SCHEME.png of some
// views, four widths and both schemes.
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tests/page/browser.h"
#include "tests/page/served.h"
#include "tests/page/shop.h"
#include "tests/page/top_picture.h"

namespace fastjournal::test {
namespace {

constexpr int kWidths[] = {360, 768, 1280, 2560};
constexpr std::string_view kSchemes[] = {"light", "dark"};

struct View {
  std::string name;
  std::string place;
  std::string ready;           // when it is to be taken
  std::string opens;           // the button to press first, if any
  std::string there = "true";  // before that: what its dialog begins with
};

void take(std::string const& folder) {
  Served served;
  std::string const row = make_rows(served);
  make_messages(served);
  make_documents(served);
  make_blobs(served);
  fail(served, 30);
  fail_deliveries(served, 24);
  View const views[] = {
      {"overview", "#/", "document.querySelectorAll('.bars rect').length > 20", ""},
      {"table", "#/t/jobs", "document.querySelectorAll('.rows tbody tr').length > 50", ""},
      {"domains", "#/t/jobs/domains", "document.querySelectorAll('.plain tbody tr').length > 2", ""},
      {"figures", "#/t/jobs/figures", "document.querySelectorAll('.histogram tbody tr').length > 2", ""},
      {"row", "#/t/jobs/row/" + row, "document.querySelectorAll('.facts > div').length > 4", ""},
      {"queues", "#/t/post", "document.querySelectorAll('.queues tbody tr').length > 4", ""},
      {"queue", "#/t/post/queue/orders", "document.querySelectorAll('.messages tbody tr').length > 50", ""},
      {"exchanges", "#/t/post/exchanges", "document.querySelectorAll('.plain tbody tr').length > 2", ""},
      {"letters", "#/t/post/queue/failed", "document.querySelector('dialog')?.textContent.includes('4 messages now')",
       "Move", "document.querySelectorAll('.messages tbody tr').length === 4"},
      {"message", "#/t/post/queue/failed?status=due",
       "document.querySelector('dialog')?.textContent.includes('no such mailbox')", "@"},
      {"plan", "#/t/docs", "document.querySelector('.plan .held') && document.querySelector('.plan .failing')", ""},
      {"documents", "#/t/docs/documents", "document.querySelectorAll('.documents tbody tr').length > 50", ""},
      {"document", "#/t/docs/documents?status=in_doubt",
       "document.querySelector('dialog')?.textContent.includes('in doubt')", "@"},
      {"deliveries", "#/t/docs/documents?status=failed",
       "document.querySelector('dialog')?.textContent.includes('now: each')", "Retry"},
      {"failing", "#/t/notify", "document.querySelectorAll('.rows td.says').length > 20", ""},
      {"failing-queue", "#/t/post/queue/calls", "document.querySelectorAll('.messages td.says').length > 20", ""},
      {"blobs", "#/t/images?key=products/20007.jpg", "document.querySelector('.found h2')", ""},
      {"alerts", "#/alerts", "document.querySelector('.alerts li')", ""},
      {"daemon", "#/daemon", "document.querySelectorAll('.figures tbody tr').length > 20", ""},
      {"confirmation", "#/t/jobs?status=parked",
       "document.querySelector('dialog')?.textContent.includes('matches now')", "Kick all of"},
  };
  Browser browser;
  browser.open(served.url());
  // The page looks each second.
  for (int seconds = 0; seconds < 12; ++seconds) {
    work(served, 20 + seconds * 7 % 20);
    fail(served, 3, "order-" + std::to_string(seconds));
    static_cast<void>(browser.until("false", std::chrono::milliseconds{700}));
  }
  auto const write = [&](std::string const& name) {
    std::string const path = folder + "/" + name + ".png";
    std::ofstream{path, std::ios::binary} << browser.picture();
    std::printf("%s\n", path.c_str());
  };
  // Those of doc/page.md and doc/operations.md, at work.
  browser.prefer("light");
  browser.resize(1280, 780);
  if (!browser.until(views[0].ready)) throw std::runtime_error("the overview does not get ready");
  write("page-overview");
  browser.evaluate("void (location.hash = '" + views[1].place + "')");
  browser.prefer("dark");
  browser.resize(1280, 620);
  if (!browser.until(views[1].ready)) throw std::runtime_error("the table does not get ready");
  write("page-table");
  browser.evaluate("void (location.hash = '#/t/docs')");
  browser.prefer("light");
  browser.resize(1280, 690);
  if (!browser.until("document.querySelector('.plan .held') && document.querySelector('.plan .failing')"))
    throw std::runtime_error("the plan does not get ready");
  write("page-pipeline");
  {
    std::jthread const worker{[&] {
      for (int round = 0; round < 100; ++round) {
        work(served, 30);
        fail(served, 2, "again-" + std::to_string(round));
      }
    }};
    std::string const screen = top_screen(served.local(), 8);
    browser.open(top_page(screen));
    browser.resize(890, 405);
    if (!browser.until("document.querySelector('pre')")) throw std::runtime_error("top does not get ready");
    write("top");
  }
  browser.open(served.url());
  for (int const width : kWidths) {
    browser.resize(width, width == 360 ? 780 : width == 768 ? 1000 : width == 1280 ? 860 : 1300);
    for (std::string_view const scheme : kSchemes) {
      browser.prefer(scheme);
      for (View const& view : views) {
        // What is there until the page has heard of it is of the view before.
        browser.evaluate("document.querySelector('dialog')?.close(); new Promise((done) => { if (location.hash === '" +
                         view.place +
                         "') done(); addEventListener('hashchange', () => done(), {once: true}); location.hash = '" +
                         view.place + "'; }).then(() => 0)");
        // @: the first thing of a list.
        std::string const button =
            view.opens == "@"
                ? "document.querySelector('tbody button.link')"
                : "[...document.querySelectorAll('button')].find((node) => node.textContent.startsWith('" + view.opens +
                      "'))";
        if (!view.opens.empty() && browser.until(view.there) && browser.until(button))
          browser.evaluate(button + ".click()");
        if (!browser.until(view.ready))
          throw std::runtime_error(view.name + " does not get ready, " + std::to_string(width) + " wide:\n" +
                                   browser.text("document.body.innerText"));
        write(view.name + "-" + std::to_string(width) + "-" + std::string{scheme});
      }
    }
  }
}

}  // namespace
}  // namespace fastjournal::test

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: page_pictures FOLDER\n");
    return 2;
  }
  try {
    fastjournal::test::take(words[1]);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "page_pictures: %s\n", error.what());
    return 1;
  }
  return 0;
}

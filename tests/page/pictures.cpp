// Pictures of the page, for people who look at its appearance: page_pictures FOLDER writes VIEW-WIDTH-SCHEME.png of some
// views, three widths and both schemes.
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "tests/page/browser.h"
#include "tests/page/served.h"

namespace fastjournal::test {
namespace {

constexpr int kWidths[] = {360, 1280, 2560};
constexpr std::string_view kSchemes[] = {"light", "dark"};

// Some days of a small shop. Returns the row that was given up.
std::string make_rows(Served& served) {
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

// So that rates and times are those of work.
void work(Served& served, int rows) {
  for (int i = 0; i < rows; ++i) {
    served.insert("jobs", "thumbnail/" + std::to_string(i), "payload=acme;priority=50");
    std::string const leased = served.ask("NEXT table=jobs;worker=indexer-" + std::to_string(i % 5));
    served.ask("DONE table=jobs;row=" + Served::fact(leased, "row") + ";epoch=" + Served::fact(leased, "epoch"));
  }
}

struct View {
  std::string name;
  std::string place;
  std::string ready;  // when it is to be taken
  std::string opens;  // the button to press first, if any
};

void take(std::string const& folder) {
  Served served;
  std::string const row = make_rows(served);
  View const views[] = {
      {"overview", "#/", "document.querySelectorAll('.bars rect').length > 20", ""},
      {"table", "#/t/jobs", "document.querySelectorAll('.rows tbody tr').length > 50", ""},
      {"domains", "#/t/jobs/domains", "document.querySelectorAll('.plain tbody tr').length > 2", ""},
      {"figures", "#/t/jobs/figures", "document.querySelectorAll('.histogram tbody tr').length > 2", ""},
      {"row", "#/t/jobs/row/" + row, "document.querySelectorAll('.facts > div').length > 4", ""},
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
    static_cast<void>(browser.until("false", std::chrono::milliseconds{700}));
  }
  auto const write = [&](std::string const& name) {
    std::string const path = folder + "/" + name + ".png";
    std::ofstream{path, std::ios::binary} << browser.picture();
    std::printf("%s\n", path.c_str());
  };
  // Those of doc/page.md, at work.
  browser.prefer("light");
  browser.resize(1280, 510);
  if (!browser.until(views[0].ready)) throw std::runtime_error("the overview does not get ready");
  write("page-overview");
  browser.evaluate("void (location.hash = '" + views[1].place + "')");
  browser.prefer("dark");
  browser.resize(1280, 620);
  if (!browser.until(views[1].ready)) throw std::runtime_error("the table does not get ready");
  write("page-table");
  for (int const width : kWidths) {
    browser.resize(width, width == 360 ? 780 : width == 1280 ? 860 : 1300);
    for (std::string_view const scheme : kSchemes) {
      browser.prefer(scheme);
      for (View const& view : views) {
        browser.evaluate("document.querySelector('dialog')?.close(); void (location.hash = '" + view.place + "')");
        std::string const button =
            "[...document.querySelectorAll('button')].find((node) => node.textContent.startsWith('" + view.opens +
            "'))";
        if (!view.opens.empty() && browser.until(button)) browser.evaluate(button + ".click()");
        if (!browser.until(view.ready)) throw std::runtime_error(view.name + " does not get ready");
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

#include "clients/programs/fastjournal/figures.h"

#include <nlohmann/json.hpp>

#include "base/check.h"

namespace fastjournal::cli {
namespace {

Figure::Show show_named(std::string const& name) {
  if (name == "count") return Figure::Show::count;
  if (name == "rate") return Figure::Show::rate;
  if (name == "bytes") return Figure::Show::bytes;
  FJ_CHECK(name == "span", "a figure is shown as count, rate, span or bytes");
  return Figure::Show::span;
}

std::vector<Figure> read_list(nlohmann::json const& list) {
  std::vector<Figure> out;
  for (nlohmann::json const& one : list)
    out.push_back({.name = one.at("name"),
                   .head = one.at("head"),
                   .help = one.at("help"),
                   .width = one.at("width"),
                   .worth = one.at("worth"),
                   .show = show_named(one.at("show")),
                   .sum = one.value("sum", std::vector<std::string>{})});
  return out;
}

Figures read() {
  nlohmann::json const file = nlohmann::json::parse(figures_json(), nullptr, false);
  FJ_CHECK(file.is_object(), "src/server/page/figures.json is JSON");
  Figures out;
  for (nlohmann::json const& one : file.at("rates")) out.rates.push_back({one.at("name"), one.at("counter")});
  out.table = read_list(file.at("table"));
  out.pairs = read_list(file.at("pairs"));
  out.blobs = read_list(file.at("blobs"));
  out.queues = read_list(file.at("queues"));
  out.documents = read_list(file.at("documents"));
  return out;
}

}  // namespace

Figures const& figures() {
  static Figures const kFigures = read();
  return kFigures;
}

}  // namespace fastjournal::cli

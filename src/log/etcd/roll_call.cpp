#include "log/etcd/roll_call.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace fastjournal::log::etcd {
namespace {

// More nodes than these share no log.
constexpr std::int64_t kNodesMax = 64;

// The value behind "NAME=" in "A=1 B=2"; empty: it is not there.
std::string_view field(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view const word = text.substr(0, text.find(' '));
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=')
      return word.substr(name.size() + 1);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return {};
}

}  // namespace

void RollCall::tick(std::int64_t now_us, std::int64_t lease, Lsn applied) {
  if (asking_ != 0 || now_us < next_us_) return;
  next_us_ = now_us + kEveryUs;
  api::Transaction transaction;
  // Nothing is written while nothing happens.
  auto const said = std::ranges::find(all_, self_.name, &Node::name);
  bool const is_said = said != all_.end() && said->applied == applied && lease == lease_;
  self_.applied = applied;
  if (lease != 0 && !is_said)
    transaction.then = {api::Put{.key = names_.nodes() + self_.name,
                                 .value = fmt::format("address={} applied={}", self_.address, self_.applied.value),
                                 .lease = lease}};
  lease_ = lease;
  transaction.then.emplace_back(api::Range{.key = names_.nodes(), .end = names_.nodes_end(), .limit = kNodesMax});
  asking_ = cluster_.send(std::move(transaction), timeout_us_);
}

bool RollCall::take(api::Answer const& answer) {
  if (answer.id != asking_ || asking_ == 0) return false;
  asking_ = 0;
  if (answer.outcome != api::Outcome::done) {
    lease_ = 0;
    return true;
  }
  auto const& answers = std::get<api::TransactionAnswer>(answer.body).answers;
  all_.clear();
  for (api::KeyValue const& pair : std::get<api::RangeAnswer>(answers.back()).pairs) {
    Node node{.name = pair.key.substr(names_.nodes().size()), .address = std::string{field(pair.value, "address")}};
    std::string_view const applied = field(pair.value, "applied");
    std::from_chars(applied.data(), applied.data() + applied.size(), node.applied.value);
    all_.push_back(std::move(node));
  }
  return true;
}

std::size_t RollCall::ahead_of(Lsn applied) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(all_, [&](Node const& node) { return node.name != self_.name && node.applied > applied; }));
}

}  // namespace fastjournal::log::etcd

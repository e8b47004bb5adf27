#include "log/etcd/roll_call.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/hash.h"

namespace fastjournal::log::etcd {
namespace {

// More nodes than these share no log.
constexpr std::int64_t kNodesMax = 64;
// Of a node's list of tables, the first by name: etcd takes requests of 1.5 MiB. The others are in the digest.
constexpr std::size_t kDeclaredMax = 8192;
// Named to an operator.
constexpr std::size_t kDifferingMax = 8;

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

auto is_behind(std::string name) {
  return [name = std::move(name)](DeclaredTable const& table) { return table.name > name; };
}

std::string written(std::vector<DeclaredTable> const& tables) {
  std::string out;
  for (std::size_t at = 0; at < std::min(tables.size(), kDeclaredMax); ++at)
    out += fmt::format("{} {:016x}\n", tables[at].name, tables[at].digest);
  return out;
}

std::vector<DeclaredTable> read_declared(std::string_view text) {
  std::vector<DeclaredTable> out;
  while (!text.empty()) {
    std::string_view const line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::size_t const space = line.find(' ');
    if (space == std::string_view::npos) continue;
    DeclaredTable& table = out.emplace_back(DeclaredTable{std::string{line.substr(0, space)}});
    std::from_chars(line.data() + space + 1, line.data() + line.size(), table.digest, 16);
  }
  return out;
}

// Names that are in one of the two alone, or with another digest; both are by name.
std::string compared(std::vector<DeclaredTable> ours, std::vector<DeclaredTable> theirs) {
  // A list that is cut tells nothing of what is behind its end.
  if (ours.size() > kDeclaredMax) ours.resize(kDeclaredMax);
  if (!ours.empty() && theirs.size() == kDeclaredMax) std::erase_if(ours, is_behind(theirs.back().name));
  if (!theirs.empty() && ours.size() == kDeclaredMax) std::erase_if(theirs, is_behind(ours.back().name));
  std::string out;
  std::size_t count = 0;
  auto const add = [&](std::string const& name) {
    if (++count <= kDifferingMax) out.append(out.empty() ? "" : ", ").append(name);
  };
  auto our = ours.begin();
  auto their = theirs.begin();
  while (our != ours.end() || their != theirs.end()) {
    if (their == theirs.end() || (our != ours.end() && our->name < their->name)) {
      add(our++->name);
    } else if (our == ours.end() || their->name < our->name) {
      add(their++->name);
    } else if (our++->digest != their++->digest) {
      add(std::prev(our)->name);
    }
  }
  if (count > kDifferingMax) out += fmt::format(" and {} more", count - kDifferingMax);
  return out;
}

}  // namespace

void RollCall::declare(std::vector<DeclaredTable> tables) {
  tables_ = std::move(tables);
  self_.declared = hash64(std::string_view{}, tables_.size());
  for (DeclaredTable const& table : tables_) self_.declared = hash64(table.name, self_.declared ^ table.digest);
  for (auto& [name, other] : others_) other.digest = 0;
  next_us_ = 0;
}

void RollCall::tick(std::int64_t now_us, std::int64_t lease, Lsn applied) {
  if (asking_ != 0 || now_us < next_us_) return;
  next_us_ = now_us + kEveryUs;
  api::Transaction transaction;
  // Nothing is written while nothing happens.
  auto const said = std::ranges::find(all_, self_.name, &Node::name);
  bool const is_declared = said != all_.end() && said->declared == self_.declared && lease == lease_;
  bool const is_said = is_declared && said->applied == applied;
  self_.applied = applied;
  if (lease != 0 && !is_said)
    transaction.then.emplace_back(api::Put{.key = names_.nodes() + self_.name,
                                           .value = fmt::format("address={} applied={} declared={:016x}", self_.address,
                                                                self_.applied.value, self_.declared),
                                           .lease = lease});
  if (lease != 0 && !is_declared)
    transaction.then.emplace_back(
        api::Put{.key = names_.declares(self_.name), .value = written(tables_), .lease = lease});
  lease_ = lease;
  transaction.then.emplace_back(api::Range{.key = names_.nodes(), .end = names_.nodes_end(), .limit = kNodesMax});
  asked_.clear();
  for (Node const& node : all_) {
    auto const known = others_.find(node.name);
    if (!differs(node) || (known != others_.end() && known->second.digest == node.declared)) continue;
    asked_.push_back(node.name);
    transaction.then.emplace_back(api::Range{.key = names_.declares(node.name)});
  }
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
  auto const lists = answers.end() - static_cast<std::ptrdiff_t>(asked_.size());
  all_.clear();
  for (api::KeyValue const& pair : std::get<api::RangeAnswer>(*std::prev(lists)).pairs) take_node(pair);
  for (std::size_t at = 0; at < asked_.size(); ++at) {
    auto const node = std::ranges::find(all_, asked_[at], &Node::name);
    auto const& pairs = std::get<api::RangeAnswer>(lists[static_cast<std::ptrdiff_t>(at)]).pairs;
    if (node == all_.end() || pairs.empty()) continue;
    std::string names = compared(tables_, read_declared(pairs.front().value));
    others_[node->name] = {node->declared, names.empty() ? "tables behind the first thousands" : std::move(names)};
  }
  std::erase_if(others_,
                [&](auto const& other) { return std::ranges::find(all_, other.first, &Node::name) == all_.end(); });
  for (Node& node : all_) {
    auto const known = others_.find(node.name);
    if (differs(node) && known != others_.end()) node.differs = known->second.differs;
  }
  return true;
}

bool RollCall::differs(Node const& node) const {
  return node.name != self_.name && node.declared != 0 && node.declared != self_.declared;
}

void RollCall::take_node(api::KeyValue const& pair) {
  Node node{.name = pair.key.substr(names_.nodes().size()), .address = std::string{field(pair.value, "address")}};
  auto const number = [&pair](std::string_view name, std::uint64_t& out, int base) {
    std::string_view const text = field(pair.value, name);
    std::from_chars(text.data(), text.data() + text.size(), out, base);
  };
  number("applied", node.applied.value, 10);
  number("declared", node.declared, 16);
  all_.push_back(std::move(node));
}

std::size_t RollCall::ahead_of(Lsn applied) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(all_, [&](Node const& node) { return node.name != self_.name && node.applied > applied; }));
}

}  // namespace fastjournal::log::etcd

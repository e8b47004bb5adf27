#include "clients/programs/fastjournal/imports/redis_batches.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "clients/programs/fastjournal/imports/beanstalkd_client.h"
#include "clients/programs/fastjournal/imports/target.h"
#include "platform/os/random.h"

namespace fastjournal::imports {
namespace {

constexpr char kBatchKey[] = "fj:import:batch";
constexpr char kRefusedKey[] = "fj:import:refused";
constexpr std::string_view kFormat = "1";
constexpr std::array<std::string_view, 3> kEnds{"LEFT", "RIGHT", "SORTED"};
constexpr int kTriesMax = 100;  // of a sorted set that others change meanwhile

// Takes the text before the next LF.
std::string take_part(std::string_view& rest) {
  std::size_t const end = std::min(rest.find('\n'), rest.size());
  std::string out{rest.substr(0, end)};
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return out;
}

std::string origin_text(Origin const& from) {
  return fmt::format("{}\n{}", kEnds[static_cast<std::size_t>(from.end)], from.key);
}

// The rest is the key.
std::optional<Origin> take_origin(std::string_view rest) {
  std::string const end = take_part(rest);
  auto const at = std::find(kEnds.begin(), kEnds.end(), end);
  if (at == kEnds.end() || rest.empty()) return std::nullopt;
  return Origin{std::string{rest}, static_cast<Origin::End>(at - kEnds.begin())};
}

}  // namespace

RedisBatches::RedisBatches(RedisClient& redis, std::string what)
    : redis_(redis),
      what_(std::move(what)),
      name_(fmt::format("import-{:016x}{:016x}", os::random_bits(), os::random_bits())),
      at_once_(kBatchJobs) {}

std::string RedisBatches::head_of(Batch const& batch) const {
  return fmt::format("{}\n{}\n{}\n{}\n{}", kFormat, what_, batch.name, batch.first, origin_text(batch.from));
}

Status RedisBatches::read_head(std::string const& head, Batch& out) const {
  std::string_view rest{head};
  std::string const format = take_part(rest);
  std::string const what = take_part(rest);
  out.name = take_part(rest);
  auto const first = whole_number(take_part(rest));
  auto const from = take_origin(rest);
  if (format != kFormat || !first || !from || out.name.empty() || out.name.size() > 128)
    return redis_.peer().failed(Code::wrong_state, fmt::format("has a list {} that is not of an import", kBatchKey));
  if (what != what_)
    return redis_.peer().failed(
        Code::wrong_state, fmt::format("was being imported with {}, and that was cut off: run that import again first "
                                       "(this one is with {})",
                                       what, what_));
  out.first = *first;
  out.from = *from;
  return {};
}

Result<std::optional<Batch>> RedisBatches::left_over() {
  Result<std::uint64_t> const held = redis_.count({"LLEN", kRefusedKey});
  if (!held.ok()) return held.status();
  refused_ = std::max<std::uint64_t>(1, held.value()) - 1;
  Result<std::uint64_t> const length = redis_.count({"LLEN", kBatchKey});
  if (!length.ok()) return length.status();
  if (length.value() == 0) return std::optional<Batch>{};
  Result<Answer> const head = redis_.ask({"LINDEX", kBatchKey, "0"});
  if (!head.ok()) return head.status();
  Batch out;
  if (Status status = read_head(head->text, out); !status.ok()) return status;
  bool const is_sorted = out.from.end == Origin::End::sorted;
  std::size_t bytes = 0;
  for (std::uint64_t at = 1; at < length.value() && out.elements.size() < kBatchJobs && bytes < kBatchBytes; ++at) {
    Element one;
    if (is_sorted) {
      Result<Answer> score = redis_.ask({"LINDEX", kBatchKey, std::to_string(at++)});
      if (!score.ok()) return score.status();
      one.score = std::move(score->text);
    }
    Result<Answer> text = redis_.ask({"LINDEX", kBatchKey, std::to_string(at)});
    one.is_too_large = text.status().code() == Code::too_large;
    if (!text.ok() && !one.is_too_large) return text.status();
    if (text.ok()) one.text = std::move(text->text);
    bytes += one.text.size();
    out.elements.push_back(std::move(one));
  }
  return std::optional{std::move(out)};
}

// Nothing is under way, and will not be until the transaction that follows.
Status RedisBatches::watch_empty(Origin const& from) {
  if (Result<Answer> const said = redis_.ask({"WATCH", kBatchKey, from.key}); !said.ok()) return said.status();
  Result<std::uint64_t> const length = redis_.count({"LLEN", kBatchKey});
  if (!length.ok()) return length.status();
  if (length.value() == 0) return {};
  return redis_.peer().failed(Code::in_use,
                              fmt::format("has a batch in {} that is not of this import: is another one at "
                                          "work? If not, run this one again",
                                          kBatchKey));
}

Batch RedisBatches::begin(Origin const& from) { return {.from = from, .name = name_, .first = next_}; }

Result<std::optional<Batch>> RedisBatches::take(Origin const& from) {
  for (int tries = 0; tries < kTriesMax; ++tries) {
    if (Status status = watch_empty({kBatchKey, from.end}); !status.ok()) return status;
    Result<std::uint64_t> const length = redis_.count({"LLEN", from.key});
    if (!length.ok()) return length.status();
    if (length.value() == 0) return std::optional<Batch>{};
    Batch out = begin(from);
    std::vector<Words> commands{{"RPUSH", kBatchKey, head_of(out)}};
    std::string const end{kEnds[static_cast<std::size_t>(from.end)]};
    for (std::uint64_t i = std::min<std::uint64_t>(length.value(), at_once_); i > 0; --i)
      commands.push_back({"LMOVE", from.key, kBatchKey, end, "RIGHT"});
    next_ += commands.size() - 1;
    auto done = redis_.at_once(commands);
    if (done.status().code() == Code::too_large) {
      // They are in the batch, and are read one by one.
      at_once_ = 1;
      return left_over();
    }
    if (!done.ok()) return done.status();
    if (done->empty()) continue;
    std::size_t bytes = 0;
    for (std::size_t i = 1; i < done->size(); ++i) {
      Answer& moved = *done.value()[i];
      if (moved.is_nothing()) break;  // workers took them meanwhile
      bytes += moved.text.size();
      out.elements.push_back({.text = std::move(moved.text)});
    }
    at_once_ = bytes > kBatchBytes ? 1 : kBatchJobs;
    if (out.elements.empty()) {
      if (Status status = settle(out, {}); !status.ok()) return status;
      continue;
    }
    return std::optional{std::move(out)};
  }
  return redis_.peer().failed(Code::in_use, fmt::format("changes {} again and again", kBatchKey));
}

// The elements by their score, from this place on. Large ones one at a time; empty: there are no more.
Result<std::vector<Element>> RedisBatches::page(Origin const& from, std::uint64_t after) {
  for (std::size_t count : {at_once_, std::size_t{1}}) {
    Result<Answer> answer =
        redis_.ask({"ZRANGE", from.key, std::to_string(after), std::to_string(after + count - 1), "WITHSCORES"});
    if (answer.status().code() == Code::too_large && count > 1) {
      at_once_ = 1;
      continue;
    }
    std::vector<Element> out;
    if (answer.status().code() == Code::too_large) {
      out.push_back({.is_too_large = true});
      return out;
    }
    if (!answer.ok()) return answer.status();
    std::size_t bytes = 0;
    for (std::size_t i = 0; i + 1 < answer->items.size(); i += 2) {
      bytes += answer->items[i]->text.size();
      out.push_back({.text = std::move(answer->items[i]->text), .score = std::move(answer->items[i + 1]->text)});
    }
    at_once_ = bytes > kBatchBytes ? 1 : kBatchJobs;
    return out;
  }
  return std::vector<Element>{};
}

Result<std::optional<Batch>> RedisBatches::take_sorted(Origin const& from, std::uint64_t& skipped,
                                                       std::function<bool(Element const&)> const& is_wanted,
                                                       std::function<void(Element const&)> const& passed) {
  for (int tries = 0; tries < kTriesMax;) {
    if (Status status = watch_empty(from); !status.ok()) return status;
    Result<std::vector<Element>> found = page(from, skipped);
    if (!found.ok()) return found.status();
    if (found->empty()) return std::optional<Batch>{};
    Batch out = begin(from);
    std::vector<Words> commands{{"RPUSH", kBatchKey, head_of(out)}};
    Words removed{"ZREM", from.key};
    std::vector<Element> others;
    for (Element& one : found.value()) {
      if (!is_wanted(one)) {
        others.push_back(std::move(one));
        continue;
      }
      commands.push_back({"RPUSH", kBatchKey, one.score, one.text});
      removed.push_back(one.text);
      out.elements.push_back(std::move(one));
    }
    if (!out.elements.empty()) {
      commands.push_back(std::move(removed));
      auto const done = redis_.at_once(commands);
      if (!done.ok()) return done.status();
      if (done->empty()) {
        ++tries;
        continue;
      }
    }
    skipped += others.size();
    for (Element const& one : others) passed(one);
    next_ += out.elements.size();
    if (!out.elements.empty()) return std::optional{std::move(out)};
  }
  return redis_.peer().failed(Code::in_use, fmt::format("changes {} again and again", from.key));
}

Status RedisBatches::settle(Batch const& batch, std::vector<bool> const& refused, std::vector<Words> also) {
  if (Result<Answer> const said = redis_.ask({"WATCH", kBatchKey}); !said.ok()) return said.status();
  Result<Answer> const head = redis_.ask({"LINDEX", kBatchKey, "0"});
  if (!head.ok()) return head.status();
  Result<std::uint64_t> const length = redis_.count({"LLEN", kBatchKey});
  if (!length.ok()) return length.status();
  bool const is_sorted = batch.from.end == Origin::End::sorted;
  std::uint64_t const leaving = refused.size() * (is_sorted ? 2 : 1);
  Status const changed =
      redis_.peer().failed(Code::in_use, fmt::format("has another batch in {} than this import put there: let only one "
                                                     "import be at work, and run it again",
                                                     kBatchKey));
  if (head->text != head_of(batch) || length.value() < 1 + leaving) return changed;
  // Trimmed and not popped: an answer with what leaves would be for nothing.
  std::vector<Words> commands;
  std::uint64_t gone = 1;
  auto const trim = [&] {
    if (gone > 0) commands.push_back({"LTRIM", kBatchKey, std::to_string(std::exchange(gone, 0)), "-1"});
  };
  std::size_t held = refused_;
  for (std::size_t i = 0; i < refused.size(); ++i) {
    if (is_sorted) {
      gone += 2;
      if (refused[i]) commands.push_back({"ZADD", batch.from.key, batch.elements[i].score, batch.elements[i].text});
    } else if (refused[i]) {
      trim();
      if (held++ == 0) commands.push_back({"RPUSH", kRefusedKey, origin_text(batch.from)});
      commands.push_back({"LMOVE", kBatchKey, kRefusedKey, "LEFT", "RIGHT"});
    } else {
      ++gone;
    }
  }
  trim();
  if (length.value() > 1 + leaving) {
    Batch rest{.from = batch.from, .name = batch.name, .first = batch.first + refused.size()};
    commands.push_back({"LPUSH", kBatchKey, head_of(rest)});
  }
  for (Words& one : also) commands.push_back(std::move(one));
  auto const done = redis_.at_once(commands);
  // A refused one is larger than an answer may be: it was done, and the connection is a new one.
  if (!done.ok() && done.status().code() != Code::too_large) return done.status();
  if (done.ok() && done->empty()) return changed;
  refused_ = held;
  has_rest_ = length.value() > 1 + leaving;
  return {};
}

Status RedisBatches::put_back() {
  Result<std::uint64_t> const length = redis_.count({"LLEN", kRefusedKey});
  if (!length.ok()) return length.status();
  if (length.value() == 0) return {};
  Result<Answer> const head = redis_.ask({"LINDEX", kRefusedKey, "0"});
  if (!head.ok()) return head.status();
  auto const from = take_origin(head->text);
  if (!from || from->end == Origin::End::sorted || length.value() > 1 + 2 * RedisClient::kAnswerItemsMax)
    return redis_.peer().failed(Code::wrong_state, fmt::format("has a list {} that is not of an import", kRefusedKey));
  for (std::uint64_t left = length.value(); left > 1;) {
    std::vector<Words> commands;
    for (std::size_t i = 0; i < kBatchJobs && left > 1; ++i, --left)
      commands.push_back(
          {"LMOVE", kRefusedKey, from->key, "RIGHT", std::string{kEnds[static_cast<std::size_t>(from->end)]}});
    if (left == 1) commands.push_back({"DEL", kRefusedKey});
    auto const done = redis_.at_once(commands);
    if (!done.ok() && done.status().code() != Code::too_large) return done.status();
  }
  refused_ = 0;
  return {};
}

}  // namespace fastjournal::imports

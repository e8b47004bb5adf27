#include "clients/programs/fastjournal/imports/redis_client.h"

#include <array>
#include <utility>

#include <hiredis/hiredis.h>
#include <hiredis/read.h>

#include "base/check.h"
#include "base/terminal_text.h"

namespace fastjournal::imports {

namespace {
constexpr std::size_t kAnswerLineMax = std::size_t{64} << 10U;
}  // namespace

// What hiredis calls for each value that it has read. Null ends the reading.
struct Makers {
  static void* keep(redisReadTask const* task, std::size_t bytes, Answer answer) {
    RedisClient& client = *static_cast<RedisClient*>(task->privdata);
    client.kept_ += bytes + sizeof(Answer);
    if (client.kept_ > RedisClient::kAnswerBytesMax) {
      client.is_too_large_ = true;
      return nullptr;
    }
    auto made = std::make_unique<Answer>(std::move(answer));
    if (task->parent == nullptr) return made.release();
    auto& items = static_cast<Answer*>(task->parent->obj)->items;
    items.push_back(std::move(made));
    return items.back().get();
  }
  static void* text(redisReadTask const* task, char* bytes, std::size_t count) {
    Answer out{.type = task->type == REDIS_REPLY_ERROR ? Answer::Type::error : Answer::Type::text};
    out.text.assign(bytes, count);
    return keep(task, count, std::move(out));
  }
  // The number of items is an int, or a size_t in newer versions.
  template <typename Count>
  static void* list(redisReadTask const* task, Count count) {
    if (static_cast<std::size_t>(count) > RedisClient::kAnswerItemsMax) {
      static_cast<RedisClient*>(task->privdata)->is_too_large_ = true;
      return nullptr;
    }
    return keep(task, 0, {.type = Answer::Type::list});
  }
  static void* integer(redisReadTask const* task, long long value) {
    return keep(task, 0, {.type = Answer::Type::integer, .integer = value});
  }
  static void* nothing(redisReadTask const* task) { return keep(task, 0, {}); }
  static void drop(void* answer) { delete static_cast<Answer*>(answer); }

  template <typename... Arguments>
  static void* refuse(Arguments... /*of a newer protocol*/) {
    return nullptr;
  }

  template <typename Functions>
  static Functions make() {
    Functions out{};
    out.createString = text;
    out.createArray = list;
    out.createInteger = integer;
    out.createNil = nothing;
    out.freeObject = drop;
    if constexpr (requires { out.createDouble; }) {
      out.createDouble = refuse;
      out.createBool = refuse;
    }
    return out;
  }
};

RedisClient::RedisClient(std::string place, std::chrono::milliseconds limit) : peer_(std::move(place), limit) {}

RedisClient::~RedisClient() {
  if (reader_ != nullptr) redisReaderFree(reader_);
}

Status RedisClient::connect(std::string const& user, std::string const& password, std::uint64_t database) {
  login_.clear();
  if (!password.empty()) {
    login_ = {"AUTH"};
    if (!user.empty()) login_.push_back(user);
    login_.push_back(password);
  }
  database_ = database;
  return start();
}

Status RedisClient::start() {
  static redisReplyObjectFunctions functions = Makers::make<redisReplyObjectFunctions>();
  if (reader_ != nullptr) redisReaderFree(reader_);
  reader_ = redisReaderCreateWithFunctions(&functions);
  if (reader_ == nullptr) return {Code::no_space, "no memory for the answers of the source"};
  reader_->privdata = this;
  kept_ = 0;
  is_too_large_ = false;
  if (Status status = peer_.connect(); !status.ok()) return status;
  is_starting_ = true;
  Status const status = log_in();
  is_starting_ = false;
  return status;
}

Status RedisClient::log_in() {
  if (!login_.empty())
    if (Result<Answer> const said = ask(login_); !said.ok()) return said.status();
  if (Result<Answer> const said = ask({"SELECT", std::to_string(database_)}); !said.ok()) {
    if (said.status().message().find("NOAUTH") == std::string::npos) return said.status();
    return {Code::not_allowed,
            said.status().message() + ": give --password-file or the environment variable REDISCLI_AUTH"};
  }
  return {};
}

void RedisClient::put(Words const& command) {
  std::vector<char const*> words;
  std::vector<std::size_t> sizes;
  for (std::string const& word : command) {
    words.push_back(word.data());
    sizes.push_back(word.size());
  }
  char* bytes = nullptr;
  auto const count = redisFormatCommandArgv(&bytes, static_cast<int>(words.size()), words.data(), sizes.data());
  FJ_CHECK(count > 0, "no memory for a command");
  peer_.out().append(bytes, static_cast<std::size_t>(count));
  redisFreeCommand(bytes);
}

Result<Answer> RedisClient::get() {
  if (Status status = peer_.flush(); !status.ok()) return status;
  while (true) {
    void* made = nullptr;
    int const done = redisReaderGetReply(reader_, &made);
    std::unique_ptr<Answer> answer{static_cast<Answer*>(made)};
    if (done != REDIS_OK && !is_too_large_) {
      std::string const why{reader_->errstr};
      peer_.close();
      return peer_.failed(Code::invalid, "speaks no Redis: " + printable(why));
    }
    if (answer != nullptr && done == REDIS_OK) {
      kept_ = 0;
      return std::move(*answer);
    }
    // What it has not read as a value yet is with it, too. A line is looked for from its beginning each time.
    std::string_view const unread{reader_->buf + reader_->pos, reader_->len - reader_->pos};
    if (unread.size() > kAnswerLineMax && unread.substr(0, kAnswerLineMax).find('\n') == std::string_view::npos) {
      peer_.close();
      return peer_.failed(Code::invalid, "sends a line that is too long");
    }
    if (is_too_large_ || kept_ + unread.size() > kAnswerBytesMax) {
      Status const too_large = peer_.failed(Code::too_large, "sends an answer of more than 66 MiB, or 4096 items");
      Status const again = is_starting_ ? too_large : start();
      return again.ok() ? too_large : again;
    }
    if (Status status = peer_.receive(); !status.ok()) return status;
    std::string_view const in = peer_.in();
    redisReaderFeed(reader_, in.data(), in.size());
    peer_.take(in.size());
  }
}

Status RedisClient::failed(Answer const& error, std::string_view command) const {
  std::string said =
      "answers '" + printable(std::string_view{error.text}.substr(0, 300)) + "' to " + std::string{command};
  if (error.text.starts_with("ERR unknown command"))
    said += ": Redis 6.2 or later is needed, or Valkey, and the command must not be renamed";
  bool const is_refused = error.text.starts_with("NO") || error.text.starts_with("WRONGPASS");
  return peer_.failed(is_refused ? Code::not_allowed : Code::not_supported, said);
}

Result<Answer> RedisClient::ask(Words const& command) {
  put(command);
  Result<Answer> out = get();
  if (out.ok() && out->type == Answer::Type::error) return failed(out.value(), command.front());
  return out;
}

Result<std::uint64_t> RedisClient::count(Words const& command) {
  Result<Answer> const answer = ask(command);
  if (!answer.ok()) return answer.status();
  if (answer->type != Answer::Type::integer || answer->integer < 0)
    return peer_.failed(Code::invalid, "gives no number for " + command.front());
  return static_cast<std::uint64_t>(answer->integer);
}

Result<std::vector<std::unique_ptr<Answer>>> RedisClient::at_once(std::vector<Words> const& commands) {
  put({"MULTI"});
  for (Words const& command : commands) put(command);
  put({"EXEC"});
  Status refused;
  for (std::size_t i = 0; i <= commands.size(); ++i) {
    Result<Answer> const queued = get();
    if (!queued.ok()) return queued.status();
    if (queued->type == Answer::Type::error && refused.ok())
      refused = failed(queued.value(), i == 0 ? "MULTI" : commands[i - 1].front());
  }
  Result<Answer> done = get();
  if (!done.ok()) return done.status();
  if (!refused.ok()) return refused;
  if (done->type == Answer::Type::error) return failed(done.value(), "EXEC");
  if (!done->is_nothing() && done->items.size() != commands.size())
    return peer_.failed(Code::invalid, "carries out another number of commands than it was sent");
  // The others were carried out.
  for (std::size_t i = 0; i < done->items.size(); ++i)
    if (done->items[i]->type == Answer::Type::error) return failed(*done->items[i], commands[i].front());
  return std::move(done.value().items);
}

}  // namespace fastjournal::imports

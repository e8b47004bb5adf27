#include "tests/unit/blob/life.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "tests/unit/blob/harness.h"

namespace fastjournal::blob::test {
namespace {

using fastjournal::test::Counts;
using fastjournal::test::expect_right;

// What the next exchange of the files may do with a blob.
enum class Fate { keep, go, either, by_size };

struct Known {
  std::string bytes;
  std::uint32_t entry_s{0};
  std::uint32_t read_s{0};  // 0: not since the start
  bool is_omitted{false};
  bool is_damaged{false};  // in the current file
  Fate fate{Fate::keep};   // of a running maintenance
};

class Life {
 public:
  Life(std::uint64_t seed, Counts& counts)
      : counts_(counts), random_(seed), options_(options(seed)), mode_(mode_of(seed)), table_(options_) {
    collides_ = seed % 3 == 0;
    keys_ = seed % 2 == 0 ? 60 : 700;
    // The table notes reads from the first date that it sees.
    table_.pass(0);
    start_s_ = seconds();
  }

  void step(std::uint64_t) {
    before_ = table_.now;
    expect_right(turn());
    expect_right(look_around());
  }
  void end() { expect_right(table_.check_named()); }

 private:
  static Texts options(std::uint64_t seed) {
    Texts out{{"blobs-max", std::to_string(kBlobsMax)}};
    if (seed % 5 == 0) out["maintain-every"] = "5m";
    out["maintenance"] = std::string{name_of(mode_of(seed))};
    return out;
  }
  static Mode mode_of(std::uint64_t seed) {
    constexpr std::array<Mode, 7> modes{Mode::modern, Mode::online,  Mode::offline, Mode::online,
                                        Mode::modern, Mode::offline, Mode::online};
    return modes[seed % modes.size()];
  }
  static std::string_view name_of(Mode mode) { return Maintenance::kModeNames[static_cast<std::size_t>(mode)]; }

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  bool one_in(std::uint64_t n) { return draw(n) == 0; }
  [[nodiscard]] std::uint32_t seconds() const { return static_cast<std::uint32_t>(table_.now.value / 1000); }
  // As 24 digits.
  std::string key() {
    std::uint64_t const number = draw(keys_);
    Key key = bcdb::make_key("key " + std::to_string(number));
    if (collides_) key.hash_value = static_cast<std::uint32_t>(number % 3);
    return bcdb::digits_of(key);
  }
  std::string bytes() {
    std::string out(draw(one_in(20) ? 2'000 : 40), static_cast<char>('a' + draw(26)));
    return one_in(15) ? std::string{} : out + std::to_string(++serial_);
  }

  std::string turn() {
    std::uint64_t const dice = draw(1000);
    if (dice < 370) return put();
    if (dice < 400) return promise();
    if (dice < 420) return end_promise();
    if (dice < 480) return get(key());
    if (dice < 520) return get_named(key());
    if (dice < 555) return omit();
    if (dice < 560) return change_mode();
    if (dice < 600) return pass(draw(one_in(5) ? 90'000 : 400));
    if (dice < 625) return maintain();
    if (dice < 840) return copy_and_read();
    if (dice < 850) return fail();
    if (dice < 870) return compact();
    if (dice < 890) return kill();
    if (dice < 900) return damage();
    if (dice < 915) return lose();
    if (dice < 930) return put_late();
    if (dice < 945) return put_again();
    if (dice < 960) return list();
    if (dice < 970) return relink();
    return get(key());
  }

  // -- commands -----------------------------------------------------------------
  std::string put() {
    std::string const hash = key();
    std::string const next = bytes();
    bool const is_new = !model_.contains(hash);
    bool const is_full = is_full_now();
    Texts with{{"hash", hash}};
    bool const is_numbered = one_in(5);
    if (is_numbered) {
      with["client"] = "c";
      with["sequence"] = std::to_string(sequence_ + 1);
    }
    std::string wanted = is_new && is_full ? "over_limit" : is_new ? "stored" : "replaced";
    if (is_held(hash) && wanted != "over_limit") wanted = "in_transaction";
    if (is_offline()) wanted = "unavailable";
    bool const is_wrong = one_in(30);
    if (is_wrong) {
      with["content_hash"] = std::string(32, '0');
      if (wanted != "over_limit" && wanted != "unavailable" && wanted != "in_transaction") wanted = "damaged";
    }
    Reply const reply = table_.put(with, next, one_in(3));
    std::string const got = reply.error().empty() ? reply.get("result") : reply.error();
    if (got != wanted) return "PUT: " + got + ", expected " + wanted;
    if (got == "unavailable") ++counts_["refused offline"];
    if (!reply.error().empty()) return "";
    model_[hash] = {.bytes = next, .entry_s = seconds()};
    if (is_numbered) {
      ++sequence_;
      numbered_ = with;
    }
    return "";
  }
  // -- transactions -------------------------------------------------------------
  [[nodiscard]] bool is_held(std::string const& hash) const {
    return std::ranges::any_of(open_, [&](auto const& one) { return one.second == hash; });
  }
  // Room that is promised counts.
  [[nodiscard]] bool is_full_now() const {
    std::uint64_t to_come = 0;
    for (auto const& [id, one] : table_.held) to_come += one->hold.rows;
    return model_.size() + to_come >= kBlobsMax;
  }
  std::string promise() {
    std::string const hash = key();
    std::string const next = bytes();
    std::string wanted;
    if (is_held(hash)) wanted = "in_transaction";
    if (!model_.contains(hash) && is_full_now()) wanted = "over_limit";
    if (is_offline()) wanted = "unavailable";
    std::uint64_t const id = ++transactions_;
    Reply const reply = table_.promise(id, {{"hash", hash}}, next);
    if (reply.error() != wanted) return "a promised PUT: " + reply.error() + ", expected " + wanted;
    if (!wanted.empty()) return "";
    open_[id] = hash;
    table_.held.at(id)->is_prepared = one_in(2);
    return "";
  }
  std::string end_promise() {
    if (open_.empty()) return "";
    auto one = open_.begin();
    std::advance(one, draw(open_.size()));
    auto const [id, hash] = *one;
    open_.erase(one);
    if (one_in(3)) {
      table_.let_go(id);
      return "";
    }
    std::string const next = table_.held.at(id)->bytes;
    std::string const wanted = model_.contains(hash) ? "replaced" : "stored";
    Reply const reply = table_.keep(id);
    if (reply.get("result") != wanted) return "a PUT that was promised: " + reply.error() + reply.get("result");
    model_[hash] = {.bytes = next, .entry_s = seconds()};
    ++counts_["kept by a transaction"];
    return "";
  }

  // The last numbered one once more, with other bytes.
  std::string put_again() {
    if (numbered_.empty()) return "";
    if (is_full_now() && !model_.contains(numbered_.at("hash"))) return "";
    bool const is_refused = is_offline();
    Reply const reply = table_.put(numbered_, "sent again");
    if (is_refused) return reply.error() == "unavailable" ? "" : "a PUT sent again is not refused while offline";
    return reply.get("result") == "duplicate" ? "" : "a PUT that was sent again: " + reply.get("result");
  }
  std::string get(std::string const& hash) { return compare("GET", hash, table_.bytes_of(Texts{{"hash", hash}})); }
  std::string compare(std::string const& command, std::string const& hash, std::string const& got) {
    auto const known = model_.find(hash);
    if (known == model_.end()) return got == "-" ? "" : command + " of what is not there: " + got.substr(0, 60);
    // Left out, and gone at once.
    bool const is_left = got == "-" && table_.table->state().mode == Mode::online && known->second.fate != Fate::keep;
    if (is_left) return "";
    note_read(known->second);
    if (got == known->second.bytes || (known->second.is_damaged && got != "-")) return "";
    return command + ": " + got.substr(0, 60) + ", expected " + known->second.bytes.substr(0, 60);
  }
  // By somebody who opens the files by their names.
  std::string get_named(std::string const& hash) {
    std::string const got = table_.named_bytes_of(Texts{{"hash", hash}}, one_in(2));
    State const& state = table_.table->state();
    if (got == "unavailable") {
      ++counts_["refused"];
      bool const may_be = state.is_building() || table_.files.link != table_.table->file_for_new();
      return may_be ? "" : "a reader by name is refused without an exchange";
    }
    ++counts_["answers to readers by name"];
    if (table_.is_newer) ++counts_["in a newer file"];
    std::optional<Blob> const blob = table_.table->index().find(*bcdb::key_of_digits(hash));
    bool const is_copied = blob.has_value() && blob->has_copy() && mode_ == Mode::online &&
                           state.is_building_in(Mode::online) &&
                           table_.files.link_of("bcdb_data.new") == state.files.next;
    if (table_.is_newer != is_copied) return "what is copied is told in the newer file, and nothing else";
    return compare("GET by name", hash, got);
  }
  [[nodiscard]] bool is_offline() const { return table_.table->state().is_building_in(Mode::offline); }
  // In a new declaration: refused while a maintenance runs.
  std::string change_mode() {
    Mode const next = static_cast<Mode>(draw(3));
    options_["maintenance"] = std::string{name_of(next)};
    auto const declaration = declare(options_);
    State const& state = table_.table->state();
    bool const is_refused = next != mode_ && (state.is_building() || state.old_ends != 0);
    if (table_.table->check_change(*declaration).ok() == is_refused) return "a mode changes while a maintenance runs";
    if (is_refused) {
      options_["maintenance"] = std::string{name_of(mode_)};
      return "";
    }
    mode_ = next;
    table_.take(declaration);
    return "";
  }
  std::string relink() {
    table_.links_wait = !table_.links_wait;
    table_.follow();
    return "";
  }
  void note_read(Known& known) {
    known.read_s = seconds();
    if (known.fate == Fate::go && is_building_) known.fate = Fate::either;
  }
  std::string omit() {
    std::string const hash = key();
    auto const known = model_.find(hash);
    Reply const reply = table_.run("OMIT", {{"hash", hash}});
    if (is_held(hash)) return reply.error() == "in_transaction" ? "" : "OMIT of what a transaction holds";
    std::string const wanted = known == model_.end() ? "absent" : "omitted";
    if (reply.get("result") != wanted) return "OMIT: " + reply.get("result");
    if (known == model_.end()) return "";
    known->second.is_omitted = true;
    if (known->second.fate != Fate::go) known->second.fate = Fate::either;
    return "";
  }
  std::string list() {
    Texts page{{"count", std::to_string(1 + draw(200))}};
    std::size_t found = 0;
    for (int pages = 0; pages < 2'000; ++pages) {
      Reply const reply = table_.run("LIST", page);
      for (std::size_t i = 0; i < reply.messages.size(); ++i) {
        if (reply.name(i) != "BLOB") continue;
        ++found;
        if (!model_.contains(reply.get("hash", i))) return "LIST shows what is not there";
      }
      page["after"] = reply.get("after", reply.messages.size() - 1);
      if (page["after"] == "-") break;
    }
    return found == model_.size()
               ? ""
               : "LIST shows " + std::to_string(found) + " blobs of " + std::to_string(model_.size());
  }

  // -- maintenance ----------------------------------------------------------------
  std::string maintain() {
    if (one_in(12)) {
      table_.run("MAINTAIN", {{"cancel", "1"}});
      return "";
    }
    Texts with;
    if (one_in(4)) with["age"] = std::to_string(1'000 + draw(60'000));
    if (one_in(4)) with["unreferenced"] = std::to_string(1'000 + draw(60'000));
    if (one_in(4)) with["size"] = std::to_string(1 + draw(8'000));
    table_.run("MAINTAIN", with);
    if (one_in(2)) table_.work();
    return "";
  }
  std::string copy() {
    if (pending_.has_value() && one_in(2))
      if (std::string wrong = settle_pending(); !wrong.empty()) return wrong;
    if (pending_.has_value()) return "";
    if (one_in(3)) table_.work();
    if (one_in(2)) table_.pass(1);
    pending_ = table_.copy(1 + draw(one_in(4) ? 100'000 : 600));
    return one_in(3) ? "" : settle_pending();
  }
  // Of a newer file most of all.
  std::string copy_and_read() {
    if (std::string wrong = copy(); !wrong.empty()) return wrong;
    State const& state = table_.table->state();
    bool const is_known = state.is_building_in(Mode::online) && state.files.next == building_;
    return is_known && one_in(3) ? get_named(key()) : "";
  }
  std::string settle_pending() {
    bool const was_building = table_.table->state().is_building();
    std::uint32_t const file = table_.table->file_for_new();
    table_.settle(*pending_);
    bool const is_given_up =
        was_building && !table_.table->state().is_building() && table_.table->file_for_new() == file;
    pending_.reset();
    return is_given_up ? "a maintenance was given up for a damaged blob" : "";
  }
  // The disk is full for some of them.
  std::string fail() {
    if (!table_.table->state().is_building()) return "";
    if (!pending_.has_value()) pending_ = table_.copy(1'000);
    while (!pending_->moved.empty() && !one_in(4)) {
      pending_->failed.push_back({pending_->moved.back().key, pending_->moved.back().from});
      pending_->moved.pop_back();
      pending_->why = {Code::no_space, "the disk is full"};
    }
    bool const ends = pending_->why.code() == Code::no_space;
    bool const was_building = table_.table->state().is_building();
    table_.settle(*pending_);
    pending_.reset();
    if (!ends || !was_building) return "";
    ++counts_["given up"];
    if (!table_.alerts.raised.contains("maintenance-failed")) return "a maintenance was given up without an alert";
    return table_.table->state().is_building() ? "a failed copy did not end the maintenance" : "";
  }
  std::string damage() {
    if (model_.empty()) return "";
    auto known = model_.begin();
    std::advance(known, draw(model_.size()));
    Reply const reply = table_.run("GET", {{"hash", known->first}});
    note_read(known->second);
    if (known->second.bytes.empty() || known->second.is_damaged) return "";
    auto const file = static_cast<std::uint32_t>(std::stoul(reply.get("file")));
    table_.files.files.at(file)[std::stoull(reply.get("begin"))] ^= 0x20;
    known->second.is_damaged = true;
    known->second.fate = Fate::either;
    // Nobody has promised that.
    table_.promises.clear();
    return "";
  }
  // Bytes that were stored before the files were exchanged.
  std::string put_late() {
    if (!late_.has_value()) {
      late_ = table_.files.store(table_.table->file_for_new(), "late bytes");
      return "";
    }
    Extent const extent = *std::exchange(late_, std::nullopt);
    std::string const hash = key();
    if (is_held(hash) || (!model_.contains(hash) && is_full_now())) return "";
    bool const is_current = extent.file == table_.table->file_for_new();
    bool const was_offline = is_offline();
    Message message{"PUT"};
    message.set("hash", std::string_view{hash});
    Reply const reply = table_.put_stored(message, extent, hash128("late bytes").high);
    bool const is_stored = is_current && !was_offline;
    if (reply.error() != (is_stored ? "" : "unavailable")) return "a late PUT: " + reply.error();
    if (is_stored) model_[hash] = {.bytes = "late bytes", .entry_s = seconds()};
    return "";
  }

  // -- what happens to the daemon -----------------------------------------------
  std::string pass(std::uint64_t ms) {
    table_.pass(static_cast<std::int64_t>(ms));
    using Phase = Maintenance::Phase;
    all_is_judged_ = table_.table->state().is_building_in(Mode::online) && table_.table->phase() == Phase::quiet;
    return "";
  }
  std::string lose() {
    auto const ms = static_cast<std::int64_t>(draw(30'000));
    if (table_.now < old_stays_) old_stays_ = old_stays_ + DurationMs{ms};
    table_.lose(ms);
    return "";
  }
  std::string compact() {
    std::uint64_t const before = digest_of(*table_.table);
    // In parts, with commands and kills between them.
    if (copied_below_.is_none()) {
      table_.log.skip(kOldestLsnGrain - table_.log.end().value % kOldestLsnGrain);
      copied_below_ = table_.log.end();
    }
    std::size_t const most = one_in(3) ? SIZE_MAX : 1 + draw(3);
    bool const is_over = table_.compact(copied_below_, 256 + draw(one_in(2) ? 40'000 : 4'096), most) < most;
    Lsn const below = is_over ? std::exchange(copied_below_, Lsn{}) : Lsn{};
    if (Lsn const oldest = table_.table->oldest_lsn(); !oldest.is_none() && oldest < below)
      return "what was compacted is still needed where it was";
    return digest_of(*table_.table) == before ? "" : "compaction changed something";
  }
  std::string kill() {
    ++counts_["kills"];
    copied_below_ = {};
    pending_.reset();
    late_.reset();
    // A start takes whatever is declared.
    if (one_in(4)) {
      mode_ = static_cast<Mode>(draw(3));
      options_["maintenance"] = std::string{name_of(mode_)};
      table_.declaration = declare(options_);
    }
    table_.kill();
    std::erase_if(open_, [this](auto const& one) { return !table_.held.contains(one.first); });
    start_s_ = seconds();
    for (auto& [hash, known] : model_) {
      known.read_s = 0;
      bool const was_new_or_old = known.entry_s == table_.table->state().began_s() && old_bytes_max_ != 0;
      if (is_building_ && !known.is_omitted && (known.fate != Fate::keep || was_new_or_old)) known.fate = Fate::either;
    }
    return "";
  }

  // -- what has changed -----------------------------------------------------------
  std::string look_around() {
    // It lets time pass.
    if (one_in(40))
      if (std::string wrong = table_.check_named(); !wrong.empty()) return wrong;
    State const& state = table_.table->state();
    bool const has_begun = state.is_building() && state.files.next != building_;
    // The one that ran may have ended, and the next one have begun.
    std::uint32_t const file = table_.table->file_for_new();
    if (has_begun && file != current_ && file == building_)
      if (std::string wrong = exchanged(); !wrong.empty()) return wrong;
    // One may begin and end at once.
    if (has_begun || state.last_number != last_number_) {
      begun(state);
      if (state.mode != mode_) return "a maintenance begins in another mode than declared";
    }
    if (state.mode == Mode::online) forget_left();
    if (std::exchange(all_is_judged_, false))
      for (auto const& [hash, known] : model_)
        if (known.fate == Fate::go) return "all is copied, and a blob that is left out is there";
    last_number_ = state.last_number;
    building_ = state.files.next;
    is_building_ = state.is_building();
    if (table_.table->file_for_new() != current_) {
      if (std::string wrong = exchanged(); !wrong.empty()) return wrong;
    } else if (!is_building_) {
      for (auto& [hash, known] : model_) known.fate = Fate::keep;
    }
    if (table_.now < old_stays_ && !table_.files.files.contains(old_file_))
      return "the old file was removed within a minute";
    if (std::string wrong = table_.check_promises(); !wrong.empty()) return wrong;
    if (std::string wrong = check_files(state); !wrong.empty()) return wrong;
    if (table_.table->index().size() != model_.size())
      return std::to_string(table_.table->index().size()) + " blobs, expected " + std::to_string(model_.size());
    if (one_in(40)) return check_all();
    return "";
  }
  std::string check_files(State const& state) {
    std::size_t const files = table_.files.files.size();
    if (files > 4) return "files stay";
    if (former_ != 0 && !table_.files.files.contains(former_)) return "the former file does not wait for a maintenance";
    if (table_.links_wait) return "";
    if (files > (state.is_building() || state.old_file != 0 ? 2U : 1U)) return "a file is there that nobody needs";
    bool const has_names = state.mode != Mode::modern;
    std::uint32_t const newer = state.is_building() ? state.files.next : state.old_file > current_ ? state.old_file : 0;
    if (table_.files.link_of("bcdb_data.new") != (has_names ? newer : 0)) return "bcdb_data.new leads elsewhere";
    if (table_.files.link_of("bcdb_data.old") != former_) return "bcdb_data.old leads elsewhere";
    return "";
  }
  // Of a maintenance that tells at once what it leaves out.
  void forget_left() {
    for (auto known = model_.begin(); known != model_.end();) {
      bool const is_left = known->second.fate != Fate::keep &&
                           !table_.table->index().find(*bcdb::key_of_digits(known->first)).has_value();
      if (is_left && known->second.fate == Fate::by_size) newest_left_ = std::max(newest_left_, known->second.entry_s);
      known = is_left ? model_.erase(known) : std::next(known);
    }
  }
  void begun(State const& state) {
    Policy const& policy = state.policy;
    former_ = 0;
    newest_left_ = 0;
    old_bytes_max_ = policy.bytes_max;
    for (auto& [hash, known] : model_) {
      std::uint32_t const unread_s = std::max(start_s_, known.entry_s);
      std::uint32_t const read_s = std::max(known.entry_s, known.read_s == 0 ? unread_s : known.read_s);
      bool const goes = known.is_omitted || known.entry_s < policy.oldest_entry_s || read_s < policy.oldest_read_s;
      // Of the very second it may count as put meanwhile, if it was put during a maintenance that was given up.
      bool const is_open = known.is_damaged || (policy.bytes_max != 0 && known.entry_s == state.began_s());
      known.fate = goes ? Fate::go : is_open ? Fate::either : policy.bytes_max != 0 ? Fate::by_size : Fate::keep;
    }
  }
  std::string exchanged() {
    ++counts_["exchanges of files"];
    old_file_ = current_;
    current_ = table_.table->file_for_new();
    old_stays_ = before_ + DurationMs{60'000};
    former_ = table_.table->state().mode == Mode::modern ? 0 : old_file_;
    std::uint64_t bytes = 0;
    std::uint32_t newest_gone = newest_left_;
    std::uint32_t oldest_kept = UINT32_MAX;
    for (auto known = model_.begin(); known != model_.end();) {
      Known& blob = known->second;
      bool const is_there = table_.table->index().find(*bcdb::key_of_digits(known->first)).has_value();
      if (is_there && blob.fate == Fate::go) return "a blob was to be left out, and is there";
      if (!is_there && blob.fate == Fate::keep) return "a blob was to be kept, and is gone";
      if (blob.fate == Fate::by_size && is_there) {
        bytes += blob.bytes.size();
        oldest_kept = std::min(oldest_kept, blob.entry_s);
      } else if (blob.fate == Fate::by_size) {
        newest_gone = std::max(newest_gone, blob.entry_s);
      }
      // What is there was copied before it was damaged.
      blob.is_damaged = false;
      blob.fate = Fate::keep;
      known = is_there ? std::next(known) : model_.erase(known);
    }
    if (old_bytes_max_ != 0 && bytes > old_bytes_max_) return "more bytes were kept than wanted";
    if (newest_gone > oldest_kept) return "a newer blob was left out for an older one";
    return check_all();
  }
  std::string check_all() {
    for (auto const& [hash, known] : model_) {
      std::optional<Blob> const blob = table_.table->index().find(*bcdb::key_of_digits(hash));
      if (!blob.has_value() || blob->entry_time != known.entry_s) return "a blob is gone, or has another time";
      if (blob->extent.file != current_) return "a blob is in another file than the current one";
      std::string const got = table_.files.read(blob->extent.file, blob->extent.begin, blob->extent.end);
      if (got != known.bytes && !known.is_damaged) return "coordinates lead to other bytes";
    }
    return "";
  }

  static constexpr std::size_t kBlobsMax = 400;

  Counts& counts_;
  std::mt19937_64 random_;
  Texts options_;
  Mode mode_;
  Harness table_;
  std::map<std::string, Known> model_;
  bool collides_{false};
  std::uint64_t keys_{0};
  std::uint64_t serial_{0};
  std::uint64_t sequence_{0};
  Texts numbered_;
  std::optional<Harness::Copies> pending_;
  std::optional<Extent> late_;
  std::map<std::uint64_t, std::string> open_;  // transactions, with the hash of the key that each holds
  std::uint64_t transactions_{0};
  Lsn copied_below_{};  // while what lies below is compacted; none: it is not
  std::uint32_t start_s_{0};
  TimeMs before_{};
  std::uint32_t current_{1};
  std::uint32_t building_{0};
  std::uint32_t last_number_{1};
  bool is_building_{false};
  std::uint64_t old_bytes_max_{0};
  std::uint32_t old_file_{0};
  TimeMs old_stays_{};
  std::uint32_t former_{0};       // waits for the next maintenance
  std::uint32_t newest_left_{0};  // second of it that is left out by size
  bool all_is_judged_{false};
};

}  // namespace

fastjournal::test::LifeResult live(std::uint64_t seed, std::uint64_t steps) {
  return fastjournal::test::live<Life>(seed, steps);
}

}  // namespace fastjournal::blob::test

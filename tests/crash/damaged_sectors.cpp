// Damage to acknowledged data. A log is made by seed, and its batches are read once while it is intact. Then one sector
// after the other is damaged, and the log is opened. Damage counts only if it changed bytes of a batch at or above the
// base that the disk itself says is durable (in a marker, a later batch, a header): a start that accepts such a log is a
// fault, whatever it finds. Sometimes a file is damaged instead of a sector: a segment is missing or an old copy,
// everything after some place is wiped, or `newest` is missing.
#include <charconv>
#include <memory>
#include <random>

#include "log/file/log_reader.h"
#include "tests/crash/proofs.h"

namespace fastjournal::log::file::test {

namespace {

enum class Damage : std::uint8_t { wiped, one_bit, garbage, other_place, other_log, other_generation, torn_inside };
constexpr std::size_t kDamages = 7;
constexpr std::string_view kDamageNames[kDamages] = {"wiped",
                                                     "one bit",
                                                     "garbage",
                                                     "a sector of another place",
                                                     "the same sector of another log",
                                                     "another generation",
                                                     "a shift by 8"};

constexpr std::uint64_t kFileEvery = 8;

struct Piece {
  std::string segment;
  std::uint64_t offset{0};
  Lsn begin{};
  Lsn end{};
};

class DamagedLog {
 public:
  DamagedLog(Proof const& proof, std::uint64_t seed)
      : proof_(proof), random_(seed), sizes_(kSizes[seed % 3]), well_(options()), twin_(options()) {
    well_.world.options = small_options(sizes_.block, 6 + draw(12));
    well_.world.options.sync_method = sizes_.method;
    twin_.world.options = well_.world.options;
    twin_.world.options.store_id_seed = 0x0DD;
    twin_.salt = 1'000'000;
  }

  std::optional<std::string> run(std::uint64_t tries) {
    if (auto wrong = make()) return wrong;
    ++proof_.tally.histories;
    image_ = well_.world.disk.image();
    auto const twin = twin_.world.disk.image();
    for (std::uint64_t i = 0; i < tries && !proof_.is_over(); ++i) {
      auto const how = static_cast<Damage>(draw(kDamages));
      Piece const& piece = pieces_[draw(pieces_.size())];
      if (i % kFileEvery == 0 && !is_old_) {
        if (auto wrong = lose_file(piece)) return *wrong;
        continue;
      }
      std::uint64_t const at =
          piece.offset + draw((piece.end.value - piece.begin.value) / sizes_.sector) * sizes_.sector;
      auto const bytes = damaged(how, piece, at, twin);
      auto const& before = image_.at(piece.segment);
      if (!bytes || std::equal(bytes->begin(), bytes->end(), before.begin() + static_cast<std::ptrdiff_t>(at)))
        continue;
      if (auto wrong = try_one(piece, at, *bytes))
        return fmt::format("{} at {} offset {}: {}", kDamageNames[static_cast<std::size_t>(how)], piece.segment, at,
                           *wrong);
    }
    return {};
  }

 private:
  sim::SimDisk::Options options() const { return {sizes_.sector, 1ULL << 40U}; }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  // Makes a log with several starts and closes it; and a second log with the same history.
  std::optional<std::string> make() {
    if (!well_.open() || !twin_.open()) return well_.trouble() + twin_.trouble();
    for (std::uint64_t left = 10 + draw(30); left > 0; --left) {
      if (left == 5) early_ = well_.world.disk.image();
      char const letter = Scenario::kSteps[draw(Scenario::kSteps.size())];
      if (!well_.step(letter) || !twin_.step(letter)) return well_.trouble() + twin_.trouble();
    }
    // What is durable is said by a marker, or else by the header of the next segment.
    has_marker_ = draw(2) == 0;
    is_old_ = draw(4) == 0;
    for (char const letter : std::string_view(has_marker_ ? "pps" : "ppr"))
      if (!well_.step(letter) || !twin_.step(letter)) return well_.trouble() + twin_.trouble();
    well_.world.log.reset();
    // In an old log nothing outside of the segments says what is durable.
    if (is_old_) become_old(well_.world.disk, sizes_.block);
    return find_pieces();
  }

  // Collects the parts, by segment, of all batches that must be intact.
  std::optional<std::string> find_pieces() {
    auto reader = LogReader::open(well_.world.disk, "data/log");
    if (!reader.ok()) return reader.status().text();
    Collector found;
    RecoveryReport report;
    if (Status status = reader.value().read(found, report); !status.ok()) return status.text();
    if (found.entries.empty()) return "no record was found";
    Lsn told{};
    for (FoundSegment const& segment : reader.value().segments()) told = std::max(told, segment.header.durable);
    for (BatchView const& batch : found.batches) told = std::max(told, batch.header.durable);
    if (has_marker_ && told < report.end) return "the marker does not tell that all is durable";
    for (BatchView const& batch : found.batches) {
      if (batch.header.end() > std::min(told, report.end) || batch.header.end() <= found.base_given) continue;
      for (FoundSegment const* segment : reader.value().chain()) {
        Lsn const begin = std::max(batch.header.lsn, segment->header.first);
        Lsn const end = std::min(batch.header.end(), segment->header.end());
        if (begin >= end) continue;
        std::uint64_t const head = kHeaderBlocks * sizes_.block;
        pieces_.push_back({segment->path, head + begin.value - segment->header.first.value, begin, end});
        batches_.push_back(batch.header);
      }
    }
    if (pieces_.empty()) return "no batch is covered";
    return {};
  }

  using Image = std::map<std::string, std::vector<std::byte>, std::less<>>;

  // The bytes at `at` after this damage; nothing if it is not possible there.
  std::optional<std::vector<std::byte>> damaged(Damage how, Piece const& piece, std::uint64_t at, Image const& twin) {
    std::vector<std::byte> const& file = image_.at(piece.segment);
    auto const sector_of = [&](std::vector<std::byte> const& from, std::uint64_t offset) {
      auto const begin = from.begin() + static_cast<std::ptrdiff_t>(offset);
      return std::vector<std::byte>(begin, begin + static_cast<std::ptrdiff_t>(sizes_.sector));
    };
    std::vector<std::byte> bytes = sector_of(file, at);
    switch (how) {
      case Damage::wiped: return std::vector<std::byte>(sizes_.sector);
      case Damage::one_bit: bytes[draw(bytes.size())] ^= std::byte{1} << draw(8); return bytes;
      case Damage::garbage:
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(draw(256));
        return bytes;
      case Damage::other_place: {
        Piece const& other = pieces_[draw(pieces_.size())];
        return sector_of(image_.at(other.segment), other.offset);
      }
      case Damage::other_log: {
        auto const same = twin.find(piece.segment);
        if (same == twin.end() || same->second.size() != file.size()) return std::nullopt;
        return sector_of(same->second, at);
      }
      case Damage::other_generation: return of_another_generation(piece, at);
      case Damage::torn_inside: std::rotate(bytes.begin(), bytes.begin() + 8, bytes.end()); return bytes;
    }
    return std::nullopt;
  }

  // The batch as an intact one of another generation, as a copy of the segment from another time would have it.
  std::optional<std::vector<std::byte>> of_another_generation(Piece const& piece, std::uint64_t at) {
    auto const number = static_cast<std::size_t>(&piece - pieces_.data());
    BatchHeader header = batches_[number];
    if (header.length != sizes_.sector || at != piece.offset || piece.begin != header.lsn) return std::nullopt;
    auto const begin = image_.at(piece.segment).begin() + static_cast<std::ptrdiff_t>(at);
    std::vector<std::byte> bytes(begin, begin + static_cast<std::ptrdiff_t>(header.length));
    header.generation += 1 + draw(3);
    close_batch(header, well_.world.options.store_id_seed, bytes);
    return bytes;
  }

  std::optional<std::string> lose_file(Piece const& piece) {
    World world(options());
    world.options = well_.world.options;
    world.disk.copy_state(well_.world.disk);
    std::string what = piece.segment;
    switch (draw(4)) {
      case 0: world.disk.drop(piece.segment); break;
      case 1:
        what = "data/log/newest";
        world.disk.drop(what);
        break;
      case 2: {
        what += " from offset " + std::to_string(piece.offset);
        world.disk.wipe(piece.segment, piece.offset, image_.at(piece.segment).size() - piece.offset);
        break;
      }
      default: {
        auto const old = early_.find(piece.segment);
        if (old == early_.end()) return {};
        auto const length = static_cast<std::ptrdiff_t>(piece.end.value - piece.begin.value);
        auto const at = [&](std::vector<std::byte> const& bytes) {
          return bytes.begin() + static_cast<std::ptrdiff_t>(piece.offset);
        };
        // The old copy has the same bytes: the segment was not written since.
        std::vector<std::byte> const& now = image_.at(piece.segment);
        if (std::equal(at(now), at(now) + length, at(old->second))) return {};
        what += " as it was before";
        world.disk.overwrite(piece.segment, 0, old->second);
      }
    }
    ++proof_.tally.damages;
    auto const before = world.disk.image();
    Status const status = world.open();
    if (status.ok()) return fmt::format("without {} the start goes on", what);
    if (status.code() != Code::damaged) return fmt::format("without {}: refused as {}", what, status.text());
    if (world.disk.image() != before) return fmt::format("without {}: the refused start changed files", what);
    return {};
  }

  std::optional<std::string> try_one(Piece const& piece, std::uint64_t at, std::vector<std::byte> const& bytes) {
    ++proof_.tally.damages;
    World world(options());
    world.options = well_.world.options;
    world.disk.copy_state(well_.world.disk);
    world.disk.overwrite(piece.segment, at, bytes);
    auto const before = world.disk.image();
    Status const status = world.open();
    if (status.ok())
      return fmt::format("the start goes on with {} records{}", world.found.entries.size(),
                         world.report.cut ? ", cut: " + world.report.cut_reason : std::string{});
    if (status.code() != Code::damaged) return "refused as " + status.text();
    if (!names_the_place(status.message(), piece)) return "the refusal names another place: " + status.message();
    if (world.disk.image() != before) return "the refused start changed files";
    return {};
  }

  // True if the message has segment and offset of the batch's begin, or of its first part that is needed.
  bool names_the_place(std::string const& message, Piece const& piece) const {
    auto const number = static_cast<std::size_t>(&piece - pieces_.data());
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (batches_[i].lsn != batches_[number].lsn) continue;
      std::size_t const named = message.find(pieces_[i].segment + " offset ");
      if (named == std::string::npos) continue;
      std::string_view const digits = std::string_view(message).substr(named + pieces_[i].segment.size() + 8);
      std::uint64_t offset = 0;
      std::from_chars(digits.data(), digits.data() + digits.size(), offset);
      if (offset >= pieces_[i].offset && offset < pieces_[i].offset + (pieces_[i].end.value - pieces_[i].begin.value))
        return true;
    }
    return false;
  }

  Proof const& proof_;
  std::mt19937_64 random_;
  Sizes sizes_;
  Scenario well_;
  Scenario twin_;
  bool has_marker_{false};
  bool is_old_{false};  // of version 2, which does not notice missing files
  Image image_;
  Image early_;  // five letters before the end
  std::vector<Piece> pieces_;
  std::vector<BatchHeader> batches_;  // by index of pieces_
};

}  // namespace

std::optional<Failure> damaged_sectors(Proof const& proof, std::uint64_t seed, std::uint64_t tries) {
  auto const wrong = DamagedLog(proof, seed).run(tries);
  if (!wrong) return {};
  return Failure{fmt::format("seed {}: {}", seed, *wrong), fmt::format("--damage-seed {} --damage {}", seed, tries)};
}

}  // namespace fastjournal::log::file::test

#include "engine/transfer/tombstones.h"

#include <fmt/format.h>

#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "engine/base/hash.h"
#include "engine/log/key_check.h"
#include "engine/log/origin.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

bool IsTombstone(const fb::Entry& entry) {
  switch (entry.event_type()) {
    case fb::Event::MemoryErased:
    case fb::Event::ValueSuppressed:
    case fb::Event::SuppressionLifted:
    case fb::Event::ScopeNodeCreated:
      return true;
    default:
      return false;
  }
}

Json PathOf(const std::vector<Hash>& hashes) {
  Json path = Json::array();
  for (const Hash& hash : hashes) path.push_back(Base64Encode(AsBytes(hash)));
  return path;
}

// Writes lines and counts what stands in them.
class Lines {
 public:
  explicit Lines(std::ostream& out) : out_(out) {}
  void Add(const Json& json) {
    const std::string line = json.dump() + "\n";
    hash_.Update(line);
    out_ << line;
  }
  void End(Seq entries) { Add({{"end", entries}, {"sha256", HexEncode(AsBytes(hash_.Finish()))}}); }

 private:
  std::ostream& out_;
  Sha256Stream hash_;
};

Result<SpaceInfo> InfoOf(const Engine& engine, SpaceId space) {
  for (SpaceInfo& info : engine.Spaces()) {
    if (info.id == space) return std::move(info);
  }
  return Fail(Code::kNotFound, fmt::format("There is no space {}.", space), "space");
}

class Collector {
 public:
  Collector(const Engine& engine, SpaceInfo space, Seq since, std::ostream& out)
      : engine_(engine),
        space_(std::move(space)),
        tree_(engine.Tree(space_.id)),
        view_{tree_, engine.Tiles(space_.id)},
        lines_(out) {
    found_.since = since;
  }

  Result<Tombstones> Run() {
    if (found_.since > tree_.Size()) {
      return Fail(Code::kInvalidArgument,
                  fmt::format("The log ends at entry {}: there is nothing after {}.", tree_.Size(),
                              found_.since),
                  "since");
    }
    RETURN_IF_ERROR(Manifest());
    for (Seq seq = found_.since + 1; seq <= tree_.Size(); ++seq) {
      ASSIGN_OR_RETURN(Entry entry, ReadEntry(engine_.Latest(), space_.id, seq));
      if (IsTombstone(*entry)) RETURN_IF_ERROR(Add(std::move(entry)));
    }
    lines_.End(found_.entries.size());
    return std::move(found_);
  }

 private:
  Status Manifest() {
    const SpaceKeys& keys = engine_.KeysOf(space_.id);
    found_.space = space_.name;
    ASSIGN_OR_RETURN(found_.head.origin, engine_.Origin(space_));
    found_.head.size = tree_.Size();
    found_.head.root = tree_.Root();
    found_.verifier_key = FormatVerifierKey(found_.head.origin, keys.signing.public_key);
    ASSIGN_OR_RETURN(found_.consistency, ConsistencyProof(found_.since, tree_.Size(), view_));
    found_.secret_digest = HexEncode(KeyDigestsOf(space_.id, keys).value->substr(0, 32));
    lines_.Add({{"perdure_tombstones", kFormat},
                {"space", found_.space},
                {"since", found_.since},
                {"tree_head", SignTreeHead(found_.head, keys.signing)},
                {"verifier_key", found_.verifier_key},
                {"consistency", PathOf(found_.consistency)},
                {"secret", found_.secret_digest}});
    return {};
  }

  Status Add(Entry entry) {
    const Seq seq = entry->seq();
    ASSIGN_OR_RETURN(const auto path, InclusionProof(seq - 1, tree_.Size(), view_));
    Json line = {{"entry", Base64Encode(entry.bytes())}, {"path", PathOf(path)}};
    const std::string key = tables::PayloadOf(space_.id, seq);
    ASSIGN_OR_RETURN(auto row, engine_.Latest().Get(Family::kPayload, key));
    if (row) {
      line["payload"] = Base64Encode(*row);
      ASSIGN_OR_RETURN(PayloadRow parsed, PayloadRow::Parse(*std::move(row)));
      found_.payloads.emplace(seq, std::move(parsed));
    }
    lines_.Add(line);
    found_.entries.push_back(std::move(entry));
    return {};
  }

  const Engine& engine_;
  SpaceInfo space_;
  TreeState tree_;
  TreeView view_;
  Lines lines_;
  Tombstones found_;
};

// Reads line after line; what is wrong is said of the line.
class Reader {
 public:
  explicit Reader(std::istream& in) : in_(in) {}

  Result<Tombstones> Run() {
    ASSIGN_OR_RETURN(const Json manifest, Next());
    RETURN_IF_ERROR(TakeManifest(manifest));
    while (true) {
      const std::size_t before = read_.size();
      ASSIGN_OR_RETURN(const Json line, Next());
      if (line.contains("end")) {
        read_.resize(before);
        RETURN_IF_ERROR(CheckEnd(line));
        return std::move(found_);
      }
      RETURN_IF_ERROR(TakeEntry(line));
    }
  }

 private:
  std::unexpected<Error> Bad(std::string_view what) const {
    return Fail(Code::kCorrupt, fmt::format("Line {} of the tombstone bundle {}", line_, what));
  }

  Result<Json> Next() {
    ++line_;
    std::string line;
    if (!std::getline(in_, line) || in_.eof()) return Bad("is not whole: the bundle is cut off.");
    read_ += line + "\n";
    Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || json.dump() != line) return Bad("is not as it was written.");
    return json;
  }

  Result<std::string> Text(const Json& line, const char* name) const {
    const auto found = line.find(name);
    if (found == line.end() || !found->is_string()) {
      return Bad(fmt::format("has no text \"{}\".", name));
    }
    return found->get<std::string>();
  }
  Result<std::string> Bytes(const Json& line, const char* name) const {
    ASSIGN_OR_RETURN(const std::string text, Text(line, name));
    auto bytes = Base64Decode(text);
    if (!bytes || Base64Encode(*bytes) != text) return Bad(fmt::format("has a bad \"{}\".", name));
    return *std::move(bytes);
  }
  Result<std::vector<Hash>> Hashes(const Json& line, const char* name) const {
    const auto found = line.find(name);
    if (found == line.end() || !found->is_array()) return Bad(fmt::format("has no \"{}\".", name));
    std::vector<Hash> hashes;
    for (const Json& element : *found) {
      const auto bytes =
          element.is_string() ? Base64Decode(element.get<std::string>()) : std::nullopt;
      if (!bytes || bytes->size() != sizeof(Hash))
        return Bad(fmt::format("has a bad \"{}\".", name));
      std::copy(bytes->begin(), bytes->end(), hashes.emplace_back().begin());
    }
    return hashes;
  }

  Status TakeManifest(const Json& line) {
    const auto format = line.find("perdure_tombstones");
    if (format == line.end()) return Bad("does not begin a tombstone bundle.");
    if (*format != kFormat) return Bad("names a format of a newer program.");
    const auto since = line.find("since");
    if (since == line.end() || !since->is_number_unsigned()) return Bad("has no \"since\".");
    found_.since = since->get<Seq>();
    ASSIGN_OR_RETURN(found_.space, Text(line, "space"));
    ASSIGN_OR_RETURN(found_.verifier_key, Text(line, "verifier_key"));
    ASSIGN_OR_RETURN(found_.secret_digest, Text(line, "secret"));
    ASSIGN_OR_RETURN(found_.consistency, Hashes(line, "consistency"));
    ASSIGN_OR_RETURN(const std::string note, Text(line, "tree_head"));
    const auto key = ParseVerifierKey(found_.verifier_key);
    if (!key) return Bad("has a malformed verifier key.");
    const std::string origin = Engine::OriginOf(found_.space);
    if (key->name != origin && !key->name.starts_with(origin + "/")) {
      return Bad("has a key of another log.");
    }
    const auto head = OpenTreeHead(note, key->name, key->key);
    if (!head || head->size < found_.since)
      return Bad("has a tree head that its key did not sign.");
    found_.head = *head;
    return {};
  }

  Status TakeEntry(const Json& line) {
    ASSIGN_OR_RETURN(std::string bytes, Bytes(line, "entry"));
    ASSIGN_OR_RETURN(const auto path, Hashes(line, "path"));
    auto entry = Entry::Parse(std::move(bytes));
    if (!entry || !IsTombstone(**entry)) return Bad("holds an entry that is no tombstone.");
    const Seq seq = (*entry)->seq();
    const Seq last = found_.entries.empty() ? found_.since : found_.entries.back()->seq();
    if (seq <= last || seq > found_.head.size)
      return Bad("holds an entry that is out of its place.");
    if (!VerifyInclusion(seq - 1, found_.head.size, LeafHash(entry->bytes()), path,
                         found_.head.root)) {
      return Bad(fmt::format("holds an entry that is not entry {} of the log.", seq));
    }
    if (line.contains("payload")) {
      ASSIGN_OR_RETURN(std::string row, Bytes(line, "payload"));
      if (!(*entry)->payload_digest() || FromDigest(*(*entry)->payload_digest()) != Sha256(row)) {
        return Bad(fmt::format("holds a payload that is not the one of entry {}.", seq));
      }
      auto parsed = PayloadRow::Parse(std::move(row));
      if (!parsed) return Bad("holds a malformed payload.");
      found_.payloads.emplace(seq, *std::move(parsed));
    }
    found_.entries.push_back(*std::move(entry));
    return {};
  }

  Status CheckEnd(const Json& line) {
    ASSIGN_OR_RETURN(const std::string digest, Text(line, "sha256"));
    if (line["end"] != found_.entries.size() || digest != HexEncode(AsBytes(Sha256(read_)))) {
      return Bad("does not fit what is before it.");
    }
    if (in_.peek() != std::istream::traits_type::eof()) return Bad("is not the last one.");
    return {};
  }

  std::istream& in_;
  std::string read_;  // a bundle is small
  Seq line_ = 0;
  Tombstones found_;
};

}  // namespace

Result<Tombstones> WriteTombstones(const Engine& engine, SpaceId space, Seq since,
                                   std::ostream& out) {
  ASSIGN_OR_RETURN(SpaceInfo info, InfoOf(engine, space));
  ASSIGN_OR_RETURN(Tombstones found, Collector(engine, std::move(info), since, out).Run());
  if (!out.flush()) return Fail(Code::kUnavailable, "The bundle cannot be written.");
  return found;
}

Result<Tombstones> ReadTombstones(std::istream& in) { return Reader(in).Run(); }

}  // namespace perdure

// The reading half of TextIndex.
#include <algorithm>
#include <array>
#include <optional>
#include <thread>

#include "index/text/text_index.h"

namespace perdure {
namespace {

// Attempts to read beside the flushes, before one that keeps them out.
constexpr int kAttemptsBesideFlush = 20;

// Takes the postings that speak for their chunks. False when there are more than `room`, which it
// takes them from.
bool TakeAll(MatchTerm& term, const SlotTable& slots, std::size_t& room,
             std::vector<Posting>& taken) {
  std::vector<Posting> buffer;
  for (LayerPostings& layer : term.layers) {
    for (ChunkNumber next = layer.source->next(); next != kNoChunk; next = layer.source->next()) {
      const ChunkNumber end = next + std::min(kNoChunk - next, SlotTable::kBlockSize);
      for (const Posting& posting : layer.source->TakeBelow(end, buffer)) {
        if (room == 0) return false;
        --room;
        if (IsLive(layer, slots.Get(posting.chunk))) taken.push_back(posting);
      }
    }
  }
  return true;
}

}  // namespace

// All that a search reads, as it was at one moment.
struct TextIndex::View {
  struct MemoryTerm {
    std::int64_t balance = 0;  // chunks in memory with the term, less those gone from disk
    std::vector<Posting> active;
    std::span<const Posting> sealed;
  };
  struct Term {
    double weight = 1;
    std::array<std::string, 2> keys;  // by Generation
    std::array<MemoryTerm, 2> memory;
    std::array<PostingCache::List, 2> disk;  // those at hand
  };

  DiskRevision on_disk;
  SlotTable slots;
  LengthStatistics lengths;
  Layer active_layer = Layer::kDisk;
  std::shared_ptr<const MemoryPart> sealed;
  bool include_past = false;
  std::vector<Term> terms;

  std::size_t generations() const { return include_past ? 2 : 1; }
  bool HasAllLists() const {
    return std::ranges::all_of(terms, [this](const Term& term) {
      return term.disk[0] && (!include_past || term.disk[1]);
    });
  }
};

// Calls `use` until it says something else than that the index moved on meanwhile.
template <typename Use>
auto TextIndex::Retrying(Use use) const -> decltype(use()) {
  for (int attempt = 0; attempt < kAttemptsBesideFlush; ++attempt) {
    auto result = use();
    if (result || result.error().code != Code::kUnavailable) return result;
    std::this_thread::yield();
  }
  const MutexLock flushing(flushing_);
  return use();
}

Result<DocumentTerms> TextIndex::TermsOf(ChunkNumber chunk) {
  return Retrying([&]() -> Result<DocumentTerms> {
    DiskRevision on_disk;
    Slot slot;
    {
      const MutexLock state(state_);
      slot = slots_.Get(chunk);
      if (slot.layer == active_->layer()) return active_->TermsOf(chunk);
      if (slot.layer != Layer::kDisk) return sealed_->TermsOf(chunk);
      on_disk = on_disk_;
    }
    ASSIGN_OR_RETURN(auto reader, readers_.Acquire(on_disk, PathOf(on_disk.database)));
    ASSIGN_OR_RETURN(auto keys, reader.disk->KeysOf(chunk));
    readers_.Release(std::move(reader));
    DocumentTerms terms{{}, slot.length};
    for (auto& [key, count] : keys) terms.terms.push_back({key.substr(1), count});
    return terms;
  });
}

Result<std::vector<TextHit>> TextIndex::Search(std::span<const QueryTerm> query, std::size_t limit,
                                               bool include_past, const ChunkFilter& allowed,
                                               double least_words) const {
  RETURN_IF_ERROR(Damage());
  return Retrying([&] {
    return Match(TakeView(query, include_past), [&](auto terms, const auto& slots, auto& bm25) {
      return BestMatches(std::move(terms), slots, bm25, limit, least_words, allowed);
    });
  });
}

Result<std::vector<TextHit>> TextIndex::Score(std::span<const QueryTerm> query,
                                              std::span<const ChunkNumber> chunks,
                                              bool include_past) const {
  RETURN_IF_ERROR(Damage());
  return Retrying([&] {
    return Match(TakeView(query, include_past), [&](auto terms, const auto& slots, auto& bm25) {
      return ScoreChunks(std::move(terms), slots, bm25, chunks);
    });
  });
}

Result<std::optional<QueryPostings>> TextIndex::Postings(std::span<const QueryTerm> query,
                                                         std::size_t max, bool include_past) const {
  RETURN_IF_ERROR(Damage());
  return Retrying([&] {
    View view = TakeView(query, include_past);
    const LengthStatistics lengths = view.lengths;
    return Match(std::move(view),
                 [&](auto terms, const auto& slots, auto&) -> std::optional<QueryPostings> {
                   QueryPostings found{{}, slots, lengths};
                   found.terms.resize(query.size());
                   std::size_t room = max;
                   for (MatchTerm& term : terms) {
                     if (!TakeAll(term, slots, room, found.terms[term.place])) return std::nullopt;
                   }
                   return found;
                 });
  });
}

TextIndex::View TextIndex::TakeView(std::span<const QueryTerm> query, bool include_past) const {
  View view;
  view.include_past = include_past;
  view.terms.reserve(query.size());
  for (const auto& [term, weight] : query) {
    view.terms.push_back(
        {weight,
         {KeyOfTerm(Generation::kCurrent, term), KeyOfTerm(Generation::kPast, term)},
         {},
         {}});
  }
  const MutexLock state(state_);
  view.on_disk = on_disk_;
  view.slots = slots_.Snapshot();
  view.lengths = lengths_[static_cast<std::size_t>(Generation::kCurrent)];
  view.active_layer = active_->layer();
  view.sealed = sealed_;
  for (auto& term : view.terms) {
    for (std::size_t g = 0; g < view.generations(); ++g) {
      auto& memory = term.memory[g];
      term.disk[g] = cache_.Find(term.keys[g]);
      if (const auto* found = active_->Find(term.keys[g])) {
        memory.balance += found->balance;
        memory.active = found->postings;
      }
      const auto* found = sealed_ == nullptr ? nullptr : sealed_->Find(term.keys[g]);
      if (found != nullptr) {
        memory.balance += found->balance;
        memory.sealed = found->postings;
      }
    }
  }
  return view;
}

// Fills in the view's lists that the cache did not have, but for those too long to be read whole.
Status TextIndex::ReadLists(View& view, DiskReader& disk) const {
  for (auto& term : view.terms) {
    for (std::size_t g = 0; g < view.generations(); ++g) {
      if (term.disk[g] != nullptr) continue;
      auto list = std::make_shared<PostingList>();
      list->chunks = disk.CountChunks(term.keys[g]);
      if (list->chunks > list_max_) continue;
      if (list->chunks > 0) disk.Postings(term.keys[g])->TakeBelow(kNoChunk, list->postings);
      if (!disk.status()) return disk.status();
      term.disk[g] = std::move(list);
      const MutexLock state(state_);
      if (on_disk_ == view.on_disk) cache_.Insert(term.keys[g], term.disk[g]);
    }
  }
  return {};
}

// `choose` makes the answer of the view's terms.
template <typename Choose>
auto TextIndex::Match(View view, Choose choose) const
    -> Result<std::invoke_result_t<Choose, std::vector<MatchTerm>, const SlotTable&, const Bm25&>> {
  std::optional<ReaderPool::Reader> reader;
  if (!view.HasAllLists()) {
    ASSIGN_OR_RETURN(reader, readers_.Acquire(view.on_disk, PathOf(view.on_disk.database)));
    RETURN_IF_ERROR(ReadLists(view, *reader->disk));
  }
  const Bm25 bm25(view.lengths);
  std::vector<MatchTerm> terms;
  double sum = 0;
  double words = 0;
  for (auto& term : view.terms) {
    const std::uint64_t on_disk =
        term.disk[0] ? term.disk[0]->chunks : reader->disk->CountChunks(term.keys[0]);
    MatchTerm& match = terms.emplace_back();
    match.place = terms.size() - 1;
    match.share =
        term.weight * bm25.Idf(on_disk + static_cast<std::uint64_t>(term.memory[0].balance));
    sum += match.share;
    match.word_share = term.weight;
    words += term.weight;
    for (std::size_t g = 0; g < view.generations(); ++g) {
      auto& memory = term.memory[g];
      const auto add = [&](Layer layer, std::unique_ptr<PostingSource> source) {
        if (source->next() == kNoChunk) return;
        match.layers.push_back({layer, static_cast<Generation>(g), std::move(source)});
      };
      const auto& list = term.disk[g];
      add(Layer::kDisk, list ? std::make_unique<MemoryPostings>(std::span(list->postings))
                             : reader->disk->Postings(term.keys[g]));
      if (view.sealed) {
        add(view.sealed->layer(), std::make_unique<MemoryPostings>(memory.sealed));
      }
      add(view.active_layer, std::make_unique<MemoryPostings>(std::move(memory.active)));
    }
  }
  for (auto& term : terms) {
    term.share /= sum;
    term.word_share /= words;
  }
  std::erase_if(terms, [](const MatchTerm& term) { return term.layers.empty(); });
  auto hits = choose(std::move(terms), view.slots, bm25);
  if (!reader) return hits;
  if (!reader->disk->status()) return std::unexpected(reader->disk->status().error());
  readers_.Release(std::move(*reader));
  return hits;
}

}  // namespace perdure

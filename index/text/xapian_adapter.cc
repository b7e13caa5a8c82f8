#include "index/text/xapian_adapter.h"

#include <fmt/format.h>
#include <xapian.h>

#include <filesystem>
#include <system_error>
#include <type_traits>

#include "engine/base/files.h"

namespace perdure {
namespace {

std::unexpected<Error> Damaged(const std::string& what) {
  return Fail(Code::kCorrupt,
              "the text index is damaged, `perdure index rebuild` makes a new one: " + what);
}

// Of a database whose termlist is gone Xapian opens the rest, and in place of one whose postlist is
// gone it makes an empty one. None of these files is ever made again.
Status FindFiles(const std::string& directory) {
  for (const char* name : {"iamglass", "postlist.glass", "termlist.glass"}) {
    std::error_code error;
    if (std::filesystem::exists(fmt::format("{}/{}", directory, name), error)) continue;
    if (!error) return Damaged(fmt::format("{} is gone", name));
    return Fail(Code::kUnavailable,
                fmt::format("Cannot look for {} in {}: {}.", name, directory, error.message()));
  }
  return {};
}

// Runs `action` and turns what Xapian throws into an Error.
template <typename Action>
auto Guarded(Action action) -> Result<decltype(action())> {
  try {
    if constexpr (std::is_void_v<decltype(action())>) {
      action();
      return {};
    } else {
      return action();
    }
  } catch (const Xapian::DatabaseModifiedError& error) {
    return Fail(Code::kUnavailable, "the text index moved on: " + error.get_description());
  } catch (const Xapian::DatabaseCorruptError& error) {
    return Damaged(error.get_description());
  } catch (const Xapian::DatabaseNotFoundError& error) {
    return Fail(Code::kNotFound, "no text index there: " + error.get_description());
  } catch (const Xapian::Error& error) {
    // A file that was cut short has no class of its own.
    if (error.get_msg().starts_with("EOF reading block")) return Damaged(error.get_description());
    return Fail(Code::kInternal, "the text index failed: " + error.get_description());
  } catch (const std::exception& error) {
    return Fail(Code::kInternal, fmt::format("the text index failed: {}", error.what()));
  }
}

// Xapian counts documents from 1.
Xapian::docid IdOf(ChunkNumber chunk) { return chunk + 1; }
ChunkNumber ChunkOf(Xapian::docid id) { return id - 1; }

}  // namespace

struct Stemmer::Impl {
  Xapian::Stem stem;
};

Stemmer::Stemmer(const char* language)
    : impl_(std::make_unique<Impl>(Impl{Xapian::Stem(language)})) {}
Stemmer::~Stemmer() = default;
Stemmer::Stemmer(Stemmer&&) noexcept = default;
Stemmer& Stemmer::operator=(Stemmer&&) noexcept = default;

std::string Stemmer::Stem(const std::string& word) const { return impl_->stem(word); }

struct DiskReader::Impl {
  std::string directory;
  Xapian::Database database;
};

class DiskPostings final : public PostingSource {
 public:
  DiskPostings(DiskReader& reader, const std::string& key) : reader_(reader) {
    Move([&] {
      at_ = reader_.impl_->database.postlist_begin(key);
      end_ = reader_.impl_->database.postlist_end(key);
    });
  }

  ChunkNumber next() const override { return next_; }

  std::span<const Posting> TakeBelow(ChunkNumber end, std::vector<Posting>& buffer) override {
    buffer.clear();
    Move([&] {
      for (; at_ != end_ && ChunkOf(*at_) < end; ++at_) {
        buffer.push_back({ChunkOf(*at_), at_.get_wdf()});
      }
    });
    return buffer;
  }

  std::uint32_t CountAt(ChunkNumber chunk) override {
    std::uint32_t count = 0;
    if (next_ > chunk) return 0;
    Move([&] {
      if (next_ < chunk) at_.skip_to(IdOf(chunk));
      if (at_ != end_ && ChunkOf(*at_) == chunk) count = at_.get_wdf();
    });
    return count;
  }

 private:
  template <typename Action>
  void Move(Action action) {
    const Status moved = Guarded([&] {
      action();
      next_ = at_ == end_ ? kNoChunk : ChunkOf(*at_);
    });
    if (moved) return;
    next_ = kNoChunk;
    at_ = end_ = Xapian::PostingIterator();
    reader_.status_ = moved;
  }

  DiskReader& reader_;
  Xapian::PostingIterator at_;
  Xapian::PostingIterator end_;
  ChunkNumber next_ = kNoChunk;
};

DiskReader::DiskReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DiskReader::~DiskReader() = default;

Result<std::unique_ptr<DiskReader>> DiskReader::Open(const std::string& directory) {
  auto opened = Guarded([&] {
    auto impl = std::make_unique<Impl>(
        Impl{directory, Xapian::Database(directory, Xapian::DB_BACKEND_GLASS)});
    auto reader = std::make_unique<DiskReader>(std::move(impl));
    reader->revision_ = reader->impl_->database.get_revision();
    return reader;
  });
  RETURN_IF_ERROR(FindFiles(directory));  // afterwards: they were there all the time
  return opened;
}

Status DiskReader::Refresh() {
  status_ = Guarded([&] {
    impl_->database.reopen();
    revision_ = impl_->database.get_revision();
  });
  if (const Status found = FindFiles(impl_->directory); !found) status_ = found;
  return status_;
}

std::uint64_t DiskReader::CountChunks(const std::string& key) {
  if (!status_) return 0;
  const auto count = Guarded([&] { return impl_->database.get_termfreq(key); });
  if (!count) status_ = std::unexpected(count.error());
  return count.value_or(0);
}

std::unique_ptr<PostingSource> DiskReader::Postings(const std::string& key) {
  if (!status_) return std::make_unique<MemoryPostings>(std::vector<Posting>());
  return std::make_unique<DiskPostings>(*this, key);
}

Result<std::vector<DocumentTerm>> DiskReader::KeysOf(ChunkNumber chunk) {
  return Guarded([&] {
    std::vector<DocumentTerm> keys;
    const auto end = impl_->database.termlist_end(IdOf(chunk));
    for (auto at = impl_->database.termlist_begin(IdOf(chunk)); at != end; ++at) {
      keys.push_back({*at, at.get_wdf()});
    }
    return keys;
  });
}

struct DiskWriter::Impl {
  std::string directory;
  Xapian::WritableDatabase database;
};

DiskWriter::DiskWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DiskWriter::~DiskWriter() = default;

Result<std::unique_ptr<DiskWriter>> DiskWriter::OpenWith(const std::string& directory, int action) {
  return Guarded([&] {
    auto impl = std::make_unique<Impl>(
        Impl{directory, Xapian::WritableDatabase(directory, action | Xapian::DB_BACKEND_GLASS)});
    return std::make_unique<DiskWriter>(std::move(impl));
  });
}

Result<std::unique_ptr<DiskWriter>> DiskWriter::Create(const std::string& directory) {
  return OpenWith(directory, Xapian::DB_CREATE);
}

Result<std::unique_ptr<DiskWriter>> DiskWriter::Open(const std::string& directory) {
  RETURN_IF_ERROR(FindFiles(directory));
  return OpenWith(directory, Xapian::DB_OPEN);
}

// Xapian syncs its files and not their names.
Status DiskWriter::Sync() { return SyncDirectory(impl_->directory); }

Status DiskWriter::Apply(const DiskBatch& batch) {
  RETURN_IF_ERROR(Sync());  // of the revision before: what led to it is overwritten now
  auto& database = impl_->database;
  const Status applied = Guarded([&] {
    database.begin_transaction();
    for (const ChunkNumber chunk : batch.removed) database.delete_document(IdOf(chunk));
    for (const auto& document : batch.documents) {
      Xapian::Document stored;
      for (const auto& [key, count] : document.keys) stored.add_term(std::string(key), count);
      database.replace_document(IdOf(document.chunk), stored);
    }
    for (const auto& [key, value] : batch.metadata) database.set_metadata(key, value);
    database.commit_transaction();
  });
  if (applied) return {};
  // Ends the transaction if it is still open; that it is not is no error of its own.
  [[maybe_unused]] const Status ended = Guarded([&] { database.cancel_transaction(); });
  return applied;
}

std::uint64_t DiskWriter::revision() const {
  return Guarded([&] { return impl_->database.get_revision(); }).value_or(0);
}

Result<std::string> DiskWriter::Metadata(const std::string& key) const {
  return Guarded([&] { return impl_->database.get_metadata(key); });
}

Status DiskWriter::ForEachMetadata(
    const std::string& prefix,
    const std::function<void(std::string_view key, std::string_view value)>& use) const {
  return Guarded([&] {
    const auto end = impl_->database.metadata_keys_end(prefix);
    for (auto at = impl_->database.metadata_keys_begin(prefix); at != end; ++at) {
      const std::string key = *at;
      use(key, impl_->database.get_metadata(key));
    }
  });
}

Status CheckDisk(const std::string& directory) {
  RETURN_IF_ERROR(FindFiles(directory));
  ASSIGN_OR_RETURN(const std::size_t errors,
                   Guarded([&] { return Xapian::Database::check(directory, 0, nullptr); }));
  if (errors > 0) return Damaged(fmt::format("{} errors in its tables", errors));
  return {};
}

Status CompactDisk(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(FindFiles(from));
  RETURN_IF_ERROR(
      Guarded([&] { Xapian::Database(from).compact(to, Xapian::DBCOMPACT_NO_RENUMBER); }));
  return SyncDirectory(to);
}

}  // namespace perdure

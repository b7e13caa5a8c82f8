// A disk that can lose what was not synced, and fail on demand. It stands between the program and
// libc (disk_calls.cc), below every library: RocksDB, Xapian, the index files and the keys all pass
// through it. A test program that links it watches one directory tree at a time.
//
// What a power cut leaves is what POSIX promises and no more: the bytes of a file as of its last
// fsync or fdatasync, and the names of a directory as of its own last fsync. Of what came later,
// half of the cuts keep nothing, the others a random part, torn in the middle of a write.
//
// Not seen: stdio, RocksDB's diary LOG, shared writable mappings (nobody here makes any), and
// drives that lie about a sync. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure::testing {

enum class DiskCall { kOpen, kCreate, kRead, kWrite, kSync, kResize, kRename, kRemove, kMakeDir };

class Disk {
 public:
  // The program's only disk: libc's functions have no other way to find it.
  static Disk& Get();

  // Follows what happens below `root` from now on. What is there already counts as synced.
  void Watch(const std::string& root);
  void Unwatch();

  // The power goes at the n-th changing call from now on: it and all later calls fail.
  void CutAfter(std::uint64_t calls);
  bool IsOff() const { return off_; }
  std::uint64_t Calls() const;  // changing calls so far

  // Brings the tree back to what the disk holds, and the power back. Whoever had files open must
  // have closed them: answers the paths of those that are open all the same.
  std::vector<std::string> Reboot(std::mt19937_64& random);

  // Asked for each call on the tree with the path at hand: the errno that the call fails with, or
  // 0. An empty function ends it.
  using Fault = std::function<int(DiskCall call, std::string_view path)>;
  void SetFault(Fault fault);

 private:
  friend class DiskDoor;  // disk_calls.cc: one call's way through

  // What one write or resize changed in a file; `after` is empty for a resize.
  struct Change {
    std::int64_t offset;
    std::string before;  // what stood there, at most to the old end of the file
    std::string after;
    std::int64_t size_before;
    std::int64_t size_after;
  };
  struct NameChange {
    enum Kind { kMade, kRemoved, kRenamed } kind;
    std::vector<std::uint64_t> directories;  // inodes of those not synced since
    std::uint64_t parent;                    // inode of the directory of `path`
    std::string path;
    std::string new_path;                 // of a rename
    std::string kept;                     // a second name of the file that lost its own, or empty
    std::uint64_t removed_directory = 0;  // inode of a directory that was removed
  };
  struct OpenFile {
    std::string path;
    std::uint64_t inode;
  };

  Disk() = default;
  void SyncNames(std::uint64_t directory);
  void UndoData(std::mt19937_64& random, bool keep_some);
  void UndoNames(std::mt19937_64& random, bool keep_some);
  // `again`: inodes of directories that were removed -> what they have now that they are back.
  using Inodes = std::map<std::uint64_t, std::uint64_t>;
  static void UndoName(const NameChange& change, Inodes& again);

  std::atomic<bool> watching_ = false;
  std::atomic<bool> off_ = false;
  std::atomic<bool> has_fault_ = false;

  mutable std::mutex mutex_;
  std::string root_;
  std::string graveyard_;  // beside the root: second names of what was removed and not synced
  std::uint64_t next_kept_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t cut_at_ = 0;  // 0: no cut is due
  Fault fault_;
  std::map<int, OpenFile> open_;
  std::map<std::uint64_t, std::vector<Change>> unsynced_;  // by inode, in order
  std::vector<NameChange> names_;                          // not durable yet, in order
};

// While it lives, this thread's calls go to the real disk unseen.
class PastTheDisk {
 public:
  PastTheDisk();
  ~PastTheDisk();
  PastTheDisk(const PastTheDisk&) = delete;
  PastTheDisk& operator=(const PastTheDisk&) = delete;
  static bool IsOn();

 private:
  bool before_;
};

}  // namespace perdure::testing

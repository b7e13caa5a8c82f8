// A file that only its owner reads, and that is at its place whole or not at all.
#pragma once

#include <fstream>
#include <string>
#include <utility>

#include "engine/base/result.h"

namespace perdure {

class NewFile {
 public:
  explicit NewFile(std::string path) : path_(std::move(path)), part_(path_ + ".part") {}
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  Status Open();   // kConflict when there is a file of the name
  Status Place();  // durably
  std::ostream& out() { return out_; }

 private:
  std::string path_;
  std::string part_;
  std::ofstream out_;
  bool is_placed_ = false;
};

}  // namespace perdure

// Reads the safetensors format (https://github.com/huggingface/safetensors), which may be hostile.
//
//   file    := header_size:u64le header data
//   header  := JSON object of header_size bytes, beginning with '{'; may end in spaces
//   entry   := name ":" {"dtype": string, "shape": [u64...], "data_offsets": [begin, end]}
//   special := "__metadata__" ":" {string: string...}
//
// Offsets count from the start of data. The tensors cover data from its first to its last byte,
// without holes or overlaps; their elements are little-endian, in row-major order, and need not be
// aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace perdure {

class Safetensors {
 public:
  // Views into `file`, which must outlive it. Fails with kCorrupt, naming the tensor and the fault.
  static Result<Safetensors> Parse(std::string_view file);

  // The bytes of the half-float tensor `name`. Fails with kCorrupt when it is not there, is of
  // another type or shape, or holds an infinity or NaN.
  Result<std::string_view> FiniteHalves(std::string_view name,
                                        std::span<const std::uint64_t> shape) const;

  std::size_t size() const { return tensors_.size(); }

 private:
  struct Tensor {
    std::string dtype;
    std::vector<std::uint64_t> shape;
    std::string_view bytes;
  };
  friend class SafetensorsReader;

  std::map<std::string, Tensor, std::less<>> tensors_;
};

}  // namespace perdure

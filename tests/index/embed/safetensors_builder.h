// Writes safetensors files, right ones and wrong ones.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::testing {

// The file of a header, whatever it says, and data.
inline std::string SafetensorsFile(std::string_view header, std::string_view data) {
  std::string file;
  for (int i = 0; i < 8; ++i) {
    file += static_cast<char>(std::uint64_t{header.size()} >> (8 * i) & 0xff);
  }
  return file.append(header).append(data);
}

struct TensorSpec {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::string dtype = "F16";
};

// All elements zero; each takes 2 bytes, whatever the dtype is called.
inline std::string SafetensorsOf(const std::vector<TensorSpec>& tensors) {
  nlohmann::json header = {{"__metadata__", {{"format", "pt"}}}};
  std::uint64_t end = 0;
  for (const TensorSpec& tensor : tensors) {
    const std::uint64_t begin = end;
    std::uint64_t bytes = 2;
    for (const std::uint64_t size : tensor.shape) bytes *= size;
    end += bytes;
    header[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }
  return SafetensorsFile(header.dump(), std::string(end, '\0'));
}

}  // namespace perdure::testing

#include "index/embed/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

namespace perdure {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kSizeBytes = 8;
constexpr std::uint64_t kHeaderBytesMax = 1U << 20U;
constexpr std::string_view kMetadata = "__metadata__";

std::unexpected<Error> Corrupt(std::string message) {
  return Fail(Code::kCorrupt, "safetensors: " + std::move(message));
}

std::unexpected<Error> CorruptTensor(std::string_view name, std::string_view fault) {
  return Corrupt(fmt::format("tensor \"{}\" {}", name, fault));
}

std::uint64_t DecodeU64(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kSizeBytes; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

std::optional<std::uint64_t> ElementBytes(std::string_view dtype) {
  static constexpr std::pair<std::string_view, std::uint64_t> kSizes[] = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1},
      {"I16", 2},  {"U16", 2}, {"F16", 2}, {"BF16", 2},    {"I32", 4},
      {"U32", 4},  {"F32", 4}, {"F64", 8}, {"I64", 8},     {"U64", 8}};
  for (const auto& [name, bytes] : kSizes) {
    if (name == dtype) return bytes;
  }
  return std::nullopt;
}

std::optional<std::vector<std::uint64_t>> UnsignedArray(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return std::nullopt;
  std::vector<std::uint64_t> values;
  for (const Json& value : *found) {
    if (!value.is_number_unsigned()) return std::nullopt;
    values.push_back(value.get<std::uint64_t>());
  }
  return values;
}

// shape's product times element_bytes, or nullopt when it does not fit.
std::optional<std::uint64_t> TensorBytes(const std::vector<std::uint64_t>& shape,
                                         std::uint64_t element_bytes) {
  std::uint64_t bytes = element_bytes;
  for (const std::uint64_t size : shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
  }
  return bytes;
}

Result<Json> ParseHeader(std::string_view text) {
  std::set<std::string> names;
  std::optional<std::string> repeated;
  const auto note_names = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1) {
      auto name = parsed.get<std::string>();
      if (!names.insert(name).second) repeated = std::move(name);
    }
    return true;
  };
  Json header = Json::parse(text, note_names, /*allow_exceptions=*/false);
  if (header.is_discarded()) return Corrupt("the header is not JSON");
  if (repeated) return CorruptTensor(*repeated, "is described twice");
  return header;
}

}  // namespace

class SafetensorsReader {
 public:
  explicit SafetensorsReader(std::string_view file) : file_(file) {}

  Result<Safetensors> Read() {
    ASSIGN_OR_RETURN(const Json header, ReadHeader());
    for (const auto& [name, entry] : header.items()) {
      if (name == kMetadata) {
        RETURN_IF_ERROR(CheckMetadata(entry));
      } else {
        RETURN_IF_ERROR(ReadTensor(name, entry));
      }
    }
    RETURN_IF_ERROR(CheckCover());
    return std::move(result_);
  }

 private:
  Result<Json> ReadHeader() {
    if (file_.size() < kSizeBytes) return Corrupt("the file ends within the header's size");
    const std::uint64_t size = DecodeU64(file_);
    if (size > kHeaderBytesMax) {
      return Corrupt(fmt::format("a header of {} bytes, over {}", size, kHeaderBytesMax));
    }
    if (size > file_.size() - kSizeBytes) return Corrupt("the file ends within the header");
    const std::string_view text = file_.substr(kSizeBytes, size);
    if (!text.starts_with('{')) return Corrupt("the header does not begin with '{'");
    data_ = file_.substr(kSizeBytes + size);
    return ParseHeader(text);
  }

  static Status CheckMetadata(const Json& metadata) {
    const bool strings = metadata.is_object() && std::ranges::all_of(metadata, &Json::is_string);
    if (!strings) return Corrupt("__metadata__ is not an object of strings");
    return {};
  }

  Status ReadTensor(const std::string& name, const Json& entry) {
    if (!entry.is_object()) return CorruptTensor(name, "is not an object");
    const auto dtype = entry.find("dtype");
    if (dtype == entry.end() || !dtype->is_string()) return CorruptTensor(name, "has no dtype");
    const auto element_bytes = ElementBytes(dtype->get_ref<const std::string&>());
    if (!element_bytes) return CorruptTensor(name, "has an unknown dtype");
    auto shape = UnsignedArray(entry, "shape");
    if (!shape) return CorruptTensor(name, "has no shape of whole numbers");
    const auto bytes = TensorBytes(*shape, *element_bytes);
    if (!bytes) return CorruptTensor(name, "has a shape that overflows");
    const auto offsets = UnsignedArray(entry, "data_offsets");
    if (!offsets || offsets->size() != 2) return CorruptTensor(name, "has no pair of offsets");
    const std::uint64_t begin = offsets->front();
    const std::uint64_t end = offsets->back();
    if (begin > end) return CorruptTensor(name, "ends before it begins");
    if (end > data_.size()) return CorruptTensor(name, "ends past the end of the file");
    if (end - begin != *bytes) return CorruptTensor(name, "has offsets that its shape denies");
    result_.tensors_[name] = {dtype->get<std::string>(), *std::move(shape),
                              data_.substr(begin, end - begin)};
    extents_.emplace_back(begin, end, name);
    return {};
  }

  Status CheckCover() {
    std::ranges::sort(extents_);
    std::uint64_t covered = 0;
    for (const auto& [begin, end, name] : extents_) {
      if (begin < covered) return CorruptTensor(name, "overlaps another");
      if (begin > covered) return CorruptTensor(name, "leaves a hole before it");
      covered = end;
    }
    if (covered != data_.size()) return Corrupt("bytes follow the last tensor");
    return {};
  }

  std::string_view file_;
  std::string_view data_;
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>> extents_;
  Safetensors result_;
};

Result<Safetensors> Safetensors::Parse(std::string_view file) {
  return SafetensorsReader(file).Read();
}

Result<std::string_view> Safetensors::FiniteHalves(std::string_view name,
                                                   std::span<const std::uint64_t> shape) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) return CorruptTensor(name, "is missing");
  const Tensor& tensor = found->second;
  if (tensor.dtype != "F16")
    return CorruptTensor(name, fmt::format("is {}, not F16", tensor.dtype));
  if (!std::ranges::equal(tensor.shape, shape)) {
    return CorruptTensor(name, fmt::format("has shape [{}], not [{}]",
                                           fmt::join(tensor.shape, ", "), fmt::join(shape, ", ")));
  }
  constexpr std::uint16_t kExponent = 0x7c00;  // all ones in an infinity or NaN, and only there
  bool finite = true;
  for (std::size_t at = 0; at < tensor.bytes.size(); at += sizeof(std::uint16_t)) {
    std::uint16_t half = 0;
    std::memcpy(&half, tensor.bytes.data() + at, sizeof half);
    finite &= (half & kExponent) != kExponent;
  }
  if (!finite) return CorruptTensor(name, "holds an infinity or NaN");
  return tensor.bytes;
}

}  // namespace perdure

#include "index/vector/dot.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace perdure {
namespace {

constexpr std::size_t kLanes = 8;

float PortableFloats(const float* a, const float* b, std::size_t length) {
  float sums[kDotRound] = {};
  for (std::size_t i = 0; i < length; i += kDotRound) {
    for (std::size_t lane = 0; lane < kDotRound; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  float lanes[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    lanes[lane] =
        (sums[lane] + sums[lane + kLanes]) + (sums[lane + 2 * kLanes] + sums[lane + 3 * kLanes]);
  }
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

std::int32_t PortableCodes(const std::int8_t* a, const std::int8_t* b, std::size_t length) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < length; ++i) sum += a[i] * b[i];
  return sum;
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) inline __m256 Product(const float* a, const float* b) {
  return _mm256_mul_ps(_mm256_loadu_ps(a), _mm256_loadu_ps(b));
}

__attribute__((target("avx2"))) float Avx2Floats(const float* a, const float* b,
                                                 std::size_t length) {
  __m256 sum0 = _mm256_setzero_ps();
  __m256 sum1 = _mm256_setzero_ps();
  __m256 sum2 = _mm256_setzero_ps();
  __m256 sum3 = _mm256_setzero_ps();
  for (std::size_t i = 0; i < length; i += kDotRound) {
    sum0 = _mm256_add_ps(sum0, Product(a + i, b + i));
    sum1 = _mm256_add_ps(sum1, Product(a + i + kLanes, b + i + kLanes));
    sum2 = _mm256_add_ps(sum2, Product(a + i + 2 * kLanes, b + i + 2 * kLanes));
    sum3 = _mm256_add_ps(sum3, Product(a + i + 3 * kLanes, b + i + 3 * kLanes));
  }
  const __m256 sum = _mm256_add_ps(_mm256_add_ps(sum0, sum1), _mm256_add_ps(sum2, sum3));
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

__attribute__((target("avx2"))) std::int32_t Avx2Codes(const std::int8_t* a, const std::int8_t* b,
                                                       std::size_t length) {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sum = _mm256_setzero_si256();
  for (std::size_t i = 0; i < length; i += kDotRound) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i));
    const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + i));
    // |x| * (y with x's sign): a pair is at most 2 * 127 * 127, which 16 bits hold.
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(x), _mm256_sign_epi8(y, x));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
  }
  const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

#endif

}  // namespace

DotKernels PortableDotKernels() { return {PortableFloats, PortableCodes}; }

DotKernels FastestDotKernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return {Avx2Floats, Avx2Codes};
#endif
  return PortableDotKernels();
}

}  // namespace perdure

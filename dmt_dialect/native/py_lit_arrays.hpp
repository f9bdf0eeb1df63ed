#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dmt_dialect/native/aig/lit.hpp"

namespace dmt {

using LitArray =
    nanobind::ndarray<const std::uint32_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
template <typename T>
using NumpyVector = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;
using NumpyPairs = nanobind::ndarray<nanobind::numpy, std::uint32_t, nanobind::shape<-1, 2>>;

/// A copy that numpy can own.
template <typename T>
T* to_heap(const std::vector<T>& values, nanobind::capsule& owner) {
  T* data = new T[values.size() + 1];
  std::copy(values.begin(), values.end(), data);
  owner = nanobind::capsule(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return data;
}

template <typename T>
NumpyVector<T> to_numpy(const std::vector<T>& values) {
  nanobind::capsule owner;
  T* data = to_heap(values, owner);
  return NumpyVector<T>(data, {values.size()}, owner);
}

/// Rows of two, from literals one behind the other.
inline NumpyPairs to_numpy_pairs(const std::vector<std::uint32_t>& raw) {
  nanobind::capsule owner;
  std::uint32_t* data = to_heap(raw, owner);
  return NumpyPairs(data, {raw.size() / 2, 2}, owner);
}

inline std::vector<Lit> to_lits(const LitArray& array) {
  std::vector<Lit> lits(array.shape(0));
  for (std::size_t i = 0; i < lits.size(); ++i) lits[i] = Lit::from_raw(array.data()[i]);
  return lits;
}

inline std::vector<std::uint32_t> to_raw(const std::vector<Lit>& lits) {
  std::vector<std::uint32_t> raw(lits.size());
  std::transform(lits.begin(), lits.end(), raw.begin(), [](Lit lit) { return lit.raw(); });
  return raw;
}

}  // namespace dmt

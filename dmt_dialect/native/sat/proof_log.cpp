#include "dmt_dialect/native/sat/proof_log.hpp"

#include <charconv>
#include <cstring>

#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {
constexpr std::size_t kFlushAt = 1 << 20;
}

ProofLog::ProofLog(const std::string& path) : file_(std::fopen(path.c_str(), "wb")), path_(path) {
  if (file_ == nullptr)
    throw dynomite::UsageError("cannot write the proof " + path + ": " + std::strerror(errno));
}

ProofLog::~ProofLog() {
  if (file_ != nullptr) std::fclose(file_);
}

void ProofLog::dimacs(std::int64_t lit) {
  char digits[24];
  const auto result = std::to_chars(digits, digits + sizeof digits, lit);
  buffer_.append(digits, result.ptr);
  buffer_.push_back(' ');
}

void ProofLog::end() {
  buffer_.append("0\n");
  ++steps_;
  if (buffer_.size() >= kFlushAt) flush();
}

void ProofLog::flush() {
  if (file_ == nullptr) return;
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) {
    throw dynomite::UsageError("cannot write the proof " + path_ + ": " + std::strerror(errno));
  }
  buffer_.clear();
}

void ProofLog::close() {
  if (file_ == nullptr) return;
  flush();
  const int failed = std::fclose(file_);
  file_ = nullptr;
  if (failed != 0)
    throw dynomite::UsageError("cannot write the proof " + path_ + ": " + std::strerror(errno));
}

}  // namespace dmt

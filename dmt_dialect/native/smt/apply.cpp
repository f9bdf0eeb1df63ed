#include <algorithm>
#include <array>

#include "dmt_dialect/native/smt/term_reader.hpp"

// Applications: sorts of arguments, and the terms they become.

namespace dmt::smt {

namespace {

std::string counted(std::size_t n) { return n == 1 ? "1 argument" : std::to_string(n) + " arguments"; }

}  // namespace

void TermReader::need_count(const Frame& frame, std::size_t count, std::size_t least,
                            std::size_t most) const {
  if (count >= least && count <= most) return;
  std::string wanted = counted(least);
  if (most != least) wanted = least == 2 ? "two or more arguments" : "one or more arguments";
  lexer_.fail(frame.start, symbol_text(frame.name) + " takes " + wanted + ", not " + std::to_string(count));
}

void TermReader::need_bool(const Frame& frame, std::span<const TermId> arguments, std::size_t from,
                           std::size_t count) const {
  for (std::size_t i = from; i < arguments.size() && i - from < count; ++i) {
    if (terms_.sort(arguments[i]).is_bool()) continue;
    lexer_.fail(value_starts_[frame.first_value + i], symbol_text(frame.name) + ": argument " +
                                                          std::to_string(i + 1) + " has the sort " +
                                                          terms_.sort(arguments[i]).text() + ", not Bool");
  }
}

void TermReader::need_words(const Frame& frame, std::span<const TermId> arguments, bool equal) const {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!terms_.sort(arguments[i]).is_bool()) continue;
    lexer_.fail(value_starts_[frame.first_value + i], symbol_text(frame.name) + ": argument " +
                                                          std::to_string(i + 1) +
                                                          " has the sort Bool, not (_ BitVec N)");
  }
  if (equal) need_equal_sorts(frame, arguments);
}

void TermReader::need_equal_sorts(const Frame& frame, std::span<const TermId> arguments,
                                  std::size_t from) const {
  for (std::size_t i = from + 1; i < arguments.size(); ++i) {
    const Sort sort = terms_.sort(arguments[i]);
    const Sort first = terms_.sort(arguments[from]);
    if (sort == first) continue;
    lexer_.fail(value_starts_[frame.first_value + i],
                symbol_text(frame.name) + ": argument " + std::to_string(i + 1) + " has the sort " +
                    sort.text() + ", argument " + std::to_string(from + 1) + " has " + first.text());
  }
}

TermId TermReader::make(const Frame& frame, WordOp op, std::span<const TermId> operands, Sort sort,
                        std::uint32_t hi, std::uint32_t lo) {
  try {
    return terms_.op(op, operands, sort, hi, lo);
  } catch (const dynomite::LimitError& error) {
    lexer_.fail(frame.start, error.what());
  }
}

TermId TermReader::apply(const Frame& frame) {
  std::vector<TermId> arguments(values_.begin() + static_cast<std::ptrdiff_t>(frame.first_value),
                                values_.end());
  if (arguments.empty()) {
    lexer_.fail(frame.start, symbol_text(frame.name) + " needs arguments");
  }
  return frame.function != nullptr ? expand(frame, arguments) : apply_operator(frame, arguments);
}

TermId TermReader::apply_operator(const Frame& frame, std::vector<TermId>& arguments) {
  const WordOp op = frame.op->op;
  const std::size_t count = arguments.size();
  const Sort boolean = Sort::boolean();
  const Sort first = terms_.sort(arguments[0]);
  const auto pair = [&](WordOp with, TermId a, TermId b, Sort sort) {
    return make(frame, with, std::array{a, b}, sort);
  };
  const auto left = [&](Sort sort) {
    TermId result = arguments[0];
    for (std::size_t i = 1; i < count; ++i) result = pair(op, result, arguments[i], sort);
    return result;
  };
  const std::uint32_t* index = frame.index;
  switch (frame.op->form) {
    case Form::kBoolUnary:
      need_count(frame, count, 1, 1);
      need_bool(frame, arguments);
      return make(frame, op, arguments, boolean);
    case Form::kBoolLeft:
      need_count(frame, count, 2, SIZE_MAX);
      need_bool(frame, arguments);
      return left(boolean);
    case Form::kImplies: {
      need_count(frame, count, 2, SIZE_MAX);
      need_bool(frame, arguments);
      TermId result = arguments.back();
      for (std::size_t i = count - 1; i-- > 0;) {
        const TermId denied = make(frame, WordOp::kNot, std::array{arguments[i]}, boolean);
        result = pair(op, denied, result, boolean);
      }
      return result;
    }
    case Form::kEqual: {
      need_count(frame, count, 2, SIZE_MAX);
      need_equal_sorts(frame, arguments);
      TermId result = pair(op, arguments[0], arguments[1], boolean);
      for (std::size_t i = 2; i < count; ++i) {
        result = pair(WordOp::kAnd, result, pair(op, arguments[i - 1], arguments[i], boolean), boolean);
      }
      return result;
    }
    case Form::kDistinct:
      need_count(frame, count, 2, SIZE_MAX);
      need_equal_sorts(frame, arguments);
      return distinct(frame, arguments);
    case Form::kIte:
      need_count(frame, count, 3, 3);
      need_bool(frame, arguments, 0, 1);
      need_equal_sorts(frame, arguments, 1);
      return make(frame, op, arguments, terms_.sort(arguments[1]));
    case Form::kUnary:
      need_count(frame, count, 1, 1);
      need_words(frame, arguments, true);
      return make(frame, op, arguments, first);
    case Form::kBinary:
      need_count(frame, count, 2, 2);
      need_words(frame, arguments, true);
      return make(frame, op, arguments, first);
    case Form::kLeft:
      need_count(frame, count, 2, SIZE_MAX);
      need_words(frame, arguments, true);
      return left(first);
    case Form::kCompare:
      need_count(frame, count, 2, 2);
      need_words(frame, arguments, true);
      return make(frame, op, arguments, boolean);
    case Form::kPredicate:
      need_count(frame, count, 1, 1);
      need_words(frame, arguments, true);
      return make(frame, op, arguments, boolean);
    case Form::kBit:
      need_count(frame, count, 2, 2);
      need_words(frame, arguments, true);
      return make(frame, op, arguments, Sort::bits(1));
    case Form::kReduce:
      need_count(frame, count, 1, 1);
      need_words(frame, arguments, true);
      return make(frame, op, arguments, Sort::bits(1));
    case Form::kConcat: {
      need_count(frame, count, 2, SIZE_MAX);
      need_words(frame, arguments, false);
      std::uint64_t width = 0;
      for (const TermId argument : arguments) width += terms_.sort(argument).width();
      if (width > BitVec::kMaxWidth) lexer_.fail(frame.start, "bit-vectors have at most 2^24 bits");
      return make(frame, op, arguments, Sort::bits(static_cast<std::uint32_t>(width)));
    }
    default: break;
  }
  need_count(frame, count, 1, 1);
  need_words(frame, arguments, false);
  const std::uint32_t width = first.width();
  const auto sized = [&](std::uint64_t bits) {
    if (bits > BitVec::kMaxWidth) lexer_.fail(frame.start, "bit-vectors have at most 2^24 bits");
    return Sort::bits(static_cast<std::uint32_t>(bits));
  };
  switch (frame.op->form) {
    case Form::kExtract:
      if (index[0] < index[1] || index[0] >= width) {
        lexer_.fail(frame.start, "extract: bits " + std::to_string(index[0]) + " to " +
                                     std::to_string(index[1]) + " of a term of the sort " + first.text());
      }
      return make(frame, op, arguments, Sort::bits(index[0] - index[1] + 1), index[0], index[1]);
    case Form::kRepeat:
      if (index[0] == 0) lexer_.fail(frame.start, "repeat: the index must be 1 or more");
      return make(frame, op, arguments, sized(std::uint64_t{width} * index[0]), index[0]);
    case Form::kZeroExtend:
    case Form::kSignExtend: {
      const Sort sort = sized(std::uint64_t{width} + index[0]);
      return make(frame, op, arguments, sort, sort.width());
    }
    default: {
      const TermId amount = terms_.constant(Sort::bits(32), BitVec(32, index[0]));
      return make(frame, op, std::array{arguments[0], amount}, first);
    }
  }
}

void TermReader::count_expansion(std::size_t at, std::uint64_t terms) {
  expanded_ += terms;
  if (expanded_ > limits_.expansion) {
    lexer_.fail(at,
                "functions and distinct expand to more than " + std::to_string(limits_.expansion) + " terms");
  }
}

TermId TermReader::distinct(const Frame& frame, std::span<const TermId> arguments) {
  const Sort boolean = Sort::boolean();
  const std::uint32_t width = terms_.sort(arguments[0]).width();
  if (width < 32 && arguments.size() > std::size_t{1} << width) return terms_.boolean(false);
  TermId result;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    count_expansion(frame.start, arguments.size() - i);
    poll();
    for (std::size_t j = i + 1; j < arguments.size(); ++j) {
      const TermId different = make(frame, WordOp::kNe, std::array{arguments[i], arguments[j]}, boolean);
      result =
          result.is_none() ? different : make(frame, WordOp::kAnd, std::array{result, different}, boolean);
    }
  }
  return result;
}

TermId TermReader::expand(const Frame& frame, std::span<const TermId> arguments) {
  const Function& function = *frame.function;
  need_count(frame, arguments.size(), function.parameters.size(), function.parameters.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Sort wanted = terms_.sort(function.parameters[i]);
    const Sort sort = terms_.sort(arguments[i]);
    if (sort == wanted) continue;
    lexer_.fail(value_starts_[frame.first_value + i],
                symbol_text(frame.name) + ": argument " + std::to_string(i + 1) + " has the sort " +
                    sort.text() + ", its parameter " + symbol_text(terms_.name(function.parameters[i])) +
                    " has " + wanted.text());
  }
  if (!terms_.has_parameter(function.body)) return function.body;
  stamps_.resize(terms_.size(), 0);
  images_.resize(terms_.size());
  ++stamp_;
  const auto set = [&](TermId id, TermId image) {
    stamps_[id.index()] = stamp_;
    images_[id.index()] = image;
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) set(function.parameters[i], arguments[i]);
  std::vector<TermId> operands;
  visit_below(
      terms_, std::array{function.body},
      [&](TermId id) { return terms_.has_parameter(id) && stamps_[id.index()] != stamp_; },
      [&](TermId id) {
        poll();
        count_expansion(frame.start, 1);
        operands.clear();
        for (const TermId operand : terms_.operands(id)) {
          operands.push_back(terms_.has_parameter(operand) ? images_[operand.index()] : operand);
        }
        set(id, make(frame, terms_.word_op(id), operands, terms_.sort(id), terms_.hi(id), terms_.lo(id)));
      });
  return images_[function.body.index()];
}

}  // namespace dmt::smt

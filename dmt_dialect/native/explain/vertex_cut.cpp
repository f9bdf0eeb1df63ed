#include "dmt_dialect/native/explain/vertex_cut.hpp"

#include <algorithm>
#include <limits>

namespace dmt::explain {

namespace {

constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr unsigned kPollStride = 1024;

/// The flow network: vertex v is split into 2v (in) and 2v + 1 (out); behind them stand source and sink.
class Network {
 public:
  explicit Network(const CutGraph& graph) : source_(2 * graph.vertices), sink_(source_ + 1) {
    for (std::uint32_t v = 0; v < graph.vertices; ++v) {
      add(2 * v, 2 * v + 1, graph.cuttable[v] ? 1 : kUnbounded);
    }
    for (const auto& [from, to] : graph.edges) add(2 * from + 1, 2 * to, kUnbounded);
    for (const std::uint32_t v : graph.sources) add(source_, 2 * v, kUnbounded);
    for (const std::uint32_t v : graph.sinks) add(2 * v + 1, sink_, kUnbounded);
    index();
  }

  /// Pushes one more unit; false if there is no way. `unbounded` is set if the way has nothing to cut.
  bool augment(dynomite::Stop& stop, bool& unbounded) {
    search(source_, /*forward=*/true, stop);
    if (arrival_[sink_] == kNone) return false;
    unbounded = true;
    for (std::uint32_t at = sink_; at != source_; at = tail(arrival_[at])) {
      if (room_[arrival_[at]] != kUnbounded) unbounded = false;
    }
    if (unbounded) return true;
    for (std::uint32_t at = sink_; at != source_;) {
      const std::uint32_t arc = arrival_[at];
      if (room_[arc] != kUnbounded) --room_[arc];
      if (room_[arc ^ 1U] != kUnbounded) ++room_[arc ^ 1U];
      at = tail(arc);
    }
    return true;
  }

  /// The cut vertices once no way is left.
  std::vector<std::uint32_t> cut(CutSide side, std::uint32_t vertices, dynomite::Stop& stop) {
    std::vector<std::uint32_t> found;
    const bool forward = side == CutSide::kSources;
    search(forward ? source_ : sink_, forward, stop);
    for (std::uint32_t v = 0; v < vertices; ++v) {
      const bool in = seen(2 * v);
      const bool out = seen(2 * v + 1);
      if (forward ? in && !out : out && !in) found.push_back(v);
    }
    return found;
  }

 private:
  /// Arcs come in twins, 2k there and 2k + 1 back.
  void add(std::uint32_t from, std::uint32_t to, std::uint32_t room) {
    head_.push_back(to);
    head_.push_back(from);
    room_.push_back(room);
    room_.push_back(0);
  }
  std::uint32_t tail(std::uint32_t arc) const { return head_[arc ^ 1U]; }
  bool seen(std::uint32_t vertex) const { return arrival_[vertex] != kNone; }

  void index() {
    begin_.assign(sink_ + 2, 0);
    for (std::uint32_t arc = 0; arc < head_.size(); ++arc) ++begin_[tail(arc) + 1];
    for (std::uint32_t v = 0; v <= sink_; ++v) begin_[v + 1] += begin_[v];
    arcs_.resize(head_.size());
    std::vector<std::uint32_t> place = begin_;
    for (std::uint32_t arc = 0; arc < head_.size(); ++arc) arcs_[place[tail(arc)]++] = arc;
    arrival_.resize(sink_ + 1);
  }

  /// Breadth first over arcs with room; backwards over arcs that lead there. `arrival_` tells who was met.
  void search(std::uint32_t from, bool forward, dynomite::Stop& stop) {
    std::ranges::fill(arrival_, kNone);
    arrival_[from] = 0;
    queue_.assign(1, from);
    for (std::size_t at = 0; at < queue_.size(); ++at) {
      if (at % kPollStride == 0 && stop.poll_clock()) return;
      const std::uint32_t v = queue_[at];
      for (std::uint32_t k = begin_[v]; k < begin_[v + 1]; ++k) {
        const std::uint32_t arc = arcs_[k];
        const std::uint32_t used = forward ? arc : arc ^ 1U;
        if (room_[used] == 0 || seen(head_[arc])) continue;
        arrival_[head_[arc]] = arc;
        queue_.push_back(head_[arc]);
        if (forward && head_[arc] == sink_) return;
      }
    }
  }

  std::uint32_t source_, sink_;
  std::vector<std::uint32_t> head_, room_, begin_, arcs_, arrival_, queue_;
};

}  // namespace

std::optional<std::vector<std::uint32_t>> min_vertex_cut(const CutGraph& graph, CutSide side,
                                                         std::size_t most, dynomite::Stop& stop) {
  Network network(graph);
  bool unbounded = false;
  for (std::size_t flow = 0; network.augment(stop, unbounded); ++flow) {
    if (unbounded || flow == most || stop.poll_clock()) return std::nullopt;
  }
  std::vector<std::uint32_t> cut = network.cut(side, graph.vertices, stop);
  if (stop.poll_clock()) return std::nullopt;
  return cut;
}

}  // namespace dmt::explain

#include "dmt_dialect/native/opt/chunks.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "dmt_dialect/native/aig/append.hpp"
#include "dmt_dialect/native/aig/cones.hpp"
#include "dmt_dialect/native/opt/ports.hpp"
#include "dynomite/native/base/error.hpp"

namespace dmt::opt {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;

/// Live ANDs, fanins first, cones of roots together.
std::vector<std::uint32_t> depth_first(const AigStore& aig) {
  std::vector<std::uint32_t> order, stack;
  std::vector<bool> done(aig.node_count(), false);
  for (const Lit root : root_literals(aig)) {
    stack.push_back(root.node().index());
    while (!stack.empty()) {
      const std::uint32_t id = stack.back();
      if (done[id] || !aig.is_and(NodeId(id))) {
        stack.pop_back();
        continue;
      }
      const std::uint32_t a = aig.fanin0(NodeId(id)).node().index(),
                          b = aig.fanin1(NodeId(id)).node().index();
      if (!done[b] && aig.is_and(NodeId(b))) stack.push_back(b);
      if (!done[a] && aig.is_and(NodeId(a))) stack.push_back(a);
      if (stack.back() != id) continue;
      done[id] = true;
      order.push_back(id);
      stack.pop_back();
    }
  }
  return order;
}

class Chunks {
 public:
  Chunks(const AigStore& aig, std::uint32_t size) : aig_(aig), order_(depth_first(aig)) {
    const std::size_t count = std::max<std::size_t>(1, (order_.size() + size / 2) / size);
    for (std::size_t i = 0; i <= count; ++i) bounds_.push_back(order_.size() * i / count);
    chunk_of_.assign(aig.node_count(), kNone);
    for (std::size_t c = 0; c < count; ++c) {
      for (std::size_t i = bounds_[c]; i < bounds_[c + 1]; ++i)
        chunk_of_[order_[i]] = static_cast<std::uint32_t>(c);
    }
    find_outputs();
    find_names();
    inputs_.resize(count);
    results_.resize(count);
  }

  std::size_t count() const { return bounds_.size() - 1; }

  void run(std::size_t chunk, const ChunkPass& pass, dynomite::Stop& stop) {
    AigStore part = cut_out(chunk);
    try {
      results_[chunk] = pass(part, stop);
    } catch (const dynomite::LimitError&) {
      results_[chunk] = std::move(part);
    }
  }

  AigStore join() {
    AigStore store;
    copy_cis(aig_, store);
    store.reserve_ands(order_.size());
    std::vector<Lit> map(aig_.node_count(), kFalse);
    std::uint32_t next = 1;
    for (const NodeId id : aig_.inputs()) map[id.index()] = Lit(NodeId(next++), false);
    for (const Latch& latch : aig_.latches()) map[latch.node.index()] = Lit(NodeId(next++), false);
    std::vector<Lit> named(aig_.net_names().size(), AigStore::kNotAnd);
    for (std::size_t c = 0; c < count(); ++c) add(c, store, map, named);
    copy_ports(aig_, store, [&](Lit lit) { return mapped(map, lit); });
    std::size_t name = 0;
    copy_net_names(aig_, store, [&](Lit lit) {
      const Lit found = named[name++];
      return aig_.is_and(lit.node()) ? found : mapped(map, lit);
    });
    return without_dangling(store);
  }

 private:
  /// A node is an output of its chunk when another chunk or a root uses it.
  void find_outputs() {
    outputs_.resize(count());
    std::vector<bool> taken(aig_.node_count(), false);
    const auto take = [&](std::uint32_t id) {
      if (chunk_of_[id] == kNone || taken[id]) return;
      taken[id] = true;
      outputs_[chunk_of_[id]].push_back(id);
    };
    for (const std::uint32_t id : order_) {
      for (const Lit fanin : {aig_.fanin0(NodeId(id)), aig_.fanin1(NodeId(id))}) {
        if (chunk_of_[fanin.node().index()] != chunk_of_[id]) take(fanin.node().index());
      }
    }
    for (const Lit root : root_literals(aig_)) take(root.node().index());
  }

  void find_names() {
    names_.resize(count());
    for (std::size_t i = 0; i < aig_.net_names().size(); ++i) {
      const std::uint32_t chunk = chunk_of_[aig_.net_names()[i].lit.node().index()];
      if (chunk != kNone) names_[chunk].push_back(i);
    }
  }

  AigStore cut_out(std::size_t chunk) {
    AigStore part;
    std::vector<std::uint32_t>& inputs = inputs_[chunk];
    // Local literals; inputs are found first, as they have to come before the gates.
    std::vector<std::pair<std::uint32_t, Lit>> local;
    const std::size_t begin = bounds_[chunk], end = bounds_[chunk + 1];
    for (std::size_t i = begin; i < end; ++i) {
      for (const Lit fanin : {aig_.fanin0(NodeId(order_[i])), aig_.fanin1(NodeId(order_[i]))}) {
        const std::uint32_t id = fanin.node().index();
        if (chunk_of_[id] != chunk && id != 0) inputs.push_back(id);
      }
    }
    std::sort(inputs.begin(), inputs.end());
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    local.reserve(inputs.size() + end - begin);
    for (const std::uint32_t id : inputs) local.emplace_back(id, part.add_input());
    const std::size_t gates = local.size();
    std::vector<std::uint32_t> ids(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                                   order_.begin() + static_cast<std::ptrdiff_t>(end));
    std::sort(ids.begin(), ids.end());  // ids are topological, too
    for (const std::uint32_t id : ids) local.emplace_back(id, kFalse);
    const auto find = [&](Lit lit) {
      const std::uint32_t id = lit.node().index();
      if (id == 0) return lit;
      const bool outside = chunk_of_[id] != chunk;
      const auto first = local.begin() + static_cast<std::ptrdiff_t>(outside ? 0 : gates);
      const auto last = outside ? local.begin() + static_cast<std::ptrdiff_t>(gates) : local.end();
      const auto at = std::lower_bound(
          first, last, id, [](const auto& item, std::uint32_t value) { return item.first < value; });
      return at->second ^ lit.complemented();
    };
    for (std::size_t i = gates; i < local.size(); ++i) {
      const NodeId id(local[i].first);
      local[i].second = part.append_and(find(aig_.fanin0(id)), find(aig_.fanin1(id)));
    }
    for (const std::uint32_t id : outputs_[chunk]) part.outputs().push_back(find(Lit(NodeId(id), false)));
    for (const std::size_t i : names_[chunk])
      part.net_names().push_back({find(aig_.net_names()[i].lit), std::to_string(i)});
    return part;
  }

  void add(std::size_t chunk, AigStore& store, std::vector<Lit>& map, std::vector<Lit>& named) const {
    const AigStore& part = results_[chunk];
    std::vector<Lit> local(part.node_count(), kFalse);
    for (std::size_t i = 0; i < inputs_[chunk].size(); ++i)
      local[part.inputs()[i].index()] = map[inputs_[chunk][i]];
    for (std::uint32_t i = 1; i < part.node_count(); ++i) {
      const NodeId id(i);
      if (part.is_and(id))
        local[i] = store.and_(mapped(local, part.fanin0(id)), mapped(local, part.fanin1(id)));
    }
    for (std::size_t i = 0; i < outputs_[chunk].size(); ++i)
      map[outputs_[chunk][i]] = mapped(local, part.outputs()[i]);
    for (const NetName& net : part.net_names()) named[std::stoul(net.name)] = mapped(local, net.lit);
  }

  const AigStore& aig_;
  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> bounds_;
  std::vector<std::uint32_t> chunk_of_;
  std::vector<std::vector<std::uint32_t>> inputs_, outputs_;  // nodes, by chunk
  std::vector<std::vector<std::size_t>> names_;
  std::vector<AigStore> results_;
};

/// Runs all chunks. This thread works, too, and passes on what `stop` says.
void run_all(Chunks& chunks, unsigned threads, const ChunkPass& pass, dynomite::Stop& stop) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&](dynomite::Stop& own) {
    try {
      for (std::size_t chunk = next++; chunk < chunks.count(); chunk = next++) chunks.run(chunk, pass, own);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(failing);
      if (!failure) failure = std::current_exception();
      next = chunks.count();
    }
  };
  const std::size_t helpers = std::min<std::size_t>(std::max(threads, 1U), chunks.count()) - 1;
  if (helpers == 0) {
    work(stop);
  } else {
    std::vector<std::unique_ptr<dynomite::Stop>> stops;
    std::vector<std::thread> crew;
    std::atomic<std::size_t> working{helpers};
    for (std::size_t i = 0; i < helpers; ++i) {
      dynomite::Stop& own = *stops.emplace_back(std::make_unique<dynomite::Stop>());
      own.set_deadline(stop.deadline());
      crew.emplace_back([&work, &working, &own] {
        work(own);
        --working;
      });
    }
    work(stop);
    while (working != 0) {
      if (stop.poll_clock()) {
        for (const auto& own : stops) own->cancel();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    for (std::thread& thread : crew) thread.join();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

AigStore in_chunks(const AigStore& aig, std::uint32_t size, unsigned threads, const ChunkPass& pass,
                   dynomite::Stop& stop) {
  Chunks chunks(aig, std::max(size, 1U));
  run_all(chunks, threads, pass, stop);
  return chunks.join();
}

}  // namespace dmt::opt

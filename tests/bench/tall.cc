// SPDX-License-Identifier: MIT
// A C++ program with tall stacks, most of whose functions are inlined: a tree of nodes is walked by
// templates and lambdas, with standard containers at the leaves. Runs for as many seconds of
// CPU time as the first argument says.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace tall {

struct Node {
	virtual ~Node() = default;
	virtual unsigned weigh(unsigned seed) const = 0;
};

template <int Kind> struct Leaf final : Node {
	std::vector<unsigned> numbers;
	std::map<unsigned, std::string> names;

	explicit Leaf(unsigned seed)
	{
		for (unsigned i = 0; i < 64; i++) {
			numbers.push_back((seed + i) * 2654435761u);
			names.emplace(numbers.back() % 97, std::to_string(i));
		}
	}

	unsigned weigh(unsigned seed) const override
	{
		std::vector<unsigned> copy(numbers);

		std::for_each(copy.begin(), copy.end(), [seed](unsigned &n) { n ^= seed * Kind; });
		std::sort(copy.begin(), copy.end(),
			  [](unsigned a, unsigned b) { return a % 1009 < b % 1009; });
		auto found = names.lower_bound(copy[seed % copy.size()] % 97);
		return std::accumulate(copy.begin(), copy.end(), seed) +
		       (found == names.end() ? 0 : unsigned(found->second.size()));
	}
};

template <int Depth> struct Branch final : Node {
	std::vector<std::unique_ptr<Node>> kids;
	std::function<unsigned(unsigned, unsigned)> join;

	explicit Branch(unsigned seed) : join([](unsigned a, unsigned b) { return a * 31 + b; })
	{
		if constexpr (Depth == 0) {
			kids.push_back(std::make_unique<Leaf<3>>(seed));
			kids.push_back(std::make_unique<Leaf<5>>(seed + 1));
		} else {
			kids.push_back(std::make_unique<Branch<Depth - 1>>(seed * 7));
		}
	}

	template <typename Each> unsigned fold(unsigned seed, Each each) const
	{
		unsigned sum = 0;

		for (const auto &kid : kids)
			sum = join(sum, each(*kid, seed + sum));
		return sum;
	}

	unsigned weigh(unsigned seed) const override
	{
		return fold(seed, [](const Node &kid, unsigned s) { return kid.weigh(s + 1); });
	}
};

} // namespace tall

int main(int argc, char **argv)
{
	double end = (argc > 1 ? atof(argv[1]) : 3) * CLOCKS_PER_SEC; // of CPU time
	auto root = std::make_unique<tall::Branch<44>>(1);
	unsigned sum = 0;

	while (std::clock() < end)
		sum += root->weigh(sum);
	std::printf("%u\n", sum);
	return 0;
}

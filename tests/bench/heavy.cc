// SPDX-License-Identifier: MIT
// One unit of a program with very much debug information: containers of generated types, each of
// which brings its own copies of the library's templates. make_heavy makes many units of it.
//
//	-DUNIT=100 -DDEPTH=8	the number that its names have, how many types there are
//	-DMAIN			the unit that calls the others: for as many seconds as the argument says
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#define JOIN2(a, b) a##b
#define JOIN(a, b)  JOIN2(a, b)

#ifdef MAIN

int entry_100(int seed);
int entry_101(int seed);

int main(int argc, char **argv)
{
	auto seconds = std::chrono::duration<double>(argc > 1 ? atof(argv[1]) : 3);
	auto end = std::chrono::steady_clock::now() + seconds;
	int sum = 0;

	while (std::chrono::steady_clock::now() < end)
		sum += entry_100(sum) + entry_101(sum);
	std::printf("%d\n", sum);
	return 0;
}

#else

namespace JOIN(unit_, UNIT)
{

template <int N> struct Item {
	int key;
	std::string name;
	std::vector<int> numbers;

	bool operator<(const Item &other) const { return key < other.key; }
};

template <int N> struct Shelf {
	std::map<int, Item<N>> by_key;
	std::unordered_map<std::string, std::shared_ptr<Item<N>>> by_name;
	std::set<Item<N>> all;
	std::vector<Item<N>> list;
	std::function<int(const Item<N> &)> weigh;

	__attribute__((noinline)) int fill(int seed)
	{
		list.clear();
		for (int i = 0; i < 8; i++) {
			Item<N> item{(seed * i) % 61, std::to_string((seed + i) % 61), {1, 2, i}};
			by_key[item.key] = item;
			by_name[item.name] = std::make_shared<Item<N>>(item);
			all.insert(item);
			list.push_back(std::move(item));
		}
		weigh = [seed](const Item<N> &i) { return i.key * seed + (int)i.name.size(); };
		std::sort(list.begin(), list.end());
		std::stable_sort(
			list.begin(), list.end(),
			[this](const Item<N> &a, const Item<N> &b) { return weigh(a) < weigh(b); });
		return (int)std::count_if(list.begin(), list.end(), [](const Item<N> &i) {
			return i.numbers.size() > 2;
		});
	}
};

template <int N> int run(int seed)
{
	static Shelf<N> shelf;

	if constexpr (N > 0)
		return shelf.fill(seed) + run<N - 1>(seed + 1);
	else
		return shelf.fill(seed);
}

} // namespace

int JOIN(entry_, UNIT)(int seed)
{
	return JOIN(unit_, UNIT)::run<DEPTH>(seed);
}

#endif

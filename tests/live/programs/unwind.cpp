// SPDX-License-Identifier: MIT
// A workload of C++ whose call chains are long: virtual calls, function objects, templates of the
// library, exceptions that are thrown and caught on the way.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline))

static volatile unsigned long sink;

struct node {
	virtual ~node() = default;
	virtual long value(int depth) = 0;
};

static NOINLINE long sorted(int n)
{
	std::vector<int> values(300);

	for (size_t i = 0; i < values.size(); i++)
		values[i] = static_cast<int>((i * 7919 + static_cast<size_t>(n)) % 997);
	std::sort(values.begin(), values.end(), [](int a, int b) { return a < b; });
	return values[0];
}

static NOINLINE long mapped(int n)
{
	std::map<std::string, int> map;

	for (int i = 0; i < 60; i++)
		map["key" + std::to_string(i * n % 97)] = i;
	return static_cast<long>(map.size());
}

static NOINLINE long thrown(int n)
{
	try {
		if (n >= 0)
			throw std::runtime_error("thrown");
	} catch (const std::exception &e) {
		return e.what()[0];
	}
	return 0;
}

struct inner : node {
	std::unique_ptr<node> below;

	explicit inner(node *n) : below(n)
	{
	}
	NOINLINE long value(int depth) override
	{
		std::function<long(int)> go = [this](int d) { return below->value(d); };

		return go(depth + 1) + 1;
	}
};

struct leaf : node {
	int n;

	explicit leaf(int i) : n(i)
	{
	}
	NOINLINE long value(int depth) override
	{
		return depth % 3 == 0 ? sorted(n) : depth % 3 == 1 ? mapped(n + 1) : thrown(n);
	}
};

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? std::stoi(argv[1]) : 8000;

	for (int i = 0; i < rounds; i++)
		for (int depth = 0; depth < 24; depth++) {
			node *top = new leaf(i);

			for (int k = 0; k < depth; k++)
				top = new inner(top);
			sink = sink + static_cast<unsigned long>(top->value(0));
			delete top;
		}
	return 0;
}

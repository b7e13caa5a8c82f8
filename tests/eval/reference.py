#!/usr/bin/env python3
"""The metrics once more: reference.py SETS REPORT RANKINGS.

Reads the questions of every folder below SETS, what each found (RANKINGS, as `perdure eval
retrieval --rankings` writes it), computes every figure as plainly as can be, and compares with
REPORT (its JSON). Equal items of one scope count as one, as they are one memory.
"""

import collections
import json
import math
import pathlib
import sys


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def figures_of(hits, relevant):
    found = [hit in relevant for hit in hits]
    share = lambda k: sum(found[:k]) / len(relevant)
    gain = sum(1 / math.log2(i + 2) for i, hit in enumerate(found[:10]) if hit)
    ideal = sum(1 / math.log2(i + 2) for i in range(min(10, len(relevant))))
    return {
        "R@1": share(1), "R@5": share(5), "R@10": share(10), "R@20": share(20),
        "MRR": 1 / (found.index(True) + 1) if any(found) else 0,
        "nDCG@10": gain / ideal,
        "any@5": float(any(found[:5])), "all@5": float(sum(found[:5]) == len(relevant)),
    }


def main(sets, report, rankings):
    with open(report, encoding="utf-8") as file:
        reported = json.load(file)["sets"]
    hits = {(line["set"], line["id"]): line["hits"] for line in read_lines(rankings)}
    compared = 0
    for queries in pathlib.Path(sets).rglob("queries.jsonl"):
        name = queries.parent.name
        first = {}
        stands_for = {}
        for item in read_lines(queries.parent / "corpus.jsonl"):
            key = (item["scope"], item["text"], item.get("title"), item.get("session"))
            key = key if "session" not in item else item["id"]
            stands_for[item["id"]] = first.setdefault(key, item["id"])
        scores = collections.defaultdict(list)
        for query in read_lines(queries):
            if not query["relevant"]:
                continue
            relevant = {stands_for[item] for item in query["relevant"]}
            figures = figures_of(hits[name, query["id"]], relevant)
            scores["all"].append(figures)
            scores[query["category"]].append(figures)
        for category, questions in scores.items():
            for metric in questions[0]:
                mean = sum(q[metric] for q in questions) / len(questions)
                theirs = reported[name][category][metric]
                if abs(mean - theirs) > 6e-5:
                    sys.exit(f"{name}, {category}: {metric} is {mean}, reported {theirs}")
                low, high = reported[name][category]["ci95"][metric]
                if not low - 6e-5 <= mean <= high + 6e-5:
                    sys.exit(f"{name}, {category}: {metric} {mean} is outside {low}..{high}")
                compared += 1
            if reported[name][category]["n"] != len(questions):
                sys.exit(f"{name}, {category}: n is {len(questions)}")
    print(compared)
    return 0 if compared else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

import collections, random, time, traceback, sys
from .test_against_reference import judge, random_instance


def test_loop():
    import os

    a, b = map(int, os.environ["SEEDS"].split(","))
    seen = collections.Counter()
    bad = []
    for seed in range(a, b):
        t = time.time()
        i = random_instance(random.Random(seed))
        try:
            seen[judge(i)] += 1
        except BaseException as e:
            if isinstance(e, KeyboardInterrupt):
                raise
            bad.append(seed)
            print("SEED", seed, repr(e)[:300].replace("\n", " "))
            tb = traceback.extract_tb(e.__traceback__)
            print("   ", [(f.filename[-30:], f.lineno) for f in tb][-3:])
            print("   ", str(i)[:700])
        if time.time() - t > 3:
            print("slow", seed, time.time() - t)
    print(seen, len(bad))

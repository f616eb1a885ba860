# SPDX-License-Identifier: Apache-2.0
"""Bootstrap intervals of measurements."""
import random
import statistics


def interval(samples, statistic=statistics.median, rounds=2000):
    """Of 95 %. The generator is seeded, so that the same measurements print the same."""
    generator = random.Random(1)
    values = sorted(statistic(generator.choices(samples, k=len(samples))) for _ in range(rounds))
    return values[int(0.025 * rounds)], values[int(0.975 * rounds) - 1]

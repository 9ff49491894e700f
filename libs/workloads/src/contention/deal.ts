import { Random } from "@seriatim/log";

/**
 * For each agent the number of the key that each of its transactions goes to: a function of the seed and the sizes.
 *
 * The keys are dealt like cards, a round of all agents at a time, so that each key is wanted as often as any other: no key
 * lies idle for want of a taker, and what is lost is lost by scheduling.
 */
export function deal(seed: number, agents: number, rounds: number, keys: number): number[][] {
  const random = new Random(seed);
  const hands = Array.from({ length: agents }, (): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    const cards = Array.from({ length: agents }, (_, index) => (index + round) % keys);
    for (const hand of hands) hand.push(...cards.splice(random.below(cards.length), 1));
  }
  return hands;
}

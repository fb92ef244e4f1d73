import { seededChance } from '@tollgate/infra/demo/seeded-chance.ts'

/** Chance from a seed: the same questions in the same order get the same answers at each run. */
export interface Chances {
  /** Uniform in [0, 1). */
  fraction(): number
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number
  /** True with this probability. */
  chance(probability: number): boolean
  pick<Item>(items: readonly [Item, ...Item[]]): Item
}

/** See `Chances`. */
export function chancesOf(seed: number): Chances {
  const fraction = seededChance(Math.imul(seed, 0x9e3779b1))
  const whole = (least: number, most: number): number =>
    least + Math.floor(fraction() * (most - least + 1))
  return {
    fraction,
    whole,
    chance: (probability) => probability > 0 && fraction() < probability,
    pick: (items) => items[whole(0, items.length - 1)] ?? items[0],
  }
}

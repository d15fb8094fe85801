import type { Durability } from '../../../contract/store/write-options.ts'

/** How much each durability survives. The compiler asks for the rank of a new one. */
const ranks = { relaxed: 0, strict: 1 } as const satisfies Record<Durability, number>

/** All levels, the weakest first. */
export const durabilities: readonly Durability[] = (Object.keys(ranks) as Durability[]).sort(
  (a, b) => ranks[a] - ranks[b],
)

export const isDurability = (given: unknown): given is Durability =>
  typeof given === 'string' && Object.hasOwn(ranks, given)

/** The durability that a transaction needs for all of these. */
export function strictest(given: readonly Durability[]): Durability {
  return given.reduce((most, one) => (ranks[one] > ranks[most] ? one : most), durabilities[0]!)
}

/** Whether a commit with this durability survives power loss. */
export const isHard = (durability: Durability): boolean => ranks[durability] >= ranks.strict

import type { Durability } from '../../../contract/store/write-options.ts'

/** How much each durability survives. The compiler asks for the rank of a new one. */
const ranks = { relaxed: 0, strict: 1 } as const satisfies Record<Durability, number>

export const isDurability = (given: unknown): given is Durability =>
  typeof given === 'string' && Object.hasOwn(ranks, given)

/** The durability that a transaction needs for all of these. */
export function strictest(given: readonly Durability[]): Durability {
  return given.reduce((most, one) => (ranks[one] > ranks[most] ? one : most), 'relaxed')
}

/** Whether a commit with this durability survives power loss. */
export const isHard = (durability: Durability): boolean => ranks[durability] >= ranks.strict

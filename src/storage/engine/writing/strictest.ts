import type { Durability } from '../../../contract/store.ts'

/** How much each survives. The compiler asks for the place of one that is new. */
const ranks = { relaxed: 0, strict: 1 } as const satisfies Record<Durability, number>

export const isDurability = (given: unknown): given is Durability => typeof given === 'string' && Object.hasOwn(ranks, given)

/** What a transaction of several has to survive. */
export function strictest(given: readonly Durability[]): Durability {
  return given.reduce((most, one) => (ranks[one] > ranks[most] ? one : most), 'relaxed')
}

/** Whether what was stored so survives power loss. */
export const isHard = (durability: Durability): boolean => ranks[durability] >= ranks.strict

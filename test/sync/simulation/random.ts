/** Drawn from a seed: the same again each time. */
export interface Random {
  /** 0 ≤ x < 1 */
  next(): number
  /** 0 ≤ n < below */
  below(below: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  /** One of the names, by weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name
  fill(into: Uint8Array): void
  /** Another one that nothing drawn here disturbs. */
  fork(): Random
}

export function createRandom(seed: number): Random {
  // splitmix32: neighbouring seeds give unlike rows.
  let state = seed >>> 0
  const draw = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
  const next = (): number => draw() / 2 ** 32
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)]!,
    weighted: (weights) => {
      const names = Object.keys(weights) as (keyof typeof weights)[]
      let left = next() * names.reduce((sum, name) => sum + weights[name], 0)
      return names.find((name) => (left -= weights[name]) < 0) ?? names.at(-1)!
    },
    fill: (into) => {
      for (let i = 0; i < into.length; i++) into[i] = draw() & 255
    },
    fork: () => createRandom(draw()),
  }
}

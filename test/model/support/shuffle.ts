import type { Entry } from '../../../src/contract/entry.ts'
import { bySender } from './simulation.ts'

/** A source of numbers below a bound, repeatable from a seed. */
export function numbersFrom(seed: number): (bound: number) => number {
  let state = seed >>> 0
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

export function shuffled<T>(list: readonly T[], seed: number): T[] {
  const pick = numbersFrom(seed)
  const mixed = [...list]
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = pick(i + 1)
    ;[mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!]
  }
  return mixed
}

/** Mixes the entries of all writers, but keeps each writer's own in sequence. */
export function shuffledBySender(entries: readonly Entry[], seed: number): Entry[] {
  const pick = numbersFrom(seed)
  const queues = bySender([...entries].sort((a, b) => a.w - b.w || a.s - b.s))
  const mixed: Entry[] = []
  while (queues.length > 0) {
    const at = pick(queues.length)
    mixed.push(queues[at]!.shift()!)
    if (queues[at]!.length === 0) queues.splice(at, 1)
  }
  return mixed
}

/** Cuts a list into pieces of 1 to `most`. */
export function pieces<T>(list: readonly T[], most: number, seed: number): T[][] {
  const pick = numbersFrom(seed)
  const cut: T[][] = []
  for (let at = 0; at < list.length; at += cut.at(-1)!.length) cut.push(list.slice(at, at + 1 + pick(most)))
  return cut
}

import type { Clock } from '../contract/entry.ts'
import { compareClocks } from '../domain/clock.ts'
import type { ScannedFile } from './scan-file.ts'

/**
 * The order in which sessions must be restored, so that each gets the names it had. The first session with a name keeps
 * it, and a session whose history moved to another one existed before its name became that session's alias.
 */
export function inRefillOrder(keys: readonly string[], scans: Iterable<ScannedFile>): readonly string[] {
  const promoted = new Map<string, Clock>()
  const born = new Map<string, Clock>()
  const note = (clocks: Map<string, Clock>, key: string, clock: Clock | undefined): void => {
    const known = clocks.get(key)
    if (clock !== undefined && (known === undefined || compareClocks(clock, known) < 0)) clocks.set(key, clock)
  }
  for (const { sessions } of scans) {
    for (const [key, session] of sessions) {
      note(promoted, key, session.promoted)
      note(born, key, session.born)
    }
  }
  const compare = (clocks: ReadonlyMap<string, Clock>, a: string, b: string): number => {
    const [first, second] = [clocks.get(a), clocks.get(b)]
    if (first === undefined || second === undefined) return Number(first === undefined) - Number(second === undefined)
    return compareClocks(first, second)
  }
  return keys.toSorted((a, b) => compare(promoted, a, b) || compare(born, a, b))
}

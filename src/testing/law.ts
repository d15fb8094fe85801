import type { SessionStore } from '../contract/store/session-store.ts'
import type { Deviation } from './store-under-test.ts'

/** What a check relies on: that the store does not deviate there, or that its place can be handled in this way. */
export type Need = Deviation | 'reopen' | 'openAnother' | 'damage'

/** What a check receives. Whatever it doesn't list among its needs may be missing, and then throws. */
interface Lab {
  readonly store: SessionStore
  readonly reopen: () => Promise<SessionStore>
  readonly openAnother: () => Promise<SessionStore>
  readonly damage: (key: string) => Promise<void>
  /** Opens a second store, on an empty place of its own. */
  readonly openElsewhere: () => Promise<SessionStore>
}

export type Check = (lab: Lab) => Promise<void>

/** A check that is skipped for stores that don't meet its needs. */
export interface NeedyCheck {
  readonly needs: readonly Need[]
  readonly check: Check
}

/** A sentence after the number of its law. */
export type LawTitle = `L${number}: ${string}`

/** The checks of one subject under their titles. */
export type Laws = Readonly<Record<LawTitle, Check | NeedyCheck>>

export const needs = (list: readonly Need[], check: Check): NeedyCheck => ({ needs: list, check })

/** Makes one law for each item. Two laws of one title are a mistake: the second one would replace the first. */
export function lawsForEach<T>(items: Iterable<T>, make: (item: T) => readonly [LawTitle, Check | NeedyCheck]): Laws {
  const laws: Record<LawTitle, Check | NeedyCheck> = {}
  for (const [title, law] of Array.from(items, make)) {
    if (title in laws) throw new Error(`Two laws have the title '${title}'. Give each of them its own.`)
    laws[title] = law
  }
  return laws
}

/** What a store that deviates does instead: under each deviation the checks that replace the laws it breaks. */
export type DeviationChecks = Readonly<Record<Deviation, Readonly<Record<string, Check>>>>

import type { Acknowledged } from './work/append-forever.ts'
import type { ReadBack } from './work/read-back.ts'

interface Judgement {
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  /** Numbers that are missing below one that is there, though they were asked for before it. */
  readonly gaps: readonly string[]
}

/** What the store has acknowledged, as the rig heard of it, to be held against what is found later. */
export interface Ledger {
  /** Takes in what a tab has said. What is said of other things is passed over. */
  hear(said: readonly unknown[]): void
  readonly count: number
  readonly texts: Readonly<Record<string, readonly string[]>>
  judge(found: ReadBack): Judgement
}

export function createLedger(): Ledger {
  const texts: Record<string, string[]> = {}
  let count = 0
  return {
    hear(said) {
      for (const { session, text } of said.filter(isAcknowledged)) {
        ;(texts[session] ??= []).push(text)
        count++
      }
    },
    get count() {
      return count
    },
    texts,
    judge(found) {
      const lost = Object.entries(texts).flatMap(([session, list]) => {
        const there = new Set(found.texts[session])
        return list.filter((text) => !there.has(text))
      })
      const seen = new Set<string>()
      const doubled = Object.values(found.texts)
        .flat()
        .filter((text) => text !== '' && (seen.has(text) || !seen.add(text)))
      const gaps = Object.entries(found.texts).flatMap(([session, list]) => {
        // What is no `<session>#<n>` stands in no row.
        const numbers = new Set(
          list.flatMap((text) => /^#(\d+)/.exec(text.slice(session.length))?.[1] ?? []).map(Number),
        )
        return [...Array(Math.max(-1, ...numbers) + 1).keys()]
          .filter((n) => !numbers.has(n))
          .map((n) => `${session}#${n}`)
      })
      return { lost, doubled, gaps }
    },
  }
}

function isAcknowledged(said: unknown): said is Acknowledged {
  return typeof said === 'object' && said !== null && 'session' in said && 'text' in said
}

import type { ColdRow, HotRow, SessionRows } from '../../contract/rows.ts'
import { damagedRow } from '../damaged-row.ts'
import { isColdRow, isHotRow } from '../readable.ts'
import type { DetailsRow } from './schema.ts'
import type { ReadSteps, Steps } from './transaction.ts'
import { unlessLost } from './unless-lost.ts'

/** {@link StorageBackend.loadSession}. @throws ChecksumMismatch when a row of the session can't be read */
export function loadSession(steps: ReadSteps<SessionRows | undefined>, key: string): void {
  readHot(steps, key, (hot, isDamaged) => {
    if (isDamaged) throw damagedRow(key, 'hot')
    if (hot === undefined) return steps.answer(undefined)
    readCold(steps, hot.session, (cold) => {
      if (cold === undefined) throw damagedRow(key, 'cold')
      steps.answer({ hot, cold })
    })
  })
}

/** Reads a hot row, even a damaged one. */
export function readHot(
  steps: Steps,
  key: string,
  use: (hot: HotRow | undefined, isDamaged: boolean, found?: unknown) => void,
): void {
  const take = (found: unknown): void =>
    isHotRow(found) && found.key === key ? use(found, false) : use(undefined, found !== undefined, found)
  steps.attempt<unknown>(
    steps.store('sessions').get(key),
    take,
    unlessLost(() => use(undefined, true)),
  )
}

/** Reads a cold row; `undefined` when it is missing or unreadable. */
export function readCold(steps: Steps, session: number, use: (cold: ColdRow | undefined) => void): void {
  steps.attempt<unknown>(
    steps.store('details').get(session),
    (found) => use(coldOf(found)),
    unlessLost(() => use(undefined)),
  )
}

/** The cold row in a value of `details`. */
function coldOf(found: unknown): ColdRow | undefined {
  if (!isColdRow(found)) return undefined
  const { key: _, ...cold } = found as DetailsRow
  return cold
}

/** {@link StorageBackend.listSessions}. One unreadable value fails the whole call. Then each is read by itself. */
export function listSessions(steps: ReadSteps<readonly HotRow[]>, onDamaged: (key: string) => void): void {
  const { store, attempt, answer } = steps
  const take = (rows: readonly unknown[]): void => {
    for (const row of rows) if (!isHotRow(row)) onDamaged(String((row as { readonly key?: unknown }).key))
    answer(rows.filter(isHotRow))
  }
  attempt<unknown[]>(
    store('sessions').getAll(),
    take,
    unlessLost(() => listSingly(steps, onDamaged)),
  )
}

function listSingly(steps: ReadSteps<readonly HotRow[]>, onDamaged: (key: string) => void): void {
  steps.read(steps.store('sessions').getAllKeys(), (keys) => {
    const rows: HotRow[] = []
    let waiting = keys.length
    for (const key of keys) {
      readHot(steps, key as string, (hot) => {
        if (hot === undefined) onDamaged(String(key))
        else rows.push(hot)
        waiting--
        if (waiting === 0) steps.answer(rows)
      })
    }
    if (waiting === 0) steps.answer(rows)
  })
}

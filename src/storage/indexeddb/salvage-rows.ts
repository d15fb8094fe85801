import { controlLane } from '../../contract/backend.ts'
import type { OperationRow } from '../../contract/operation-row.ts'
import type { BrokenRows, NumberedKey, RowSalvage, SessionRemains } from '../../contract/row-salvage.ts'
import type { ColdRow, SessionRows } from '../../contract/rows.ts'
import type { Connection } from './connection.ts'
import { readCold, readHot } from './load-session.ts'
import { operationsIn } from './operations-in.ts'
import { findOtherNumbers } from './other-numbers.ts'
import { readValues } from './read-keyed-values.ts'
import type { KeyRanges, RecordKey } from './record-keys.ts'
import type { DetailsRow } from './schema.ts'
import type { ReadSteps, WriteSteps } from './transaction.ts'
import { unlessLost } from './unless-lost.ts'

/** The most operations that one commit stores: one for each of its calls. */
const operationsOfCommit = 4096

/**
 * {@link RowSalvage} in IndexedDB, where rows and entries are stored separately.
 *
 * @param readable - passes on usable rows; throws otherwise
 */
export function createRowSalvage(
  { read, write }: Pick<Connection, 'read' | 'write'>,
  ranges: KeyRanges,
  readable: <Row extends object>(row: Row) => Row,
): RowSalvage {
  return {
    findRemains: async (key) => {
      const remains = await read<SessionRemains | undefined>(
        ['sessions', 'details', 'entries', 'operations'],
        'look for what is left of a session',
        (steps) => findRemains(steps, ranges, key),
      )
      return (
        remains && {
          ...remains,
          ...(remains.hot && { hot: readable(remains.hot) }),
          ...(remains.cold && { cold: readable(remains.cold) }),
        }
      )
    },
    replaceRows: (rows, broken) =>
      write(['sessions', 'details'], 'strict', 'store the rows of a session', (steps) =>
        replaceRows(steps, rows, broken),
      ),
    findOtherNumbers: (known) =>
      read<readonly NumberedKey[]>(['details'], 'look for former rows of sessions', (steps) =>
        findOtherNumbers(steps, known),
      ),
  }
}

function findRemains(steps: ReadSteps<SessionRemains | undefined>, ranges: KeyRanges, key: string): void {
  const collect = (
    session: number | undefined,
    hot: SessionRows['hot'] | undefined,
    recent: readonly OperationRow[],
  ): void => {
    if (session === undefined) return steps.answer(undefined)
    readCold(steps, session, (cold) => {
      readLanes(steps, ranges, session, (lanes) => {
        readValues(steps, 'operations', ranges.session(session), (found) => {
          const operations = found.reduce(
            (most, { value }) =>
              operationsIn(value).reduce((max, { n }) => Math.max(max, n + operationsOfCommit), most),
            0,
          )
          steps.answer({
            session,
            lanes,
            operations,
            recent,
            ...(hot === undefined ? {} : { hot }),
            ...(cold === undefined ? {} : { cold }),
          })
        })
      })
    })
  }
  readHot(steps, key, (hot, isDamaged, found) => {
    const remains = (found ?? {}) as { readonly session?: unknown; readonly recent?: unknown }
    const session = hot?.session ?? remains.session
    // With these, a repeated call is recognised.
    const recent = operationsIn(remains.recent)
    if (typeof session === 'number') collect(session, hot, recent)
    else if (isDamaged) findNumber(steps, key, (number) => collect(number, undefined, recent))
    else steps.answer(undefined)
  })
}

/** Finds the number of a session by its cold row, or because it is the only number that belongs to no other session. */
function findNumber(steps: ReadSteps<never>, key: string, use: (session: number | undefined) => void): void {
  steps.read(steps.store('details').getAllKeys(), (numbers) => {
    steps.read(steps.store('sessions').getAllKeys(), (keys) => {
      const orphans = new Map<IDBValidKey, string | undefined>(numbers.map((number) => [number, undefined]))
      let damaged = 0
      let waiting = numbers.length + keys.length
      const done = (): void => {
        waiting--
        if (waiting > 0) return
        const named = [...orphans].find(([, owner]) => owner === key)
        const unnamed = [...orphans].filter(([, owner]) => owner === undefined)
        const only = damaged === 1 && unnamed.length === 1 ? unnamed[0] : undefined
        use((named ?? only)?.[0] as number | undefined)
      }
      for (const number of numbers) {
        const take = (row: unknown): void => {
          orphans.set(number, (row as Partial<DetailsRow> | null | undefined)?.key)
          done()
        }
        steps.attempt<unknown>(
          steps.store('details').get(number),
          take,
          unlessLost(() => take(undefined)),
        )
      }
      // This is answered after the requests above.
      for (const one of keys) {
        readHot(steps, one as string, (hot) => {
          if (hot === undefined) damaged++
          else orphans.delete(hot.session)
          done()
        })
      }
    })
  })
}

/** Reads the lanes that have records of a session. It jumps from one lane to the next. */
function readLanes(
  steps: ReadSteps<never>,
  ranges: KeyRanges,
  session: number,
  use: (lanes: readonly number[]) => void,
): void {
  const lanes: number[] = []
  steps.read(steps.store('entries').openKeyCursor(ranges.session(session)), (cursor) => {
    if (cursor === null) return use(lanes)
    const [, lane] = cursor.key as RecordKey
    if (lane > controlLane) lanes.push(lane)
    cursor.continue([session, lane, []])
  })
}

/** Refuses when both rows can be read, or the session has changed meanwhile because another tab wrote first. */
function replaceRows(steps: WriteSteps, { hot, cold }: SessionRows, broken: BrokenRows = {}): void {
  readHot(steps, hot.key, (shown, isUnreadable) => {
    const isBroken = shown !== undefined && shown.version === broken.hot
    const [stored, isDamaged] = isBroken ? [undefined, true] : [shown, isUnreadable]
    readCold(steps, hot.session, (found: ColdRow | undefined) => {
      const isSound = stored !== undefined && found !== undefined && found.version !== broken.cold
      // A tab that has both rows cached can go on writing while the cold row is damaged.
      const isOutdated = stored !== undefined && stored.version !== hot.version - 1
      if (isSound || isOutdated || (stored === undefined && !isDamaged)) return steps.refuse()
      steps.store('sessions').put(hot)
      steps.store('details').put({ ...cold, key: hot.key } satisfies DetailsRow, hot.session)
    })
  })
}

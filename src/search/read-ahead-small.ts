import { controlLane, type RangeRead, type RangeResult } from '../contract/backend.ts'
import type { SessionRows } from '../contract/rows.ts'
import { pageOfLane } from './read-rows.ts'
import type { SearchSource } from './search-source.ts'

/** Only sessions with at most so many bytes of entries are held ready. */
const smallBytes = 64 * 1024

/** A source that has small sessions ready before they are asked for. */
export interface AheadSource extends Pick<SearchSource, 'loadSession' | 'readRange' | 'findByMid'> {
  /** Reads these sessions together, which takes a fraction of the time: most of it goes into waiting for answers. */
  prepare(keys: readonly string[]): Promise<void>
}

/** The newest control entry of a session. */
export const lastControl = (session: number): RangeRead => ({
  session,
  lane: controlLane,
  from: '',
  to: '~',
  reverse: true,
  limit: 1,
})

export function readAheadSmall(source: SearchSource): AheadSource {
  const sessions = new Map<string, Promise<SessionRows | undefined>>()
  const ranges = new Map<string, Promise<RangeResult>>()

  /** What was read ahead is given once. Its error is that of the call that asks for it. */
  function keep<Value>(kept: Map<string, Promise<Value>>, name: string, reading: Promise<Value>): Promise<unknown> {
    kept.set(name, reading)
    return reading.catch(() => undefined)
  }
  function take<Value>(kept: Map<string, Promise<Value>>, name: string): Promise<Value> | undefined {
    const reading = kept.get(name)
    kept.delete(name)
    return reading
  }

  return {
    prepare: async (keys) => {
      sessions.clear()
      ranges.clear()
      const found = await Promise.all(keys.map((key) => keep(sessions, key, source.loadSession(key))))
      const reads = (found as readonly (SessionRows | undefined)[]).flatMap((rows): RangeRead[] => {
        if (rows === undefined || rows.hot.bytes > smallBytes) return []
        const { session } = rows.hot
        return [...Object.values(rows.cold.lanes).map((lane) => pageOfLane(session, lane)), lastControl(session)]
      })
      await Promise.all(reads.map((read) => keep(ranges, JSON.stringify(read), source.readRange(read))))
    },
    loadSession: (key) => take(sessions, key) ?? source.loadSession(key),
    readRange: (read) => take(ranges, JSON.stringify(read)) ?? source.readRange(read),
    findByMid: (session, mids) => source.findByMid(session, mids),
  }
}

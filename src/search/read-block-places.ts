import type { PlacedEntries, ReadPlaces, SessionPlaces } from '../contract/session-places.ts'
import { leaveOutDamaged } from './leave-out-damaged.ts'
import type { SearchSource } from './search-source.ts'

/** {@link ReadPlaces} over any source. It reads place by place when the source has no such method. */
export const readPlaces = (source: SearchSource, asked: readonly SessionPlaces[]): ReturnType<ReadPlaces> =>
  source.readPlaces?.(asked) ?? Promise.all(asked.map((one) => readSession(source, one)))

async function readSession(
  source: SearchSource,
  { key, session, places }: SessionPlaces,
): Promise<PlacedEntries | undefined> {
  const rows = await source.loadSession(key).catch(leaveOutDamaged)
  if (rows?.hot.session !== session) return undefined
  const { lanes } = rows.cold
  const entries = await Promise.all(
    places.map(async ({ branch, order }) => {
      const lane = Object.hasOwn(lanes, branch) ? lanes[branch] : undefined
      return lane === undefined
        ? undefined
        : (await source.readRange({ session, lane, from: order, to: order })).entries.find(
            (entry) => entry.order === order,
          )
    }),
  )
  return { rows, entries }
}

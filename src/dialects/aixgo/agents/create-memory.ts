import { readEntries } from '../../../client/session/read-entries.ts'
import type { EntryView } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { checkId } from '../../../domain/identity/check-id.ts'
import { pushAll } from '../../../domain/push-all.ts'
import { rankTexts } from '../../../domain/rank-texts.ts'
import type { Memory, MemoryEntry, MemoryRanking, MemoryReader } from './agent-types.ts'

export interface MemoryOptions {
  readonly store: SessionStore
  /** The agent that the memory belongs to; all its sessions share one. */
  readonly agentName: string
  /** How `search` ranks, such as by embeddings. Default: by the words of key and value, in any script. */
  readonly rank?: MemoryRanking
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number
}

/** Marks an entry as part of a memory, as pi marks entries of extensions. */
const customType = 'memory'

/**
 * Opens the memory of an agent. It is stored in a session of its own (`memory:<agent>`, archived, in no agent's list,
 * never expiring). Each value is an entry of type `custom`, so that two tabs or devices that set different keys at once
 * lose nothing, as they would in one field of metadata. Replaced and deleted values are removed from every view;
 * `store.compact` erases them.
 *
 * @throws InvalidPathComponent for a bad name
 * Source: Aixgo, `MemoryReader` and the memory behind it
 */
export function createMemory({ store, agentName, rank = rankByWords, now = Date.now }: MemoryOptions): Memory {
  const session = `memory:${checkId(agentName, 'agent')}`

  /** All stored values with their entries. Of several values for one key, the current one comes last. */
  async function readValues(): Promise<readonly Value[]> {
    const values: Value[] = []
    for await (const entries of readEntries(store, session))
      for (const entry of entries) pushAll(values, valueOf(entry))
    return values.sort(byAge)
  }
  const entriesOf = (values: readonly Value[]): readonly MemoryEntry[] =>
    [...new Map(values.map(({ value }) => [value.key, value])).values()].sort((a, b) => (a.key < b.key ? -1 : 1))
  const valuesFor = async (key: string): Promise<readonly Value[]> =>
    (await readValues()).filter(({ value }) => value.key === key)

  async function set(
    key: string,
    value: string,
    { source = '' }: { readonly source?: string } = {},
  ): Promise<MemoryEntry> {
    for (const [name, text] of Object.entries({ key, value, source })) {
      if (typeof text !== 'string')
        throw new SessionError('InvalidInput', `A memory stores strings, but the ${name} is of type ${typeof text}.`)
    }
    if (key === '') throw new SessionError('InvalidInput', 'A value in a memory needs a key that is not empty.')
    const before = (await valuesFor(key)).at(-1)
    // Later than the value that it replaces, even if that was set by a device whose clock is ahead.
    const at = Math.max(now(), before === undefined ? 0 : Date.parse(before.value.timestamp) + 1)
    const entry: MemoryEntry = { key, value, timestamp: new Date(at).toISOString(), source }
    await store.append(session, [{ type: 'custom', data: { customType, ...entry } }])
    await nameSession()
    for (const older of (await valuesFor(key)).slice(0, -1)) await store.remove(session, older.entry)
    return entry
  }

  /**
   * Separates the memory from conversations. It is repeated, because the session may have been deleted and created
   * again.
   */
  async function nameSession(): Promise<void> {
    if ((await store.getMeta(session))?.tags.includes(customType) !== true) {
      await store.updateMeta(session, { title: `Memory of ${agentName}`, archived: true, tags: [customType], ttl: 0 })
    }
  }

  const reader: MemoryReader = Object.freeze({
    read: async (key: string) => (await valuesFor(key)).at(-1)?.value,
    list: async () => entriesOf(await readValues()),
    search: async (query: string, limit = 10) => {
      if (typeof query !== 'string')
        throw new SessionError(
          'InvalidInput',
          `The query for a memory must be a string, but is of type ${typeof query}.`,
        )
      return (await rank(query, entriesOf(await readValues()))).slice(0, Math.max(0, limit))
    },
  })

  return {
    ...reader,
    reader,
    set,
    delete: async (key) => {
      let isDeleted = false
      for (const { entry } of await valuesFor(key))
        isDeleted = (await store.remove(session, entry)).removed || isDeleted
      return isDeleted
    },
  }
}

/** Of entries that match equally well, the newest comes first. */
const rankByWords: MemoryRanking = (query, entries) => {
  const newest = entries.toSorted((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp))
  return rankTexts(
    query,
    newest.map(({ key, value }) => `${key}\n${value}`),
  ).map((place) => newest[place]!)
}

interface Value {
  readonly entry: EntryView
  readonly value: MemoryEntry
}

function valueOf(entry: EntryView): Value[] {
  const { customType: type, key, value, timestamp, source } = (entry.data ?? {}) as Readonly<Record<string, unknown>>
  const isValue =
    entry.type === 'custom' &&
    type === customType &&
    [key, value, timestamp, source].every((text) => typeof text === 'string') &&
    !Number.isNaN(Date.parse(timestamp as string))
  return isValue ? [{ entry, value: { key, value, timestamp, source } as MemoryEntry }] : []
}

/** Gives the same order on every device. */
function byAge(a: Value, b: Value): number {
  const [one, other] = [a, b].map(({ value, entry }) => value.timestamp + entry.order) as [string, string]
  return one < other ? -1 : 1
}

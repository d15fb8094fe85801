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
  /** Whose memory it is; an agent has one in all its sessions. */
  readonly agentName: string
  /** How `search` ranks, such as by embeddings. Default: by the words of key and value, in any script. */
  readonly rank?: MemoryRanking
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number
}

/** What marks an entry as one of a memory, as pi marks those of extensions. */
const customType = 'memory'

/**
 * Opens the memory of an agent. It lies in a session of its own (`memory:<agent>`, archived, in no agent's list,
 * without an end): each value an entry of type `custom`, so that two tabs or devices that set different keys at once
 * lose nothing, as they would in one field of metadata. What is set anew or deleted is taken out of every view;
 * `store.compact` erases it.
 *
 * @throws InvalidPathComponent for a bad name
 * Source: Aixgo, `MemoryReader` and the memory behind it
 */
export function createMemory({ store, agentName, rank = rankByWords, now = Date.now }: MemoryOptions): Memory {
  const session = `memory:${checkId(agentName, 'agent')}`

  /** Every value that is there with the entry it is from; of several for one key the one that holds comes last. */
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
        throw new SessionError('InvalidInput', `A memory holds texts; ${name} is ${typeof text}.`)
    }
    if (key === '') throw new SessionError('InvalidInput', 'What is remembered needs a key.')
    const before = (await valuesFor(key)).at(-1)
    // Later than what it replaces, also where that was set by a clock that is ahead.
    const at = Math.max(now(), before === undefined ? 0 : Date.parse(before.value.timestamp) + 1)
    const entry: MemoryEntry = { key, value, timestamp: new Date(at).toISOString(), source }
    await store.append(session, [{ type: 'custom', data: { customType, ...entry } }])
    await nameSession()
    for (const older of (await valuesFor(key)).slice(0, -1)) await store.remove(session, older.entry)
    return entry
  }

  /** Keeps it apart from conversations; again, when it was deleted and began afresh. */
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
        throw new SessionError('InvalidInput', `A memory is searched by a text, got ${typeof query}.`)
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

/** Of entries that answer equally well the newest first. */
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

/** The same on every device. */
function byAge(a: Value, b: Value): number {
  const [one, other] = [a, b].map(({ value, entry }) => value.timestamp + entry.order) as [string, string]
  return one < other ? -1 : 1
}

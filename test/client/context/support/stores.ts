import type { Entry } from '../../../../src/contract/entry.ts'
import type { Message } from '../../../../src/contract/message.ts'
import type { EntryPage, ReadOptions } from '../../../../src/contract/store/session-log.ts'
import type { SessionStore } from '../../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../../src/storage/memory-backend.ts'

/** A store in memory with a clock that can be set. */
export interface Device {
  readonly store: SessionStore
  at: number
}

export function createDevice(at = 1_700_000_000_000): Device {
  const device: Device = { at, store: createSessionStore(createMemoryBackend(), { now: (): number => device.at++ }) }
  return device
}

/** Takes everything from one store to another. */
export async function send(from: SessionStore, to: SessionStore, key = 's'): Promise<void> {
  const entries: Entry[] = []
  for (let page = await from.changes(key); ; page = await from.changes(key, {}, page.next)) {
    entries.push(...page.entries)
    if (page.next === undefined) break
  }
  await to.merge(key, entries)
}

export const say = async (store: SessionStore, messages: readonly Message[], key = 's') =>
  (
    await store.append(
      key,
      messages.map((message) => ({ type: 'message' as const, message })),
    )
  ).entries

/** Turns of a question and an answer, `q<from>`/`a<from>` and so on. */
export const turns = (from: number, to: number, filling = ''): Message[] =>
  Array.from({ length: to - from }, (_, i) => from + i).flatMap((n) => [
    { role: 'user', content: `q${n}${filling}` },
    { role: 'assistant', content: `a${n}${filling}` },
  ])

/** What messages say, so that lists of them can be read. */
export const texts = (messages: readonly Message[]): unknown[] => messages.map(({ content }) => content)

/** A store that tells of each page that is read, before it is handed out. */
export function watchReads(
  store: SessionStore,
  onPage: (page: EntryPage, options: ReadOptions, n: number) => void | Promise<void>,
): SessionStore {
  let n = 0
  return {
    ...store,
    read: async (key, options = {}) => {
      const page = await store.read(key, options)
      await onPage(page, options, n++)
      return page
    },
  }
}

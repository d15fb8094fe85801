import type { Entry, EntryView } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { Breather } from '../pacing/breather.ts'
import type { MessageNames } from './create-message-names.ts'
import { readView } from './read-view.ts'

/** Compares messages of this app with those of a format. */
export interface MessageForm extends Pick<MessageNames, 'hashIn'> {
  /** The hashes of a message in the form of an export, which may be several messages there. */
  hashesOf(view: EntryView): readonly string[]
}

/** The messages of a session's main line, by their hashes in another format. */
export interface KnownMessages {
  /** Returns the next entry that is, or has, a message of the file. Each message is found once. */
  take(hash: string): Entry | undefined
  /** The messages that were imported from this format, in order. */
  readonly imported: readonly Entry[]
  /** Orders of the entries that a model still gets. */
  readonly shown: ReadonlySet<string>
  /** Compactions of the line, active or not. */
  readonly compactions: readonly Entry[]
}

/** A message of the file that an entry is, or one of several. */
interface KnownMessage {
  readonly entry: Entry
}

/** No session, no messages. */
export const nothingKnown: KnownMessages = { take: () => undefined, imported: [], shown: new Set(), compactions: [] }

/**
 * Reads the messages of a session. Messages of this app are also found by the hashes that an export would write, so
 * that importing an export adds nothing. An imported message that was edited here is found both in its original and in
 * its current form.
 */
export async function readKnown(
  store: Pick<SessionStore, 'read' | 'changes'>,
  key: string,
  { hashIn, hashesOf }: MessageForm,
  breathe: Breather,
): Promise<KnownMessages> {
  const entries = new Map<string, Entry>()
  const compactions: Entry[] = []
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await store.changes(key, {}, cursor)
    for (const entry of page.entries) {
      if (entry.branch !== '') continue
      if (entry.type === 'message') entries.set(entry.order, entry)
      else if (entry.type === 'compaction') compactions.push(entry)
    }
    cursor = page.next
    await breathe()
  }
  const byHash = new Map<string, KnownMessage[]>()
  const imported: Entry[] = []
  const add = (hash: string, message: KnownMessage): void => {
    const list = byHash.get(hash)
    if (list === undefined) byHash.set(hash, [message])
    else if (list.at(-1) !== message) list.push(message)
  }
  for await (const view of readView(store, key, { branch: '', view: 'raw' })) {
    const entry = entries.get(view.order)
    if (entry === undefined) continue
    const pause = breathe()
    if (pause !== undefined) await pause
    const hash = hashIn(view.mid)
    const [own, ...others] = hashesOf(view)
    const message = { entry }
    if (hash !== undefined) {
      imported.push(entry)
      add(hash, message)
    }
    if (own !== undefined) add(own, message)
    for (const other of others) add(other, { entry })
  }
  const shown = new Set<string>()
  for await (const { order } of readView(store, key, { branch: '', view: 'context' })) {
    shown.add(order)
    const pause = breathe()
    if (pause !== undefined) await pause
  }
  const used = new Set<KnownMessage>()
  return {
    take: (hash) => {
      const list = byHash.get(hash) ?? []
      // An edited message is in two lists.
      while (list[0] !== undefined && used.has(list[0])) list.shift()
      const message = list.shift()
      if (message !== undefined) used.add(message)
      return message?.entry
    },
    imported,
    shown,
    compactions,
  }
}

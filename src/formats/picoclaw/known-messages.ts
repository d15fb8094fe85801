import type { Entry } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store.ts'
import type { Breather } from '../breather.ts'
import { hashIn, messageHash, picoClawMessage } from './message-form.ts'
import { readView } from './read-view.ts'

/** The messages of a session's main line, by what PicoClaw's file would say of them. */
export interface KnownMessages {
  /** Takes the next one that equals a message of the file, each once. */
  take(hash: string): Entry | undefined
  /** Those that came from PicoClaw, in order. */
  readonly imported: readonly Entry[]
  /** Orders of the entries that a model still gets. */
  readonly shown: ReadonlySet<string>
}

/** No session, no messages. */
export const nothingKnown: KnownMessages = { take: () => undefined, imported: [], shown: new Set() }

/**
 * Reads what a session has. A message of this app that was exported is known as well, so that an export that comes back adds nothing;
 * so is an imported one that was edited here, as it was and as it is.
 */
export async function readKnown(store: Pick<SessionStore, 'read' | 'changes'>, key: string, breathe: Breather): Promise<KnownMessages> {
  const entries = new Map<string, Entry>()
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await store.changes(key, {}, cursor)
    for (const entry of page.entries) if (entry.branch === '' && entry.type === 'message') entries.set(entry.order, entry)
    cursor = page.next
    await breathe()
  }
  const byHash = new Map<string, Entry[]>()
  const imported: Entry[] = []
  const add = (hash: string, entry: Entry): void => {
    const list = byHash.get(hash)
    if (list === undefined) byHash.set(hash, [entry])
    else if (list.at(-1) !== entry) list.push(entry)
  }
  for await (const view of readView(store, key, { branch: '', view: 'raw' })) {
    const entry = entries.get(view.order)
    if (entry === undefined) continue
    const pause = breathe()
    if (pause !== undefined) await pause
    const hash = hashIn(view.mid)
    if (hash !== undefined) {
      imported.push(entry)
      add(hash, entry)
    }
    add(messageHash(picoClawMessage(view.message as Message, hash === undefined ? view.at : undefined)), entry)
  }
  const shown = new Set<string>()
  for await (const { order } of readView(store, key, { branch: '', view: 'context' })) {
    shown.add(order)
    const pause = breathe()
    if (pause !== undefined) await pause
  }
  const used = new Set<Entry>()
  return {
    take: (hash) => {
      const list = byHash.get(hash) ?? []
      // One that was edited stands in two lists.
      while (list[0] !== undefined && used.has(list[0])) list.shift()
      const entry = list.shift()
      if (entry !== undefined) used.add(entry)
      return entry
    },
    imported,
    shown,
  }
}

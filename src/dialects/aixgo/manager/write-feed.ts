import type { SessionClient } from '../../../client/client-contract.ts'
import { methodNames, optionsIndex } from '../../../client/opening/options-index.ts'
import type { SessionChange } from '../../../contract/change.ts'
import type { EntryInput } from '../../../contract/entry.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { callIds } from '../../../domain/tool-calls.ts'

/** The facts about a write that matter for checkpoints. */
interface SessionWrite {
  /** The number of answers that it added. */
  readonly answers: number
  /** Whether it only appended. */
  readonly isAppend: boolean
}

/** Called for each write; with `undefined` when the session is deleted or purged. */
export type WriteListener = (write: SessionWrite | undefined) => void

/** Reports writes to sessions. */
export interface WriteFeed {
  /** The store through which handles must write, so that the writes are reported. */
  readonly store: SessionStore
  /** Returns the unsubscriber. */
  follow(key: string, listener: WriteListener): () => void
}

/**
 * A client reports every write, from any tab. For another store, only writes through `store` here are reported.
 * Checkpoints do not count as writes.
 */
export function createWriteFeed(store: SessionStore | SessionClient): WriteFeed {
  return 'session' in store ? followClient(store) : watchStore(store)
}

function followClient(store: SessionClient): WriteFeed {
  return {
    store: store.store,
    follow: (asked, listener) => {
      let key = asked
      return store.subscribe((change) => {
        if (change.type !== 'session' || change.key !== key || (change.rows.length === 0 && !change.reload)) return
        // Its history was moved to another session, and later writes go there too (L20).
        key = change.listing?.promotedTo ?? key
        const isGone = change.listing === undefined || change.listing.deletedAt !== undefined
        listener(isGone ? undefined : { answers: answersIn(change), isAppend: !change.reload })
      })
    },
  }
}

/** Entries that are too large to be part of a notification count as answers: an additional checkpoint does no harm. */
function answersIn({ entries, rows }: SessionChange): number {
  return entries?.filter(({ message }) => isAnswer(message)).length ?? rows.length
}

/** Calls that change nothing a checkpoint contains: they create or delete one, or only start a draft. */
const ignoredMethods: readonly string[] = ['checkpoint', 'deleteCheckpoint', 'openDraft']

type Methods = Readonly<Record<keyof SessionStore, (...args: readonly unknown[]) => Promise<unknown>>>

function watchStore(store: SessionStore): WriteFeed {
  const listeners = new Map<string, WriteListener>()
  const watched = methodNames.map((name) => {
    const isWrite = optionsIndex[name] >= 0 && !ignoredMethods.includes(name)
    return [
      name,
      async (...args: readonly unknown[]) => {
        const result = await (store as unknown as Methods)[name](...args)
        if (isWrite) listeners.get(args[0] as string)?.(writeOf(name, args))
        return result
      },
    ]
  })
  return {
    store: Object.fromEntries(watched) as unknown as SessionStore,
    follow: (key, listener) => {
      listeners.set(key, listener)
      return () => void listeners.delete(key)
    },
  }
}

function writeOf(name: keyof SessionStore, args: readonly unknown[]): SessionWrite | undefined {
  if (name === 'delete' || name === 'purge') return undefined
  let said: readonly (Message | undefined)[] = []
  if (name === 'append')
    said = (args[1] as readonly EntryInput[]).map((entry) => ('message' in entry ? entry.message : undefined))
  if (name === 'sealDraft') said = [args[2] as Message]
  return { answers: said.filter(isAnswer).length, isAppend: said.length > 0 }
}

function isAnswer(message: Message | undefined): boolean {
  return message?.role === 'assistant' && callIds(message).length === 0
}

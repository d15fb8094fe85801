import type { SessionClient } from '../../../client/client-contract.ts'
import { methodNames, optionsIndex } from '../../../client/opening/options-index.ts'
import type { SessionChange } from '../../../contract/change.ts'
import type { EntryInput } from '../../../contract/entry.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { callIds } from '../../../domain/tool-calls.ts'

/** A write to a session, as far as checkpoints care. */
interface SessionWrite {
  /** Answers it added. */
  readonly answers: number
  /** Whether it did nothing but append. */
  readonly isAppend: boolean
}

/** Called for each write; with `undefined` when the session is deleted or purged. */
export type WriteListener = (write: SessionWrite | undefined) => void

/** Where writes to sessions are heard of. */
export interface WriteFeed {
  /** What handles must write to, to be heard. */
  readonly store: SessionStore
  /** Returns the unsubscriber. */
  follow(key: string, listener: WriteListener): () => void
}

/**
 * A client tells of every write, in whatever tab; of another store only what goes through `store` here is heard.
 * Checkpoints themselves are none.
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
        // Its history moved, and so does what is written to it (L20).
        key = change.listing?.promotedTo ?? key
        const isGone = change.listing === undefined || change.listing.deletedAt !== undefined
        listener(isGone ? undefined : { answers: answersIn(change), isAppend: !change.reload })
      })
    },
  }
}

/** Entries that are too large to be told count as answers: rather a checkpoint more. */
function answersIn({ entries, rows }: SessionChange): number {
  return entries?.filter(({ message }) => isAnswer(message)).length ?? rows.length
}

/** What no checkpoint has: it makes or drops one, or nothing is said yet. */
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
  if (name === 'delete') return undefined
  let said: readonly (Message | undefined)[] = []
  if (name === 'append')
    said = (args[1] as readonly EntryInput[]).map((entry) => ('message' in entry ? entry.message : undefined))
  if (name === 'sealDraft') said = [args[2] as Message]
  return { answers: said.filter(isAnswer).length, isAppend: said.length > 0 }
}

function isAnswer(message: Message | undefined): boolean {
  return message?.role === 'assistant' && callIds(message).length === 0
}

import type { SessionClient } from '../../client/client-contract.ts'
import type { Session } from '../../client/session-contract.ts'
import type { JsonValue } from '../../contract/json.ts'
import { decodeValues, encodeValues } from '../encode-values.ts'
import { isMendable } from '../is-mendable.ts'
import { unless } from '../unless.ts'
import { readThread, unknownThread } from './known-thread.ts'
import type { ThreadMessage, ThreadState } from './thread-types.ts'
import { dropReply, paceMs, writeThread } from './write-thread.ts'

/** A reply that nothing was added to for so long is stored as it is, though the chat did not say that it ended. */
const quietMs = 2000

export type ThreadClient = Pick<SessionClient<object>, 'session' | 'collection'>

/** A thread as one chat of this page stores it. */
export interface StoredThread {
  load(): Promise<ThreadState<ThreadMessage> | null>
  set(state: ThreadState<ThreadMessage>): void
  flush(): Promise<void>
  remove(): Promise<void>
}

/**
 * Stores the lists of messages that a chat shows: of those that come while one is being stored, the last.
 *
 * @param report - told of each write that failed
 */
export function createStoredThread(client: ThreadClient, id: string, report: (error: unknown) => void): StoredThread {
  const place = createThreadPlace(client, id)
  let known = unknownThread()
  /** What the chat shows; absent before it shows something, and after it was removed. */
  let shown: ThreadState<ThreadMessage> | undefined
  let hasEnded = false
  let last: Promise<unknown> = Promise.resolve()
  /** The write that has not begun yet. */
  let queued: Promise<void> | undefined
  let failedAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function enqueue<T>(job: () => Promise<T>): Promise<T> {
    const done = last.then(job)
    last = done.catch(() => undefined)
    return done
  }
  async function write(state: ThreadState<ThreadMessage> | undefined, isEnd: boolean): Promise<void> {
    if (state === undefined) return
    await writeThread(await place.open(), known, state.messages, isEnd, report)
    await writeResume(state)
    failedAt = 0
    if (isEnd && state === shown) clearTimeout(timer)
  }
  async function writeResume({ messages, resume }: ThreadState<ThreadMessage>): Promise<void> {
    const text = resume === undefined ? '' : JSON.stringify(resume)
    if (text === known.resumeText) return
    await place.keepResume(resume, messages.findLast((message) => known.messages.has(message.id))?.id ?? '')
    known.resumeText = text
  }
  function kick(): void {
    if (queued !== undefined) return
    const mine = enqueue(async () => {
      if (queued !== mine) return
      queued = undefined
      await write(shown, hasEnded).catch((error: unknown) => {
        failedAt = Date.now()
        report(error)
      })
    })
    queued = mine
  }

  return {
    load: () => {
      const before = shown
      queued = undefined
      clearTimeout(timer)
      return enqueue(async () => {
        if (!(await isSettled(write(before, true), report)) && shown === before) {
          // What is not stored yet is only here. The chat takes it as it would take what is stored.
          Object.assign(known, { isLoaded: true, shown: undefined })
          return before ?? null
        }
        known = await readThread(await place.open())
        const resume = await place.readResume(known.messages)
        const messages = [...known.messages.values()]
        if (resume !== undefined) known.resumeText = JSON.stringify(resume)
        // A chat that went on meanwhile does not take the messages: it has only those that it shows.
        if (shown === before) shown = undefined
        else known = { ...known, isLoaded: false, messages: new Map() }
        return resume === undefined && messages.length === 0
          ? null
          : { messages, ...(resume === undefined ? {} : { resume }) }
      })
    },
    set: (state) => {
      // When a run has ended, the client sets the same messages again.
      hasEnded = isSameList(state.messages, shown?.messages)
      shown = state
      clearTimeout(timer)
      timer = setTimeout(() => {
        hasEnded = true
        kick()
      }, quietMs)
      if (Date.now() - failedAt >= paceMs) kick()
    },
    flush: () => enqueue(() => write(shown, true)),
    remove: () => {
      shown = undefined
      queued = undefined
      clearTimeout(timer)
      return enqueue(async () => {
        await dropReply(known)
        await place.delete()
        known = unknownThread()
      })
    },
  }
}

/** Reports the error of a write. @returns `false` when a later try may store what was not stored */
async function isSettled(writing: Promise<void>, report: (error: unknown) => void): Promise<boolean> {
  try {
    await writing
    return true
  } catch (error) {
    report(error)
    return !isMendable(error)
  }
}

function isSameList(messages: readonly ThreadMessage[], before: readonly ThreadMessage[] | undefined): boolean {
  return messages.length === before?.length && messages.every((message, at) => message === before[at])
}

/** Where a thread is stored: its session, and a row for what the client resumes it by. */
function createThreadPlace(client: ThreadClient, id: string) {
  const rows = client.collection('tanstack-ai')
  let opening: Promise<Session<object>> | undefined

  function open(): Promise<Session<object>> {
    opening ??= client.session(id).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
  return {
    open,
    /** @param after - the last message that is stored: the state belongs to a thread that has it */
    keepResume: async (resume: unknown, after: string): Promise<void> => {
      const value = { resume: encodeValues(resume) as JsonValue, after }
      await rows.write([resume === undefined ? { type: 'delete', key: id } : { type: 'put', key: id, value }])
    },
    readResume: async (messages: ReadonlyMap<string, unknown>): Promise<unknown> => {
      const row = (await rows.get(id)) as { readonly resume: JsonValue; readonly after: string } | undefined
      return row !== undefined && (row.after === '' || messages.has(row.after)) ? decodeValues(row.resume) : undefined
    },
    delete: async (): Promise<void> => {
      const session = await open()
      await session.delete().catch(unless('SessionNotFound'))
      await rows.write([{ type: 'delete', key: id }])
      // What the chat stores from now on begins the session anew.
      opening = undefined
      // A reply that was being streamed when another tab deleted the session is gone with it.
      await session.close().catch(unless('SessionNotFound'))
    },
  }
}

import { isSessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { coveringVector } from '../../domain/covering-vector.ts'
import { readWholeContext } from './read-whole-context.ts'
import { showWholeLine } from './show-whole-line.ts'

/** The number of attempts if the line is compacted in between. */
const mostTries = 4

/**
 * Makes the transcript and the context equal to a list of messages. The summary of a hidden part is removed too: the
 * whole line is shown first, because hidden entries can't be cut.
 */
export async function replaceLine(store: SessionStore, key: string, messages: readonly Message[]): Promise<void> {
  await untilSteady(async () => {
    const { branch, hidden = { summary: '' } } = await store.read(key, { view: 'context', last: 1 })
    await showWholeLine(store, key, { branch, hidden }, '', { by: 'setChatHistory' })
  })
  await store.setHistory(key, messages, { keepThoughts: true })
  if (messages.length === 0) await untilSteady(() => hideRest(store, key))
}

/**
 * A line without messages has nothing to cut at, but the context may still include a branch summary or an entry of an
 * extension.
 */
async function hideRest(store: SessionStore, key: string): Promise<void> {
  const { entries, hidden, branch } = await readWholeContext(store, key, {})
  // A message was added since, which must not be hidden.
  if (entries.length === 0 || entries.some(({ message }) => message !== undefined)) return
  await store.setCompaction(key, {
    summary: '',
    keepLast: 0,
    branch,
    covers: coveringVector(entries),
    replaces: hidden.compaction ?? null,
  })
}

/** Repeats an action when another compaction came in between. */
async function untilSteady(act: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act()
    } catch (error) {
      if (!isSessionError(error, 'ParentMoved') || tries === mostTries) throw error
    }
  }
}

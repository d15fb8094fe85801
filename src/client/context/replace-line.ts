import { isSessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { coveringVector } from '../../domain/covering-vector.ts'
import { readWholeContext } from './read-whole-context.ts'
import { showWholeLine } from './show-whole-line.ts'

/** How often it is tried again when the line is compacted in between. */
const mostTries = 4

/**
 * Makes what people scroll and what models get equal to a list. What stood for a hidden part goes with it: the whole
 * line is shown first, for what a model does not get is not cut.
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
 * A line that has no message has nothing to cut at, but a branch's summary, or what an extension said, may still be
 * told to a model.
 */
async function hideRest(store: SessionStore, key: string): Promise<void> {
  const { entries, hidden, branch } = await readWholeContext(store, key, {})
  // A message has come since: it is not to be forgotten.
  if (entries.length === 0 || entries.some(({ message }) => message !== undefined)) return
  await store.setCompaction(key, {
    summary: '',
    keepLast: 0,
    branch,
    covers: coveringVector(entries),
    replaces: hidden.compaction ?? null,
  })
}

/** Does it again when another compaction came in between. */
async function untilSteady(act: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act()
    } catch (error) {
      if (!isSessionError(error, 'ParentMoved') || tries === mostTries) throw error
    }
  }
}

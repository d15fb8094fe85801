import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import { callIds } from '../../domain/tool-calls.ts'
import type { Session } from '../types.ts'
import { readInterval } from './read-interval.ts'
import type { AutoSaveSettings } from './types.ts'

/** The longest a timer can be. */
const longest = 2 ** 31 - 1

/** A handle whose writes are followed by checkpoints. */
export interface AutoSaved {
  readonly writes: Pick<Session, 'append' | 'appendAll' | 'stream'>
  /** Saves what has no checkpoint yet, and stops. */
  stop(): Promise<void>
}

/** @throws InvalidInput for settings that make no sense */
export function checkAutoSave({ interval, everyTurns = 1, keep = 1 }: AutoSaveSettings): void {
  readInterval(interval)
  for (const [name, value] of Object.entries({ everyTurns, keep })) {
    if (!Number.isSafeInteger(value) || value < 1) throw new SessionError('InvalidInput', `checkpoint.${name} must be a whole number from 1 up, got ${String(value)}.`)
  }
}

/**
 * Makes checkpoints of a session by itself: after so many answers, and at the latest some time after the first write that has none. Nobody
 * waits for them. One that fails is tried again with the next; the messages themselves are stored all the same.
 */
export function autoSave(session: Session, { interval, everyTurns = Infinity, keep = 10 }: AutoSaveSettings): AutoSaved {
  const wait = readInterval(interval)
  let isDirty = false
  let turns = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let saving = Promise.resolve()

  const save = (): Promise<void> => (saving = saving.then(saveOnce).catch(() => void (isDirty = true)))
  const saveOnce = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    if (!isDirty) return
    isDirty = false
    turns = 0
    // Another tab may have saved the same already.
    const [{ entries, branch }, checkpoints] = await Promise.all([session.page({ last: 1, view: 'raw' }), session.checkpoints()])
    const last = checkpoints.at(-1)
    if (last?.branch === branch && last.order === entries[0]?.order) return
    await session.checkpoint({ metadata: { auto: true } })
    const own = (await session.checkpoints()).filter(({ metadata }) => metadata?.['auto'] === true)
    for (const { id } of own.slice(0, -keep)) await session.deleteCheckpoint(id).catch(unlessGone)
  }
  const wrote = (messages: readonly (Message | undefined)[]): void => {
    isDirty = true
    turns += messages.filter((message) => message?.role === 'assistant' && callIds(message).length === 0).length
    if (turns >= everyTurns) void save()
    else if (wait > 0) timer ??= setTimeout(save, Math.min(wait, longest))
  }

  return {
    writes: {
      append: async (message, options) => {
        const receipt = await session.append(message, options)
        wrote([message])
        return receipt
      },
      appendAll: async (entries, options) => {
        const result = await session.appendAll(entries, options)
        wrote(entries.map((entry) => ('message' in entry ? entry.message : undefined)))
        return result
      },
      stream: (options) => {
        const stream = session.stream(options)
        const { end } = stream
        return Object.defineProperty(stream, 'end', {
          value: async (message?: Message) => {
            const receipt = await end(message)
            wrote([message ?? { role: options?.role ?? 'assistant', content: stream.text }])
            return receipt
          },
        })
      },
    },
    stop: save,
  }
}

/** Another tab was faster. */
function unlessGone(error: unknown): void {
  if (!isSessionError(error, 'CheckpointNotFound')) throw error
}

import type { EntryView } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { SessionMeta } from '../../../contract/meta.ts'
import type { EntryPage, HiddenPart, View } from '../../../contract/store/session-log.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { readView } from '../../../formats/read-view.ts'
import type { Breather } from '../../../pacing/breather.ts'
import { type MemoState, readMemoState } from '../rules/memo-state.ts'
import { messageOf } from './message-names.ts'

/** A session as AgentlyMemoSession sees it. */
export interface SessionNow {
  readonly meta: SessionMeta
  readonly state: MemoState
  /** The messages of the head line. */
  readonly full: readonly EntryView[]
  /** Those that a model gets, without {@link hidden}. */
  readonly shown: readonly EntryView[]
  /** The replacement of the older part, in front of them. */
  readonly hidden: HiddenPart
  readonly current: readonly JsonObject[]
  readonly turns: number
  /** In messages of `full`. */
  readonly memoCursor: number
}

/** How often a session is read again when it changes in the meantime. */
const attempts = 5

/**
 * Reads a consistent state of a session, unless it changes all the time; `undefined` when it does not exist or was
 * deleted.
 *
 * @param signal - of an export
 * @throws Aborted
 */
export async function readSession(
  store: Pick<SessionStore, 'read' | 'getMeta'>,
  key: string,
  breathe: Breather,
  signal?: AbortSignal,
): Promise<SessionNow | undefined> {
  for (let attempt = 1; ; attempt++) {
    const meta = await store.getMeta(key)
    if (meta === undefined || meta.deletedAt !== undefined) return undefined
    const versions = new Set<number>()
    const { head } = meta
    const read = async (view: View, onPage?: (page: EntryPage) => void): Promise<EntryView[]> => {
      const found: EntryView[] = []
      const takePage = (page: EntryPage): void => {
        versions.add(page.version)
        onPage?.(page)
      }
      for await (const one of readView(store, key, { branch: head, view, signal, onPage: takePage })) {
        if (one.message !== undefined) found.push(one)
        const pause = breathe()
        if (pause !== undefined) await pause
      }
      return found
    }
    let hidden: HiddenPart = { summary: '' }
    const shown = await read('context', (page) => void (hidden = page.hidden ?? hidden))
    const full = await read('transcript')
    if (versions.size > 1 && attempt < attempts) continue
    const state = readMemoState(meta.contextState)
    return {
      meta,
      state,
      full,
      shown,
      hidden,
      current: [...((hidden.messages ?? []) as readonly JsonObject[]), ...shown.map(messageOf)],
      turns:
        state.turns + full.filter(({ order, message }) => order > state.at && message?.role === 'assistant').length,
      memoCursor: full.filter(({ order }) => order <= state.memoCursor).length,
    }
  }
}

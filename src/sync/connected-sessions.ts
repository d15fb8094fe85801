import type { VersionVector } from '../contract/entry.ts'
import type { TermOptions } from '../contract/term.ts'
import { includesVector } from '../domain/version-vector.ts'
import type { FailedSessions } from './failed-sessions.ts'
import { isGone } from './is-gone.ts'
import type { Presence } from './presence/create-presence.ts'
import type { Reporter } from './report.ts'
import { openSessionLink, type SessionTrouble } from './session-link.ts'
import { createSessionWindow, type SessionWindow, type SessionWindowOptions, type WindowEvents } from './session-window.ts'
import type { SettledSessions } from './settled-sessions.ts'
import type { SyncOptions, SyncStore } from './sync.ts'
import type { ListTeller } from './tell-list.ts'
import type { UnderKey } from './under-key.ts'
import type { UntoldPurges } from './untold-purges.ts'
import type { WatchedSessions } from './watched-sessions.ts'

export interface ConnectedSessionsOptions extends Pick<SyncOptions, 'store' | 'transport' | 'namespace'>, Pick<SessionWindowOptions, 'size' | 'liveMs' | 'now'> {
  readonly our: () => UnderKey
  readonly term: TermOptions
  readonly presence: Presence | undefined
  readonly watched: WatchedSessions
  readonly failed: FailedSessions
  readonly settled: SettledSessions
  readonly teller: ListTeller
  readonly purges: Pick<UntoldPurges, 'get' | 'forget'>
  readonly report: Reporter
  readonly isClosed: () => boolean
  readonly onReadonly: () => void
  /** It is to be looked at anew: another device purged it while it was exchanged, or it may have been begun anew while what was purged was let go of. */
  readonly onOpen: () => void
  readonly onError: (error: unknown) => void
  readonly onChange: () => void
}

/** The sessions that are connected, and what is told and noted of each that was exchanged. */
export function createConnectedSessions({ our, store, transport, namespace, term, presence, watched, failed, settled, teller, purges, report, isClosed, onReadonly, onOpen, onError, onChange, ...options }: ConnectedSessionsOptions): SessionWindow {
  /** What those that are connected let go of, and whether that is all they do: nothing of them is here. */
  const erasing = new Map<string, { readonly erased: VersionVector; readonly isAll: boolean }>()

  const open = async (key: string, events: WindowEvents): ReturnType<typeof openSessionLink> => {
    const { codec, locals, blobs } = our()
    const id = locals.all.get(key)?.id ?? (await codec.idOf(key))
    const entry = settled.entryOf(key)
    const erased = entry?.purged
    const isAll = entry !== undefined && isGone(entry) && !locals.all.has(key)
    if (erased === undefined) erasing.delete(key)
    else erasing.set(key, { erased, isAll })
    const visit = isAll ? undefined : presence?.enter(key, id)
    try {
      return await openSessionLink({
        store: isAll ? nothingStored : store, key, name: `${namespace}/s/${id}`, elements: codec.elements(id), erased, transport, ...(isAll ? {} : { blobs }), ...(visit && { visit }), ...term, ...events,
        onSent: (entries) => report.sent(entries),
        onReport: ({ added, quarantined }) => {
          report.received(key, added)
          report.quarantine(key, quarantined)
          onChange()
        },
      })
    } catch (error) {
      visit?.leave()
      throw error
    }
  }

  /** Both sides have the same: the list is to say so, unless more was written here since, which is still to be sent. */
  const onSynced = async (key: string, proven: VersionVector, isMost: boolean): Promise<boolean> => {
    try {
      const { locals } = our()
      const { erased, isAll = false } = erasing.get(key) ?? {}
      if (erased !== undefined && purges.get(key) !== undefined) await purges.forget({ key, vector: erased })
      if (isAll) {
        await letGo(key)
        return true
      }
      await locals.refresh()
      const local = locals.all.get(key)
      const isProven = (): boolean => {
        const now = locals.all.get(key)
        return isMost || now === undefined || teller.isErasedElsewhere(now) || includesVector(proven, now.vector)
      }
      if (!isProven()) return false
      if (local !== undefined && !isClosed() && !teller.isErasedElsewhere(local)) await teller.publishSoon(local)
      // Somebody may have looked at what was written while that was told.
      if (!isProven()) return false
      if (local !== undefined && teller.isErasedElsewhere(local)) onOpen()
      else settled.add(key)
      failed.succeeded(key)
    } catch (error) {
      onError(error)
    }
    return true
  }

  const letGo = async (key: string): Promise<void> => {
    // What was begun anew meanwhile is here now, and has not been exchanged.
    if (!our().locals.all.has(key)) settled.add(key)
    failed.succeeded(key)
    // While it is under way it can't be taken up again.
    await window.drop(key)
    onOpen()
  }

  const onTrouble = (key: string, trouble: SessionTrouble): void => {
    if (trouble.state === 'readonly') onReadonly()
    if ('message' in trouble) onError(new Error(`Session "${key}": ${trouble.message}`))
    if (trouble.state === 'wrongKey') our().sealed.add(key)
    if (trouble.state !== 'offline') settled.add(key)
    if (trouble.state === 'error' || trouble.state === 'denied' || trouble.state === 'offline') failed.failed(key)
    onChange()
  }

  const window = createSessionWindow({ ...options, open, onSynced, onTrouble, onChange, isKept: (key) => watched.has(key) || presence?.streaming().includes(key) === true })
  return window
}

/** In the place of a store, for a session of which nothing is here, nor is to come here. */
const nothingStored: Pick<SyncStore, 'changes' | 'merge' | 'flush'> = {
  changes: async () => ({ entries: [], vv: {} }),
  merge: async () => ({ added: 0, known: 0, refused: [] }),
  flush: async () => undefined,
}

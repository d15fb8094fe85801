import type { SequenceRanges } from '../../../src/contract/entry.ts'
import { SessionError } from '../../../src/contract/errors.ts'
import type { MirrorReport } from '../../../src/contract/mirror.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { keepMirror } from '../../../src/mirror/keep-mirror.ts'
import { mirrorCommits } from '../../../src/mirror/mirror-commits.ts'
import { mirrorName } from '../../../src/mirror/mirror-names.ts'
import { openLastingMirror } from '../../../src/mirror/open-lasting-mirror.ts'
import { type OpenMirror, openMirror } from '../../../src/mirror/open-mirror.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { createMemoryFolder, type MemoryFolder } from './memory-folder.ts'

/** A browser with a database and a folder, in which workers start and die. */
export interface MirroredDevice {
  readonly folder: MemoryFolder
  readonly stopped: string[]
  /** Resolves when a mirror goes on that had stopped. */
  begun(): Promise<void>
  /** The next commit fails, when the mirror has it already. */
  failNext(fails?: () => void): void
  /** The worker of the next commit dies with it, before it is stored or as soon as it is. */
  dieWithNext(isStored: boolean): void
  /** Starts a worker. */
  boot(isLasting?: true): { readonly store: SessionStore; readonly mirror: OpenMirror; readonly boot: string }
  /** All workers die at once, without a word. */
  crash(): void
  /** Throws the database away, as browsers do. */
  wipe(): void
  /** The database as it is now, and going back to it. */
  keepCopy(): Promise<() => Promise<void>>
  keep(): Promise<MirrorReport>
  /** Local number of a session. */
  numberOf(key: string): Promise<number | undefined>
  /** What of it was erased for good. */
  purgedOf(key: string): Promise<SequenceRanges>
  /** A store on the database that mirrors nothing. */
  bare(): SessionStore
}

export function createMirroredDevice(): MirroredDevice {
  const folder = createMemoryFolder()
  const stopped: string[] = []
  let backend = createMemoryBackend()
  let epoch = 'a0'
  let boots = 0
  let failing: (() => void) | undefined
  let dying: { readonly isStored: boolean } | undefined

  let onBegin: () => void = () => undefined
  const boot: MirroredDevice['boot'] = (isLasting) => {
    const name = `boot${boots++}`
    const onStop = (reason: string): void => void stopped.push(reason)
    const mirror = isLasting
      ? openLastingMirror(
          (hear) => openMirror({ folder, epoch, boot: `${name}n${boots++}` }, hear),
          { onStop, onBegin: () => onBegin() },
          [1, 5],
        )
      : openMirror({ folder, epoch, boot: name }, onStop)
    const { commit } = backend
    const failable = {
      ...backend,
      commit: async (...given: Parameters<typeof commit>) => {
        if (dying !== undefined) {
          if (dying.isStored) await commit(...given)
          dying = undefined
          return new Promise<never>(() => undefined)
        }
        if (failing === undefined) return commit(...given)
        const fails = failing
        failing = undefined
        await Promise.resolve()
        fails()
        throw new SessionError('QuotaExceeded', 'The disk is full. Free some room.')
      },
    }
    return { mirror, boot: name, store: createSessionStore(mirrorCommits(failable, mirror), {}) }
  }
  const bare = (): SessionStore => createSessionStore(backend, {})
  return {
    folder,
    stopped,
    boot,
    bare,
    begun: () => new Promise((resolve) => (onBegin = resolve)),
    purgedOf: async (key) => (await backend.loadSession(key))?.cold.purged ?? {},
    numberOf: async (key) => (await backend.loadSession(key))?.hot.session,
    failNext: (fails = () => undefined) => void (failing = fails),
    dieWithNext: (isStored) => void (dying = { isStored }),
    crash: () => folder.dieAll(),
    wipe: () => {
      folder.dieAll()
      backend = createMemoryBackend()
      epoch = `a${Number(epoch.slice(1)) + 1}`
    },
    keepCopy: async () => {
      const store = bare()
      const logs = await Promise.all(
        (await store.listSessions({})).sessions.map(
          async ({ key }) => [key, (await store.changes(key, {})).entries] as const,
        ),
      )
      return async () => {
        folder.dieAll()
        backend = createMemoryBackend()
        for (const [key, entries] of logs) await bare().merge(key, entries)
      }
    },
    keep: async () => {
      const { mirror, boot: name } = boot()
      try {
        return await keepMirror({
          backend,
          epoch,
          store: bare(),
          folder,
          mirror,
          own: mirrorName({ epoch, boot: name }),
          boot: `joined${boots++}`,
        })
      } finally {
        await mirror.close()
      }
    },
  }
}

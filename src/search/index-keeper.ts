import type { Breather } from '../pacing/breather.ts'
import type { Index } from './create-index.ts'
import type { IndexBlocks, IndexedSession, StoredIndex } from './index-blocks.ts'
import type { SessionState } from './session-state.ts'

/** How long changes are collected before they are stored. */
const saveMs = 1000
/** A long first pass stores the index when this many messages are not stored yet. */
const someDocuments = 4096

/**
 * Stores an index as it changes. Changes that are lost with the tab are found again by the versions of the sessions.
 */
export interface IndexKeeper {
  /** A session is indexed up to this state. */
  note(state: SessionState): void
  forget(number: number): void
  saveSoon(): void
  /** Stores the index if much has changed. */
  saveSome(breathe: Breather): Promise<void>
  save(): Promise<void>
  close(): Promise<void>
}

export function createIndexKeeper(
  index: Index,
  blocks: IndexBlocks | undefined,
  stored: StoredIndex | undefined,
): IndexKeeper {
  /** The number of removed documents that is stored for each segment. */
  const kept = new Map(stored?.segments.map(({ id, dead }) => [id, dead.reduce((sum, one) => sum + one, 0)]))
  let sessions = new Map<number, IndexedSession>()
  let gone = new Set<number>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let saving: Promise<void> = Promise.resolve()
  let isChanged = stored === undefined

  async function write(): Promise<void> {
    if (blocks === undefined || !isChanged) return
    const segments = index.segments()
    const change = {
      ids: segments.map(({ id }) => id),
      added: segments.filter(({ id }) => !kept.has(id)),
      dead: segments.filter(({ id, deadCount }) => kept.has(id) && kept.get(id) !== deadCount),
      sessions: [...sessions.values()],
      gone: [...gone],
    }
    const counts = segments.map(({ id, deadCount }) => [id, deadCount] as const)
    const waiting = { sessions, gone }
    sessions = new Map()
    gone = new Set()
    isChanged = false
    try {
      await blocks.save({
        ...change,
        added: change.added.map(({ id, segment, dead }) => ({ id, segment, dead })),
        dead: change.dead.map(({ id, dead }) => ({ id, dead })),
      })
      kept.clear()
      for (const [id, deadCount] of counts) kept.set(id, deadCount)
    } catch {
      // There is no room, or the database was closed. The index keeps working in memory, and the next save tries again.
      sessions = new Map([...waiting.sessions, ...sessions])
      gone = new Set([...waiting.gone, ...gone])
      isChanged = true
    }
  }

  function save(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    return (saving = saving.then(write))
  }

  return {
    note: ({ key, number, version, entries, lastControl }) => {
      isChanged = true
      gone.delete(number)
      sessions.set(number, { key, number, version, entries, lastControl })
    },
    forget: (number) => {
      isChanged = true
      sessions.delete(number)
      gone.add(number)
    },
    saveSoon: () => {
      if (blocks !== undefined && isChanged) timer ??= setTimeout(() => void save(), saveMs)
    },
    saveSome: async (breathe) => {
      const waiting = index.segments().reduce((sum, { id, dead }) => sum + (kept.has(id) ? 0 : dead.length), 0)
      if (blocks === undefined || waiting < someDocuments) return
      await index.tidy(breathe)
      await save()
    },
    save,
    close: save,
  }
}

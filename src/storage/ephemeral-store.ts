import type { Message } from '../contract/message.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { SessionStoreOptions } from './create-session-store.ts'
import { createSessionStore } from './create-session-store.ts'
import { checkKey } from './engine/writing/input.ts'
import { createMemoryBackend } from './memory-backend.ts'

/** How many messages an ephemeral store keeps. */
const ephemeralLimit = 50

/** The key of the one session, whatever key the caller names. */
const onlyKey = 'ephemeral'

export interface EphemeralStoreOptions extends Pick<SessionStoreOptions, 'now' | 'randomBytes' | 'onChange'> {
  /** The initial history. It is cut to the limit only when something is appended. */
  readonly initial?: readonly Message[]
}

/**
 * A store for a sub-turn: one history whatever the key, with the newest 50 messages. It lists nothing, keeps nothing
 * durably, and is gone when it is closed. Everything else follows the contract. Source: PicoClaw's ephemeral store.
 */
export function createEphemeralStore(options: EphemeralStoreOptions = {}): SessionStore {
  const { initial = [], ...environment } = options
  const store = createSessionStore(createMemoryBackend(), environment)
  const { only, onlyThenTrim, close } = bindToOneSession(store, initial)
  return {
    append: onlyThenTrim(store.append),
    put: onlyThenTrim(store.put),
    transact: onlyThenTrim(store.transact),
    addMessage: onlyThenTrim(store.addMessage),
    addFullMessage: onlyThenTrim(store.addFullMessage),
    setHistory: onlyThenTrim(store.setHistory),
    sealDraft: onlyThenTrim(store.sealDraft),
    merge: onlyThenTrim(store.merge),
    read: only(store.read),
    edit: only(store.edit),
    remove: only(store.remove),
    find: only(store.find),
    findByMid: only(store.findByMid),
    pop: only(store.pop),
    clear: only(store.clear),
    getMeta: only(store.getMeta),
    updateMeta: only(store.updateMeta),
    openBranch: only(store.openBranch),
    listBranches: only(store.listBranches),
    updateBranch: only(store.updateBranch),
    deleteBranch: only(store.deleteBranch),
    switchBranch: only(store.switchBranch),
    setCompaction: only(store.setCompaction),
    checkpoint: only(store.checkpoint),
    listCheckpoints: only(store.listCheckpoints),
    restoreCheckpoint: only(store.restoreCheckpoint),
    deleteCheckpoint: only(store.deleteCheckpoint),
    openDraft: only(store.openDraft),
    writeDraft: only(store.writeDraft),
    dropDraft: only(store.dropDraft),
    listDrafts: only(store.listDrafts),
    reclaim: only(store.reclaim),
    save: only(store.save),
    delete: only(store.delete),
    undelete: only(store.undelete),
    purge: only(store.purge),
    getVector: only(store.getVector),
    changes: only(store.changes),
    verify: only(store.verify),
    repair: only(store.repair),
    usage: only(store.usage),
    getHistory: only(store.getHistory),
    getSummary: only(store.getSummary),
    setSummary: only(store.setSummary),
    truncateHistory: only(store.truncateHistory),
    ensureSessionMetadata: only(store.ensureSessionMetadata),
    resolveSessionKey: only(store.resolveSessionKey),
    getSessionScope: only(store.getSessionScope),
    listSessions: async () => {
      await store.listSessions()
      return { sessions: [], total: 0 }
    },
    listPurges: store.listPurges,
    forgetPurges: store.forgetPurges,
    claimTerm: store.claimTerm,
    flush: store.flush,
    unflushed: store.unflushed,
    putBlob: store.putBlob,
    getBlob: store.getBlob,
    getRows: store.getRows,
    listRows: store.listRows,
    writeRows: store.writeRows,
    listCollections: store.listCollections,
    checkRows: store.checkRows,
    close,
  }
}

type Method<Rest extends unknown[], Result> = (key: string, ...rest: Rest) => Promise<Result>

/** How calls reach the one session: behind its initial history, and never after its end. */
interface OneSession {
  only<Rest extends unknown[], Result>(method: Method<Rest, Result>): (key?: string, ...rest: Rest) => Promise<Result>
  onlyThenTrim<Rest extends unknown[], Result>(method: Method<Rest, Result>): Method<Rest, Result>
  /** Closes the store once the calls under way have ended. */
  close(): Promise<void>
}

function bindToOneSession(store: SessionStore, initial: readonly Message[]): OneSession {
  const keyless = new Set<unknown>([store.verify, store.repair, store.usage])
  let starting = initial.length === 0 ? undefined : store.setHistory(onlyKey, initial)
  // A refused history is reported by the calls that wait for it.
  starting?.then(() => (starting = undefined)).catch(() => undefined)

  const running = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined
  const track = <Result>(call: Promise<Result>): Promise<Result> => {
    running.add(call)
    const done = (): boolean => running.delete(call)
    call.then(done, done)
    return call
  }

  /** The same method, on the one session. */
  const only =
    <Rest extends unknown[], Result>(method: Method<Rest, Result>) =>
    async (key?: string, ...rest: Rest): Promise<Result> => {
      if (key !== undefined || !keyless.has(method)) checkKey(key)
      const before = closing ?? starting
      return track(before === undefined ? method(onlyKey, ...rest) : before.then(() => method(onlyKey, ...rest)))
    }

  /** The same method, which then erases for good what exceeds the limit. */
  const onlyThenTrim =
    <Rest extends unknown[], Result>(method: Method<Rest, Result>) =>
    (key: string, ...rest: Rest): Promise<Result> => {
      const trimmed = async (): Promise<Result> => {
        const result = await only(method)(key, ...rest)
        if (((await store.getMeta(onlyKey))?.messageCount ?? 0) > ephemeralLimit) {
          await store.truncateHistory(onlyKey, ephemeralLimit)
          await store.reclaim(onlyKey)
        }
        return result
      }
      return track(trimmed())
    }

  return { only, onlyThenTrim, close: () => (closing ??= Promise.allSettled(running).then(() => store.close())) }
}

import type { CoreBackend } from '../contract/backend.ts'
import type { StoreChange } from '../contract/change.ts'
import { SessionError } from '../contract/errors.ts'
import type { SessionRows } from '../contract/rows.ts'
import type { CoreStore } from '../contract/store/session-store.ts'
import type { StoreEnvironment } from '../contract/store/store-environment.ts'
import { createAscendingId } from './ascending-id.ts'
import { createBlobMethods } from './engine/blob-methods.ts'
import { checkArguments } from './engine/check-arguments.ts'
import { createCollectionMethods } from './engine/collections/collection-methods.ts'
import { createDraftKeeper } from './engine/drafts/draft-keeper.ts'
import { createDraftMethods } from './engine/drafts/draft-methods.ts'
import type { Engine } from './engine/engine.ts'
import { createPurgeMethod } from './engine/lifecycle/purge-method.ts'
import { createTermMethod } from './engine/lifecycle/term-method.ts'
import { createSessionList } from './engine/metadata/session-list.ts'
import { createKeyResolver, type KeyResolver } from './engine/names/key-resolver.ts'
import { createReadMethods } from './engine/reading/read-methods.ts'
import { type RepairRows, repairOnRead } from './engine/upkeep/repair-on-read.ts'
import { announceCommit } from './engine/writing/announce.ts'
import { announceReload } from './engine/writing/announce-reload.ts'
import { createCommitQueue } from './engine/writing/commit-queue.ts'
import { createSessionWriter } from './engine/writing/session-writer.ts'
import { trackDurability } from './engine/writing/track-durability.ts'
import { createWriteMethods } from './engine/writing/write-methods.ts'
import { createRandomInteger, fillRandom } from './random-integer.ts'

/** The options of a store. Each has a default for browsers and Node. */
export interface SessionStoreOptions extends Partial<StoreEnvironment> {
  /**
   * Passes on the changes of other stores on the same database (other tabs). With it, the list of sessions is kept in
   * memory; without it, each page of the list is read from the database.
   */
  readonly follow?: (listener: (change: StoreChange) => void) => void
  /**
   * Whether an operation id was drawn by a caller that has used no other store of this database, so that it can't be
   * stored yet.
   */
  readonly isFreshOperation?: (operationId: string) => boolean
  /**
   * Name of a Web Lock that is held as long as this store lives. Drafts carry it, so that others can distinguish a dead
   * reply from a live one.
   */
  readonly owner?: string
  /**
   * Whether the owner of a draft is still alive; `undefined` when that is unknown, so that its silence decides.
   * Default: every draft counts as alive.
   */
  readonly isOwnerAlive?: (owner: string) => Promise<boolean | undefined>
  /**
   * Calls back once an owner is gone; returns a function that stops waiting. With it, drafts whose owner died become
   * entries at once: those that exist already before the first call is answered, the others when their owner goes.
   * Without it, they become entries when the drafts of their session are listed.
   */
  readonly onOwnerGone?: (owner: string, act: () => void) => () => void
}

/**
 * The session engine over any backend that keeps the laws of {@link CoreBackend}, without its jobs.
 *
 * @param more - makes further methods of the store
 * @param repair - rebuilds unreadable rows
 */
export function createCoreStore<More extends object>(
  given: CoreBackend,
  options: SessionStoreOptions,
  more: (engine: Engine) => More,
  repair: (key: string, now: () => number) => ReturnType<RepairRows>,
): CoreStore & More {
  const {
    now = Date.now,
    randomBytes = fillRandom,
    onChange = () => undefined,
    follow,
    isFreshOperation = () => false,
    owner,
    isOwnerAlive = () => Promise.resolve(true),
    onOwnerGone,
  } = options
  const isFollowed = follow !== undefined
  const randomInteger = createRandomInteger(randomBytes)
  const onRepaired = (rows: SessionRows): void => {
    const change = announceReload(rows)
    list.set(change)
    onChange(change)
    onChange({
      type: 'notice',
      name: 'repaired',
      message: `A row of session "${change.key}" could not be read, and was rebuilt from its entries.`,
    })
  }
  const repaired = repairOnRead(given, (key) => repair(key, now), onRepaired)
  const { backend, noteForeignCommit, flush, unflushed } = trackDurability(repaired, now, isFollowed)
  const list = createSessionList(backend, isFollowed)
  const writer = createSessionWriter({
    backend,
    queue: createCommitQueue(backend),
    now,
    randomInteger,
    isFresh: isFreshOperation,
    isFollowed,
    onCommit: (plan, rows, durability) => {
      const change = announceCommit(plan, rows, durability)
      list.set(change)
      if (change.names !== undefined) names.forget()
      onChange(change)
    },
  })
  const resolver = createKeyResolver(backend, writer, isFollowed)
  const keeper = createDraftKeeper({ backend, writer, onChange, now, owner, isOwnerAlive, onOwnerGone })
  // The replies of dead pages are sealed before anything else is stored.
  let sweeping = onOwnerGone === undefined ? undefined : keeper.sweep().finally(() => (sweeping = undefined))
  const names: KeyResolver = {
    ...resolver,
    resolve: async (text) => {
      if (sweeping !== undefined) await sweeping
      return resolver.resolve(text)
    },
  }
  follow?.((change) => {
    if (change.type === 'session') {
      list.set(change)
      writer.forget(change.key)
      if (change.reload) names.forget()
      noteForeignCommit(change.strict === true)
    } else if (change.type === 'draft') keeper.noteChange(change)
    else if (change.type === 'collection') noteForeignCommit(change.strict === true)
    else if (change.name === 'workerRestarted') {
      // The worker that died may have stored changes without announcing them.
      list.forget()
      writer.forget()
      names.forget()
      noteForeignCommit(false)
    }
  })
  const engine: Engine = {
    backend,
    writer,
    list,
    now,
    onChange,
    names,
    resolveKey: names.resolve,
    newId: createAscendingId(now, randomInteger),
    owner,
    isOwnerAlive,
    onOwnerGone,
    isFollowed,
  }
  return closable(engine, keeper.close, {
    ...createWriteMethods(engine),
    ...createReadMethods(engine),
    ...createDraftMethods(engine, keeper),
    ...createPurgeMethod(engine),
    ...createBlobMethods(engine),
    ...createCollectionMethods(engine),
    ...createTermMethod(engine),
    flush,
    unflushed,
    ...more(engine),
  })
}

/** Adds `close`, after which every method rejects. */
function closable<Methods extends object>(
  { backend, writer }: Engine,
  onClose: () => void,
  methods: Methods,
): Methods & Pick<CoreStore, 'close'> {
  let closing: Promise<void> | undefined
  let running = 0
  let whenIdle: (() => void) | undefined
  const guarded = Object.entries(methods).map(([name, method]) => {
    const call = async (...args: unknown[]): Promise<unknown> => {
      if (closing !== undefined)
        throw new SessionError(
          'StorageClosed',
          `The store was closed, so that ${name}() is not possible. Open it again.`,
        )
      const checked = checkArguments(name, args)
      running += 1
      try {
        return await (method as (...args: readonly unknown[]) => Promise<unknown>)(...checked) // bounded: a method's parameters
      } finally {
        running -= 1
        if (running === 0) whenIdle?.()
      }
    }
    return [name, call] as const
  })
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      onClose()
      if (running > 0) await new Promise<void>((resolve) => (whenIdle = resolve))
      await writer.idle()
      await backend.close()
    })())
  return { ...Object.fromEntries(guarded), close } as unknown as Methods & Pick<CoreStore, 'close'>
}

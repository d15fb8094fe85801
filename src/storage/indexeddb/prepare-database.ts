import { foreignError, goneError } from './database-errors.ts'
import type { DatabaseSource } from './database-source.ts'
import type { Format } from './formats.ts'
import { type DatabaseInfo, epochKey, infoKey, nativeVersion, type StoreName, sealedFormat } from './schema.ts'
import { runWrite, type Steps } from './transaction.ts'
import { unlessLost } from './unless-lost.ts'
import type { Upgrade } from './upgrade-step.ts'

/** The result of opening a database. */
export interface Preparation {
  /** The row of `info` that was written when it was created. */
  created(): DatabaseInfo | undefined
  /** The browser's message when it found the database corrupt and created a new one. */
  dataLoss(): string | undefined
  /** Why the opening fails, where this is known better than from the request. */
  failure(): unknown
}

/** How many rows an upgrade reads at a time. */
const batch = 32

/** How often an upgrade reports its progress. */
const progressMs = 1000

/**
 * Creates or upgrades the database that a request opens. Everything happens in the transaction of the opening, so that
 * an interruption leaves the old database complete. No one else handles the events of the request: Dexie would handle
 * them in its own way, and warn on the console.
 */
export function prepareDatabase(
  request: IDBOpenDBRequest,
  source: DatabaseSource,
  formats: readonly Format[],
  mayCreate: boolean,
): Preparation {
  const { name, notify } = source
  let created: DatabaseInfo | undefined
  let loss: string | undefined
  let failure: unknown
  request.addEventListener('blocked', (event) => {
    event.stopImmediatePropagation()
    notify('upgradeBlocked', blockedMessage(name))
  })
  request.addEventListener('upgradeneeded', (event) => {
    event.stopImmediatePropagation()
    loss = lossOf(event)
    const transaction = request.transaction as IDBTransaction
    const before = formats.findIndex((_, i) => nativeVersion(i) === event.oldVersion)
    if (before === 0 && !mayCreate) failure = goneError(name)
    else if (!hasStores(request.result, formats.slice(0, Math.max(0, before))) || before < 0)
      failure = foreignError(name)
    // This undoes the creation.
    if (failure !== undefined) return transaction.abort()
    for (const { stores } of formats.slice(before)) createStores(request.result, stores)
    if (before === 0) {
      created = { formatVersion: formats.length, epoch: drawEpoch() }
      transaction.objectStore('info').add(created, infoKey)
      transaction.objectStore('info').add(created.epoch, epochKey)
    } else {
      upgrade(transaction, source, formats, before).catch((error: unknown) => {
        failure = error
      })
    }
  })
  return { created: () => created, dataLoss: () => loss, failure: () => failure }
}

export function blockedMessage(name: string): string {
  return `The database "${name}" is to be upgraded, and another tab holds it open in an older version. Close or reload the other tabs; it then goes on by itself.`
}

/** Whether a database has the stores of these formats. */
export function hasStores({ objectStoreNames }: IDBDatabase, formats: readonly Format[]): boolean {
  return formats.every(({ stores }) => Object.keys(stores).every((store) => objectStoreNames.contains(store)))
}

/**
 * Creates stores from Dexie's notation: the key, then the indexes, with `*` before an index over the members of a list.
 */
function createStores(database: IDBDatabase, stores: Format['stores']): void {
  for (const [name, notation] of Object.entries(stores)) {
    const [key, ...indexes] = notation.split(',')
    const store = database.createObjectStore(name, key === '' ? {} : { keyPath: key as string })
    for (const index of indexes) {
      const path = index.replace('*', '')
      store.createIndex(path, path, { multiEntry: path !== index })
    }
  }
}

/** Upgrades a database format by format to the last one. */
function upgrade(
  transaction: IDBTransaction,
  { name, notify, IDBKeyRange: range }: DatabaseSource,
  formats: readonly Format[],
  before: number,
): Promise<boolean> {
  let reportedAt = Number.NEGATIVE_INFINITY
  const progress = (): void => {
    if (performance.now() - reportedAt < progressMs) return
    reportedAt = performance.now()
    notify('upgrading', `The database "${name}" is brought to the format of this release. Leave the page open.`)
  }
  progress()
  return runWrite(transaction, (steps) => {
    const visitAll: Upgrade['visitAll'] = (store, visit, done) =>
      visitRows({ steps, progress, visitAll }, range, store, visit, done)
    const step = (format: number): void => {
      const next = formats[format]
      if (next === undefined) return
      const done = (): void => {
        readStoredInfo(steps, (info) => {
          // Whoever opens the database replaces the missing parts of a damaged row. The mark of encrypted content stays
          // in it.
          const { formatVersion = format } = info
          if (formatVersion % sealedFormat !== format) throw foreignError(name)
          steps
            .store('info')
            .put({ ...info, formatVersion: formatVersion + 1 } satisfies Partial<DatabaseInfo>, infoKey)
          if (info.epoch !== undefined) steps.store('info').put(info.epoch, epochKey)
          step(format + 1)
        })
      }
      if (next.upgrade === undefined) done()
      else next.upgrade({ steps, progress, visitAll }, done)
    }
    step(before)
  })
}

function visitRows(
  { steps, progress }: Upgrade,
  range: typeof IDBKeyRange,
  name: StoreName,
  visit: (key: IDBValidKey, value: unknown) => void,
  done: () => void,
): void {
  const store = steps.store(name)
  const readNext = (after?: IDBValidKey): void => {
    progress()
    const rest = after === undefined ? null : range.lowerBound(after, true)
    let keys: readonly IDBValidKey[] = []
    const next = (): void => (keys.length < batch ? done() : readNext(keys.at(-1)))
    steps.read<IDBValidKey[]>(store.getAllKeys(rest, batch), (found) => {
      keys = found
    })
    const singly = (at: number): void => {
      const key = keys[at]
      if (key === undefined) return next()
      const use = (value: unknown): void => {
        visit(key, value)
        singly(at + 1)
      }
      steps.attempt<unknown>(store.get(key), use, () => use(undefined))
    }
    // One unreadable value fails the whole call.
    steps.attempt<unknown[]>(
      store.getAll(rest, batch),
      (values) => {
        keys.forEach((key, i) => visit(key, values[i]))
        next()
      },
      () => singly(0),
    )
  }
  readNext()
}

/** The browser's message about the old database when it had to create a new one. */
function lossOf(event: IDBVersionChangeEvent): string | undefined {
  const { dataLoss, dataLossMessage } = event as IDBVersionChangeEvent & { dataLoss?: string; dataLossMessage?: string }
  return dataLoss === undefined || dataLoss === 'none' ? undefined : dataLossMessage || dataLoss
}

/** Reads the usable parts of the info row. */
export function readStoredInfo(steps: Steps, use: (info: Partial<DatabaseInfo>) => void): void {
  const readOne = (key: string, take: (found: unknown) => void): void =>
    steps.attempt<unknown>(
      steps.store('info').get(key),
      take,
      unlessLost(() => take(undefined)),
    )
  readOne(infoKey, (found) => {
    const { epoch, formatVersion } = (found ?? {}) as Partial<Record<keyof DatabaseInfo, unknown>>
    const format = typeof formatVersion === 'number' ? { formatVersion } : {}
    if (isEpoch(epoch)) use({ ...format, epoch })
    else readOne(epochKey, (copy) => use(isEpoch(copy) ? { ...format, epoch: copy } : format))
  })
}

const isEpoch = (found: unknown): found is string => typeof found === 'string' && found !== ''

export function drawEpoch(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

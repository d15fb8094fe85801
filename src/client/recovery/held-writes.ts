import type { EntryInput, EntryReceipt } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { AppendOptions, AppendResult } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { WriteOptions } from '../../contract/store/write-options.ts'
import type { CallOutcome, HostedCall, HostedStore, StoreCall } from '../../contract/worker-protocol.ts'
import { bytesInMemory } from '../worker/bytes-in-memory.ts'
import type { WorkerConnection } from '../worker/connect-worker.ts'

/** More writes are refused, because the memory is lost with the page. */
const heldAtMost = 10_000
/** More bytes are refused too: a page that runs out of memory loses all of it. */
const heldBytesAtMost = 32_000_000

/** Holds messages in memory while there is no database to store them in. */
export interface HeldWrites {
  /** Replaces the connection to a worker. */
  readonly connection: WorkerConnection
  count(): number
  /** Returns what is held, in the order of the calls, and holds nothing more. */
  take(): readonly StoreCall[]
}

/** A placeholder: the message gets its position when it is stored. */
const noReceipt = (branch = ''): EntryReceipt => ({ id: '', branch, order: '', at: Date.now() })

/**
 * The answers of methods whose calls are held: those with content that can't be obtained again. All others would need
 * the stored data.
 */
const answers: Readonly<Partial<Record<keyof SessionStore, (...args: readonly never[]) => unknown>>> = {
  append: (_key: string, entries: readonly EntryInput[], { branch = '' }: AppendOptions = {}): AppendResult => ({
    entries: entries.map(() => noReceipt(branch)),
    branch,
    moved: false,
  }),
  addMessage: () => undefined,
  addFullMessage: () => undefined,
  openDraft: (_key: string, { id }: WriteOptions & { readonly id?: string }) => id,
  writeDraft: () => undefined,
  sealDraft: () => noReceipt(),
  dropDraft: () => undefined,
}

/**
 * @param reason - why the database can't be reached, as a sentence
 * @param isFull - whether there is no room. Then nothing is held, because it could only be stored after somebody freed
 *   some space
 * @param onCall - called when somebody waits for the database
 */
export function holdWrites(reason: string, isFull: () => boolean, onCall: () => void): HeldWrites {
  let held: StoreCall[] = []
  let heldBytes = 0
  let isTaken = false

  async function call(method: keyof SessionStore, args: readonly unknown[]): Promise<unknown> {
    if (method === 'close') return undefined
    onCall()
    const answer = answers[method]
    const isCompared = method === 'append' && (args[2] as AppendOptions | undefined)?.parent !== undefined
    if (answer === undefined || isCompared || isTaken) throw outOfReach(method, reason, isFull())
    if (isFull()) throw outOfRoom(method, reason)
    const bytes = bytesInMemory(args)
    if (held.length >= heldAtMost || heldBytes + bytes > heldBytesAtMost)
      throw outOfMemory(method, reason, held.length, heldBytes)
    heldBytes += bytes
    held.push({ method, args })
    return (answer as (...args: readonly unknown[]) => unknown)(...args) // bounded: a method's parameters
  }

  async function settle({ method, args }: HostedCall): Promise<CallOutcome> {
    try {
      return { value: await call(method as keyof SessionStore, args) }
    } catch (error) {
      return { error: error as SessionError }
    }
  }

  const remote = new Proxy({} as HostedStore, {
    get: (_, name) =>
      name === 'batch'
        ? (calls: readonly HostedCall[]) => Promise.all(calls.map(settle))
        : (...args: readonly unknown[]) => call(name as keyof SessionStore, args),
  })
  return {
    connection: {
      remote: remote as unknown as WorkerConnection['remote'],
      listen: () => undefined,
      ping: () => undefined,
      announce: () => undefined,
      end: () => undefined,
    },
    count: () => held.length,
    take: () => {
      const taken = held
      held = []
      isTaken = true
      return taken
    },
  }
}

const outOfReach = (method: string, reason: string, isFull: boolean): SessionError =>
  new SessionError(
    'StorageUnavailable',
    `${method} can't be done now: the database can't be reached. ${reason} New messages are ${isFull ? 'refused' : 'held in memory'} meanwhile. Try again when a notice says that it is back.`,
  )

const outOfRoom = (method: string, reason: string): SessionError =>
  new SessionError(
    'QuotaExceeded',
    `${method} can't be done now: there is no room left, on the disk or in what the browser gives this origin, so the database can't even be opened. Have the user free some space, then try again; what was being written when it filled up may be stored. ${reason}`,
  )

const outOfMemory = (method: string, reason: string, count: number, bytes: number): SessionError =>
  new SessionError(
    'StorageUnavailable',
    `${method} can't be done now: the database can't be reached, and no more than ${heldAtMost} writes or ${heldBytesAtMost / 1e6} MB are held in memory (${count} and ${Math.ceil(bytes / 1e6)} MB are). Try again when a notice says that it is back. ${reason}`,
  )

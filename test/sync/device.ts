import { expect, vi } from 'vitest'
import type { Awareness } from 'y-protocols/awareness'
import * as Y from 'yjs'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import type { LinkStatus, SyncConnection, SyncTransport } from '../../src/sync/link.ts'
import { plainElements } from '../../src/sync/plain-elements.ts'
import type { ReceiveReport } from '../../src/sync/receive-report.ts'
import { openSyncDocument, type SyncDocument } from '../../src/sync/sync-document.ts'

/** A store with one session, synced over a transport. */
export interface Device {
  readonly store: SessionStore
  readonly document: SyncDocument
  readonly statuses: LinkStatus[]
  readonly reports: ReceiveReport[]
  /** How often the other side said what it has. */
  answers: number
  /** What it said, last. */
  theirs(): ReadonlyMap<number, number>
  connection: SyncConnection
  say(text: string): Promise<void>
  texts(): Promise<readonly unknown[]>
  status(): string | undefined
  /** Opens the connection once more, as after a failure. */
  reopen(): void
  close(): Promise<void>
}

export const newStore = (): SessionStore => createSessionStore(createMemoryBackend())

export async function openDevice(
  transport: SyncTransport,
  {
    store = newStore(),
    name = 'test/s/1',
    awareness,
  }: { store?: SessionStore; name?: string; awareness?: Awareness } = {},
): Promise<Device> {
  const document = await openSyncDocument({ store, key: name, name, elements: plainElements })
  const statuses: LinkStatus[] = []
  const reports: ReceiveReport[] = []
  let vector = new Map<number, number>()
  const open = (): SyncConnection =>
    transport.open({
      name,
      doc: document.doc,
      ...(awareness && { awareness }),
      receive: async (update, origin) => void reports.push(await document.receive(update, origin)),
      peerHas: (bytes) => {
        vector = Y.decodeStateVector(bytes)
        device.answers += 1
      },
      status: (status) => void statuses.push(status),
    })
  const device: Device = {
    answers: 0,
    store,
    document,
    statuses,
    reports,
    theirs: () => vector,
    connection: undefined as never,
    say: async (text) => {
      await store.addMessage(name, 'user', text)
      await document.publish()
    },
    texts: async () => (await store.getHistory(name)).map(({ content }) => content),
    status: () => statuses.at(-1)?.state,
    reopen: () => {
      device.connection = open()
    },
    close: async () => {
      await device.connection.close()
      await document.close()
    },
  }
  device.connection = open()
  return device
}

/** Waits without a clock of its own: the machine may be slow. */
export const until = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 20_000, interval: 5 })

/** Both logs have the same, and the documents are the same bytes. */
export async function expectSame(a: Device, b: Device): Promise<void> {
  await until(() => expect(Y.encodeStateVector(b.document.doc)).toEqual(Y.encodeStateVector(a.document.doc)))
  // Not `toEqual`, which takes its time over megabytes.
  expect(Buffer.compare(Y.encodeStateAsUpdate(b.document.doc), Y.encodeStateAsUpdate(a.document.doc))).toBe(0)
  expect(await b.texts()).toEqual(await a.texts())
}

/** The other side is proven to have everything. */
export async function expectProven(device: Device): Promise<void> {
  const must = (): (readonly [number, number])[] => [...Y.decodeStateVector(Y.encodeStateVector(device.document.doc))]
  const isProven = (): boolean => must().every(([client, clock]) => (device.theirs().get(client) ?? 0) >= clock)
  await until(() => expect(device.answers).toBeGreaterThan(0))
  while (!isProven()) {
    const { answers } = device
    device.connection.ask()
    await until(() =>
      expect(
        device.answers,
        `they have ${JSON.stringify([...device.theirs()])} of ${JSON.stringify(must())}`,
      ).toBeGreaterThan(answers),
    )
  }
}

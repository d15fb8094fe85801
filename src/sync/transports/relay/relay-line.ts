import * as Y from 'yjs'
import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import { createOutbox } from '../outbox.ts'
import { type ClockRange, isWhole, rangesOf, readRelayPath, relayFile, type RelayFile, relayFolder } from './relay-file.ts'
import { eraseInRelay, tidyRelay } from './tidy-relay.ts'
import type { RelayStore } from './relay-store.ts'

export interface RelayLineOptions {
  readonly link: SyncLink
  readonly store: RelayStore
  readonly pollMs: number
  readonly device: string
  /** Paths of this device's own files that were written or read whole since the program began. */
  readonly sound: Set<string>
  readonly onEnd: () => void
}

/** One document in a relay. */
export function openRelayLine({ link, store, pollMs, device, sound, onEnd }: RelayLineOptions): SyncConnection {
  const { name, doc } = link
  const folder = relayFolder(name)
  /** Files that need not be read (again), by path. */
  const known = new Map<string, readonly ClockRange[]>()
  /** What some files hold that have to wait for others. */
  const tooEarly = new Map<string, readonly ClockRange[]>()
  /** Files that were read, and whose content is not here all the same. */
  const refused = new Set<string>()
  let triedLot = ''
  let received: Promise<void> = Promise.resolve()
  let isWanted = false
  let wake: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Content was erased here, or may have been before. */
  let mustErase = Y.encodeStateAsUpdate(doc, Y.encodeStateVector(doc)).length > 2
  let isOver = false

  const finish = (): void => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    wake?.()
    outbox.close()
    doc.off('update', onUpdate)
    onEnd()
  }
  const end = (status: LinkStatus): void => {
    if (isOver) return
    finish()
    link.status(status)
  }
  const fail = (error: unknown): void => {
    const { name: kind, message } = error as Error
    end({ state: kind === 'NotAllowedError' || kind === 'SecurityError' || kind === 'AccessDenied' ? 'denied' : 'error', message })
  }

  const connection: SyncConnection = {
    ask: () => {
      isWanted = true
      for (const path of refused) known.delete(path)
      refused.clear()
      wake?.()
    },
    close: async () => {
      finish()
      // What went wrong with it was told by the status.
      await received.catch(() => undefined)
    },
  }
  const put = async (update: Uint8Array): Promise<RelayFile> => {
    const file = relayFile(folder, device, update)
    await store.put(file.path, update as Uint8Array<ArrayBuffer>)
    known.set(file.path, file.ranges!)
    sound.add(file.path)
    return file
  }
  const outbox = createOutbox({
    doc,
    origin: connection,
    fail,
    send: async (update) => {
      if (isOver) return
      await put(update).catch(fail)
      isWanted = true
    },
  })
  const onUpdate = (_: Uint8Array, __: unknown, ___: Y.Doc, { deleteSet }: Y.Transaction): void => {
    if (deleteSet.clients.size > 0) mustErase = true
  }
  doc.on('update', onUpdate)

  const isHere = (ranges: readonly ClockRange[]): boolean => ranges.every(([client, , to]) => Y.getState(doc.store, client) >= to)
  const follows = (ranges: readonly ClockRange[]): boolean => ranges.every(([client, from]) => Y.getState(doc.store, client) >= from)

  /** What a crash of this device has cut off has its name all the same. What others wrote is theirs to look after. */
  const isSound = async (file: RelayFile): Promise<boolean> => {
    if (file.device !== device || sound.has(file.path)) return true
    const bytes = await store.get(file.path)
    if (bytes === undefined || !isWhole(file, bytes)) return false
    sound.add(file.path)
    return true
  }

  /** Fetches one file, if it is of use now. Returns whether it was taken in. */
  const fetchFile = async (file: RelayFile): Promise<boolean> => {
    const ranges = file.ranges ?? tooEarly.get(file.path)
    if (ranges !== undefined && isHere(ranges)) {
      // One that is not counts for nothing: what it was to hold is sent again.
      if (await isSound(file)) known.set(file.path, ranges)
      else tooEarly.delete(file.path)
      return false
    }
    if (ranges !== undefined && !follows(ranges)) {
      tooEarly.set(file.path, ranges)
      return false
    }
    const bytes = await store.get(file.path)
    // Gone since it was listed, or not whole yet: the next look tells.
    if (isOver || bytes === undefined || !isWhole(file, bytes)) return false
    const held = rangesIn(bytes)
    if (!follows(held)) {
      tooEarly.set(file.path, held)
      return false
    }
    received = link.receive(bytes, connection)
    await received
    tooEarly.delete(file.path)
    known.set(file.path, held)
    // It was refused, or could not be stored: read once more when somebody asks.
    if (!isHere(held)) refused.add(file.path)
    return true
  }
  /** What comes before a gap is closed would be turned away, so the rest is gone through again after each that was taken. */
  const fetchNew = async (files: readonly RelayFile[]): Promise<void> => {
    const sorted = [...files].sort((a, b) => startOf(a) - startOf(b))
    for (let hasMore = true; hasMore && !isOver; ) {
      hasMore = false
      for (const file of sorted) {
        if (!isOver && !known.has(file.path) && (await fetchFile(file))) hasMore = tooEarly.size > 0
      }
    }
  }

  /** A hole is only let in together with the purge that made it, which may lie in another file: so what is left is tried as one, each time it is another lot. */
  const fetchTogether = async (files: readonly RelayFile[]): Promise<void> => {
    const left = files.filter(({ path }) => tooEarly.has(path) || refused.has(path))
    const lot = left.map(({ path }) => path).join('\n')
    if (left.length < 2 || lot === triedLot || isOver) return
    triedLot = lot
    const updates: Uint8Array[] = []
    for (const file of left) {
      const bytes = await store.get(file.path)
      if (isOver) return
      if (bytes !== undefined && isWhole(file, bytes) && rangesIn(bytes).length > 0) updates.push(bytes)
    }
    received = link.receive(Y.mergeUpdates(updates), connection)
    await received
  }

  const look = async (): Promise<void> => {
    isWanted = false
    const files = (await store.list(folder)).flatMap((path) => readRelayPath(folder, path) ?? [])
    if (isOver) return
    if (!isConnected) link.status({ state: 'connected' })
    isConnected = true
    const listed = new Set(files.map(({ path }) => path))
    for (const kept of [known, tooEarly, refused]) for (const path of kept.keys()) if (!listed.has(path)) kept.delete(path)
    await fetchNew(files)
    await fetchTogether(files)
    await fetchNew(files)
    if (isOver) return
    const own = files.filter((file) => file.device === device).map((file) => ({ ...file, ranges: file.ranges ?? known.get(file.path) }))
    const isErasing = mustErase
    mustErase = false
    // Before anybody is told what is there: an answer to a question that came behind a deletion proves that.
    if (isErasing) await eraseInRelay({ doc, store, files: own, put })
    if (isOver) return
    const vector = vectorOf([...known.values(), ...tooEarly.values()].flat())
    outbox.peerHas(vector, true)
    link.peerHas(vector)
    await outbox.idle()
    // Once more before anything is tidied, so that it is done on what is there.
    if (isOver || isWanted || isErasing) return
    await tidyRelay({ doc, store, files: own, put })
  }
  let isConnected = false

  const run = async (): Promise<void> => {
    await Promise.resolve()
    if (isOver) return
    link.status({ state: 'connecting' })
    while (!isOver) {
      await look()
      if (isOver || isWanted) continue
      await new Promise<void>((resolve) => {
        wake = resolve
        timer = setTimeout(resolve, pollMs)
      })
      clearTimeout(timer)
      wake = undefined
    }
  }
  run().catch(fail)
  return connection
}

/** How far each client goes without a gap. */
function vectorOf(ranges: readonly ClockRange[]): Uint8Array {
  const clocks = new Map<number, number>()
  for (const [client, from, to] of [...ranges].sort((a, b) => a[1] - b[1])) {
    const reached = clocks.get(client) ?? 0
    if (from <= reached) clocks.set(client, Math.max(reached, to))
  }
  return Y.encodeStateVector(clocks)
}

const startOf = ({ ranges }: RelayFile): number => (ranges ?? []).reduce((least, [, from]) => Math.min(least, from), Infinity)

/** Of what is no update: nothing. It is handed on all the same, to be reported. */
function rangesIn(bytes: Uint8Array): readonly ClockRange[] {
  try {
    return rangesOf(bytes)
  } catch {
    return []
  }
}

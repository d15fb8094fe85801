import * as Y from 'yjs'
import type { SyncLink } from '../../link.ts'
import type { DocumentLine } from '../document-line.ts'
import type { Outbox } from '../outbox.ts'
import type { PollLoop } from './poll-loop.ts'
import { type ClockRange, readRelayPath, relayFolder } from './relay-file.ts'
import type { RelayReader } from './relay-reader.ts'
import type { RelayStore } from './relay-store.ts'
import type { RelayUpkeep } from './relay-upkeep.ts'

export interface RelayLookOptions {
  readonly link: SyncLink
  readonly store: RelayStore
  readonly device: string
  readonly line: DocumentLine
  readonly reader: RelayReader
  readonly outbox: Outbox
  readonly upkeep: RelayUpkeep
  readonly polling: PollLoop
}

/** Looks at a document's files once: reads the new ones, says what is there, and keeps one's own in order. */
export async function lookIntoRelay(options: RelayLookOptions): Promise<void> {
  const { link, store, device, line, reader, outbox, upkeep, polling } = options
  const folder = relayFolder(link.name)
  const files = (await store.list(folder)).flatMap((path) => readRelayPath(folder, path) ?? [])
  line.send({ type: 'reached', isReadonly: false })
  await reader.read(files)
  if (line.isOver()) return
  const own = files
    .filter((file) => file.device === device)
    .map((file) => ({ ...file, ranges: file.ranges ?? reader.rangesOf(file.path) }))
  // Before reporting what is there: an answer to a question that was asked after a deletion proves the deletion.
  const isErasing = await upkeep.erase(own)
  if (line.isOver()) return
  line.send({ type: 'answered' })
  const vector = vectorOf(reader.held())
  outbox.peerHas(vector, true)
  link.peerHas(vector)
  await outbox.idle()
  // Look once more before anything is tidied, so that this is based on what is there.
  if (line.isOver() || polling.isHurried() || isErasing) return
  await upkeep.tidy(own)
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

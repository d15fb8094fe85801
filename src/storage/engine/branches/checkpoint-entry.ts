import { type CoreBackend, controlLane } from '../../../contract/backend.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { CheckpointInfo } from '../../../contract/meta.ts'
import type { CheckpointRow, SessionRows, StoredEntry } from '../../../contract/rows.ts'
import { entryChecksum } from '../../../domain/seal.ts'
import { checkpointInfo, listedCheckpoints } from '../metadata/stored-meta.ts'
import { damagedCheckpoint } from './check-checkpoint.ts'

/**
 * How many entries are asked for at a time: a state, which comes with the metadata, may have 16 MB, and a list must do
 * with 64. Few are enough to hide how long one takes.
 */
const together = 4

/** Checkpoints that were not deleted, oldest first. Only the entries of those with metadata are read. */
export async function listCheckpoints(backend: CoreBackend, rows: SessionRows): Promise<readonly CheckpointInfo[]> {
  const checkpoints = listedCheckpoints(rows.cold)
  const infos: CheckpointInfo[] = []
  for (let i = 0; i < checkpoints.length; i += together) {
    const part = checkpoints.slice(i, i + together).map(async ([id, row]) => {
      const entry = row.metadata === undefined ? undefined : await readEntry(backend, rows, row)
      return structuredClone(checkpointInfo(id, row, entry?.data['metadata'] as JsonObject | undefined))
    })
    for (const info of await Promise.all(part)) infos.push(info)
  }
  return infos
}

/** The agent's state that a checkpoint was made with. @throws ChecksumMismatch when it can't be read */
export async function readState(
  backend: CoreBackend,
  rows: SessionRows,
  checkpoint: string,
): Promise<JsonObject | undefined> {
  const row = rows.cold.checkpoints[checkpoint]
  if (row?.state === undefined) return undefined
  const entry = await readEntry(backend, rows, row)
  if (entry === undefined || entry.crc !== entryChecksum(entry))
    throw damagedCheckpoint(rows, checkpoint, 'its state was lost or changed in storage')
  return entry.data['state'] as JsonObject
}

async function readEntry(
  backend: CoreBackend,
  { hot }: SessionRows,
  { clock }: CheckpointRow,
): Promise<StoredEntry | undefined> {
  const part = await backend.readRange({ session: hot.session, lane: controlLane, from: clock, to: clock })
  return part.entries.find(({ order }) => order === clock)
}

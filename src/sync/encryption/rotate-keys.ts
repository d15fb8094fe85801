import { SessionError } from '../../contract/errors.ts'
import type { Bytes } from './bytes.ts'
import { isProvenBy, readKeyRecord, writeKeyRecord } from './key-record.ts'
import type { SyncKeys } from './sync-keys.ts'

/** Sessions that are under way at once. */
const width = 8

/** What a change of keys asks of whoever syncs. Each may be done again: nothing comes twice. */
export interface RotationSteps {
  /** The records that the index document has, once it was fetched. */
  records(): Promise<readonly unknown[]>
  /** Puts a record into the index document, and resolves when the server has it. */
  announce(record: Bytes): Promise<void>
  /** Keys of the sessions that the server has under the key before. */
  sessions(): Promise<readonly string[]>
  /** Takes in all that the session's document under the key before has. */
  fetch(key: string): Promise<void>
  /** Puts the session into its document under the new key, its value in the index too, and resolves when the server has all of it. */
  upload(key: string): Promise<void>
  /** Empties the document under the key before. */
  retire(key: string): Promise<void>
}

export interface RotationProgress {
  readonly done: number
  readonly total: number
}

export interface RotationReport {
  readonly moved: readonly string[]
  /** Sessions that are still under the key before, too: run it again. */
  readonly left: readonly { readonly key: string; readonly reason: string }[]
}

export interface RotationOptions {
  readonly from: SyncKeys
  readonly to: SyncKeys
  readonly steps: RotationSteps
  readonly onProgress?: (progress: RotationProgress) => void
  readonly signal?: AbortSignal
}

/**
 * Goes over to another root key: announces it, so that other devices stop and ask for it, then puts each session anew into a document under the new key,
 * and empties the one before only when the server has the new one whole. What breaks off is gone on with by calling it again, on any device that has both keys.
 *
 * @throws InvalidInput (the same key, or one that was given up before), Aborted, what `announce`, `records` and `sessions` reject with
 */
export async function rotateKeys({ from, to, steps, onProgress, signal }: RotationOptions): Promise<RotationReport> {
  if (from.namespace !== to.namespace) throw new SessionError('InvalidInput', `The new key is for the namespace ${JSON.stringify(to.namespace)}, and the old one for ${JSON.stringify(from.namespace)}.`)
  if (from.id === to.id) throw new SessionError('InvalidInput', 'The new key of sync is the old one. Draw another, or take another passphrase.')
  const stop = (): void => {
    if (signal?.aborted) throw new SessionError('Aborted', 'The change of keys was stopped. What is under the new key stays there; call it again for the rest.')
  }
  stop()
  const record = await writeKeyRecord(to, from)
  if (!(await isAnnounced(await steps.records(), from, to))) await steps.announce(record)
  stop()

  const waiting = [...new Set(await steps.sessions())]
  const total = waiting.length
  const moved: string[] = []
  const left: { key: string; reason: string }[] = []
  const work = async (): Promise<void> => {
    for (let key = waiting.shift(); key !== undefined && !signal?.aborted; key = waiting.shift()) {
      try {
        // Others may have written there until they heard of the new key.
        await steps.fetch(key)
        await steps.upload(key)
        await steps.retire(key)
        moved.push(key)
      } catch (error) {
        left.push({ key, reason: (error as Error).message })
      }
      onProgress?.({ done: moved.length + left.length, total })
    }
  }
  await Promise.all(Array.from({ length: width }, work))
  stop()
  return { moved, left }
}

/** @throws InvalidInput when the new key was given up here before */
async function isAnnounced(found: readonly unknown[], from: SyncKeys, to: SyncKeys): Promise<boolean> {
  const records = found.flatMap((one) => readKeyRecord(one) ?? [])
  for (const record of records) if (record.id === to.id && record.before === from.id && (await isProvenBy(record, from)) && (await isProvenBy(record, to))) return true
  for (const record of records) if (record.before === to.id && (await isProvenBy(record, to))) throw new SessionError('InvalidInput', 'The new key of sync was used here before: who had it then has it now. Draw another.')
  return false
}

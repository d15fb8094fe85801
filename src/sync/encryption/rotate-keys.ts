import { SessionError } from '../../contract/errors.ts'
import type { Bytes } from './bytes.ts'
import { isProvenBy, readKeyRecord, writeKeyRecord } from './key-record.ts'
import type { SyncKeys } from './sync-keys.ts'

/** How many sessions are moved at once. */
const width = 8

/** The steps of a change of keys. Each can be repeated without effect. */
export interface RotationSteps {
  /** Returns the records in the index document, once it was fetched. */
  records(): Promise<readonly unknown[]>
  /** Puts a record into the index document, and resolves when the server has it. */
  announce(record: Bytes): Promise<void>
  /** Returns the keys of the sessions that the server has under the old key. */
  sessions(): Promise<readonly string[]>
  /** Takes in everything that the session's document under the old key has. */
  fetch(key: string): Promise<void>
  /**
   * Puts the session into its document under the new key, and its value into the index. Resolves when the server has
   * all of it.
   */
  upload(key: string): Promise<void>
  /** Empties the document under the old key. */
  retire(key: string): Promise<void>
}

export interface RotationProgress {
  readonly done: number
  readonly total: number
}

export interface RotationReport {
  readonly moved: readonly string[]
  /** Sessions that are still under the old key as well: run the change again. */
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
 * Changes to another root key: announces it, so that other devices stop and ask for it; then puts each session into a
 * document under the new key, and empties the old document only when the server has all of the new one. If the change
 * is interrupted, call it again, on any device that has both keys.
 *
 * @throws InvalidInput (the same key, or one that was replaced before), Aborted, what `announce`, `records` and
 * `sessions` reject with
 */
export async function rotateKeys({ from, to, steps, onProgress, signal }: RotationOptions): Promise<RotationReport> {
  if (from.namespace !== to.namespace)
    throw new SessionError(
      'InvalidInput',
      `The new key is for the namespace ${JSON.stringify(to.namespace)}, and the old one for ${JSON.stringify(from.namespace)}.`,
    )
  if (from.id === to.id)
    throw new SessionError(
      'InvalidInput',
      'The new key of sync is the old one. Draw another key, or use another passphrase.',
    )
  const stop = (): void => {
    if (signal?.aborted)
      throw new SessionError(
        'Aborted',
        'The change of keys was stopped. What is under the new key stays there; call it again for the rest.',
      )
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
        // Other devices may have written there until they learned of the new key.
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

/** @throws InvalidInput when the new key was replaced here before */
async function isAnnounced(found: readonly unknown[], from: SyncKeys, to: SyncKeys): Promise<boolean> {
  const records = found.flatMap((one) => readKeyRecord(one) ?? [])
  for (const record of records)
    if (
      record.id === to.id &&
      record.before === from.id &&
      (await isProvenBy(record, from)) &&
      (await isProvenBy(record, to))
    )
      return true
  for (const record of records)
    if (record.before === to.id && (await isProvenBy(record, to)))
      throw new SessionError(
        'InvalidInput',
        'The new key of sync was used here before: whoever had it then has it now. Draw another key.',
      )
  return false
}

import type { Entry } from '../contract/entry.ts'
import { SessionError } from '../contract/errors.ts'
import type { JobProgress } from '../contract/job.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { pushAll } from '../domain/push-all.ts'

export interface ReadLogOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: JobProgress) => void) | undefined
}

/** Reads all entries of a session, in pages. @throws Aborted when the signal fires */
export async function readLog(
  store: Pick<SessionStore, 'changes' | 'usage'>,
  key: string,
  { signal, onProgress }: ReadLogOptions = {},
): Promise<readonly Entry[]> {
  const sums = onProgress === undefined ? undefined : await store.usage(key)
  const entries: Entry[] = []
  for (let cursor: string | undefined; ; ) {
    if (signal?.aborted) throw new SessionError('Aborted', `Reading session "${key}" was cancelled.`)
    const page = await store.changes(key, {}, cursor)
    pushAll(entries, page.entries)
    if (sums !== undefined && sums.entries > 0) {
      // Others may append meanwhile.
      const part = page.next === undefined ? 1 : Math.min(1, entries.length / sums.entries)
      const readBytes = Math.round(part * sums.entryBytes)
      onProgress?.({ readBytes, totalBytes: sums.entryBytes, entries: entries.length, skipped: 0 })
    }
    cursor = page.next
    if (cursor === undefined) return entries
  }
}

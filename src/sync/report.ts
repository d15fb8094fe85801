import { pushAll } from '../domain/push-all.ts'
import type { Refusal } from './ingest.ts'
import type { BlobCounts, SyncReport } from './status.ts'

/** How many findings are kept: a hostile server must not fill the memory. */
const mostFindings = 100

type Finding = Refusal & { readonly key: string }

/** Equal for findings of the same about one entry. Those about no entry are all different. */
const sameKey = (finding: Finding): unknown =>
  finding.id === undefined ? finding : JSON.stringify([finding.key, finding.id, finding.reason])

/** Counts what sync does. */
export interface Reporter {
  sent(entries: number): void
  received(key: string, entries: number): void
  purged(): void
  quarantine(key: string, refusals: readonly Refusal[]): void
  notice(text: string): void
  now(blobs: BlobCounts): SyncReport
}

export function createReport(): Reporter {
  let sent = 0
  let received = 0
  let purged = 0
  let quarantinedCount = 0
  const notices = new Set<string>()
  const merged = new Set<string>()
  const quarantined: Finding[] = []
  return {
    sent: (entries) => void (sent += entries),
    received: (key, entries) => {
      received += entries
      if (entries > 0) merged.add(key)
    },
    purged: () => void (purged += 1),
    quarantine: (key, refusals) => {
      // What was refused comes again with each answer.
      const known = new Set(quarantined.map(sameKey))
      const fresh = refusals.map((refusal) => ({ ...refusal, key })).filter((one) => !known.has(sameKey(one)))
      quarantinedCount += fresh.length
      pushAll(quarantined, fresh.slice(-mostFindings))
      quarantined.splice(0, quarantined.length - mostFindings)
    },
    notice: (text) => {
      notices.add(text)
      if (notices.size > mostFindings) for (const first of notices) return void notices.delete(first)
    },
    now: (blobs) => ({
      sent,
      received,
      merged: merged.size,
      purged,
      quarantined: [...quarantined],
      quarantinedCount,
      blobs,
      notices: [...notices],
    }),
  }
}

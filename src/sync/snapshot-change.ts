import type { IndexEntry } from './index-entry.ts'
import { newestFirst } from './newest-first.ts'
import { sameContent } from './same-content.ts'
import type { SessionSyncState, SyncReport, SyncStatus } from './status.ts'
import type { SyncStanding } from './sync-standing.ts'

/** What has changed between two snapshots: of thousands of sessions a few change. */
export interface SnapshotChange {
  readonly status: Omit<SyncStatus, 'report'>
  /** Absent when it has not changed. */
  readonly report?: SyncReport
  readonly sessions: readonly IndexEntry[]
  readonly states: Readonly<Record<string, SessionSyncState>>
  /** Keys of sessions that are no longer in the list, and of sessions that no longer have a state. */
  readonly gone: readonly string[]
  readonly stateless: readonly string[]
}

/** Entries that are the same object have not changed. */
export function changeBetween(before: SyncStanding, after: SyncStanding): SnapshotChange {
  const { report, ...status } = after.status
  const known = new Map(before.sessions.map((entry) => [entry.key, entry]))
  const left = new Set(after.sessions.map(({ key }) => key))
  return {
    status,
    ...(!sameContent(before.status.report, report) && { report }),
    sessions:
      after.sessions === before.sessions ? [] : after.sessions.filter((entry) => known.get(entry.key) !== entry),
    states: Object.fromEntries(Object.entries(after.states).filter(([key, state]) => before.states[key] !== state)),
    gone: [...known.keys()].filter((key) => !left.has(key)),
    stateless: Object.keys(before.states).filter((key) => !Object.hasOwn(after.states, key)),
  }
}

/** The snapshot after a change. What has not changed stays the same object. */
export function afterChange(
  before: SyncStanding,
  { status, report = before.status.report, sessions, states, gone, stateless }: SnapshotChange,
): SyncStanding {
  return {
    status: { ...status, report },
    sessions: sessions.length + gone.length === 0 ? before.sessions : withEntries(before.sessions, sessions, gone),
    states:
      Object.keys(states).length + stateless.length === 0
        ? before.states
        : withStates({ ...before.states, ...states }, stateless),
  }
}

function withEntries(
  before: readonly IndexEntry[],
  changed: readonly IndexEntry[],
  gone: readonly string[],
): readonly IndexEntry[] {
  const entries = new Map([...before, ...changed].map((entry) => [entry.key, entry]))
  for (const key of gone) entries.delete(key)
  return newestFirst(entries.values())
}

function withStates(states: Record<string, SessionSyncState>, gone: readonly string[]): SyncStanding['states'] {
  for (const key of gone) delete states[key]
  return states
}

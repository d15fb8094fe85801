import type { Keyring } from '../../contract/encryption.ts'
import type { VersionVector } from '../../contract/entry.ts'
import type { RowsStamp } from '../../contract/stored-row.ts'
import type { LeaderTerm } from '../../contract/term.ts'
import type { DraftWrite, SessionErasure, SessionWrite, WriteBatch } from '../../contract/write-batch.ts'
import { laneSteps } from '../lane-steps.ts'
import { noTerm, refuseOtherTerm, termsOf } from '../leader-term.ts'
import { packEntry } from '../packed-entry.ts'
import { isPlannedOn, plannedVersion } from '../planned-version.ts'
import { bodyBytes, cutRecords } from '../records.ts'
import { joinPurges, type PurgeRow } from '../unreported-purges.ts'
import { rememberErasure } from './erasure-calls.ts'
import { putJournalMark } from './journal-marks.ts'
import { readHot } from './load-session.ts'
import { draftRowPlace, type KeyRanges } from './record-keys.ts'
import { type DetailsRow, keyringKey, leaderKey, purgesKey, type StoreName } from './schema.ts'
import type { WriteSteps } from './transaction.ts'
import { writeAliases } from './write-aliases.ts'
import { changeLane, packLane } from './write-lane.ts'
import { forgetOperations, putOperations } from './write-operations.ts'
import { putRecords } from './write-records.ts'
import { writeReferences } from './write-references.ts'
import { writeRows } from './write-rows.ts'

/** The stores of a batch. They are as few as possible, because transactions on other stores need not wait. */
export function storesOf(batch: WriteBatch): StoreName[] {
  const names = new Set<StoreName>(isRowsOnly(batch) ? [] : ['sessions'])
  const add = (isTouched: boolean, ...touched: StoreName[]): void => {
    if (isTouched) for (const name of touched) names.add(name)
  }
  for (const write of batch.sessions) {
    const {
      cold,
      append,
      insert,
      edits,
      erase,
      pack,
      operations,
      pruneOperations,
      aliases,
      drafts,
      references = [],
    } = write
    const isInside = insert.length + edits.length + erase.length > 0
    add(plannedVersion(write) === 0 || cold !== undefined, 'details')
    // Whether its content may be plain.
    add(plannedVersion(write) === 0, 'info')
    add(isInside || append.length > 0 || pack !== undefined, 'entries')
    add(isInside, 'bodies', 'aside')
    add(
      append.some(({ entries }) => entries.some(({ bytes, edit }) => bytes > bodyBytes || edit !== undefined)),
      'bodies',
    )
    add(operations.length > 0 || pruneOperations !== undefined, 'operations')
    add(aliases.add.length + aliases.drop.length > 0, 'aliases')
    add(drafts.length > 0, 'drafts')
    add(references.length > 0, 'references')
  }
  add(
    batch.erase.length > 0,
    'details',
    'entries',
    'bodies',
    'operations',
    'drafts',
    'aliases',
    'aside',
    'references',
    'blobs',
    'info',
  )
  add(batch.rows !== undefined, 'rows', 'info')
  add(batch.sealedWith !== undefined || batch.journal !== undefined || termsOf(batch).size > 0, 'info')
  return [...names]
}

/**
 * Whether a batch stores what no row that was read stands for: then no version tells a tab without a key that the
 * database was encrypted.
 */
export const hasNews = ({ sessions, rows }: WriteBatch): boolean =>
  rows !== undefined || sessions.some((write) => plannedVersion(write) === 0)

/** Refuses what was sealed with another generation of the keyring. */
export function refuseOtherKeyring(steps: WriteSteps, generation: number): void {
  steps.read<Keyring | undefined>(steps.store('info').get(keyringKey), (keyring) => {
    if (keyring?.generation !== generation) steps.refuse()
  })
}

const isRowsOnly = ({ sessions, erase, rows }: WriteBatch): boolean =>
  rows !== undefined && sessions.length + erase.length === 0

/**
 * Issues all writes of a batch, and checks the versions at the same time. When a version is not the planned one, its
 * key is added to `stale` and everything is undone. `collected` receives the hashes of blobs that nothing names any
 * more, and `tellChanged` the outcome of ops on rows.
 */
export function commitBatch(
  steps: WriteSteps,
  ranges: KeyRanges,
  batch: WriteBatch,
  stale: Set<string>,
  collected: Set<string>,
  tellChanged: (changed: readonly boolean[], stamped?: RowsStamp) => void,
): void {
  checkTerm(steps, batch)
  checkVersions(steps, batch, stale)
  if (batch.sealedWith !== undefined) refuseOtherKeyring(steps, batch.sealedWith)
  if (batch.journal !== undefined) putJournalMark(steps, batch.journal)
  if (batch.rows !== undefined) writeRows(steps, batch.rows, tellChanged)
  for (const erasure of batch.erase) eraseSession(steps, ranges, erasure)
  for (const write of batch.sessions) writeSession(steps, ranges, write)
  if (batch.erase.length > 0 || batch.sessions.some(({ aliases }) => aliases.add.length + aliases.drop.length > 0)) {
    writeAliases(steps, batch, (key) => {
      stale.add(key)
      steps.refuse()
    })
  }
  if (batch.erase.length > 0 || batch.sessions.some(({ references = [] }) => references.length > 0))
    writeReferences(steps, ranges, batch, collected)
}

/** When there is another leader by now, the transaction fails. */
function checkTerm(steps: WriteSteps, batch: WriteBatch): void {
  const terms = termsOf(batch)
  if (terms.size > 0)
    steps.read<LeaderTerm | undefined>(steps.store('info').get(leaderKey), (leader = noTerm) =>
      refuseOtherTerm(terms, leader),
    )
}

function checkVersions(steps: WriteSteps, { sessions, erase }: WriteBatch, stale: Set<string>): void {
  let waiting = 0
  const check = (key: string, isStale: boolean): void => {
    waiting--
    if (isStale) stale.add(key)
    // This comes last, so that all stale sessions are named.
    if (waiting === 0 && stale.size > 0) steps.refuse()
  }
  for (const { key, version } of erase) {
    if (version === undefined) continue
    waiting++
    readHot(steps, key, (stored) => check(key, stored?.version !== version))
  }
  for (const write of sessions) {
    const { key, session } = write.hot
    waiting++
    // An unreadable row has no version.
    readHot(steps, key, (stored, isDamaged) => check(key, isDamaged || !isPlannedOn(stored, write)))
    if (plannedVersion(write) === 0) {
      waiting++
      // Another tab may have drawn the same number for another session.
      steps.read(steps.store('details').getKey(session), (taken) => check(key, taken !== undefined))
    }
  }
}

function writeSession(steps: WriteSteps, ranges: KeyRanges, write: SessionWrite): void {
  const { hot, cold, append, pack, operations, pruneOperations, drafts } = write
  const { session } = hot
  steps.store('sessions').put(hot)
  if (cold !== undefined) steps.store('details').put({ ...cold, key: hot.key } satisfies DetailsRow, session)
  for (const { lane, entries } of append) putRecords(steps, session, lane, cutRecords(entries.map(packEntry)))
  if (operations.length > 0) putOperations(steps, session, operations)
  if (pruneOperations !== undefined) forgetOperations(steps, ranges, session, pruneOperations)
  for (const draft of drafts) writeDraft(steps, ranges, session, draft)
  const lanes = [...laneSteps(write)]
  const next = (): void => {
    const lane = lanes.shift()
    if (lane !== undefined) changeLane(steps, ranges, session, lane[0], lane[1], next)
    else if (pack !== undefined) packLane(steps, ranges, session, pack)
  }
  next()
}

function writeDraft(steps: WriteSteps, ranges: KeyRanges, session: number, write: DraftWrite): void {
  const store = steps.store('drafts')
  if ('put' in write) store.put(write.put, [session, write.put.id, draftRowPlace])
  else if ('drop' in write) store.delete(ranges.draft(session, write.drop))
  else store.put(write.chunk, [session, write.draft, write.n])
}

/** Aliases are dropped together with those of the rest of the batch. */
function eraseSession(
  steps: WriteSteps,
  ranges: KeyRanges,
  { key, session, vector, life, call }: SessionErasure,
): void {
  if (vector !== undefined) rememberPurge(steps, key, vector, life)
  if (call !== undefined) rememberErasure(steps, call)
  for (const name of ['entries', 'bodies', 'operations', 'drafts', 'aside'] as const)
    steps.store(name).delete(ranges.session(session))
  steps.store('details').delete(session)
  readHot(steps, key, (stored, isDamaged) => {
    if (isDamaged || stored?.session === session) steps.store('sessions').delete(key)
  })
}

/** Law B8. */
function rememberPurge(steps: WriteSteps, key: string, vector: VersionVector, life: number | undefined): void {
  const info = steps.store('info')
  steps.read<unknown>(info.get(purgesKey), (isAsked) => {
    if (isAsked)
      steps.read<PurgeRow | undefined>(info.get([purgesKey, key]), (before) =>
        info.put(joinPurges(before, vector, life), [purgesKey, key]),
      )
  })
}

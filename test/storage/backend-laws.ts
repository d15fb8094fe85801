import { afterEach, describe } from 'vitest'
import type { StorageBackend } from '../../src/contract/backend.ts'
import { closingLaws } from './laws/closing-laws.ts'
import { commitLaws } from './laws/commit-laws.ts'
import { damageLaws } from './laws/damage-laws.ts'
import { lookupLaws } from './laws/lookup-laws.ts'
import { purgeLaws } from './laws/purge-laws.ts'
import { rangeLaws } from './laws/range-laws.ts'
import { recordLaws } from './laws/record-laws.ts'
import { referenceLaws } from './laws/reference-laws.ts'
import { rowLaws } from './laws/row-laws.ts'
import { termLaws } from './laws/term-laws.ts'

/** A backend to put under the laws. */
export interface LawSubject {
  readonly name: string
  /** Opens a backend over an empty place. */
  readonly open: () => Promise<StorageBackend>
  /**
   * Opens another backend over the place of one that may be closed or not. Absent: the place does not outlive its
   * backend.
   */
  readonly reopen?: (backend: StorageBackend) => Promise<StorageBackend>
  /** Destroys what is stored of a record, behind the backend's back. Absent: nobody can. */
  readonly damage?: (backend: StorageBackend, session: number, lane: number, record: string) => Promise<void>
  /** Whether it takes blobs. Default true. */
  readonly hasBlobs?: boolean
}

/** What a group of laws gets. */
export interface LawContext extends LawSubject {
  /** Opens backends that are closed after the test. */
  readonly open: () => Promise<StorageBackend>
}

/** The laws of `StorageBackend` (B1 to B9, and each method) as tests. Call it once for each backend. */
export function backendLaws(subject: LawSubject): void {
  const opened: StorageBackend[] = []
  const keep = async (backend: StorageBackend): Promise<StorageBackend> => {
    opened.push(backend)
    return backend
  }
  const { reopen } = subject
  const context: LawContext = {
    ...subject,
    open: async () => keep(await subject.open()),
    ...(reopen === undefined ? {} : { reopen: async (backend) => keep(await reopen(backend)) }),
  }
  describe(`${subject.name} keeps the laws of backends`, () => {
    afterEach(async () => {
      for (const backend of opened.splice(0)) await backend.close()
    })
    describe('commits', () => commitLaws(context))
    describe('records', () => recordLaws(context))
    describe('ranges', () => rangeLaws(context))
    describe('lookups', () => lookupLaws(context))
    describe('purges', () => purgeLaws(context))
    describe('rows', () => rowLaws(context))
    describe('terms', () => termLaws(context))
    describe('damage', () => damageLaws(context))
    describe('references', () => referenceLaws(context))
    describe('closing', () => closingLaws(context))
  })
}

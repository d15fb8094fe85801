import type { StoreChange } from '../../../src/contract/change.ts'
import type { EntryView } from '../../../src/contract/entry.ts'
import type { ImportReport } from '../../../src/contract/job.ts'
import type { JsonObject } from '../../../src/contract/json.ts'
import type { View } from '../../../src/contract/store/session-log.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import type { ImportPiOptions } from '../../../src/dialects/pi/format/import-pi.ts'
import { importPi } from '../../../src/dialects/pi/format/import-pi.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { bytesOf, inPieces, sourceKey } from './pi-file.ts'

export interface ImportFixture {
  readonly store: SessionStore
  /** Every change so far. */
  readonly changes: readonly StoreChange[]
  run(lines: readonly (JsonObject | string)[] | string | Uint8Array, options?: ImportPiOptions): Promise<ImportReport>
  /** Everything on a line. */
  line(view?: View, branch?: string): Promise<readonly EntryView[]>
  /** The ids of everything on a line. */
  ids(view?: View, branch?: string): Promise<readonly (string | undefined)[]>
}

/** A store in memory, with a file to be imported. */
export function createImportFixture(now = () => Date.UTC(2026, 8, 1)): ImportFixture {
  const changes: StoreChange[] = []
  const store = createSessionStore(createMemoryBackend(), { now, onChange: (change) => void changes.push(change) })
  const line: ImportFixture['line'] = async (view = 'transcript', branch) =>
    (await store.read(sourceKey, { view, limit: 4096, after: '', ...(branch === undefined ? {} : { branch }) })).entries
  return {
    store,
    changes,
    run: (lines, options) => importPi(store, inPieces(lines instanceof Uint8Array ? lines : bytesOf(lines)), options),
    line,
    ids: async (view, branch) => (await line(view, branch)).map(({ mid }) => mid),
  }
}

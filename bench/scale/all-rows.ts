import type { Session } from '../../src/client/session-contract.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { type NamedRow, namedRows, nameOf, type RowsOf } from './row.ts'
import {
  chatRows,
  compactionManagerRows,
  managerRows,
  memoManagerRows,
  memoRows,
  picoClawManagerRows,
} from './rows/agent-rows.ts'
import { clientRows } from './rows/client-rows.ts'
import { fileRows, upkeepRows } from './rows/file-rows.ts'
import { liveQueryRows, streamRows, transcriptRows } from './rows/live-rows.ts'
import { branchRows, piRows, versionRows } from './rows/session-line-rows.ts'
import { checkpointRows, handleRows } from './rows/session-rows.ts'
import { storeEntryRows } from './rows/store-entry-rows.ts'
import { storeKeepingRows } from './rows/store-keeping-rows.ts'
import { storeLineRows } from './rows/store-line-rows.ts'

// A method that is new to a contract and has no row is a type error here.
const storeRows = { ...storeEntryRows, ...storeLineRows, ...storeKeepingRows } satisfies RowsOf<SessionStore>
const sessionRows = { ...handleRows, ...versionRows } satisfies RowsOf<Session>

const tables = {
  SessionStore: storeRows,
  SessionClient: clientRows,
  ClientFiles: fileRows,
  ClientUpkeep: upkeepRows,
  Session: sessionRows,
  SessionBranches: branchRows,
  SessionCheckpoints: checkpointRows,
  PiSession: piRows,
  LiveQuery: liveQueryRows,
  Transcript: transcriptRows,
  MessageStream: streamRows,
  SessionManager: managerRows,
  MemoSession: memoRows,
  CompactionManager: compactionManagerRows,
  PicoClawManager: picoClawManagerRows,
  MemoManager: memoManagerRows,
  Agent: chatRows,
} as const

/** Every row there is. */
export const allRows: readonly NamedRow[] = Object.entries(tables).flatMap(([owner, rows]) => namedRows(owner, rows))

/** Objects as a user gets them, by whose rows they are held against. */
export type Specimens = Readonly<Partial<Record<keyof typeof tables, readonly object[]>>>

/** The methods of objects that no row measures: the compiler knows only what the types say. */
export function unmeasured(specimens: Specimens): readonly string[] {
  return Object.entries(specimens).flatMap(([owner, objects]) => {
    const known = new Set<PropertyKey>(Reflect.ownKeys(tables[owner as keyof typeof tables]))
    // A client hands some calls on to its store; and what holds for a query holds for a transcript.
    if (owner === 'SessionClient') for (const method of Reflect.ownKeys(storeRows)) known.add(method)
    if (owner === 'Transcript') for (const method of Reflect.ownKeys(liveQueryRows)) known.add(method)
    return [...new Set(objects.flatMap(methodsOf))]
      .filter((method) => !known.has(method))
      .map((method) => `${owner}.${nameOf(method)}`)
  })
}

function methodsOf(object: object): readonly PropertyKey[] {
  return Reflect.ownKeys(object).filter((key) => typeof (object as Record<PropertyKey, unknown>)[key] === 'function')
}

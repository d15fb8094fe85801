import type { SessionStore } from '../../src/contract/store.ts'
import type { Session } from '../../src/client/types.ts'
import { type MethodsOf, nameOf, type NamedRow, namedRows, type RowsOf } from './row.ts'
import { chatRows, compactionManagerRows, managerRows, memoManagerRows, memoRows, picoClawManagerRows } from './rows/agent-rows.ts'
import { clientRows } from './rows/client-rows.ts'
import { liveQueryRows, streamRows, transcriptRows } from './rows/live-rows.ts'
import { branchRows, lineRows } from './rows/session-line-rows.ts'
import { handleRows } from './rows/session-rows.ts'
import { storeEntryRows } from './rows/store-entry-rows.ts'
import { storeKeepingRows } from './rows/store-keeping-rows.ts'
import { storeLineRows } from './rows/store-line-rows.ts'

// A method that is new to a contract and has no row is a type error here.
const storeRows = { ...storeEntryRows, ...storeLineRows, ...storeKeepingRows } satisfies RowsOf<SessionStore>
const sessionRows = { ...handleRows, ...branchRows, ...lineRows } satisfies RowsOf<Session>

const tables = {
  SessionStore: storeRows,
  SessionClient: clientRows,
  Session: sessionRows,
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
    // A client is a store as well, and what goes over a query is as well over a transcript.
    if (owner === 'SessionClient') for (const method of Reflect.ownKeys(storeRows)) known.add(method)
    if (owner === 'Transcript') for (const method of Reflect.ownKeys(liveQueryRows)) known.add(method)
    return [...new Set(objects.flatMap(methodsOf))].filter((method) => !known.has(method)).map((method) => `${owner}.${nameOf(method)}`)
  })
}

function methodsOf(object: object): readonly PropertyKey[] {
  return Reflect.ownKeys(object).filter((key) => typeof (object as Record<PropertyKey, unknown>)[key] === 'function')
}

export type StoreMethod = MethodsOf<SessionStore>

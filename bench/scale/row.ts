import type { Ground } from './ground.ts'

/**
 * How the cost of a call may grow. `flat`: not at all, beyond what the same call varies by itself. `linear`: with the
 * number, and no faster.
 */
export type Growth = 'flat' | 'linear'

/** What the rig gives to a call that can be ended, or tells how far it is. */
export interface Watch {
  readonly signal: AbortSignal
  /** Called for each piece of progress. */
  readonly told: () => void
}

/** How one public method is measured. */
export interface Row<Prepared = unknown> {
  /** With the messages of the session. */
  readonly messages: Growth
  /** With the number of sessions. */
  readonly sessions: Growth
  /** `late` rows hide what the others read, `last` rows end sessions. Default: before those. */
  readonly when?: 'late' | 'last'
  /** It can be done only once on a ground, as the first search. */
  readonly isOnce?: true
  /** It takes a signal, which ends it. */
  readonly stops?: true
  /** It tells how far it is. */
  readonly tells?: true
  /** The largest number of messages it is measured with, where the contract has a limit; the reason is given. */
  readonly upTo?: { readonly messages: number; readonly why: string }
  /** Why the page itself is busy for longer than 50 ms: it makes, or takes, all of it in one value. */
  readonly isWhole?: string
  /** Not measured. */
  readonly prepare?: (ground: Ground) => Prepared | Promise<Prepared>
  readonly run: (ground: Ground, prepared: Prepared, watch: Watch) => unknown
  /** Not measured; also called when the call failed, then without a result. */
  readonly tidy?: (ground: Ground, prepared: Prepared, result: unknown) => unknown
}

type Extra<Prepared> = Omit<Row<Prepared>, 'run' | 'messages' | 'sessions'>
type Run<Prepared> = Row<Prepared>['run']

/** A method whose cost has nothing to do with how much is stored. */
export const flat = <Prepared = undefined>(run: Run<Prepared>, extra: Extra<Prepared> = {}): Row =>
  ({ ...extra, run, messages: 'flat', sessions: 'flat' }) as Row
/** A method that goes over the messages of one session. */
export const overMessages = <Prepared = undefined>(run: Run<Prepared>, extra: Extra<Prepared> = {}): Row =>
  ({ ...extra, run, messages: 'linear', sessions: 'flat' }) as Row
/** A method that goes over all sessions, and reads no messages. */
export const overSessions = <Prepared = undefined>(run: Run<Prepared>, extra: Extra<Prepared> = {}): Row =>
  ({ ...extra, run, messages: 'flat', sessions: 'linear' }) as Row
/** A method that goes over everything that is stored. */
export const overAll = <Prepared = undefined>(run: Run<Prepared>, extra: Extra<Prepared> = {}): Row =>
  ({ ...extra, run, messages: 'linear', sessions: 'linear' }) as Row

/** The names of what can be called, and of symbols that are. */
export type MethodsOf<T> = {
  readonly [K in keyof T]-?: NonNullable<T[K]> extends (...args: never) => unknown ? K : never
}[keyof T]

/**
 * A row for each method of a type, or several of different calls by what they do: a method that lacks one is a type
 * error.
 */
export type RowsOf<T> = Readonly<Record<MethodsOf<T>, Row | Readonly<Record<string, Row>>>>

export interface NamedRow extends Row {
  /** Such as `SessionStore.read (last 50)`. */
  readonly name: string
}

/** The rows of a type, each with its name. */
export function namedRows(
  owner: string,
  rows: Readonly<Record<PropertyKey, Row | Readonly<Record<string, Row>>>>,
): readonly NamedRow[] {
  return Reflect.ownKeys(rows).flatMap((method) => {
    const name = `${owner}.${nameOf(method)}`
    const found = rows[method as string]!
    if (isRow(found)) return [{ ...found, name }]
    return Object.entries(found).map(([call, row]) => ({ ...row, name: `${name} (${call})` }))
  })
}

const isRow = (found: Row | Readonly<Record<string, Row>>): found is Row => typeof found['run'] === 'function'

/** A name or a symbol as it is written. */
export const nameOf = (method: PropertyKey): string =>
  typeof method === 'symbol' ? `[${method.description}]` : String(method)

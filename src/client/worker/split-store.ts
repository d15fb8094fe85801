import { SessionError } from '../../contract/errors.ts'
import type { ListQuery, SessionPage } from '../../contract/store/session-metadata.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { UsageOptions, UsageReport, VerifyReport } from '../../contract/store/store-upkeep.ts'
import type { TermOptions } from '../../contract/term.ts'
import { compareRanks, rankOf } from '../../domain/list-rank.ts'
import { methodNames } from '../opening/options-index.ts'

/** Methods that don't begin with the key of a session. */
type WholeStore = Pick<
  SessionStore,
  | 'flush'
  | 'unflushed'
  | 'listSessions'
  | 'verify'
  | 'repair'
  | 'usage'
  | 'putBlob'
  | 'getBlob'
  | 'getRows'
  | 'listRows'
  | 'writeRows'
  | 'listCollections'
  | 'checkRows'
  | 'claimTerm'
  | 'listPurges'
  | 'forgetPurges'
  | 'close'
>

/**
 * Combines two stores: some sessions are in the other store, under their keys and aliases, everything else is in the
 * main one. Of a session that both have, the one in the other store is used.
 */
export async function createSplitStore(
  main: SessionStore,
  other: SessionStore,
  keys: readonly string[],
): Promise<SessionStore> {
  const names = new Set(keys)
  for (const key of keys) {
    // A session that can't be read counts as having none.
    const { aliases = [] } = (await other.getMeta(key).catch(() => undefined)) ?? {}
    for (const alias of aliases) if (keys.includes(await other.resolveSessionKey(alias))) names.add(alias)
  }
  const storeOf = (key: string): SessionStore => (names.has(key) ? other : main)

  const byKey = Object.fromEntries(
    methodNames.map((name) => [
      name,
      async (key: string, ...rest: readonly unknown[]) => {
        const store = storeOf(key)
        const method = store[name] as (...args: readonly unknown[]) => unknown
        const given = store === main ? rest : await withoutTerm(main, rest)
        // bounded: a method's parameters
        return method(key, ...given)
      },
    ]),
  ) as unknown as SessionStore

  const whole: WholeStore = {
    listSessions: (query = {}) => listBoth(main, other, keys, query),
    verify: async (key) => {
      if (key !== undefined) return storeOf(key).verify(key)
      const [a, b] = await Promise.all([main.verify(), other.verify()])
      return joinReports(a, b)
    },
    repair: async (key) => {
      if (key !== undefined) return storeOf(key).repair(key)
      const [a, b] = await Promise.all([main.repair(), other.repair()])
      return { ...joinReports(a, b), repaired: a.repaired + b.repaired }
    },
    usage: async (key, options) => {
      if (key !== undefined) return storeOf(key).usage(key, options)
      const [a, b] = await Promise.all([main.usage(undefined, options), other.usage(undefined, options)])
      return joinUsage(a, b, options)
    },
    listPurges: async () => (await Promise.all([main.listPurges(), other.listPurges()])).flat(),
    forgetPurges: async (reported) =>
      void (await Promise.all([main.forgetPurges(reported), other.forgetPurges(reported)])),
    claimTerm: (claim) => main.claimTerm(claim),
    flush: async () => void (await Promise.all([main.flush(), other.flush()])),
    unflushed: async () => (await main.unflushed()) ?? other.unflushed(),
    putBlob: (blob) => main.putBlob(blob),
    getBlob: (hash) => main.getBlob(hash),
    getRows: (collection, keys) => main.getRows(collection, keys),
    listRows: (collection, range) => main.listRows(collection, range),
    writeRows: (collection, ops, options) => main.writeRows(collection, ops, options),
    listCollections: () => main.listCollections(),
    checkRows: (options) => main.checkRows(options),
    close: async () => void (await Promise.all([main.close(), other.close()])),
  }
  return { ...byKey, ...whole }
}

/**
 * The arguments of a leader's call without its term, for a store that does not know the term: the main store checks it.
 */
async function withoutTerm(main: SessionStore, args: readonly unknown[]): Promise<readonly unknown[]> {
  const at = args.findIndex((arg) => (arg as TermOptions | null | undefined)?.term !== undefined)
  if (at < 0) return args
  const { term, ...options } = args[at] as TermOptions
  const { term: stored } = await main.claimTerm()
  if (term !== stored)
    throw new SessionError(
      'NotLeader',
      `This write belongs to term ${term} of the leader, and the term is ${stored} by now. Nothing was written; whoever leads now does this work.`,
    )
  return args.with(at, options)
}

function joinUsage(a: UsageReport, b: UsageReport, { largest = 20 }: UsageOptions = {}): UsageReport {
  const sum = (one: 'deleted' | 'archived') => ({
    sessions: a.reclaimable[one].sessions + b.reclaimable[one].sessions,
    bytes: a.reclaimable[one].bytes + b.reclaimable[one].bytes,
  })
  const [entries, entryBytes, draftBytes] = [
    a.entries + b.entries,
    a.entryBytes + b.entryBytes,
    a.draftBytes + b.draftBytes,
  ]
  return {
    ...a,
    sessions: a.sessions + b.sessions,
    entries,
    entryBytes,
    draftBytes,
    kinds: {
      ...a.kinds,
      entries: { count: entries, bytes: entryBytes },
      drafts: { ...a.kinds.drafts, bytes: draftBytes },
    },
    largest: [...a.largest, ...b.largest].sort((one, two) => two.bytes - one.bytes).slice(0, largest),
    unreadable: [...a.unreadable, ...b.unreadable],
    reclaimable: {
      deleted: sum('deleted'),
      archived: sum('archived'),
      hiddenBytes: a.reclaimable.hiddenBytes + b.reclaimable.hiddenBytes,
    },
  }
}

/**
 * One page of both lists in one order. A cursor is a position in that order, so it applies to both lists. If both have
 * a session, the page is shorter.
 */
async function listBoth(
  main: SessionStore,
  other: SessionStore,
  keys: readonly string[],
  query: ListQuery,
): Promise<SessionPage> {
  const { order = 'updated', limit = 50 } = query
  const pages = await Promise.all([main.listSessions(query), other.listSessions(query)])
  // There may be more rows after the last row of a page, so each row is placed first, and then the copies in the main
  // list are removed.
  const rows = pages.flatMap(({ sessions }, from) =>
    sessions.map((session) => ({
      session,
      isCopy: from === 0 && keys.includes(session.key),
      rank: rankOf(session, order),
    })),
  )
  const page = rows.sort((a, b) => compareRanks(a.rank, b.rank)).slice(0, limit)
  const last = page.at(-1)
  const hasMore = page.length < rows.length || pages.some(({ next }) => next !== undefined)
  return {
    sessions: page.filter(({ isCopy }) => !isCopy).map(({ session }) => session),
    total: pages[0].total + pages[1].total - rows.filter(({ isCopy }) => isCopy).length,
    ...(hasMore && last !== undefined ? { next: JSON.stringify(last.rank) } : {}),
  }
}

function joinReports(a: VerifyReport, b: VerifyReport): VerifyReport {
  const unlisted = (a.unlisted ?? 0) + (b.unlisted ?? 0)
  return {
    sessions: a.sessions + b.sessions,
    entries: a.entries + b.entries,
    problems: [...a.problems, ...b.problems],
    ...(unlisted === 0 ? {} : { unlisted }),
  }
}

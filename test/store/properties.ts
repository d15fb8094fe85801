import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EntryView } from '../../src/contract/entry.ts'
import type { Message } from '../../src/contract/message.ts'
import type { ReadOptions } from '../../src/contract/store/session-log.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { opaqueKey } from '../../src/domain/identity/session-key.ts'
import type { StoreUnderTest } from '../../src/testing/store-under-test.ts'

const timeout = 30_000

/** Text with everything that may go wrong but what is repaired: half pairs. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 10 }),
  fc.constantFrom('', 'constructor', '__proto__', 'then', '0'),
)

/** What `JSON.stringify` writes and `JSON.parse` reads back, without keys that are refused. */
const json = fc
  .jsonValue({ depthSize: 'medium', maxDepth: 6, stringUnit: 'binary' })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
  .filter((value) => !JSON.stringify(value).includes('"__proto__":'))

const part = fc.oneof(
  text,
  fc.tuple(fc.dictionary(key(), json, { maxKeys: 4 }), text).map(([fields, type]) => ({ ...fields, type })),
)

/** Any message: any role, any kind of content or none, any further fields. */
const message = fc
  .tuple(
    fc.dictionary(key(), json, { maxKeys: 5 }),
    fc.oneof(
      fc.constantFrom('user', 'assistant', 'tool', 'system'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }),
    ),
    fc.option(fc.oneof(text, fc.constant(null), fc.array(part, { maxLength: 4 })), { nil: undefined }),
  )
  .map(
    ([{ content: _, ...fields }, role, content]) =>
      ({ ...fields, role, ...(content === undefined ? {} : { content }) }) as Message,
  )
  // Transient thoughts are dropped on purpose.
  .filter((found) => found['reasoning_content'] === undefined)

function key(): fc.Arbitrary<string> {
  return text.filter((found) => found !== '__proto__')
}

/** A few short texts, so that prefixes and repetitions come up. */
const histories = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })

type Step =
  | { readonly do: 'say'; readonly count: number }
  | { readonly do: 'answer' }
  | { readonly do: 'remove' | 'edit' | 'branch' | 'checkpoint'; readonly at: number }
  | { readonly do: 'switch' | 'restore' | 'deleteBranch'; readonly which: number }
  | { readonly do: 'cut' | 'compaction'; readonly keep: number }
  | { readonly do: 'setHistory'; readonly texts: readonly string[] }
  | { readonly do: 'compact' }

const at = fc.nat({ max: 1_000 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('say' as const), count: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('answer' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('remove' as const, 'edit' as const, 'branch' as const, 'checkpoint' as const),
      at,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('switch' as const, 'restore' as const, 'deleteBranch' as const),
      which: at,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('cut' as const, 'compaction' as const), keep: fc.nat({ max: 60 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('setHistory' as const), texts: histories }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const) }) },
)

async function take(store: SessionStore, session: string, one: Step, n: number): Promise<void> {
  const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)]
  const entry = async (index: number): Promise<EntryView | undefined> =>
    pick(await wholeView(store, session, {}), index)
  switch (one.do) {
    case 'say':
      return void (await store.append(
        session,
        Array.from({ length: one.count }, (_, i) => ({
          type: 'message',
          message: { role: 'user', content: `${n}.${i}` },
        })),
      ))
    case 'answer':
      return void (await store.addMessage(session, 'assistant', `answer ${n}`))
    case 'remove':
    case 'edit':
    case 'branch': {
      const found = await entry(one.at)
      if (found === undefined) return
      if (one.do === 'remove') await store.remove(session, found)
      else if (one.do === 'edit') await store.edit(session, found, { role: 'user', content: `edited ${n}` })
      else await store.openBranch(session, { after: found })
      return
    }
    case 'checkpoint':
      return void (await store.checkpoint(session))
    case 'switch':
      return store.switchBranch(session, pick(await store.listBranches(session), one.which)?.id ?? '')
    case 'deleteBranch': {
      const found = pick(await store.listBranches(session), one.which)?.id ?? ''
      if (found !== '') await store.deleteBranch(session, found)
      return
    }
    case 'restore': {
      const found = pick(await store.listCheckpoints(session), one.which)
      if (found !== undefined) await store.restoreCheckpoint(session, found.id)
      return
    }
    case 'cut':
      return store.truncateHistory(session, one.keep)
    case 'compaction':
      return void (await store.setCompaction(session, { summary: `summary ${n}`, keepLast: one.keep }))
    case 'setHistory':
      return store.setHistory(
        session,
        one.texts.map((content) => ({ role: 'user', content })),
      )
    case 'compact':
      return void (await store.reclaim(session))
  }
}

async function wholeView(store: SessionStore, session: string, options: ReadOptions): Promise<readonly EntryView[]> {
  return (await store.read(session, { ...options, after: '', limit: 4_096 })).entries
}

async function forwards(
  store: SessionStore,
  session: string,
  options: ReadOptions,
  limit: number,
): Promise<EntryView[]> {
  const found: EntryView[] = []
  for (;;) {
    const page = await store.read(session, { ...options, after: found.at(-1)?.order ?? '', limit })
    expect(page.entries.length).toBe(page.more ? limit : page.entries.length)
    found.push(...page.entries)
    if (!page.more) return found
  }
}

async function backwards(
  store: SessionStore,
  session: string,
  options: ReadOptions,
  limit: number,
): Promise<EntryView[]> {
  let page = await store.read(session, { ...options, last: limit })
  let found = [...page.entries]
  while (page.more) {
    expect(page.entries.length).toBe(limit)
    page = await store.read(session, { ...options, before: found[0]!.order, limit })
    found = [...page.entries, ...found]
  }
  return found
}

/** Laws that are checked with input nobody thought of. A failure prints its seed. */
export function storeProperties(sut: StoreUnderTest, runs = 40): void {
  const isOne = sut.deviations?.oneHistory !== undefined
  let drawn = 0

  /** Runs a property on sessions of one store; on a store each where it has one session only. */
  async function check<T>(
    inputs: fc.Arbitrary<T>,
    holds: (store: SessionStore, session: string, input: T) => Promise<void>,
  ): Promise<void> {
    const shared = await sut.open()
    try {
      await fc.assert(
        fc.asyncProperty(inputs, async (input) => {
          if (!isOne) return holds(shared.store, `s${drawn++}`, input)
          const own = await sut.open()
          await holds(own.store, 's', input)
          await own.store.close()
        }),
        { numRuns: runs },
      )
    } finally {
      await shared.store.close()
      await shared.dispose?.()
    }
  }

  describe(`${sut.name} keeps the laws of stores, whatever comes`, () => {
    it(
      'L4: gives back any message as it came',
      async () => {
        await check(fc.array(message, { minLength: 1, maxLength: 8 }), async (store, session, messages) => {
          await store.append(
            session,
            messages.map((one) => ({ type: 'message', message: one })),
          )
          expect(await store.getHistory(session)).toEqual(messages)
          const [first] = (await store.read(session, { after: '', limit: 1 })).entries
          const last = messages.at(-1)!
          await store.edit(session, first!, last)
          expect((await store.getHistory(session))[0]).toEqual(last)
        })
      },
      timeout,
    )

    it(
      'L4: gives back any metadata as it came',
      async () => {
        await check(fc.dictionary(key(), json, { maxKeys: 6 }), async (store, session, custom) => {
          await store.updateMeta(session, { custom: custom as never, memo: custom as never })
          expect(await store.getMeta(session)).toMatchObject({ custom, memo: custom })
        })
      },
      timeout,
    )

    it(
      'L1: makes any history of any other, and does not write again what stays at its start',
      async () => {
        await check(fc.tuple(histories, histories, histories), async (store, session, lists) => {
          for (const [i, texts] of lists.entries()) {
            const before = await wholeView(store, session, { view: 'context' })
            await store.setHistory(
              session,
              texts.map((content) => ({ role: 'user', content })),
            )
            expect((await store.getHistory(session)).map(({ content }) => content)).toEqual(texts)
            expect((await store.getMeta(session))?.messageCount).toBe(texts.length)
            const same = i === 0 ? 0 : lists[i - 1]!.findIndex((one, at) => one !== texts[at])
            const kept = same < 0 ? before.length : same
            if (kept === before.length)
              expect((await wholeView(store, session, { view: 'context' })).slice(0, kept)).toEqual(before)
          }
        })
      },
      timeout,
    )

    it(
      'L9: loses nothing that was there, whatever the caller had seen',
      async () => {
        const appends = fc.array(
          fc.record({ seen: at, onConflict: fc.constantFrom('append' as const, 'branch' as const, 'refuse' as const) }),
          { maxLength: 12 },
        )
        await check(appends, async (store, session, calls) => {
          const main = ['first']
          const orders = [
            (await store.append(session, [{ type: 'message', message: { role: 'user', content: 'first' } }]))
              .entries[0]!.order,
          ]
          for (const [i, { seen, onConflict }] of calls.entries()) {
            const parent = orders[seen % orders.length]!
            const moved = parent !== orders.at(-1)
            const append = store.append(session, [{ type: 'message', message: { role: 'user', content: `${i}` } }], {
              branch: '',
              parent,
              onConflict,
            })
            if (moved && onConflict === 'refuse') {
              await expect(append).rejects.toMatchObject({ name: 'ParentMoved' })
              continue
            }
            const result = await append
            expect(result.moved).toBe(moved)
            if (moved && onConflict === 'branch') {
              const line = (await wholeView(store, session, { branch: result.branch })).map(
                (entry) => entry.message?.content,
              )
              expect(line).toEqual([...main.slice(0, orders.indexOf(parent) + 1), `${i}`])
            } else {
              main.push(`${i}`)
              orders.push(result.entries[0]!.order)
            }
          }
          expect((await wholeView(store, session, { branch: '' })).map((entry) => entry.message?.content)).toEqual(main)
        })
      },
      timeout,
    )

    it(
      'L19: leads every name one step, as a table of owners says, whatever sessions and aliases there are',
      async () => {
        const name = fc.constantFrom('a', 'b', 'c', 'a:1', 'b/2', 'c\\3', 'agent:x:main')
        const change = fc.oneof(
          fc.record({ do: fc.constantFrom('say' as const, 'purge' as const), at: name, aliases: fc.constant([]) }),
          fc.record({
            do: fc.constantFrom('ensure' as const, 'set' as const),
            at: name,
            aliases: fc.array(name, { maxLength: 3 }),
          }),
        )
        await check(fc.array(change, { maxLength: 12 }), async (store, session, changes) => {
          if (isOne) return
          const of = (text: string): string => (text === 'agent:x:main' ? `agent:${session}:main` : `${session}${text}`)
          const known = new Map<string, { aliases: Set<string>; promoted: boolean; talked: boolean }>()
          const owners = new Map<string, string>()
          const isMain = (text: string): boolean => text.startsWith('agent:')
          const expected = (text: string): string => {
            const owner = owners.get(text)
            if (known.has(text) && (owner === undefined || (!/[:/\\]/.test(text) && !known.get(text)!.promoted)))
              return text
            return owner ?? (isMain(text) ? opaqueKey(text) : text)
          }
          for (const { do: what, at, aliases: named } of changes) {
            const key = expected(of(at))
            const aliases = [...new Set(named.map(of))].filter((alias) => alias !== key)
            const own = known.get(key)
            if (what === 'purge') {
              await store.purge(of(at))
              known.delete(key)
              for (const [alias, owner] of owners) if (owner === key) owners.delete(alias)
            } else if (what === 'say') {
              await store.addMessage(of(at), 'user', 'x')
              known.set(key, { aliases: own?.aliases ?? new Set(), promoted: own?.promoted ?? false, talked: true })
            } else if (what === 'set') {
              const isRefused = aliases.some((alias) => !own?.aliases.has(alias) && (owners.get(alias) ?? key) !== key)
              const done = await store.updateMeta(of(at), { aliases }).then(
                () => true,
                () => false,
              )
              expect(done).toBe(!isRefused)
              if (isRefused) continue
              for (const alias of own?.aliases ?? [])
                if (!aliases.includes(alias) && owners.get(alias) === key) owners.delete(alias)
              for (const alias of aliases) if (!isMain(alias) && !owners.has(alias)) owners.set(alias, key)
              known.set(key, {
                aliases: new Set(aliases),
                promoted: own?.promoted ?? false,
                talked: own?.talked ?? false,
              })
            } else {
              const from =
                own === undefined
                  ? aliases.find(
                      (alias) =>
                        !isMain(alias) && !owners.has(alias) && known.get(alias)?.talked && !known.get(alias)!.promoted,
                    )
                  : undefined
              const source = from === undefined ? undefined : known.get(from)!
              expect((await store.ensureSessionMetadata(of(at), undefined, aliases)).promoted).toBe(from)
              for (const alias of source?.aliases ?? []) if (owners.get(alias) === from) owners.set(alias, key)
              for (const alias of aliases) if (!isMain(alias) && !owners.has(alias)) owners.set(alias, key)
              const all = new Set([...((own ?? source)?.aliases ?? []), ...aliases])
              all.delete(key)
              known.set(key, {
                aliases: all,
                promoted: own?.promoted ?? false,
                talked: own?.talked ?? source?.talked ?? false,
              })
              if (from !== undefined) known.set(from, { aliases: new Set(), promoted: true, talked: true })
            }
          }
          for (const text of ['a', 'b', 'c', 'a:1', 'b/2', 'c\\3', 'agent:x:main'].map(of)) {
            expect(await store.resolveSessionKey(text)).toBe(expected(text))
            const meta = await store.getMeta(text)
            expect([meta?.key, new Set(meta?.aliases)]).toEqual([
              known.has(expected(text)) ? expected(text) : undefined,
              known.get(expected(text))?.aliases ?? new Set(),
            ])
          }
        })
      },
      timeout,
    )

    it(
      'L16: has pages that make up the whole, on every line and in every view, whatever was done',
      async () => {
        const steps = fc.tuple(fc.array(step, { minLength: 1, maxLength: 14 }), fc.integer({ min: 1, max: 70 }))
        await check(steps, async (store, session, [taken, limit]) => {
          for (const [n, one] of taken.entries()) await take(store, session, one, n).catch(unlessUnknown)
          const meta = await store.getMeta(session)
          if (meta === undefined) return
          for (const { id: branch } of meta.branches) {
            for (const view of ['transcript', 'context', 'raw'] as const) {
              const whole = await wholeView(store, session, { branch, view })
              expect(await forwards(store, session, { branch, view }, limit)).toEqual(whole)
              expect(await backwards(store, session, { branch, view }, limit)).toEqual(whole)
              if (branch === meta.head && view === 'transcript') expect(meta.messageCount).toBe(whole.length)
            }
          }
          expect((await store.getHistory(session)).length).toBe(
            (await wholeView(store, session, { view: 'context' })).length,
          )
          expect((await store.verify(session)).problems).toEqual([])
        })
      },
      timeout,
    )
  })
}

/** Steps that need a session come before there is one. */
function unlessUnknown(error: unknown): void {
  if ((error as Error).name !== 'SessionNotFound') throw error
}

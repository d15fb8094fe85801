import fc from 'fast-check'
import { expect, it } from 'vitest'
import { methodNames } from '../../../src/client/opening/options-index.ts'
import { isSessionError, sessionErrorNames } from '../../../src/contract/errors.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { scale, tell } from '../figures.ts'
import { hostileValue } from './values.ts'

/** Inputs in all, half of them messages and half of them arguments. */
const inputs = scale === undefined ? 6_000 : Math.ceil((1_000_000 * scale) / 1_000) * 1_000
/** Inputs that one store gets, lest it grows with them. */
const each = 500
const rounds = inputs / 2 / each

const isTyped = (error: unknown): boolean => sessionErrorNames.some((name) => isSessionError(error, name))

/**
 * What the contract says of what is stored: as JSON has it, but that no `toJSON` is called, with the texts made
 * well-formed.
 */
function asStored(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value === 'number') return value + 0
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return Array.from(value, (member) => asStored(member ?? null))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === undefined ? [] : [[name.toWellFormed(), asStored(member)]],
    ),
  )
}

async function openWithCanary(): Promise<SessionStore> {
  const store = createSessionStore(createMemoryBackend())
  await store.setHistory('canary', [{ role: 'user', content: 'sings' }])
  return store
}
async function expectSound(store: SessionStore): Promise<void> {
  expect(await store.getHistory('canary')).toEqual([{ role: 'user', content: 'sings' }])
  expect((await store.verify()).problems).toEqual([])
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
}

it('stores a message equal to what JSON has of it, or refuses it with a typed error', async () => {
  let refused = 0
  for (let round = 0; round < rounds; round++) {
    const store = await openWithCanary()
    await fc.assert(
      fc.asyncProperty(
        hostileValue.map((value) => () => value),
        async (make) => {
          const value = make()
          const message = { role: 'user', content: 'c', value }
          try {
            const { entries } = await store.append('k', [{ type: 'message', message: message as never }])
            const { entries: read } = await store.read('k', { last: 1 })
            expect(read[0]!.id).toBe(entries[0]!.id)
            expect(JSON.stringify(read[0]!.message)).toBe(JSON.stringify(asStored(message)))
          } catch (error) {
            if (!isTyped(error)) throw error
            refused++
          }
        },
      ),
      { numRuns: each, endOnFailure: true },
    )
    await expectSound(store)
    await store.close()
  }
  expect(refused).toBeGreaterThan(inputs / 20)
  tell({ messages: inputs / 2, refused })
}, 3_600_000)

/** Methods that take anything as an argument; `close` takes none. */
const methods = methodNames.filter((name) => name !== 'close')
const argument = fc.oneof(
  { weight: 3, arbitrary: hostileValue },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      'k',
      'canary',
      'none',
      0,
      1,
      -1,
      1e9,
      true,
      [],
      {},
      { last: 1 },
      { branch: '' },
      { mid: 'm' },
      { branch: '', order: '' },
      { role: 'assistant' },
      { operationId: 'o' },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.dictionary(
      fc.constantFrom(
        'branch',
        'order',
        'mid',
        'role',
        'content',
        'limit',
        'last',
        'after',
        'before',
        'operationId',
        'durability',
        'parent',
        'onConflict',
        'id',
        'name',
        'title',
        'custom',
        'summary',
        'keepLast',
        'text',
        'cursor',
        'view',
      ),
      hostileValue,
      { maxKeys: 3 },
    ),
  },
)

it('settles any call with any arguments, and is whole afterwards', async () => {
  for (let round = 0; round < rounds; round++) {
    const store = await openWithCanary()
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...methods),
        fc.array(argument, { maxLength: 4 }).map((args) => () => args),
        async (method, make) => {
          const args = make()
          // Which a call may well do that names it rightly.
          const call = args.map((one) =>
            one === 'canary' && !['read', 'getMeta', 'getHistory'].includes(method) ? 'k' : one,
          )
          // Without a key these go over all sessions.
          if ((method === 'repair' || method === 'verify') && call[0] === undefined) return
          try {
            await (store[method] as (...given: readonly unknown[]) => Promise<unknown>)(...call)
          } catch (error) {
            if (!isTyped(error)) throw new Error(`${method} rejected with ${String(error)}`, { cause: error })
          }
        },
      ),
      { numRuns: each, endOnFailure: true },
    )
    await expectSound(store)
    await store.close()
  }
  tell({ calls: inputs / 2 })
}, 3_600_000)

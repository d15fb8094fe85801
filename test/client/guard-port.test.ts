import { expose, wrap } from 'comlink'
import fc from 'fast-check'
import { afterEach, expect, it } from 'vitest'
import type { ChangeSink } from '../../src/contract/change.ts'
import type { HostedStore } from '../../src/contract/worker-protocol.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { guardPort } from '../../worker/guard-port.ts'
import { hostStore } from '../../worker/host-store.ts'

const ports: MessagePort[] = []
afterEach(() => ports.splice(0).forEach((port) => port.close()))

/** The page's end of a guarded port, as somebody has it who is not our client. */
function openPort(): MessagePort {
  const { port1, port2 } = new MessageChannel()
  ports.push(port1, port2)
  let hear: ChangeSink = () => undefined
  const store = createSessionStore(createMemoryBackend(), { follow: (listener) => void (hear = listener) })
  const hosted = hostStore(store, { onAnswer: () => undefined, onClose: () => undefined })
  expose(
    hosted,
    guardPort(port1, Object.keys(hosted), (changes) => changes.forEach(hear)),
  )
  return port2
}

/** Sends a message and gives the answer to it. */
function ask(port: MessagePort, message: object): Promise<unknown> {
  return new Promise((resolve) => {
    port.addEventListener('message', ({ data }) => data.id === 'x' && resolve(data))
    port.start()
    port.postMessage({ id: 'x', ...message })
  })
}

const refused = {
  id: 'x',
  type: 'HANDLER',
  name: 'throw',
  value: { isError: true, value: { name: 'AccessDenied', message: expect.stringContaining('Refused') } },
}
const raw = (value: unknown) => ({ type: 'RAW', value })

it('lets calls of store methods through', async () => {
  const store = wrap<HostedStore>(openPort())
  await store.addMessage('k', 'user', 'hi')
  expect(await store.getHistory('k')).toEqual([{ role: 'user', content: 'hi' }])
})

it.each<[string, object]>([
  ['reading a property', { type: 'GET', path: ['append'] }],
  ['reading everything', { type: 'GET', path: [] }],
  ['setting a property', { type: 'SET', path: ['append'], value: raw(1) }],
  ['polluting prototypes', { type: 'SET', path: ['__proto__', 'polluted'], value: raw(true) }],
  [
    'reaching the Function constructor',
    { type: 'APPLY', path: ['append', 'constructor', 'constructor'], argumentList: [raw('return 1')] },
  ],
  ['calling through call', { type: 'APPLY', path: ['append', 'call'], argumentList: [] }],
  ['calling what is inherited', { type: 'APPLY', path: ['constructor'], argumentList: [] }],
  ['calling nothing', { type: 'APPLY', path: [], argumentList: [] }],
  ['calling a path that is no list', { type: 'APPLY', path: 'append', argumentList: [] }],
  ['calling without arguments', { type: 'APPLY', path: ['getMeta'] }],
  [
    'passing a proxy',
    { type: 'APPLY', path: ['getMeta'], argumentList: [{ type: 'HANDLER', name: 'proxy', value: null }] },
  ],
  [
    'passing a thrown error',
    {
      type: 'APPLY',
      path: ['getMeta'],
      argumentList: [{ type: 'HANDLER', name: 'throw', value: { isError: false, value: 1 } }],
    },
  ],
  ['leaving an argument out of the list', { type: 'APPLY', path: ['getMeta'], argumentList: Array(1) }],
  ['constructing', { type: 'CONSTRUCT', path: ['append'], argumentList: [] }],
  ['asking for another endpoint', { type: 'ENDPOINT' }],
  ['no type at all', {}],
])('refuses %s', async (_, message) => {
  const port = openPort()
  expect(await ask(port, message)).toMatchObject(refused)
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})

it.each(['constructor', '__proto__', 'batch', 'toString', ''])(
  'refuses %j in a batch, and makes the other calls',
  async (method) => {
    const store = wrap<HostedStore>(openPort())
    const calls = [
      { method, args: [] },
      { method: 'getHistory', args: ['k'] },
    ] as unknown as Parameters<HostedStore['batch']>[0]
    expect(await store.batch(calls)).toMatchObject([{ error: { name: 'AccessDenied' } }, { value: [] }])
  },
)

it('survives messages of any shape', async () => {
  const port = openPort()
  for (const message of [
    null,
    1,
    'text',
    [],
    { keepsession: 'changes', changes: Array(1) },
    { type: 'APPLY', path: ['batch'], argumentList: [raw(7)] },
  ])
    port.postMessage(message)
  expect(await wrap<HostedStore>(port).getHistory('k')).toEqual([])
})

it('answers calls to a batch that is no list with an error', async () => {
  await expect(wrap<HostedStore>(openPort()).batch(7 as never)).rejects.toThrow()
})

/** What an attacker would try: paths to what every object has, and code as text. */
const names = fc.oneof(
  fc.constantFrom(
    'getHistory',
    'append',
    'batch',
    'constructor',
    '__proto__',
    'prototype',
    'call',
    'apply',
    'bind',
    'then',
    'toString',
    'valueOf',
    '',
  ),
  fc.string({ maxLength: 6 }),
)
const codes = fc.constantFrom(
  'globalThis.hacked = 1',
  '${globalThis.hacked = 1}',
  '<img src=x onerror="globalThis.hacked=1">',
  'javascript:globalThis.hacked=1',
  '(() => { globalThis.hacked = 1 })()',
)
const values: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, undefined, Number.NaN, -0, 1n, new Date(0)),
    codes,
    fc.string(),
    fc.integer(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3 }),
  ),
})).value
const frames = fc.oneof(
  values,
  // Calls of Comlink of which nothing, or nearly nothing, is wrong.
  fc.record(
    {
      id: fc.oneof(fc.constantFrom('1-2-3-4', '__proto__', 'constructor'), values),
      type: fc.oneof(
        { weight: 3, arbitrary: fc.constant('APPLY') },
        { weight: 2, arbitrary: fc.constantFrom('GET', 'SET', 'CONSTRUCT', 'ENDPOINT', 'HANDLER') },
        { weight: 1, arbitrary: values },
      ),
      path: fc.oneof(fc.array(names, { maxLength: 4 }), fc.array(values, { maxLength: 2 }), values),
      argumentList: fc.oneof(
        fc.array(
          fc.record(
            {
              type: fc.constantFrom('RAW', 'HANDLER', 'raw', null),
              name: fc.constantFrom('proxy', 'throw', '__proto__'),
              value: values,
            },
            { requiredKeys: [] },
          ),
          { maxLength: 4 },
        ),
        values,
      ),
      value: values,
    },
    { requiredKeys: [] },
  ),
  // What a job did, which the page hands over, and what somebody else might say of it.
  fc.record(
    {
      keepsession: fc.constant('changes'),
      changes: fc.oneof(
        values,
        fc.array(
          fc.oneof(
            values,
            fc.record(
              {
                type: fc.oneof(fc.constantFrom('session', 'draft', 'notice'), values),
                key: fc.oneof(names, values),
                version: fc.oneof(fc.nat(), values),
                name: fc.oneof(fc.constant('workerRestarted'), values),
                draft: fc.oneof(names, values),
                listing: values,
                view: values,
                added: values,
                owner: values,
                rows: values,
                entries: values,
                reload: values,
              },
              { requiredKeys: [] },
            ),
          ),
          { maxLength: 3 },
        ),
      ),
    },
    { requiredKeys: ['keepsession'] },
  ),
  fc.record(
    { keepsession: fc.constantFrom('ping', 'open', 'ready', 'lost', 'repair', '__proto__'), key: values, id: values },
    { requiredKeys: ['keepsession'] },
  ),
)

it('answers the next good call after whatever came before, and evaluates nothing of it', async () => {
  const onStray = (error: unknown): void => void strays.push(error)
  const strays: unknown[] = []
  process.on('unhandledRejection', onStray)
  process.on('uncaughtException', onStray)
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(frames, { minLength: 1, maxLength: 12 }), async (messages) => {
        const port = openPort()
        const store = wrap<HostedStore>(port)
        for (const message of messages) port.postMessage(message)
        await store.addMessage('canary', 'user', 'sings')
        expect((await store.getHistory('canary')).at(-1)).toEqual({ role: 'user', content: 'sings' })
        expect([(globalThis as { hacked?: unknown }).hacked, Object.keys(Object.prototype)]).toEqual([undefined, []])
        ports.splice(0).forEach((one) => one.close())
      }),
      { seed: 20_261_122, numRuns: 400 },
    )
  } finally {
    process.off('unhandledRejection', onStray)
    process.off('uncaughtException', onStray)
  }
  expect(strays).toEqual([])
})

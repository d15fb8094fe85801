import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void

/** Each test has the module afresh, as each kind of warning is given once. */
beforeEach(() => void vi.resetModules())
afterEach(() => void vi.restoreAllMocks())

const open = async () => {
  const { openSessionStore } = await import('../../src/index.ts')
  const client = await openSessionStore({ modes: ['memory'], timeoutMs: 60_000 })
  return { client, session: await client.session('chat'), warned: vi.spyOn(console, 'warn').mockReturnValue() }
}

it.each([
  ['live query', 'A live query was garbage-collected'],
  ['transcript', 'A live query was garbage-collected'],
  ['stream', 'A message stream was garbage-collected'],
])('warns once of a %s that was dropped', async (what, message) => {
  const { client, session, warned } = await open()
  const drop = async (): Promise<void> => {
    if (what === 'live query') await client.sessions().ready()
    else if (what === 'transcript') await session.transcript().ready()
    else await session.stream().id
  }
  for (let n = 0; n < 3; n++) await drop()
  await vi.waitFor(
    () => {
      collect()
      expect(warned).toHaveBeenCalledWith(expect.stringContaining(message))
    },
    { timeout: 5000 },
  )
  expect(warned).toHaveBeenCalledTimes(1)
  await client.close()
})

it('warns of a stream that was not ended when its session is closed, and of nothing that was', async () => {
  const { client, session, warned } = await open()
  const ended = session.stream()
  ended.write('hello')
  await ended.end()
  session.transcript().close()
  client.sessions().close()
  for (let n = 0; n < 5; n++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    collect()
  }
  expect(warned).not.toHaveBeenCalled()
  session.stream().write('half a')
  await session.close()
  expect(warned.mock.calls).toEqual([[expect.stringContaining('while a reply was being streamed into it')]])
  await client.close()
})

it('says nothing in production', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  const { client, session, warned } = await open()
  session.stream().write('half a')
  await session.close()
  expect(warned).not.toHaveBeenCalled()
  vi.unstubAllEnvs()
  await client.close()
})

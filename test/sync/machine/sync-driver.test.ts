import { expect, it, onTestFinished } from 'vitest'
import { initialState } from '../../../src/sync/machine/machine-state.ts'
import { createSyncDriver, type SyncDriver } from '../../../src/sync/sync-driver.ts'

const newDriver = (): SyncDriver => createSyncDriver(initialState(false, []))
const failed = (message: string) => ({ type: 'failed', message }) as const

it('deals with what came before its commands could be run', () => {
  const driver = newDriver()
  const done: string[] = []
  void driver.send({ type: 'started' })
  expect(done).toEqual([])
  driver.attach(({ type }) => void done.push(type))
  expect(done).toEqual(['loadStore', 'openList'])
})

it('deals with an event that comes of a command once all that the command belongs to is begun', () => {
  const driver = newDriver()
  const done: string[] = []
  driver.attach(({ type }) => {
    if (type === 'closeList') void driver.send({ type: 'published' })
    done.push(type)
  })
  void driver.send({ type: 'pauseAsked' })
  expect(done).toEqual(['closeList', 'stopWindow', 'askList'])
})

it('tells its listeners once, when all is dealt with', () => {
  const driver = newDriver()
  const seen: string[] = []
  driver.attach(({ type }) => {
    if (type === 'loadStore') void driver.send(failed('first')).then(() => driver.send(failed('second')))
    if (type === 'openList') void driver.send(failed('other'))
  })
  driver.subscribe(() => void seen.push(driver.state().lastError!))
  void driver.send({ type: 'started' })
  expect(seen).toEqual(['other'])
})

it('is done with an event when its commands are, and reports one that failed', async () => {
  const driver = newDriver()
  driver.attach(async ({ type }) => {
    await new Promise((resolve) => setTimeout(resolve))
    if (type === 'closeList') throw new Error('it can not be closed')
  })
  await driver.send({ type: 'pauseAsked' })
  expect(driver.state()).toMatchObject({ phase: 'paused', lastError: 'it can not be closed' })
})

it('goes on though a listener throws, whose error is not swallowed', async () => {
  const driver = newDriver()
  driver.attach(() => undefined)
  const thrown = new Promise((resolve) => {
    const before = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.once('uncaughtException', resolve)
    onTestFinished(() => void before.forEach((listener) => process.on('uncaughtException', listener)))
  })
  driver.subscribe(() => {
    throw new Error('of the listener')
  })
  await driver.send(failed('one'))
  expect(driver.state().lastError).toBe('one')
  expect(await thrown).toMatchObject({ message: 'of the listener' })
})

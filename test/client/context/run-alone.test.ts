import { expect, it } from 'vitest'
import { runAlone } from '../../../src/client/context/run-alone.ts'
import { createDevice } from './support/stores.ts'

it('runs one at a time where there are no locks, also after one has given up waiting', async () => {
  const { store } = createDevice()
  const place = { store, key: 's' }
  const told: string[] = []
  let endA: () => void = () => undefined
  const a = runAlone(
    place,
    undefined,
    () => new Promise<void>((resolve) => (endA = () => (told.push('A ends'), resolve()))),
  )
  const ending = new AbortController()
  const b = runAlone(place, ending.signal, () => Promise.resolve(told.push('B runs')))
  ending.abort()
  await expect(b).rejects.toMatchObject({ name: 'Aborted' })
  const c = runAlone(place, undefined, () => Promise.resolve(told.push('C runs')))
  const other = runAlone({ store, key: 't' }, undefined, () => Promise.resolve(told.push('another session')))
  await other
  // Whatever was to start beside A has had its turn by now.
  await new Promise((resolve) => setTimeout(resolve))
  endA()
  await Promise.all([a, c])
  expect(told).toEqual(['another session', 'A ends', 'C runs'])
})

import { expect, it } from 'vitest'
import { createRunQueue } from '../../../src/dialects/chat/run-queue.ts'

const forever = new AbortController().signal

it('waits for the runs of other tabs, session by session', async () => {
  const [here, there] = [createRunQueue(8, 'app'), createRunQueue(8, 'app')]
  const order: string[] = []
  const leave = await here.enter('s', forever)
  const waiting = there.enter('s', forever).then((leaveThere) => {
    order.push('there')
    leaveThere()
  })
  ;(await there.enter('other', forever))()
  ;(await createRunQueue(8, 'another app').enter('s', forever))()
  order.push('here')
  leave()
  await waiting
  expect(order).toEqual(['here', 'there'])
})

it('gives up waiting for another tab when its client is gone, and lets the next one in', async () => {
  const [here, there] = [createRunQueue(8, 'leaving'), createRunQueue(8, 'leaving')]
  const leave = await here.enter('s', forever)
  const leaving = new AbortController()
  const waiting = there.enter('s', leaving.signal)
  const next = there.enter('s', forever)
  leaving.abort()
  await expect(waiting).rejects.toMatchObject({ name: 'Aborted' })
  leave()
  ;(await next)()
})

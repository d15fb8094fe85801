import { expect, it } from 'vitest'
import { Awareness } from 'y-protocols/awareness'
import { Doc } from 'yjs'
import type { LinkStatus, SyncLink } from '../../src/sync/link.ts'
import { createDocumentLine, type DocumentLine, type LineDriver } from '../../src/sync/transports/document-line.ts'

interface Given {
  /** Nothing lies between the two sides. */
  readonly isDirect?: boolean
  readonly onStatus?: (line: DocumentLine, status: LinkStatus) => void
  readonly onReached?: (line: DocumentLine) => void
}

/** A line whose driver notes what it is told to do. */
function open({ isDirect = false, onStatus, onReached }: Given = {}): {
  readonly line: DocumentLine
  readonly log: string[]
} {
  const log: string[] = []
  const doc = new Doc()
  const awareness = new Awareness(doc)
  awareness.setLocalState({ content: 'here' })
  const link: SyncLink = {
    name: 'a',
    doc,
    awareness,
    receive: async () => undefined,
    peerHas: () => undefined,
    status: (status) => {
      log.push(status.state)
      onStatus?.(line, status)
    },
  }
  const line = createDocumentLine(link)
  const driver: LineDriver = {
    publish: () => void log.push('publish'),
    onReached: () => onReached?.(line),
    ask: () => void log.push('ask'),
    release: () => {
      log.push('release')
      awareness.destroy()
      doc.destroy()
    },
  }
  line.begin(isDirect ? driver : { ...driver, connect: () => void log.push('connect') })
  return { line, log }
}
const reached = { type: 'reached', isReadonly: false } as const

it('says nothing before `begin` has returned', async () => {
  const { line, log } = open()
  expect(log).toEqual([])
  await Promise.resolve()
  expect(log).toEqual(['connecting', 'connect'])
  await line.connection.close()
})

it('is connected at once where nothing lies between', async () => {
  const { line, log } = open({ isDirect: true })
  await Promise.resolve()
  expect(log).toEqual(['connected', 'publish'])
  await line.connection.close()
})

it('says goodbye to the others before it releases everything, and says nothing when it is closed from here', async () => {
  const { line, log } = open()
  await Promise.resolve()
  line.send(reached)
  await line.connection.close()
  await line.connection.close()
  line.end({ state: 'offline' })
  expect(log).toEqual(['connecting', 'connect', 'connected', 'publish', 'publish', 'release'])
})

it('does what a status brings about after what was to be done before', async () => {
  const { line, log } = open({
    onStatus: (one, { state }) => {
      if (state === 'connected') void one.connection.close()
    },
  })
  await Promise.resolve()
  line.send(reached)
  expect(log.slice(2)).toEqual(['connected', 'publish', 'publish', 'release'])
})

it('completes a command that ends it, so that whoever was greeted hears of the end', async () => {
  const { line, log } = open({ onReached: (one) => one.fail(new Error('broken')) })
  await Promise.resolve()
  line.send(reached)
  expect(log.slice(2)).toEqual(['connected', 'publish', 'publish', 'release', 'error'])
})

it('runs what arrives in turn, and ends with the first that fails', async () => {
  const { line, log } = open()
  await Promise.resolve()
  const first = line.inTurn(async () => {
    await Promise.resolve()
    log.push('first')
  })
  const second = line.inTurn(() => {
    throw new Error('broken')
  })
  const third = line.inTurn(() => void log.push('third'))
  await Promise.all([first, second, third])
  expect(log.slice(2)).toEqual(['first', 'release', 'error'])
  expect(line.isOver()).toBe(true)
})

it('resolves the closing once nothing that arrived is being handled', async () => {
  const { line, log } = open()
  await Promise.resolve()
  void line.inTurn(async () => {
    await Promise.resolve()
    log.push('handled')
  })
  await Promise.resolve()
  await line.connection.close()
  expect(log.slice(2)).toEqual(['release', 'handled'])
})

it('ends as offline when nothing comes in time, and not once the other side has answered', async () => {
  const { line: late, log } = open()
  await Promise.resolve()
  const ended = new Promise<void>((resolve) => {
    const { line } = open({ onStatus: (_, { state }) => state === 'offline' && resolve() })
    queueMicrotask(() => line.send({ type: 'waiting', ms: 1 }))
  })
  for (const event of [{ type: 'waiting', ms: 1 }, reached, { type: 'answered' }] as const) late.send(event)
  await ended
  expect(log.at(-1)).toBe('publish')
  await late.connection.close()
})

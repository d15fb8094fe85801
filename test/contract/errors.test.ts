import { expose, wrap } from 'comlink'
import { describe, expect, it } from 'vitest'
import { errorOfWire, isSessionError, reviveError, SessionError, sessionErrorNames } from '../../src/contract/errors.ts'

/** What is left of an error thrown on the other side of a port. */
async function acrossPort(error: unknown): Promise<unknown> {
  const { port1, port2 } = new MessageChannel()
  try {
    expose({ fail: () => Promise.reject(error) }, port1)
    return await wrap<{ fail(): Promise<unknown> }>(port2)
      .fail()
      .catch((thrown: unknown) => thrown)
  } finally {
    port1.close()
    port2.close()
  }
}

describe('a SessionError', () => {
  it('is an Error with the name, message and cause it was given', () => {
    const cause = new Error('disk')
    const error = new SessionError('QuotaExceeded', 'No room for 3 entries.', { cause })
    expect(error).toBeInstanceOf(Error)
    expect([error.name, error.message, error.cause]).toEqual(['QuotaExceeded', 'No room for 3 entries.', cause])
  })

  it('has no cause when it was given none', () => {
    expect('cause' in new SessionError('Aborted', 'Cancelled.')).toBe(false)
  })

  it('begins its stack with its name', () => {
    expect(new SessionError('DataLoss', 'Gone.').stack).toMatch(/^DataLoss: Gone\.\n/)
  })

  it.each(sessionErrorNames)('called %s is recognised by that name and by no other', (name) => {
    const error = new SessionError(name, '')
    expect(isSessionError(error)).toBe(true)
    expect(sessionErrorNames.filter((other) => isSessionError(error, other))).toEqual([name])
  })

  it('is recognised after it crossed a port', async () => {
    const error = await acrossPort(new SessionError('SessionNotFound', 'No session "a".'))
    expect(error).not.toBeInstanceOf(SessionError)
    expect(isSessionError(error, 'SessionNotFound')).toBe(true)
  })
})

describe('isSessionError', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a name alone', 'Aborted'],
    ['an object that has the name and no message', { name: 'Aborted' }],
    ['another error', new TypeError('x')],
    ['a DOMException', new DOMException('x', 'AbortError')],
  ])('is false for %s', (_, other) => {
    expect(isSessionError(other)).toBe(false)
  })
})

describe('reviveError', () => {
  it('makes a SessionError of what came out of a port, with its message and stack', async () => {
    const thrown = new SessionError('TooLarge', 'Too large.')
    const revived = reviveError(await acrossPort(thrown))
    expect(revived).toBeInstanceOf(SessionError)
    expect(revived).toMatchObject({ name: 'TooLarge', message: 'Too large.', stack: thrown.stack })
  })

  it('keeps a cause', () => {
    const plain = Object.assign(new Error('x', { cause: 1 }), { name: 'Aborted' })
    expect(reviveError(plain)).toMatchObject({ cause: 1 })
  })

  it('gives back a SessionError itself', () => {
    const error = new SessionError('Aborted', '')
    expect(reviveError(error)).toBe(error)
  })

  it.each([
    ['another error', new TypeError('x')],
    ['a text', 'x'],
    ['null', null],
  ])('gives back %s as it is', (_, other) => {
    expect(reviveError(other)).toBe(other)
  })
})

describe('the names', () => {
  it('occur once each', () => {
    expect(new Set(sessionErrorNames).size).toBe(sessionErrorNames.length)
  })
})

describe('errorOfWire', () => {
  it.each([
    ['SessionNotFound', SessionError],
    ['OtherError', Error],
  ])('makes of a %s what would have been thrown here', (name, kind) => {
    const error = errorOfWire({ name, message: 'why', stack: 'there' }, 'cause')
    expect(error).toBeInstanceOf(kind)
    expect(error).toMatchObject({ name, message: 'why', stack: 'there', cause: 'cause' })
  })
})

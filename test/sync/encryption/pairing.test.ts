import { describe, expect, it } from 'vitest'
import { joinPairing } from '../../../src/sync/encryption/join-pairing.ts'
import { offerPairing, type PairingOptions } from '../../../src/sync/encryption/offer-pairing.ts'
import { drawPairingCode, pairingRoom, readPairingCode } from '../../../src/sync/encryption/pairing-code.ts'
import { createPairingLink, openPairingLink } from '../../../src/sync/encryption/pairing-link.ts'
import type { PairingParcel } from '../../../src/sync/encryption/pairing-parcel.ts'
import type { PairingChannel } from '../../../src/sync/encryption/pairing-talk.ts'
import { drawRootKey } from '../../../src/sync/encryption/root-key.ts'

const parcel: PairingParcel = { rootKey: drawRootKey(), namespace: 'user-1', server: 'wss://sync.example' }
const yes = (): Promise<boolean> => Promise.resolve(true)
const code = drawPairingCode()

/** Everybody hears everybody, themselves too. */
interface Room {
  join(): PairingChannel
  readonly messages: Uint8Array[]
}

function createRoom(): Room {
  const listeners = new Set<(bytes: Uint8Array) => void>()
  const messages: Uint8Array[] = []
  return {
    messages,
    join: () => ({
      send: (bytes) => {
        messages.push(bytes)
        queueMicrotask(() => [...listeners].forEach((listener) => listener(bytes)))
      },
      onMessage: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    }),
  }
}

const options = (room: Room, more: Partial<PairingOptions> = {}): PairingOptions => ({
  channel: room.join(),
  code,
  confirm: yes,
  ...more,
})
const outcome = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => value ?? 'done',
    (error: { problem?: string; name: string }) => error.problem ?? error.name,
  )

describe('a pairing by code', () => {
  it.each(['offerer', 'joiner'])('hands the root key over, whoever comes first: the %s', async (first) => {
    const room = createRoom()
    const shown: string[] = []
    const confirm = (digits: string): Promise<boolean> => (shown.push(digits), yes())
    const offer = (): Promise<void> => offerPairing(parcel, options(room, { confirm }))
    const join = (): Promise<PairingParcel> => joinPairing(options(room, { confirm }))
    const runs = first === 'offerer' ? [offer(), join()] : [join(), offer()]
    if (first === 'offerer') runs.reverse()
    expect(await Promise.all(runs)).toEqual([parcel, undefined])
    expect(shown).toEqual([expect.stringMatching(/^\d{6}$/), shown[0]])
    for (const message of room.messages) expect(Buffer.from(message).includes(Buffer.from(parcel.rootKey))).toBe(false)
    expect(Math.max(...room.messages.map(({ length }) => length))).toBeLessThan(300)
  })

  it('works over a channel that says everything twice', async () => {
    const room = createRoom()
    const twice = (): PairingChannel => {
      const channel = room.join()
      return { ...channel, send: (bytes) => (channel.send(bytes), channel.send(bytes)) }
    }
    expect(
      await Promise.all([
        offerPairing(parcel, options(room, { channel: twice() })),
        joinPairing(options(room, { channel: twice() })),
      ]),
    ).toEqual([undefined, parcel])
  })

  it('works over a channel that keeps the last message of each and says it to who comes', async () => {
    const last = new Map<object, Uint8Array>()
    const listeners = new Set<(bytes: Uint8Array) => void>()
    const join = (): PairingChannel => {
      const me = {}
      return {
        send: (bytes) => (last.set(me, bytes), listeners.forEach((listener) => listener(bytes))),
        onMessage: (listener) => {
          listeners.add(listener)
          last.forEach((bytes) => listener(bytes))
          return () => void listeners.delete(listener)
        },
      }
    }
    for (const offerFirst of [true, false]) {
      last.clear()
      const room = { join, messages: [] }
      const offer = (): Promise<void> => offerPairing(parcel, options(room))
      const takeIt = (): Promise<PairingParcel> => joinPairing(options(room))
      const [a, b] = offerFirst ? [offer(), takeIt()] : [takeIt(), offer()]
      expect(await Promise.all([a, b])).toContainEqual(parcel)
    }
  })

  it('shows other digits each time, and other ones on both devices when somebody stands between them', async () => {
    const [left, right] = [createRoom(), createRoom()]
    const shown: string[] = []
    const note = (digits: string): Promise<boolean> => (shown.push(digits), yes())
    const compared = async (digits: string): Promise<boolean> => {
      shown.push(digits)
      while (shown.length < 4) await new Promise((resolve) => setTimeout(resolve))
      return new Set(shown.slice(0, 4)).size === 1
    }
    // The one in the middle knows the code, plays the new device for the old one and the old one for the new.
    const stolen = joinPairing(options(left, { confirm: note }))
    const planted = offerPairing({ ...parcel, rootKey: drawRootKey() }, options(right, { confirm: note }))
    const results = await Promise.all([
      outcome(offerPairing(parcel, options(left, { confirm: compared }))),
      outcome(joinPairing(options(right, { confirm: compared }))),
      outcome(stolen),
      outcome(planted),
    ])
    expect(new Set(shown).size).toBe(2)
    expect(results).toEqual(['refused', 'refused', 'refused', 'refused'])
  })

  it('is ended by a share that is not the one the joiner committed to', async () => {
    const room = createRoom()
    const channel = room.join()
    const joiner: PairingChannel = {
      ...channel,
      // Message 3 is the reveal; its last byte is of the nonce, which decides about the digits.
      send: (bytes) =>
        channel.send(
          bytes[1] === 3 ? Uint8Array.from(bytes, (byte, i) => (i === bytes.length - 1 ? byte ^ 1 : byte)) : bytes,
        ),
    }
    const [offered, joined] = await Promise.all([
      outcome(offerPairing(parcel, options(room))),
      outcome(joinPairing(options(room, { channel: joiner }))),
    ])
    expect([offered, joined]).toEqual(['forged', 'refused'])
  })

  it.each([
    ['the key', 'offerer', 4],
    ['the offerer share', 'offerer', 2],
  ])('takes nothing when %s was changed on the way', async (_, role, kind) => {
    const room = createRoom()
    const channel = room.join()
    const changed: PairingChannel = {
      ...channel,
      send: (bytes) =>
        channel.send(bytes[1] === kind ? Uint8Array.from(bytes, (byte, i) => (i === 20 ? byte ^ 1 : byte)) : bytes),
    }
    const [offered, joined] = await Promise.all([
      outcome(offerPairing(parcel, options(room, role === 'offerer' ? { channel: changed } : {}))),
      outcome(joinPairing(options(room))),
    ])
    expect([offered, joined]).toEqual(['refused', 'forged'])
  })

  it('is ended on all devices when a second one joins', async () => {
    const room = createRoom()
    const never = (_: string, signal: AbortSignal): Promise<boolean> =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(false)))
    const offered = outcome(offerPairing(parcel, options(room, { confirm: never })))
    const joined = [0, 1].map(() => outcome(joinPairing(options(room, { confirm: never }))))
    expect([await offered, ...(await Promise.all(joined))]).toEqual(['interfered', 'refused', 'refused'])
  })

  it('needs the same code on both devices', async () => {
    const room = createRoom()
    const [offered, joined] = await Promise.all([
      outcome(offerPairing(parcel, options(room))),
      outcome(joinPairing(options(room, { code: drawPairingCode() }))),
    ])
    expect([offered, joined]).toEqual(['forged', 'refused'])
  })

  it.each<[string, string, string]>([
    ['offerer', 'refused', 'refused'],
    ['joiner', 'refused', 'refused'],
  ])('ends on both devices when the person at the %s says no', async (who, ...expected) => {
    const room = createRoom()
    const no = (): Promise<boolean> => Promise.resolve(false)
    const late = (_: string, signal: AbortSignal): Promise<boolean> =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(true)))
    const confirm = (role: string): { confirm: PairingOptions['confirm'] } => ({ confirm: role === who ? no : late })
    const results = await Promise.all([
      outcome(offerPairing(parcel, options(room, confirm('offerer')))),
      outcome(joinPairing(options(room, confirm('joiner')))),
    ])
    expect(results).toEqual(expected)
  })

  it('ends by itself when nobody comes', async () => {
    const room = createRoom()
    expect(await outcome(offerPairing(parcel, options(room, { expiresAfter: 5 })))).toBe('expired')
    expect(await outcome(joinPairing(options(room, { expiresAfter: 5 })))).toBe('expired')
  })

  it('is cancelled by a signal, and tells the other device', async () => {
    const room = createRoom()
    const cancel = new AbortController()
    const offered = outcome(
      offerPairing(
        parcel,
        options(room, {
          signal: cancel.signal,
          confirm: () => (cancel.abort(), new Promise<boolean>(() => undefined)),
        }),
      ),
    )
    const joined = outcome(joinPairing(options(room, { confirm: () => new Promise<boolean>(() => undefined) })))
    expect([await offered, await joined]).toEqual(['Aborted', 'refused'])
    expect(await outcome(joinPairing(options(room, { signal: AbortSignal.abort() })))).toBe('Aborted')
  })

  it('rejects with what the channel and the question throw', async () => {
    const room = createRoom()
    const broken: PairingChannel = {
      ...room.join(),
      send: () => {
        throw new TypeError('closed')
      },
    }
    expect(await outcome(offerPairing(parcel, options(room, { channel: broken })))).toBe('TypeError')
    const offered = outcome(
      offerPairing(parcel, options(room, { confirm: () => Promise.reject(new RangeError('no dialogue')) })),
    )
    expect([await outcome(joinPairing(options(room))), await offered]).toEqual(['refused', 'RangeError'])
  })

  it('is not hurt by what else is said in the room', async () => {
    const room = createRoom()
    const noise = room.join()
    const runs = Promise.all([offerPairing(parcel, options(room)), joinPairing(options(room))])
    for (const bytes of [
      [],
      [1],
      [9, 9, 9],
      [1, 99, 0, 0, 0, 0, 0, 0, 0, 0],
      [1, 4, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      [1, 7, 1, 2, 3, 4, 5, 6, 7, 8],
    ])
      noise.send(Uint8Array.from(bytes))
    expect(await runs).toEqual([undefined, parcel])
  })
})

describe('a pairing code', () => {
  it('is read however it is typed, and meets in a room of its own', () => {
    expect(code).toMatch(/^\w{4}-\w{4}$/)
    expect(readPairingCode(` ${code.toLowerCase().replace('-', ' ')} `)).toBe(code.replace('-', ''))
    expect(pairingRoom(code.toLowerCase())).toBe(pairingRoom(code))
    expect(pairingRoom(drawPairingCode())).not.toBe(pairingRoom(code))
    expect(pairingRoom(code)).not.toContain(code.replace('-', ''))
  })

  it.each(['', 'ABCD', `${code}X`, code.replace(/.$/, 'U')])('is refused with a slip: %s', (text) => {
    expect(() => readPairingCode(text)).toThrow(expect.objectContaining({ name: 'InvalidInput' }) as Error)
  })
})

describe('a pairing link', () => {
  it('holds what a new device needs, in the fragment of the address', async () => {
    const link = await createPairingLink(parcel, { page: 'https://chat.example/app?x=1#old' })
    const { hash, search } = new URL(link)
    expect(search).toBe('?x=1')
    expect(hash).toMatch(/^#pair=[\w-]+$/)
    expect(await openPairingLink(link)).toEqual(parcel)
    expect(await openPairingLink(hash)).toEqual(parcel)
    expect(await openPairingLink(await createPairingLink({ rootKey: parcel.rootKey, namespace: 'n' }))).toEqual({
      rootKey: parcel.rootKey,
      namespace: 'n',
    })
    expect(link.length).toBeLessThan(400)
  })

  it('is refused when it is none, was cut off or changed', async () => {
    const link = await createPairingLink(parcel)
    for (const bad of [
      '',
      'https://chat.example/',
      link.slice(0, -3),
      link.slice(0, 30),
      link.replace(/.$/, (letter) => (letter === 'A' ? 'Q' : 'A')).replace(/(.{40})./, '$1_'),
      link.replace('pair=A', 'pair=Z'),
    ]) {
      await expect(openPairingLink(bad), bad).rejects.toMatchObject({ name: 'InvalidInput' })
    }
  })

  it('is refused when it is too old', async () => {
    const link = await createPairingLink(parcel, { expiresAfter: 0.000_1 })
    await new Promise((resolve) => setTimeout(resolve, 5))
    await expect(openPairingLink(link)).rejects.toMatchObject({ name: 'AccessDenied', problem: 'expired' })
  })

  it('is not made of what is no parcel', async () => {
    await expect(createPairingLink({ ...parcel, rootKey: new Uint8Array(5) })).rejects.toMatchObject({
      name: 'InvalidInput',
    })
    await expect(createPairingLink({ ...parcel, namespace: '' })).rejects.toMatchObject({ name: 'InvalidInput' })
    await expect(createPairingLink(parcel, { expiresAfter: 0 })).rejects.toMatchObject({ name: 'InvalidInput' })
  })
})

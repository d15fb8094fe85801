import { expect, it } from 'vitest'
import type { Bytes } from '../../../src/sync/encryption/bytes.ts'
import {
  noTag,
  type PairingMessageKind,
  type PairingRole,
  readPairingMessage,
  writePairingMessage,
} from '../../../src/sync/encryption/pairing-inbox.ts'

const tag = '0102030405060708'
const other = '0807060504030201'
const body = Uint8Array.of(1, 2, 3)
const none: ReadonlyMap<PairingMessageKind, Bytes> = new Map()
const meaning = (role: PairingRole, kind: PairingMessageKind, of = tag, came = none): string =>
  readPairingMessage(writePairingMessage(kind, of, body), role, tag, came).means

it('gives each side the messages that are for it, whole', () => {
  for (const kind of ['commit', 'reveal', 'done'] as const)
    expect([meaning('offerer', kind), meaning('joiner', kind)]).toEqual(['message', 'nothing'])
  for (const kind of ['reply', 'key'] as const)
    expect([meaning('offerer', kind), meaning('joiner', kind)]).toEqual(['nothing', 'message'])
  expect(readPairingMessage(writePairingMessage('key', tag, body), 'joiner', tag, none)).toEqual({
    means: 'message',
    kind: 'key',
    body,
  })
})

it('takes only messages of its own pairing, but for a commitment, which starts one', () => {
  expect(meaning('offerer', 'reveal', other)).toBe('nothing')
  expect(meaning('joiner', 'key', other)).toBe('nothing')
  expect(meaning('offerer', 'commit', other)).toBe('message')
})

it('hears that the other side has left, also from an offerer that knew no joiner yet', () => {
  expect(meaning('offerer', 'joinerLeft')).toBe('left')
  expect(meaning('joiner', 'offererLeft')).toBe('left')
  expect(meaning('joiner', 'offererLeft', noTag)).toBe('left')
  expect(meaning('joiner', 'offererLeft', other)).toBe('nothing')
  expect(meaning('offerer', 'joinerLeft', noTag)).toBe('nothing')
})

it('takes a repeated message once, and a different one in its place as from somebody else', () => {
  expect(meaning('offerer', 'reveal', tag, new Map([['reveal', body]]))).toBe('nothing')
  expect(meaning('offerer', 'reveal', tag, new Map([['reveal', Uint8Array.of(9)]]))).toBe('interfered')
})

it('ignores what is no message of a pairing', () => {
  const whole = writePairingMessage('key', tag, body)
  const strange = [new Uint8Array(), whole.slice(0, 9), Uint8Array.of(2, ...whole.slice(1)), Uint8Array.of(1, 99)]
  for (const message of strange) expect(readPairingMessage(message, 'joiner', tag, none)).toEqual({ means: 'nothing' })
})

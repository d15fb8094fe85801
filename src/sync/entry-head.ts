import type { Entry } from '../contract/entry.ts'
import { entryId, parseEntryId } from '../domain/address.ts'
import { orderOf } from '../domain/order.ts'
import { createHeadReader, type HeadReader, writeCount, writeFixed, writeSigned } from './head-digits.ts'

/**
 * Types by number, from 1. The list is part of the format and never changes, not even for a new type: known devices
 * would encode the same entry in other bytes. Other types travel as text after a 0.
 */
const types: readonly string[] = [
  'message',
  'model_change',
  'thinking_level_change',
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'session_info',
  'branch',
  'head',
  'cut',
  'compaction',
  'edit',
  'meta',
  'checkpoint',
  'delete',
  'undelete',
  'purge',
]

/** An entry without its data. */
export type EntryHead = Omit<Entry, 'data'>

/** How the entry that belongs to a head is written. */
export interface HeadForm {
  /** The content is a message instead of the data that holds the message. */
  readonly isBare: boolean
  /** The head has no checksum: what it travels in has one, and the entry's checksum follows from the rest. */
  readonly isUnchecked: boolean
}

/** Bits of the first character. */
const flags = { turn: 1, run: 2, branch: 4, fraction: 8, wide: 16, bare: 32, unchecked: 64 } as const

/** Digits of `hp`: six until the year 2109, else seven. */
const narrow = 6
const narrowEnd = 128 ** narrow
/** Digits of a checksum. */
const crcDigits = 5

/**
 * The head as it travels: flags, type, `hp`, `hc`, `at − hp`, turn, branch, checksum, in characters of one byte. Writer
 * and sequence number are those of the element, and the order follows from the clocks, so that none of them is sent. It
 * is a text, because Yjs freezes values in development, and bytes cannot be frozen.
 *
 * - turn: absent where the entry opens its own; `hp − turn.hp, turn.hc, s − turn.s` in the first run of its own turn;
 *   `hp − turn.hp, turn.hc, turn.s, turn.w, hp − run.hp, run.hc` in a later run.
 * - branch: absent on main, otherwise the opener's writer and sequence number.
 * - a time with a fraction of a millisecond would not survive the subtraction, so it is written as it is.
 */
export function writeHead(
  { s, type, at, clock, turn, run, branch, crc }: EntryHead,
  { isBare, isUnchecked }: HeadForm,
): string {
  const { hp, hc } = clock
  const opener = branch === '' ? undefined : parseEntryId(branch)
  const isFraction = !Number.isSafeInteger(at) || !Number.isSafeInteger(2 * (at - hp))
  const isWide = hp >= narrowEnd
  const said =
    (turn ? flags.turn : 0) +
    (run ? flags.run : 0) +
    (opener ? flags.branch : 0) +
    (isFraction ? flags.fraction : 0) +
    (isWide ? flags.wide : 0) +
    (isBare ? flags.bare : 0) +
    (isUnchecked ? flags.unchecked : 0)
  const number = types.indexOf(type) + 1
  let head = writeFixed(said, 1) + writeCount(number)
  if (number === 0) head += writeText(type)
  head += writeFixed(hp, isWide ? narrow + 1 : narrow) + writeCount(hc)
  head += isFraction ? writeText(String(at)) : writeSigned(at - hp)
  if (turn !== undefined) head += writeCount(hp - turn.hp) + writeCount(turn.hc)
  if (turn !== undefined && run === undefined) head += writeSigned(s - turn.s)
  else if (turn !== undefined && run !== undefined)
    head += writeCount(turn.s) + writeCount(turn.w) + writeCount(hp - run.hp) + writeCount(run.hc)
  if (opener !== undefined) head += writeCount(opener.w) + writeCount(opener.s)
  return isUnchecked ? head : head + writeFixed(crc, crcDigits)
}

function writeText(text: string): string {
  return writeCount(text.length) + text
}

/**
 * @returns the head, with 0 for a checksum that it does not have; `undefined` for a text that is not a head, or is one
 * in another encoding, which would give other bytes here than where it comes from
 */
export function readHead(w: number, s: number, text: string): (HeadForm & { readonly head: EntryHead }) | undefined {
  const reader = createHeadReader(text)
  const said = reader.fixed(1)
  const form: HeadForm = { isBare: (said & flags.bare) !== 0, isUnchecked: (said & flags.unchecked) !== 0 }
  const head = readFields(reader, w, s, said)
  return head !== undefined && writeHead(head, form) === text ? { head, ...form } : undefined
}

function readFields(reader: HeadReader, w: number, s: number, said: number): EntryHead | undefined {
  const number = reader.count()
  const type = number === 0 ? reader.text() : (types[number - 1] ?? '')
  const hp = reader.fixed(said & flags.wide ? narrow + 1 : narrow)
  const clock = { hp, hc: reader.count() }
  const at = said & flags.fraction ? Number(reader.text()) : hp + reader.signed()
  // Spelled out, because a new device reads a hundred thousand heads and a spread takes longer.
  const head: { -readonly [Field in keyof EntryHead]: EntryHead[Field] } = {
    w,
    s,
    branch: '',
    type,
    at,
    clock,
    order: '',
    crc: 0,
  }
  if (said & flags.turn) {
    const turnHp = hp - reader.count()
    const turnHc = reader.count()
    if (said & flags.run) {
      head.turn = { hp: turnHp, hc: turnHc, s: reader.count(), w: reader.count() }
      head.run = { hp: hp - reader.count(), hc: reader.count() }
    } else head.turn = { hp: turnHp, hc: turnHc, s: s - reader.signed(), w }
  }
  if (said & flags.branch) head.branch = entryId(reader.count(), reader.count())
  if (!(said & flags.unchecked)) head.crc = reader.fixed(crcDigits)
  const { turn, run } = head
  if (
    reader.isBroken() ||
    type === '' ||
    !Number.isFinite(at) ||
    (turn !== undefined && (turn.hp < 0 || turn.s < 0)) ||
    (run !== undefined && run.hp < 0)
  )
    return undefined
  head.order = orderOf(head)
  return head
}

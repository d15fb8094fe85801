import type { Clock, TurnRef } from '../contract/entry.ts'

/**
 * The packing of an entry's place into one sortable string. K is a clock and its writer in 20 characters.
 *
 * | entry | order | characters |
 * | --- | --- | --- |
 * | turn opener, control entry | K of itself = T | 20 |
 * | first run, by the turn's own writer | T `!` own clock | 32 |
 * | first entry of a later run | T, K of itself = R | 40 |
 * | later entries of that run | T R own clock | 51 |
 *
 * `!` sorts below the alphabet, so the opener's own run comes first; `~` sorts above, so `T~` ends a turn.
 */
const alphabet = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'

/** Sorts after every order. `''` sorts before. */
export const orderEnd = '~'

/** Length of a turn's key. */
const turnKeyLength = 20

function encode(value: number, width: number): string {
  let text = ''
  let rest = value
  for (let i = 0; i < width; i++) {
    text = alphabet[rest % 64]! + text
    rest = Math.floor(rest / 64)
  }
  return text
}

function clockText(clock: Clock): string {
  return encode(clock.hp, 8) + encode(clock.hc, 3)
}

/** A clock reading and its writer, in 20 characters. */
export function clockKey(clock: Clock, w: number): string {
  return clockText(clock) + encode(w, 9)
}

/** The facts that an entry's place is packed from. */
export interface Position {
  readonly w: number
  readonly clock: Clock
  readonly turn?: TurnRef
  readonly run?: Clock
}

export function orderOf(position: Position): string {
  const { w, clock, turn, run } = position
  if (turn === undefined) return clockKey(clock, w)
  const opener = clockKey(turn, turn.w)
  if (run === undefined) return `${opener}!${clockText(clock)}`
  const later = opener + clockKey(run, w)
  return run.hp === clock.hp && run.hc === clock.hc ? later : later + clockText(clock)
}

/** Where the author and its clock are, by the length of an order. */
const authorPlaces: Readonly<Record<number, readonly [writer: number, clock: number]>> = {
  20: [11, 0],
  32: [11, 21],
  40: [31, 20],
  51: [31, 40],
}

/** Who wrote the entry at an order, and at which reading of its clock, both as sortable texts. */
export function authorOf(order: string): { readonly writer: string; readonly clock: string } | undefined {
  const place = authorPlaces[order.length]
  if (place === undefined) return undefined
  const [writer, clock] = place
  return { writer: order.slice(writer, writer + 9), clock: order.slice(clock, clock + 11) }
}

/** The key of the turn an order belongs to. */
export function turnKey(order: string): string {
  return order.slice(0, turnKeyLength)
}

/** The order that ends a whole turn. */
export function turnEnd(order: string): string {
  return turnKey(order) + orderEnd
}

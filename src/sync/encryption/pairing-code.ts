import { SessionError } from '../../contract/errors.ts'
import { sha256 } from '../../domain/sha256.ts'
import { base32Letters, tidyBase32 } from './base32.ts'

/** Letters that are drawn; one more tells slips. */
const drawn = 7

/** A code of 8 letters, as `K7QM-2XRD`, that brings two devices together. It is no secret: the digits that both show are what counts. */
export function drawPairingCode(): string {
  const letters = Array.from(crypto.getRandomValues(new Uint8Array(drawn)), (byte) => base32Letters[byte & 31]!).join('')
  return `${letters.slice(0, 4)}-${letters.slice(4)}${checkOf(letters)}`
}

/** The code as both devices take it. @throws InvalidInput for a slip */
export function readPairingCode(text: string): string {
  const code = tidyBase32(String(text))
  const letters = code.slice(0, drawn)
  if (code.length !== drawn + 1 || ![...code].every((letter) => base32Letters.includes(letter)) || code !== letters + checkOf(letters)) {
    throw new SessionError('InvalidInput', 'The pairing code has a slip in it: it has 8 letters and digits. Compare it with the other device.')
  }
  return code
}

/** Name of the place where two devices with the same code meet: `${namespace}/pair/${pairingRoom(code)}`. @throws InvalidInput */
export function pairingRoom(code: string): string {
  return sha256(['keepsession pairing room 1\0', readPairingCode(code)]).slice(0, 32)
}

const checkOf = (letters: string): string => base32Letters[Number.parseInt(sha256(['keepsession pairing code 1\0', letters]).slice(0, 2), 16) & 31]!

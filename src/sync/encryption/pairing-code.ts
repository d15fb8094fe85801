import { SessionError } from '../../contract/errors.ts'
import { sha256 } from '../../domain/sha256.ts'
import { base32Letters, tidyBase32 } from './base32.ts'

/** Random letters; one more detects typing errors. */
const drawn = 7

/**
 * Draws a code of 8 letters, such as `K7QM-2XRD`, by which two devices find each other. It is not secret: what counts
 * are the digits that both devices show.
 */
export function drawPairingCode(): string {
  const letters = Array.from(crypto.getRandomValues(new Uint8Array(drawn)), (byte) => base32Letters[byte & 31]!).join(
    '',
  )
  return `${letters.slice(0, 4)}-${letters.slice(4)}${checkOf(letters)}`
}

/** Normalizes a code. @throws InvalidInput for a typing error */
export function readPairingCode(text: string): string {
  const code = tidyBase32(String(text))
  const letters = code.slice(0, drawn)
  if (
    code.length !== drawn + 1 ||
    ![...code].every((letter) => base32Letters.includes(letter)) ||
    code !== letters + checkOf(letters)
  ) {
    throw new SessionError(
      'InvalidInput',
      'The pairing code has a typing error: it needs 8 letters and digits. Compare it with the other device.',
    )
  }
  return code
}

/**
 * Name of the place where two devices with the same code meet: `${namespace}/pair/${pairingRoom(code)}`.
 *
 * @throws InvalidInput
 */
export function pairingRoom(code: string): string {
  return sha256(['keepsession pairing room 1\0', readPairingCode(code)]).slice(0, 32)
}

const checkOf = (letters: string): string =>
  base32Letters[Number.parseInt(sha256(['keepsession pairing code 1\0', letters]).slice(0, 2), 16) & 31]!

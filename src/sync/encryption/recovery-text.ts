import { SessionError } from '../../contract/errors.ts'
import { createSha256 } from '../../domain/sha256.ts'
import { fromBase32, tidyBase32, toBase32 } from './base32.ts'
import { bytesOf } from './bytes.ts'
import { fromHex } from './hex.ts'
import { checkRootKey, type RootKey, rootKeyBytes } from './root-key.ts'

/** With the key these are 35 bytes, which give exactly 56 letters. */
const checkBytes = 3
const letters = ((rootKeyBytes + checkBytes) * 8) / 5

/** A root key to write down: 14 groups of 4 letters. Anybody who reads it can read everything. @throws InvalidInput */
export function exportRootKey(rootKey: RootKey): string {
  checkRootKey(rootKey)
  return toBase32(bytesOf(rootKey, checkOf(rootKey)))
    .match(/.{4}/g)!
    .join('-')
}

/**
 * Reads a root key that was written down. Case, spaces and dashes do not matter; O, I and L are read as 0 and 1.
 *
 * @throws InvalidInput that says what is wrong: an invalid letter, how many are missing, or a typing error somewhere
 */
export function importRootKey(text: string): RootKey {
  const tidy = tidyBase32(String(text))
  const bytes = fromBase32(tidy)
  if (typeof bytes === 'string')
    throw new SessionError(
      'InvalidInput',
      `The recovery text has an invalid character: ${JSON.stringify(bytes)}. Compare it again.`,
    )
  if (tidy.length !== letters)
    throw new SessionError(
      'InvalidInput',
      `The recovery text has ${tidy.length} letters, but needs ${letters}. Check whether a group is missing or doubled.`,
    )
  const rootKey = bytes.slice(0, rootKeyBytes)
  const check = bytes.subarray(rootKeyBytes)
  if (toBase32(checkOf(rootKey)) !== toBase32(check))
    throw new SessionError(
      'InvalidInput',
      'The recovery text has a typing error: its checksum does not match. Compare it group by group.',
    )
  return rootKey
}

function checkOf(rootKey: RootKey): Uint8Array {
  const digest = createSha256()
  digest.update(bytesOf('keepsession root key 1\0', rootKey))
  return fromHex(digest.hex().slice(0, checkBytes * 2))
}

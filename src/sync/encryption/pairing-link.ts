import { SessionError } from '../../contract/errors.ts'
import { fromBase64url, toBase64url } from './base64url.ts'
import { type Bytes, bytesOf } from './bytes.ts'
import { PairingError } from './pairing-error.ts'
import { type PairingParcel, packParcel, unpackParcel } from './pairing-parcel.ts'
import { webCrypto } from './web-crypto.ts'

const version = 1
const secretBytes = 16
const marker = 'pair='

export interface PairingLinkOptions {
  /** How long the link is valid, in milliseconds. Default: 10 minutes. */
  readonly expiresAfter?: number
  /**
   * Address of the app, which the link opens. Absent: the link is only the payload, for a QR code that the app itself
   * reads.
   */
  readonly page?: string
}

/**
 * Makes a link, or the payload of a QR code, that holds everything a new device needs. It is in the fragment, which no
 * browser sends to a server. Anybody who sees it has the key: show it on the screen, do not send it.
 *
 * `1 ‖ secret (16) ‖ parcel, sealed with a key that is derived from the secret`, in base64url.
 *
 * @throws InvalidInput, StorageUnavailable (no cryptography here)
 */
export async function createPairingLink(
  parcel: PairingParcel,
  { expiresAfter = 600_000, page }: PairingLinkOptions = {},
): Promise<string> {
  if (!(expiresAfter > 0))
    throw new SessionError('InvalidInput', 'expiresAfter of a pairing link must be a positive number of milliseconds.')
  const secret = crypto.getRandomValues(new Uint8Array(secretBytes))
  const plain = packParcel(parcel, { expiresAt: Date.now() + expiresAfter })
  const sealed = await webCrypto().encrypt(onlyMessage(), await linkKey(secret), plain)
  const payload = marker + toBase64url(bytesOf(Uint8Array.of(version), secret, new Uint8Array(sealed)))
  return page === undefined ? payload : `${page.replace(/#.*$/s, '')}#${payload}`
}

/**
 * @param text - the link or the payload
 * @throws InvalidInput when it is not a link or was cut off; PairingError (`expired`)
 */
export async function openPairingLink(text: string): Promise<PairingParcel> {
  const payload = /(?:^|[#&?])pair=([\w-]+)/.exec(String(text).trim())?.[1]
  const bytes = payload === undefined ? undefined : fromBase64url(payload)
  if (bytes === undefined)
    throw new SessionError(
      'InvalidInput',
      'This is not a pairing link. Copy the whole link, including everything after #, from the other device.',
    )
  if (bytes[0] !== version)
    throw new SessionError(
      'InvalidInput',
      'This pairing link was made by another version. Update the app on both devices.',
    )
  const key = await linkKey(bytes.slice(1, 1 + secretBytes))
  const plain = await webCrypto()
    .decrypt(onlyMessage(), key, bytes.subarray(1 + secretBytes))
    .catch(() => undefined)
  const parcel = plain && unpackParcel(new Uint8Array(plain))
  if (parcel === undefined)
    throw new SessionError(
      'InvalidInput',
      'The pairing link is damaged, or a part of it is missing. Copy the whole link again.',
    )
  const { expiresAt, ...rest } = parcel
  if (expiresAt === undefined || Date.now() > expiresAt) throw new PairingError('expired')
  return rest
}

async function linkKey(secret: Bytes): Promise<CryptoKey> {
  const base = await webCrypto().importKey('raw', secret, 'HKDF', false, ['deriveKey'])
  return webCrypto().deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: bytesOf('keepsession pairing link 1') },
    base,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
}

/** The key seals nothing else, so any nonce is used once. */
const onlyMessage = (): AesGcmParams => ({
  name: 'AES-GCM',
  iv: new Uint8Array(12),
  additionalData: Uint8Array.of(version),
})

import { type Bytes, bytesOf } from './bytes.ts'
import { PairingError } from './pairing-error.ts'
import { webCrypto } from './web-crypto.ts'

const curve = { name: 'ECDH', namedCurve: 'P-256' }
const publicBytes = 65
const nonceBytes = 16

/** One side's share of an agreement: a key pair that is used once, and a nonce. */
export interface PairingShare {
  readonly privateKey: CryptoKey
  /** `public key (65) ‖ nonce (16)`. */
  readonly open: Bytes
}

/** @throws StorageUnavailable (no cryptography here) */
export async function drawPairingShare(): Promise<PairingShare> {
  const subtle = webCrypto()
  const { privateKey, publicKey } = (await subtle.generateKey(curve, false, ['deriveBits'])) as CryptoKeyPair
  return {
    privateKey,
    open: bytesOf(
      new Uint8Array(await subtle.exportKey('raw', publicKey)),
      crypto.getRandomValues(new Uint8Array(nonceBytes)),
    ),
  }
}

/**
 * The joiner commits to its share before it sees the offerer's, so that nobody can choose a share that gives certain
 * digits.
 */
export function commitTo(code: string, share: Uint8Array): Promise<Bytes> {
  return hash('keepsession pairing commit 1\0', code, '\0', share)
}

/** What both sides have once each knows the other's share. */
export interface PairingAgreement {
  /** Six digits that are the same on both devices only if nobody is between them. */
  readonly digits: string
  seal(what: 'key' | 'done', plain: Bytes): Promise<Bytes>
  /** @throws PairingError (`forged`) */
  open(what: 'key' | 'done', sealed: Bytes): Promise<Bytes>
}

/** @throws PairingError (`forged`) for an invalid share */
export async function agree(
  code: string,
  mine: PairingShare,
  joiner: Bytes,
  offerer: Bytes,
): Promise<PairingAgreement> {
  const subtle = webCrypto()
  const theirs = mine.open === joiner ? offerer : joiner
  if (theirs.length !== publicBytes + nonceBytes) throw new PairingError('forged')
  const transcript = await hash('keepsession pairing 1\0', code, '\0', joiner, offerer)
  const digits = (
    new DataView((await hash('keepsession pairing digits 1\0', transcript)).buffer).getBigUint64(0) % 1_000_000n
  )
    .toString()
    .padStart(6, '0')
  let base: CryptoKey
  try {
    const publicKey = await subtle.importKey('raw', theirs.subarray(0, publicBytes), curve, false, [])
    const shared = await subtle.deriveBits({ name: 'ECDH', public: publicKey }, mine.privateKey, 256)
    base = await subtle.importKey('raw', shared, 'HKDF', false, ['deriveKey'])
  } catch (cause) {
    throw new PairingError('forged', { cause })
  }
  // Each message has a key of its own, so that every nonce is used once.
  const keyOf = (what: string): Promise<CryptoKey> =>
    subtle.deriveKey(
      { name: 'HKDF', hash: 'SHA-256', salt: transcript, info: bytesOf(`keepsession pairing ${what} 1`) },
      base,
      { name: 'AES-GCM', length: 256 },
      false,
      ['encrypt', 'decrypt'],
    )
  const how = { name: 'AES-GCM', iv: new Uint8Array(12) }
  return {
    digits,
    seal: async (what, plain) => new Uint8Array(await subtle.encrypt(how, await keyOf(what), plain)),
    open: async (what, sealed) => {
      const opened = await subtle.decrypt(how, await keyOf(what), sealed).catch(() => undefined)
      if (opened === undefined) throw new PairingError('forged')
      return new Uint8Array(opened)
    },
  }
}

async function hash(...pieces: readonly (string | Uint8Array)[]): Promise<Bytes> {
  return new Uint8Array(await webCrypto().digest('SHA-256', bytesOf(...pieces)))
}

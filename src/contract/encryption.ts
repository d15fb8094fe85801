/**
 * Opens an encrypted store: a key of WebCrypto (AES-GCM, 256 bit, for `encrypt` and `decrypt`; it need not be
 * extractable), or a passphrase from which a key is derived (PBKDF2-SHA-256, 600,000 rounds). Neither is ever stored.
 */
export type Encryption = { readonly key: CryptoKey } | { readonly passphrase: string }

/** How the key that wraps the data keys is derived. */
export type KeyLock =
  | { readonly kind: 'key' }
  | { readonly kind: 'PBKDF2-SHA-256'; readonly salt: string; readonly iterations: number }

/** A data key, as it is stored: encrypted with the key of the {@link KeyLock}, in base64. */
export interface WrappedKey {
  /** Prefix of everything that was sealed with the key. */
  readonly id: string
  readonly wrapped: string
}

/** What a database stores about its encryption. It is useless without the key or the passphrase. */
export interface Keyring {
  /** Counts its changes. */
  readonly generation: number
  readonly lock: KeyLock
  /** Every data key that was ever used, so that everything sealed with one stays readable. */
  readonly keys: readonly WrappedKey[]
  /** Id of the key that seals new content; `''`: new content is not encrypted. */
  readonly current: string
  /** Whether there may be rows that are not sealed with the current key. */
  readonly isMixed: boolean
}

/** How a store is encrypted. */
export interface EncryptionState {
  /** Whether older content may still be plain or sealed with an older key. It is being re-encrypted. */
  readonly isMixed: boolean
}

/** Where a database keeps its keyring. */
export interface KeyringPlace {
  /** `undefined`: nothing in it is encrypted. */
  loadKeyring(): Promise<Keyring | undefined>
  /**
   * Replaces the keyring of the previous generation.
   *
   * @returns the keyring that is stored afterwards; somebody else's if they were faster
   */
  saveKeyring(keyring: Keyring): Promise<Keyring>
}

/** What a change of the encryption did. */
export interface ResealReport {
  /** Rows, records and blobs that were rewritten. */
  readonly rewritten: number
  /** Those that could not be read and were left as they are. */
  readonly unreadable: number
}

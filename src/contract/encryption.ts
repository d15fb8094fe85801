/**
 * What opens an encrypted store: a key of WebCrypto (AES-GCM, 256 bit, for `encrypt` and `decrypt`; it need not be
 * extractable), or a passphrase, of which a key is made (PBKDF2-SHA-256, 600,000 rounds). Neither is ever stored.
 */
export type Encryption = { readonly key: CryptoKey } | { readonly passphrase: string }

/** How the key is made that the data keys are wrapped with. */
export type KeyLock =
  | { readonly kind: 'key' }
  | { readonly kind: 'PBKDF2-SHA-256'; readonly salt: string; readonly iterations: number }

/** A data key, as it is stored: encrypted with the key of the {@link KeyLock}, in base64. */
export interface WrappedKey {
  /** Stands in front of all that was sealed with it. */
  readonly id: string
  readonly wrapped: string
}

/** What a database keeps about its encryption. Who has it can do nothing without the key or the passphrase. */
export interface Keyring {
  /** Counts its changes. */
  readonly generation: number
  readonly lock: KeyLock
  /** Every data key there ever was, so that nothing sealed with one is ever lost. */
  readonly keys: readonly WrappedKey[]
  /** Id of the key that is sealed with; `''`: what is written is plain again. */
  readonly current: string
  /** Whether there may be rows that were not sealed with the current key. */
  readonly isMixed: boolean
}

/** How a store is encrypted. */
export interface EncryptionState {
  /** Whether there may be content from before its key: plain, or sealed with an older one. It is being written anew. */
  readonly isMixed: boolean
}

/** Where a database keeps its keyring. */
export interface KeyringPlace {
  /** `undefined`: nothing in it is encrypted. */
  loadKeyring(): Promise<Keyring | undefined>
  /**
   * Stores a keyring in the place of the one of the generation before.
   *
   * @returns the one that is there now: another one, when somebody else was faster
   */
  saveKeyring(keyring: Keyring): Promise<Keyring>
}

/** What a change of the encryption did. */
export interface ResealReport {
  /** Rows, records and blobs that were written anew. */
  readonly rewritten: number
  /** Those that could not be read, and are as they were. */
  readonly unreadable: number
}

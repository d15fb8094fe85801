/** Something was sealed with a key that is not here. It is still valid: read it again once the key is known. */
export class KeyMissing {
  /** The beginning of the key's id, as far as it is known. */
  readonly keyId: string

  constructor(keyId: string) {
    this.keyId = keyId
  }
}

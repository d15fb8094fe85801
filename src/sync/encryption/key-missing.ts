/** Something was sealed with a key that is not here. It is as good as when it came: ask for the key, then read it again. */
export class KeyMissing {
  /** As far as it is known: the beginning of a key's id. */
  readonly keyId: string

  constructor(keyId: string) {
    this.keyId = keyId
  }
}

export interface VerifyProblem {
  readonly key: string
  /**
   * `blob`: bytes that an entry names are missing or do not match their hash; `at` is the hash. `row`: a row of the
   * session can't be read, nor rebuilt from its entries. `collection`: a row of the collection `key` can't be read; `at`
   * is the key of the row.
   */
  readonly kind: 'unreadable' | 'checksum' | 'order' | 'gap' | 'meta' | 'blob' | 'row' | 'collection'
  /** The entry's id or the record's key. */
  readonly at: string
  readonly message: string
}

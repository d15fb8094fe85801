/** Bytes that entries name by their hash, such as images. */
export interface Blobs {
  /**
   * Stores bytes by content; returns their SHA-256 in hex. An entry names them by that hash, as a separate word
   * anywhere in its data: in a part (`{ type: 'image', blob: hash }`), in a link (`![](blob:<hash>)`), in metadata.
   * Bytes stay while an entry of any session names them, including hidden entries, and are deleted with the last
   * session that is purged. Bytes that no entry names, or names any more after `reclaim`, stay for a day: put them
   * again if you name them later.
   */
  putBlob(blob: Blob): Promise<string>
  /**
   * The bytes, or `undefined` when there are none of that hash.
   *
   * @throws ChecksumMismatch when they exist and can't be read any more; `repair` may find a copy
   */
  getBlob(hash: string): Promise<Blob | undefined>
}

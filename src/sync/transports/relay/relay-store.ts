/**
 * Somewhere that keeps files by path: a folder, an object store. Paths are parts of letters, digits and `-._~%` with `/` between them. What is put
 * must be there whole or not at all once it is listed; where that can't be had, as with folders that are copied by other programs, a file is
 * left alone until its content fits its name.
 */
export interface RelayStore {
  /** Putting the same again is harmless. */
  put(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>
  get(path: string): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Paths that begin with `prefix`, which ends with `/`. */
  list(prefix: string): Promise<readonly string[]>
  /** Without it, files are never joined, and what was purged stays in the files that hold it. */
  remove?(path: string): Promise<void>
}

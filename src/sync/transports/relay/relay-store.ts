/**
 * Stores files by path: a folder, an object store. The parts of paths consist of letters, digits and `-._~%`, with `/`
 * between them. A file must be complete once it is listed. Where that cannot be guaranteed, as in folders that other
 * programs copy, a file is ignored until its content matches its name.
 */
export interface RelayStore {
  /** Putting the same file again is harmless. */
  put(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>
  get(path: string): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Paths that begin with `prefix`, which ends with `/`. */
  list(prefix: string): Promise<readonly string[]>
  /** Without it, files are never joined, and purged content stays in its files. */
  remove?(path: string): Promise<void>
}

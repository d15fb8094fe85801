/** A file that is written to, by nobody else meanwhile: of a `FileSystemSyncAccessHandle`, what a mirror needs. */
export interface MirrorFile {
  getSize(): number
  /** @returns how many bytes were written; fewer when there is no room */
  write(bytes: Uint8Array<ArrayBuffer>, options: { readonly at: number }): number
  truncate(size: number): void
  flush(): void
  close(): void
}

/** Where the files of a mirror lie. */
export interface MirrorFolder {
  list(): Promise<readonly string[]>
  /** Opens a file, and makes it where there is none. @returns `undefined` while somebody else has it open */
  open(name: string): Promise<MirrorFile | undefined>
  /** What a file holds now, also while it is written to; `undefined` when there is none. */
  read(name: string): Promise<Blob | undefined>
  /** @returns whether it is gone */
  remove(name: string): Promise<boolean>
}

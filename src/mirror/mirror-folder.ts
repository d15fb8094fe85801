/** A file that is open for its caller only: the part of `FileSystemSyncAccessHandle` that a mirror needs. */
export interface MirrorFile {
  getSize(): number
  /** @returns how many bytes were written; fewer when there is no room */
  write(bytes: Uint8Array<ArrayBuffer>, options: { readonly at: number }): number
  truncate(size: number): void
  flush(): void
  close(): void
}

/** The folder with the files of a mirror. */
export interface MirrorFolder {
  list(): Promise<readonly string[]>
  /** Opens a file, and creates it when it is missing. @returns `undefined` while it is open elsewhere */
  open(name: string): Promise<MirrorFile | undefined>
  /** The current content of a file, even while it is written to; `undefined` when the file is missing. */
  read(name: string): Promise<Blob | undefined>
  /** @returns whether it is gone */
  remove(name: string): Promise<boolean>
}

/** Whether nobody has a file open. Creates the file when it is missing. */
export async function isFileFree(folder: MirrorFolder, name: string): Promise<boolean> {
  const file = await folder.open(name)
  file?.close()
  return file !== undefined
}

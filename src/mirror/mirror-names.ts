/** The name of a file with entries. Each start of a worker has its own file. */
export interface MirrorName {
  /** Epoch of the database whose commits it has. */
  readonly epoch: string
  readonly boot: string
}

/** The file with the index. */
export const indexFile = 'index.json'

const blobPrefix = 'blob-'

export const mirrorName = ({ epoch, boot }: MirrorName): string => `${epoch}.${boot}.log`

export const blobName = (hash: string): string => blobPrefix + hash

/** The hash of a blob file; `undefined` for other files. */
export const blobHash = (file: string): string | undefined =>
  file.startsWith(blobPrefix) ? file.slice(blobPrefix.length) : undefined

/** The parts of a file's name; `undefined` when the file has no entries. */
export function parseMirrorName(file: string): MirrorName | undefined {
  const [, epoch, boot] = /^([0-9a-f]+)\.([0-9a-z]+)\.log$/.exec(file) ?? []
  return epoch === undefined || boot === undefined ? undefined : { epoch, boot }
}

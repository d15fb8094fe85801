/** A file of a mirror: one for each start of a worker. */
export interface MirrorName {
  /** Of the database whose commits it has. */
  readonly epoch: string
  readonly boot: string
}

/** Where a mirror keeps what it knows of its files. */
export const indexFile = 'index.json'

const blobPrefix = 'blob-'

export const mirrorName = ({ epoch, boot }: MirrorName): string => `${epoch}.${boot}.log`

export const blobName = (hash: string): string => blobPrefix + hash

/** The hash of a file that is a blob. */
export const blobHash = (file: string): string | undefined => (file.startsWith(blobPrefix) ? file.slice(blobPrefix.length) : undefined)

/** What a file's name says; `undefined` when it is none of entries. */
export function parseMirrorName(file: string): MirrorName | undefined {
  const [, epoch, boot] = /^([0-9a-f]+)\.([0-9a-z]+)\.log$/.exec(file) ?? []
  return epoch === undefined || boot === undefined ? undefined : { epoch, boot }
}

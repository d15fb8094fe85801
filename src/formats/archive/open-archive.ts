import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { ByteSource } from '../byte-source.ts'
import { readSmallText } from '../read-small-text.ts'
import { walkFiles } from '../session-files.ts'
import { readZip, type ZipEntry } from '../zip-entries.ts'
import { type Manifest, manifestPath, parseManifest } from './manifest.ts'

/** A file of the archive. */
export interface ArchiveFile {
  readonly path: string
  /** Bytes of the archive up to its end, as far as that is known. */
  readonly end: number
  /** Its content. In an incomplete archive it can be read only once. */
  readonly bytes: () => ByteSource
  readonly isReadAgain: boolean
}

export interface OpenedArchive {
  readonly files: AsyncIterable<ArchiveFile>
  /** Absent when the archive is incomplete, or the manifest can't be read: then each file is checked by itself. */
  readonly manifest?: Manifest
}

/** The maximum size of a manifest, which is kept in memory. */
const manifestBytes = 64 * 1024 * 1024

export const isSessionPath = (path: string): boolean => /^sessions\/[^/]+\.jsonl$/.test(path)

export const isCollectionPath = (path: string): boolean => /^collections\/[^/]+\.jsonl$/.test(path)

/**
 * Opens an archive, complete or not.
 *
 * @throws InvalidInput when it is not an archive; VersionConflict when newer code wrote it
 */
export async function openArchive(
  archive: Blob,
  signal: AbortSignal | undefined,
  skip: (path: string, reason: string) => void,
): Promise<OpenedArchive> {
  let found: readonly ZipEntry[]
  try {
    found = await readZip(archive)
  } catch (error) {
    if (!isSessionError(error, 'InvalidInput')) throw error
    const head = new Uint8Array(await archive.slice(0, 4).arrayBuffer())
    if (new TextDecoder('latin1').decode(head) !== 'PK\u0003\u0004') throw refusal('it is not a zip file')
    skip(
      '',
      `the archive is incomplete (${error.message}), and the missing part is unknown: complete sessions were restored`,
    )
    return { files: fromStart(archive, signal) }
  }
  // If the archive was unpacked and packed again, its files may be in a folder.
  const at = found.find(({ path }) => path === manifestPath || path.endsWith(`/${manifestPath}`))
  const prefix = at?.path.slice(0, -manifestPath.length) ?? ''
  const files = found.map(
    ({ path, end, read }): ArchiveFile => ({
      path: path.startsWith(prefix) ? path.slice(prefix.length) : path,
      end,
      bytes: () => read(signal),
      isReadAgain: true,
    }),
  )
  if (at === undefined) {
    if (!files.some(({ path }) => isSessionPath(path) || isCollectionPath(path)))
      throw refusal('it contains no manifest and no sessions')
    skip(manifestPath, 'it is not in the archive: complete sessions were restored')
    return { files: each(files) }
  }
  try {
    return { files: each(files), manifest: parseManifest(await readSmallText(at.read(signal), manifestBytes)) }
  } catch (error) {
    if (!isSessionError(error, 'InvalidInput') && !isSessionError(error, 'TooLarge')) throw error
    if (!files.some(({ path }) => isSessionPath(path) || isCollectionPath(path)))
      throw refusal(`its manifest can't be read: ${error.message}`)
    skip(manifestPath, `${error.message}: complete sessions were restored`)
    return { files: each(files) }
  }
}

async function* each(files: readonly ArchiveFile[]): AsyncGenerator<ArchiveFile, void, undefined> {
  yield* files
}

async function* fromStart(
  archive: Blob,
  signal: AbortSignal | undefined,
): AsyncGenerator<ArchiveFile, void, undefined> {
  let read = 0
  const walked = walkFiles([{ path: '', blob: archive }], {
    isWanted: () => true,
    signal,
    onRead: (bytes) => void (read += bytes),
  })
  for (;;) {
    // The archive ends here.
    const next = await walked.next().catch((error: unknown) => {
      if (!isSessionError(error, 'InvalidInput')) throw error
      return { done: true, value: undefined } as const
    })
    if (next.done === true) return
    const { path, bytes } = next.value
    yield { path, bytes: () => bytes, end: read, isReadAgain: false }
  }
}

function refusal(found: string): SessionError {
  return new SessionError(
    'InvalidInput',
    `This is not an archive of keepsession: ${found}. Choose a file that was written by exporting an archive. Nothing was restored.`,
  )
}

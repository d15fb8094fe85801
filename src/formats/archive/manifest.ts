import { SessionError } from '../../contract/errors.ts'
import { isObject } from '../is-plain-object.ts'

export const archiveFormat = 'keepsession-archive'
/** The version of the format that this code writes, and the newest that it reads. */
export const archiveVersion = 1

export const manifestPath = 'manifest.json'

/** A session's file in an archive. */
export interface ArchivedSession {
  readonly path: string
  readonly key: string
  readonly entries: number
  /** Of the file's bytes, in hex. */
  readonly sha256: string
}

/** A collection's file in an archive. */
export interface ArchivedCollection {
  readonly path: string
  readonly name: string
  readonly rows: number
  /** Of the file's bytes, in hex. */
  readonly sha256: string
}

/** A blob in an archive: its file is named by the SHA-256 of its bytes. */
export interface ArchivedBlob {
  readonly path: string
  readonly bytes: number
  /** Media type; absent when it has none. */
  readonly type?: string
}

/** The content of an archive. It is written last, when everything is counted. */
export interface Manifest {
  readonly format: typeof archiveFormat
  readonly version: number
  readonly counts: { readonly sessions: number; readonly entries: number; readonly blobs: number }
  readonly sessions: readonly ArchivedSession[]
  readonly blobs: readonly ArchivedBlob[]
  /** Absent: none. */
  readonly collections?: readonly ArchivedCollection[]
}

/** Path of a blob's file. */
export function blobPath(hash: string): string {
  return `blobs/${hash}`
}

/** @throws InvalidInput when it is not a manifest; VersionConflict when newer code wrote it */
export function parseManifest(text: string): Manifest {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    throw new SessionError('InvalidInput', 'it is not JSON')
  }
  if (!isObject(found) || found['format'] !== archiveFormat)
    throw new SessionError('InvalidInput', `its format is not "${archiveFormat}"`)
  checkVersion(found['version'])
  const { sessions, blobs, collections = [] } = found
  if (!Array.isArray(sessions) || !sessions.every(isSession) || !Array.isArray(blobs) || !blobs.every(isBlob))
    throw new SessionError('InvalidInput', 'its lists of sessions and blobs are invalid')
  if (!Array.isArray(collections) || !collections.every(isCollection))
    throw new SessionError('InvalidInput', 'its list of collections is invalid')
  return found as unknown as Manifest
}

/** @throws VersionConflict, InvalidInput */
export function checkVersion(version: unknown): void {
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw new SessionError('InvalidInput', `its version is ${JSON.stringify(version)}`)
  if (version > archiveVersion)
    throw new SessionError(
      'VersionConflict',
      `This archive has version ${version}, but this app supports only versions up to ${archiveVersion}. Update the app. Nothing was restored.`,
    )
}

function isSession(found: unknown): boolean {
  return (
    isObject(found) &&
    ['path', 'key', 'sha256'].every((field) => typeof found[field] === 'string') &&
    typeof found['entries'] === 'number'
  )
}

function isCollection(found: unknown): boolean {
  return isObject(found) && ['path', 'name', 'sha256'].every((field) => typeof found[field] === 'string')
}

function isBlob(found: unknown): boolean {
  return (
    isObject(found) &&
    typeof found['path'] === 'string' &&
    typeof found['bytes'] === 'number' &&
    (found['type'] === undefined || typeof found['type'] === 'string')
  )
}

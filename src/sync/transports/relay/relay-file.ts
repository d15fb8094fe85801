import { parseUpdateMeta } from 'yjs'
import { createSha256 } from '../../../domain/sha256.ts'

/** What a file holds of one client: clocks from `from` up to, not including, `to`. */
export type ClockRange = readonly [client: number, from: number, to: number]

/** An update as a file. Its name alone shows whether others need it, and whether they got all of it. */
export interface RelayFile {
  readonly path: string
  /** The device that wrote it: no other device removes it. */
  readonly device: string
  readonly size: number
  /** `undefined` when there are too many for a name. */
  readonly ranges: readonly ClockRange[] | undefined
  readonly hash: string
}

/** Names of files may have 255 bytes. */
const longestRanges = 150
const form = /^([\w-]+)\.([0-9a-z]+)\.([0-9a-z_-]+|~)\.([0-9a-f]{32})$/

export function relayFolder(name: string): string {
  return `${name.split('/').map(safePart).join('/')}/`
}

/** Escapes what a file system could take for something else. */
export function safePart(part: string): string {
  return encodeURIComponent(part).replace(/[.!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

export function relayFile(folder: string, device: string, update: Uint8Array): RelayFile {
  const ranges = rangesOf(update)
  const text = writeRanges(ranges)
  const hash = contentHash(update)
  const isShort = text.length <= longestRanges
  return {
    path: `${folder}${device}.${update.length.toString(36)}.${isShort && text !== '' ? text : '~'}.${hash}`,
    device,
    size: update.length,
    ranges,
    hash,
  }
}

/** `undefined` for other files, such as one being written. */
export function readRelayPath(folder: string, path: string): RelayFile | undefined {
  const [, device, size, text, hash] = (path.startsWith(folder) && form.exec(path.slice(folder.length))) || []
  if (hash === undefined) return undefined
  try {
    return {
      path,
      device: device!,
      size: Number.parseInt(size!, 36),
      ranges: text === '~' ? undefined : readRanges(text!),
      hash,
    }
  } catch {
    return undefined
  }
}

export const isWhole = (file: RelayFile, bytes: Uint8Array): boolean =>
  bytes.length === file.size && contentHash(bytes) === file.hash

/** Size and hash of a file's content, as in its name. */
export const fingerprint = (bytes: Uint8Array): string => `${bytes.length.toString(36)}.${contentHash(bytes)}`

export function rangesOf(update: Uint8Array): readonly ClockRange[] {
  const { from, to } = parseUpdateMeta(update)
  return [...to].map(([client, end]) => [client, from.get(client) ?? 0, end])
}

function contentHash(bytes: Uint8Array): string {
  const hash = createSha256()
  hash.update(bytes)
  return hash.hex().slice(0, 32)
}

const writeRanges = (ranges: readonly ClockRange[]): string =>
  ranges.map((numbers) => numbers.map((number) => number.toString(36)).join('-')).join('_')

function readRanges(text: string): readonly ClockRange[] {
  return text.split('_').map((range) => {
    const [client, from, to] = range.split('-').map((number) => Number.parseInt(number, 36))
    if (!Number.isSafeInteger(client) || !Number.isSafeInteger(from) || !Number.isSafeInteger(to))
      throw new Error('no range')
    return [client!, from!, to!]
  })
}

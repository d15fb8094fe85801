import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from './rig.ts'

/** One way in which the files of a database get damaged. */
export interface Damage {
  readonly name: string
  /** @returns what was damaged, or `undefined` when there is no such file */
  readonly to: (profile: string) => Promise<string | undefined>
}

/** A file of a profile. */
interface Found {
  readonly path: string
  readonly size: number
}

const CHROMIUM: readonly Damage[] = [
  {
    name: '64 bytes of the log flipped',
    to: inFile(/\.leveldb\/\d+\.log$/, (file) => flip(file, Math.floor(file.size / 2), 64)),
  },
  { name: 'folder deleted', to: (profile) => removeFolders(profile, /\.indexeddb\.leveldb$/) },
  { name: 'manifest cut', to: inFile(/MANIFEST-\d+$/, ({ path, size }) => truncate(path, size >> 1), 'IndexedDB') },
  { name: 'log cut to half', to: inFile(/\.leveldb\/\d+\.log$/, ({ path, size }) => truncate(path, size >> 1)) },
  { name: 'log deleted', to: inFile(/\.leveldb\/\d+\.log$/, ({ path }) => rm(path)) },
  { name: 'footer of a table flipped', to: inFile(/\.ldb$/, (file) => flip(file, file.size - 48, 48)) },
  { name: 'middle of a table flipped', to: inFile(/\.ldb$/, (file) => flip(file, file.size >> 1, 64)) },
  { name: 'table deleted', to: inFile(/\.ldb$/, ({ path }) => rm(path)) },
  { name: 'CURRENT is garbage', to: inFile(/CURRENT$/, ({ path }) => writeFile(path, 'garbage\n'), 'IndexedDB') },
  { name: 'CURRENT deleted', to: inFile(/CURRENT$/, ({ path }) => rm(path), 'IndexedDB') },
  { name: 'files of large values deleted', to: (profile) => removeFolders(profile, /\.indexeddb\.blob$/) },
]

const FIREFOX_DATABASE = /\/idb\/[^/]+\.sqlite$/
const FIREFOX: readonly Damage[] = [
  { name: 'header flipped', to: inFile(FIREFOX_DATABASE, (file) => flip(file, 0, 100)) },
  { name: 'page of the schema flipped', to: inFile(FIREFOX_DATABASE, (file) => flip(file, 100, 2000)) },
  { name: 'cut to half', to: inFile(FIREFOX_DATABASE, ({ path, size }) => truncate(path, size >> 1)) },
  { name: '4 kB in the middle flipped', to: inFile(FIREFOX_DATABASE, (file) => flip(file, file.size >> 1, 4096)) },
  { name: 'file deleted', to: inFile(FIREFOX_DATABASE, ({ path }) => rm(path)) },
  { name: 'files of large values deleted', to: (profile) => removeFolders(profile, /\/idb\/[^/]+\.files$/) },
]

const WEBKIT_DATABASE = /IndexedDB\.sqlite3$/
const WEBKIT: readonly Damage[] = [
  { name: 'header flipped', to: inFile(WEBKIT_DATABASE, (file) => flip(file, 0, 100)) },
  { name: 'cut to half', to: inFile(WEBKIT_DATABASE, ({ path, size }) => truncate(path, size >> 1)) },
  { name: '4 kB in the middle flipped', to: inFile(WEBKIT_DATABASE, (file) => flip(file, file.size >> 1, 4096)) },
  { name: 'file deleted', to: inFile(WEBKIT_DATABASE, ({ path }) => rm(path)) },
]

/** Every kind for an engine. */
export const DAMAGES: Readonly<Record<Engine, readonly Damage[]>> = {
  chromium: CHROMIUM,
  firefox: FIREFOX,
  webkit: WEBKIT,
  node: [],
}

/** Does something to the largest file of a kind: that of the database which holds the most. */
function inFile(kind: RegExp, how: (file: Found) => Promise<void>, below = ''): Damage['to'] {
  return async (profile) => {
    const paths = (await readdir(profile, { recursive: true }))
      .map((path) => join(profile, path))
      .filter((path) => kind.test(path) && path.includes(below) && isOfPage(path))
    const files = await Promise.all(paths.map(async (path) => ({ path, size: (await stat(path)).size })))
    const largest = files.sort((a, b) => b.size - a.size)[0]
    if (largest === undefined) return undefined
    await how(largest)
    // What SQLite has written beside it would mend it again.
    for (const end of ['-wal', '-shm']) await rm(`${largest.path}${end}`, { force: true })
    return `${largest.path.slice(profile.length)}, ${largest.size} bytes`
  }
}

/** Browsers keep databases of their own, in which nothing is to be broken. */
function isOfPage(path: string): boolean {
  return /127\.0\.0\.1|IndexedDB\.sqlite3/.test(path)
}

async function flip({ path, size }: Found, from: number, count: number): Promise<void> {
  const bytes = await readFile(path)
  for (let at = Math.max(0, from); at < Math.min(size, from + count); at++) bytes[at] = bytes[at]! ^ 0xff
  await writeFile(path, bytes)
}

async function removeFolders(profile: string, kind: RegExp): Promise<string | undefined> {
  const folders = (await readdir(profile, { recursive: true }))
    .map((path) => join(profile, path))
    .filter((path) => kind.test(path) && isOfPage(path))
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
  return folders.map((folder) => folder.slice(profile.length)).join(', ') || undefined
}

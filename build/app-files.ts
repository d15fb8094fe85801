import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Plugin } from 'vite'

/**
 * Tells a Service Worker which files make up the app it was built with, as `self.appVersion`: by them the app works
 * without a network, and as the worker's own bytes change with any of them, browsers notice a new version.
 *
 * @param worker - the file of the Service Worker
 */
export function appFiles(worker: string): Plugin {
  let publicDir = ''
  return {
    name: 'keepsession:app-files',
    apply: 'build',
    enforce: 'post',
    configResolved: (config) => {
      publicDir = config.publicDir
    },
    generateBundle: {
      // After the pages have become files.
      order: 'post',
      handler(_, bundle) {
        const own = bundle[worker]
        if (own?.type !== 'chunk') throw new Error(`The build has no Service Worker "${worker}".`)
        const contents = new Map(filesIn(publicDir).map((path) => [relative(publicDir, path), readFileSync(path)]))
        for (const file of Object.values(bundle))
          contents.set(file.fileName, Buffer.from(file.type === 'chunk' ? file.code : file.source))
        const files = [...contents.keys()].sort()
        const hash = createHash('sha256')
        for (const file of files) hash.update(`${file}\n`).update(contents.get(file)!)
        const app = { version: hash.digest('hex').slice(0, 12), files: files.filter((file) => file !== worker) }
        own.code = `self.appVersion=${JSON.stringify(app)};\n${own.code}`
      },
    },
  }
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

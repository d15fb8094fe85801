import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pathOf } from '../needs.ts'
import type { Engine } from '../rig.ts'

export interface PowerModel {
  /** The folder of the profile to use. */
  readonly profile: string
  /** What the browser has to be started with. */
  readonly env: Readonly<Record<string, string>>
  /**
   * After the kill: leaves of what pages have stored only what was synced. @returns how many files went and how many
   * went back
   */
  cut(): Promise<{ readonly deleted: number; readonly restored: number }>
  close(): Promise<void>
}

/** Where a browser keeps what pages store: databases, OPFS, localStorage. */
const STORES: Readonly<Record<Engine, readonly string[]>> = {
  chromium: ['Default/IndexedDB', 'Default/File System', 'Default/Local Storage', 'Default/WebStorage'],
  firefox: ['storage/default'],
  webkit: ['data'],
  node: [],
}

/** Written once when an origin is first seen, long before the cut. */
const OLD = /^\.metadata|^salt$/

/** A profile on a disk that loses all that was not synced: the worst that a power cut can do. */
export async function createPowerModel(engine: Engine): Promise<PowerModel> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'keepsession-power-')))
  const [profile, shadow, library] = [join(folder, 'profile'), join(folder, 'shadow'), join(folder, 'synced-only.so')]
  await Promise.all([mkdir(profile), mkdir(shadow)])
  const source = fileURLToPath(new URL('./synced-only.c', import.meta.url))
  const { status, stderr } = spawnSync(pathOf('gcc'), ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`gcc does not make the model of a disk: ${stderr}`)
  return {
    profile,
    env: { LD_PRELOAD: library, FAULTS_PROFILE: profile, FAULTS_SHADOW: shadow },
    async cut() {
      let [deleted, restored] = [0, 0]
      for (const store of STORES[engine]) {
        const paths = (
          await readdir(join(profile, store), { recursive: true, withFileTypes: true }).catch(() => [])
        ).filter((file) => file.isFile())
        for (const file of paths) {
          const path = join(file.parentPath, file.name)
          const kept = join(shadow, path.slice(profile.length))
          if (OLD.test(basename(path))) continue
          if (existsSync(kept)) {
            await copyFile(kept, path)
            restored++
          } else {
            await rm(path)
            deleted++
          }
        }
      }
      return { deleted, restored }
    },
    close: () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }),
  }
}

import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Rig } from './rig.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A rig that needs no browser, and is a test at the same time: here it runs at full figures. */
export function nodeTests(name: string, goal: string, folder: string): Rig {
  return {
    name,
    goal,
    engines: ['node'],
    needs: [],
    async run({ scale, report, signal }) {
      const directory = await mkdtemp(join(tmpdir(), 'keepsession-faults-'))
      try {
        const file = join(directory, 'figures')
        const failures: string[] = []
        const child = spawn(
          process.execPath,
          [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'node', folder],
          {
            cwd: root,
            signal,
            env: { ...process.env, FAULTS_SCALE: String(scale), FAULTS_FIGURES: file },
            stdio: ['ignore', 'pipe', 'pipe'],
          },
        )
        let said = ''
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += String(part)))
        const code = await new Promise<number | null>((resolve, reject) =>
          child.once('close', resolve).once('error', reject),
        )
        if (code !== 0) failures.push(said.slice(-4_000))
        const told = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
        const figures: Record<string, number> = {}
        for (const line of told)
          for (const [what, count] of Object.entries(JSON.parse(line) as Readonly<Record<string, number>>))
            figures[what] = (figures[what] ?? 0) + count
        report(`${name}: ${JSON.stringify(figures)}`)
        return { figures, failures }
      } finally {
        await rm(directory, { recursive: true, force: true })
      }
    },
  }
}

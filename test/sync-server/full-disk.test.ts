import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeFullDisk } from './full-disk.ts'

// A limit on the size of files stands for a full disk, where nothing may be mounted: writing fails in the same place,
// with the same rules.
if (process.platform === 'linux') {
  describeFullDisk('a limit on its files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sync-data-'))
    return {
      folder,
      shell: 'ulimit -S -f 64;',
      fill: async () => undefined,
      makeRoom: async ({ pid }) => void execFileSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:']),
      close: () => rm(folder, { recursive: true, force: true }),
    }
  })
}

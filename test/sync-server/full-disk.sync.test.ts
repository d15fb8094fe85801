import { spawnSync } from 'node:child_process'
import { mkdtemp, open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeFullDisk } from './full-disk.ts'

describeFullDisk('a small tmpfs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sync-disk-'))
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { encoding: 'utf8' })
  if (status !== 0)
    throw new Error(`No tmpfs could be mounted, which this test needs: run it as root on Linux. ${stderr}`)
  const filler = join(folder, 'filler')
  return {
    folder,
    fill: async () => {
      const { bavail, bsize } = await statfs(folder)
      const file = await open(filler, 'w')
      await file.write(Buffer.alloc(bavail * bsize - 32 * 1024, 1))
      await file.close()
    },
    makeRoom: async () => rm(filler),
    close: async () => {
      spawnSync('umount', ['-l', folder])
      await rm(folder, { recursive: true, force: true })
    },
  }
})

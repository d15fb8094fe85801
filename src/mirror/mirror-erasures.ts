import type { CoreBackend } from '../contract/backend.ts'
import { knownVector } from '../domain/arrive.ts'
import { encodeFrame } from './frame.ts'
import { erasureText } from './mirrored-text.ts'
import { mirrorName } from './mirror-names.ts'
import { opfsDirectory } from './opfs-directory.ts'

/**
 * A backend outside of workers, which can't mirror what it stores, but must not leave in the mirror what it erases. Files of workers are
 * overwritten at the next start of one; that nothing comes back from them holds at once.
 */
export function mirrorErasures<Backend extends CoreBackend & { readonly epoch: string }>(backend: Backend, name: string): Backend {
  return {
    ...backend,
    commit: async (batch, durability) => {
      const rows = await Promise.all(batch.erase.map(({ key }) => backend.loadSession(key)))
      const outcome = await backend.commit(batch, durability)
      if (!outcome.stored) return outcome
      const texts = rows.flatMap((row) => (row === undefined ? [] : [erasureText({ key: row.hot.key, vv: knownVector(row) })]))
      // Where there are no such files, none of it is in them.
      if (texts.length > 0) await writeErasures(name, backend.epoch, texts).catch(() => undefined)
      return outcome
    },
  }
}

async function writeErasures(name: string, epoch: string, texts: readonly string[]): Promise<void> {
  const directory = await opfsDirectory(name)
  const boot = [...crypto.getRandomValues(new Uint32Array(2))].map((part) => part.toString(36)).join('')
  const file = await directory.getFileHandle(mirrorName({ epoch, boot }), { create: true })
  const writing = await file.createWritable()
  for (const [i, text] of texts.entries()) await writing.write(encodeFrame({ kind: 'erased', number: i + 1, confirmed: i, text }))
  await writing.close()
}

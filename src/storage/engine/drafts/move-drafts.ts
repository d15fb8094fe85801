import type { CoreBackend } from '../../../contract/backend.ts'
import type { DraftWrite } from '../../../contract/write-batch.ts'
import { pushAll } from '../../../domain/push-all.ts'
import type { Plan } from '../writing/plan.ts'
import { loadLiveDrafts } from './draft-view.ts'

/** Moves the replies that are being streamed from one session to another. */
export async function moveDrafts(backend: CoreBackend, from: Plan, to: Plan): Promise<void> {
  const { key, session, restarted } = to.work.hot
  for (const { row, chunks } of await loadLiveDrafts(backend, from.base)) {
    const version = Math.max(row.version, restarted ?? 0)
    pushAll<DraftWrite>(to.drafts, [
      { put: { ...row, session, key, version } },
      ...chunks.map(({ n, chunk }) => ({ draft: row.id, n, chunk })),
    ])
    from.drafts.push({ drop: row.id })
  }
}

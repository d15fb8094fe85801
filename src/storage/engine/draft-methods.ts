import type { DraftView } from '../../contract/change.ts'
import type { SessionStore } from '../../contract/store.ts'
import { draftView, dropDraftMutation, loadLiveDrafts, openDraftMutation, sealDraftMutation, writeDraftMutation } from './drafts.ts'
import type { Engine } from './engine.ts'
import { inTerm } from './term-method.ts'

type DraftMethods = Pick<SessionStore, 'openDraft' | 'writeDraft' | 'sealDraft' | 'dropDraft' | 'listDrafts'>

/** Replies being streamed. What is open here is kept in memory too, so that a write costs no read. */
export function createDraftMethods(engine: Engine): DraftMethods {
  const { backend, writer, resolveKey, onChange, now, newId, owner, isOwnerAlive } = engine
  const open = new Map<string, { view: DraftView; next: number }>()
  const end = (key: string, draft: string): void => {
    open.delete(draft)
    onChange({ type: 'draft', key, draft })
  }

  return {
    openDraft: async (key, options) => {
      const canonical = await resolveKey(key)
      const id = options?.id ?? newId()
      if (!(await writer.run(canonical, openDraftMutation(backend, id, owner, options)))) return id
      const rows = await writer.rows(canonical)
      const view: DraftView = { id, branch: options.branch ?? rows?.hot.head ?? '', role: options.role, text: '', reasoning: '', startedAt: now() }
      open.set(id, { view, next: 0 })
      onChange({ type: 'draft', key: canonical, draft: id, view })
      return id
    },
    writeDraft: async (key, draft, n, chunk) => {
      const canonical = await resolveKey(key)
      await writer.run(canonical, writeDraftMutation(draft, n, chunk, async (rows) => {
        if (open.has(draft)) return true
        const stored = (await loadLiveDrafts(backend, rows)).find(({ row }) => row.id === draft)
        if (stored !== undefined) open.set(draft, { view: draftView(stored), next: (stored.chunks.at(-1)?.n ?? -1) + 1 })
        return stored !== undefined
      }))
      const known = open.get(draft)
      if (known === undefined || n < known.next) return
      const { view } = known
      open.set(draft, { view: { ...view, text: view.text + (chunk.text ?? ''), reasoning: view.reasoning + (chunk.reasoning ?? '') }, next: n + 1 })
      onChange({ type: 'draft', key: canonical, draft, view: open.get(draft)!.view })
    },
    sealDraft: async (key, draft, message, options) => {
      const canonical = await resolveKey(key)
      const receipt = await writer.run(canonical, inTerm(sealDraftMutation(backend, draft, message, options), options))
      end(canonical, draft)
      return receipt
    },
    dropDraft: async (key, draft) => {
      const canonical = await resolveKey(key)
      await writer.run(canonical, dropDraftMutation(draft))
      end(canonical, draft)
    },
    listDrafts: async (key) => {
      const canonical = await resolveKey(key)
      const rows = await writer.rows(canonical)
      if (rows === undefined || rows.hot.deletedAt !== undefined) return []
      const alive: DraftView[] = []
      for (const stored of await loadLiveDrafts(backend, rows)) {
        const { owner: holder, id } = stored.row
        if (open.has(id) || holder === undefined || holder === owner || (await isOwnerAlive(holder))) {
          alive.push(draftView(stored))
          continue
        }
        // Whoever streamed it is gone: what there is becomes an entry that says so.
        const draft = draftView(stored)
        if (draft.text === '' && draft.reasoning === '') await writer.run(canonical, dropDraftMutation(id))
        else await writer.run(canonical, sealDraftMutation(backend, id, undefined, { operationId: `interrupted:${id}` }, true)).catch(() => undefined)
        end(canonical, id)
      }
      return alive
    },
  }
}

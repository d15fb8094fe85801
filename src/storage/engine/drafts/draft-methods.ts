import type { StoredDraft } from '../../../contract/backend.ts'
import type { EntryReceipt } from '../../../contract/entry.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { given } from '../../../domain/given.ts'
import type { Engine } from '../engine.ts'
import { inTerm } from '../lifecycle/term-method.ts'
import type { DraftKeeper } from './draft-keeper.ts'
import { draftView, loadLiveDrafts, nextWrite } from './draft-view.ts'
import { dropDraftMutation, openDraftMutation, writeDraftMutation } from './drafts.ts'
import { sealDraftMutation } from './seal-draft.ts'

type DraftMethods = Pick<SessionStore, 'openDraft' | 'writeDraft' | 'sealDraft' | 'dropDraft' | 'listDrafts'>

/** The methods for replies that are being streamed. */
export function createDraftMethods(
  { backend, writer, resolveKey, onChange, newId, owner, isFollowed }: Engine,
  keeper: DraftKeeper,
): DraftMethods {
  const { open, end, refuseForeign } = keeper
  const load = async (rows: SessionRows, draft: string): Promise<StoredDraft | undefined> =>
    (await loadLiveDrafts(backend, rows)).find(({ row }) => row.id === draft)
  // When the changes of other tabs are not followed, one of them may have ended the draft.
  const isOpenHere = (draft: string) => (): boolean => (isFollowed || owner === undefined) && open.has(draft)

  /** Whether there is such a draft that this store may write to. The draft is read completely only the first time. */
  async function find(rows: SessionRows, draft: string): Promise<boolean> {
    if (open.has(draft)) {
      if (
        (await backend.listDrafts()).some(
          ({ id, session, version }) =>
            id === draft && session === rows.hot.session && version >= (rows.hot.restarted ?? 0),
        )
      )
        return true
      open.delete(draft)
      return false
    }
    const stored = await load(rows, draft)
    await refuseForeign(stored)
    if (stored !== undefined) open.set(draft, nextWrite(stored.chunks))
    return stored !== undefined
  }

  const drop = (key: string, draft: string): Promise<void> =>
    writer.run(
      key,
      dropDraftMutation(draft, async (rows) => refuseForeign(await load(rows, draft)), isOpenHere(draft)),
    )

  return {
    openDraft: async (key, options) => {
      const id = options?.id ?? newId()
      const mutation = openDraftMutation(backend, id, owner, options)
      const canonical = await resolveKey(key)
      // The tab that resumed the entry before may have died.
      if (options.resume !== undefined) await keeper.settle(canonical)
      const opened = await writer.run(canonical, mutation)
      if (opened === undefined) return id
      const { row, chunk } = opened
      const view = draftView({ row, chunks: chunk === undefined ? [] : [{ n: 0, chunk }] })
      open.set(id, view.next)
      onChange(given({ type: 'draft' as const, key: canonical, draft: id, view, owner }))
      return id
    },
    writeDraft: async (key, draft, n, chunk) => {
      const mutation = writeDraftMutation(draft, n, chunk, isOpenHere(draft), (rows) => find(rows, draft))
      const { text, reasoning, parts } = chunk
      const canonical = await resolveKey(key)
      await writer.run(canonical, mutation)
      if (n < (open.get(draft) ?? 0)) return
      open.set(draft, n + 1)
      onChange({ type: 'draft', key: canonical, draft, added: given({ n, text, reasoning, parts }) })
    },
    sealDraft: async (key, draft, message, options) => {
      let isRepeated = false
      const mutation: ReturnType<typeof sealDraftMutation> = {
        ...sealDraftMutation(backend, draft, message, options, keeper),
        again: async (_, { result }) => {
          isRepeated = true
          return result as unknown as EntryReceipt
        },
      }
      const canonical = await resolveKey(key)
      const receipt = await writer.run(canonical, inTerm(mutation, options))
      // The reply was stored before, maybe by another draft. This one would become a second reply.
      if (isRepeated) await drop(canonical, draft)
      end(canonical, draft)
      return receipt
    },
    dropDraft: async (key, draft) => {
      const canonical = await resolveKey(key)
      await drop(canonical, draft)
      end(canonical, draft)
    },
    listDrafts: async (key) => (await keeper.settle(await resolveKey(key))).map(draftView),
  }
}

import type { StoredDraft } from '../../../contract/backend.ts'
import type { EntryReceipt } from '../../../contract/entry.ts'
import type { HotRow, SessionRows } from '../../../contract/rows.ts'
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
  const isOpenHere =
    (draft: string) =>
    ({ hot }: { readonly hot: HotRow }): boolean =>
      (isFollowed || owner === undefined) && open.isIn(draft, hot)

  /**
   * Finds the draft, which is read completely only the first time, or when its session was given another number.
   *
   * @throws when there is no such draft that this store may write to
   */
  async function find(rows: SessionRows, draft: string): Promise<void> {
    if (open.isIn(draft, rows.hot)) {
      if ((await backend.listDrafts()).some(({ id, session }) => id === draft && session === rows.hot.session)) return
      open.remove(draft)
    } else {
      const stored = await load(rows, draft)
      await refuseForeign(stored)
      if (stored !== undefined) return open.add(stored.row, nextWrite(stored.chunks))
    }
    throw open.whyNot(draft, rows.hot)
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
      open.add(row, view.next)
      onChange(given({ type: 'draft' as const, key: canonical, draft: id, view, owner }))
      return id
    },
    writeDraft: async (key, draft, n, chunk) => {
      const mutation = writeDraftMutation(draft, n, chunk, isOpenHere(draft), {
        find: (rows) => find(rows, draft),
        whyNot: ({ hot }) => open.whyNot(draft, hot),
      })
      const { text, reasoning, parts } = chunk
      const canonical = await resolveKey(key)
      await writer.run(canonical, mutation)
      if (open.wrote(draft, n))
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
      await drop(canonical, draft).finally(() => open.remove(draft))
      end(canonical, draft)
    },
    listDrafts: async (key) => (await keeper.settle(await resolveKey(key))).map(draftView),
  }
}

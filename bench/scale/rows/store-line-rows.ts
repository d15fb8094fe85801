import type { BranchInfo, CheckpointInfo } from '../../../src/contract/meta.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { type Ground, shortMessage } from '../ground.ts'
import { flat, type RowsOf } from '../row.ts'

/** The head goes back to main, so that every call begins with the same line; what was opened goes. */
export async function backToMain({ client, key }: Ground, opened?: string): Promise<void> {
  const { head } = (await client.store.getMeta(key))!
  if (head !== '') await client.store.switchBranch(key, '')
  if (opened !== undefined && opened !== '') await client.store.deleteBranch(key, opened)
}

const idOf = (result: unknown): string | undefined => (result as BranchInfo | undefined)?.id
const openAside = ({ client, key, at }: Ground): Promise<BranchInfo> =>
  client.store.openBranch(key, { after: at.middle, head: false })
const makeCheckpoint = ({ client, key, next }: Ground): Promise<CheckpointInfo> =>
  client.store.checkpoint(key, { label: `Checkpoint ${next()}` })
const openDraft = ({ client, key }: Ground): Promise<string> => client.store.openDraft(key, { role: 'assistant' })
const drop = ({ client, key }: Ground, draft: string): Promise<void> => client.store.dropDraft(key, draft)
const text = { text: 'a piece of the reply' }

type Methods = Pick<
  SessionStore,
  | 'openBranch'
  | 'listBranches'
  | 'updateBranch'
  | 'deleteBranch'
  | 'switchBranch'
  | 'checkpoint'
  | 'listCheckpoints'
  | 'restoreCheckpoint'
  | 'deleteCheckpoint'
  | 'openDraft'
  | 'writeDraft'
  | 'sealDraft'
  | 'dropDraft'
  | 'listDrafts'
>

/** Branches, checkpoints and drafts. */
export const storeLineRows = {
  openBranch: {
    'after the first': flat(({ client, key, at }) => client.store.openBranch(key, { after: at.first }), {
      tidy: (ground, _, result) => backToMain(ground, idOf(result)),
    }),
    'after the middle': flat(({ client, key, at }) => client.store.openBranch(key, { after: at.middle }), {
      tidy: (ground, _, result) => backToMain(ground, idOf(result)),
    }),
    'after the last, not the head': flat(
      ({ client, key, at }) => client.store.openBranch(key, { after: at.last, head: false }),
      { tidy: (ground, _, result) => backToMain(ground, idOf(result)) },
    ),
    'from the start': flat(({ client, key }) => client.store.openBranch(key, { after: 'start' }), {
      tidy: (ground, _, result) => backToMain(ground, idOf(result)),
    }),
  },
  listBranches: flat(({ client, key }) => client.store.listBranches(key)),
  updateBranch: flat(({ client, key, side, next }) =>
    client.store.updateBranch(key, side.id, { name: `Side ${next()}` }),
  ),
  deleteBranch: flat<BranchInfo>(({ client, key }, { id }) => client.store.deleteBranch(key, id), {
    prepare: openAside,
  }),
  switchBranch: {
    'to a branch': flat(({ client, key, side }) => client.store.switchBranch(key, side.id), {
      tidy: (ground) => backToMain(ground),
    }),
    'to main': flat(({ client, key }) => client.store.switchBranch(key, ''), {
      prepare: ({ client, key, side }) => client.store.switchBranch(key, side.id) as never,
      tidy: (ground) => backToMain(ground),
    }),
  },
  checkpoint: flat(({ client, key, next }) => client.store.checkpoint(key, { label: `Checkpoint ${next()}` })),
  listCheckpoints: flat(({ client, key }) => client.store.listCheckpoints(key)),
  restoreCheckpoint: {
    'the newest': flat<CheckpointInfo>(({ client, key }, { id }) => client.store.restoreCheckpoint(key, id), {
      prepare: makeCheckpoint,
      tidy: (ground, _, result) =>
        backToMain(ground, idOf((result as { readonly branch: BranchInfo } | undefined)?.branch)),
    }),
    'the oldest': flat(({ client, key, checkpoint }) => client.store.restoreCheckpoint(key, checkpoint.id), {
      tidy: (ground, _, result) =>
        backToMain(ground, idOf((result as { readonly branch: BranchInfo } | undefined)?.branch)),
    }),
  },
  deleteCheckpoint: flat<CheckpointInfo>(({ client, key }, { id }) => client.store.deleteCheckpoint(key, id), {
    prepare: makeCheckpoint,
  }),

  openDraft: flat(openDraft, {
    tidy: (ground, _, draft) => (draft === undefined ? undefined : drop(ground, draft as string)),
  }),
  writeDraft: flat<string>(({ client, key }, draft) => client.store.writeDraft(key, draft, 0, text), {
    prepare: openDraft,
    tidy: drop,
  }),
  sealDraft: flat<string>(({ client, key, next }, draft) => client.store.sealDraft(key, draft, shortMessage(next())), {
    prepare: openDraft,
  }),
  dropDraft: flat<string>(drop, { prepare: openDraft }),
  listDrafts: flat(({ client, key }) => client.store.listDrafts(key)),
} satisfies RowsOf<Methods>

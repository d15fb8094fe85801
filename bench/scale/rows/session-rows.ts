import type { Session } from '../../../src/client/session-contract.ts'
import type { SessionCheckpoints } from '../../../src/client/session-groups.ts'
import type { EntryRef } from '../../../src/contract/entry.ts'
import type { BranchInfo, CheckpointInfo } from '../../../src/contract/meta.ts'
import { type Ground, inputsBetween, shortMessage } from '../ground.ts'
import { flat, overMessages, type RowsOf } from '../row.ts'
import { watchTogether } from './live-row-helpers.ts'
import { appended } from './store-entry-rows.ts'
import { backToMain } from './store-line-rows.ts'

const summarise = async (): Promise<string> => 'What was said before.'
const checkpointed = ({ session, next }: Ground): Promise<CheckpointInfo> =>
  session.checkpoints.create({ label: `By hand ${next()}` })
const closeResult = async (_ground: Ground, _prepared: unknown, result: unknown): Promise<void> =>
  (result as Session | undefined)?.close()

/** A handle, but for what it does with lines. */
export const handleRows = {
  append: flat(({ session, next }) => session.append(shortMessage(next()))),
  appendAll: flat(({ session, next }) =>
    session.appendAll(inputsBetween(0, 20).map((input) => ({ ...input, mid: `all-${next()}` }))),
  ),
  stream: {
    'a reply of ten pieces': flat(async ({ session }) => {
      const stream = session.stream()
      await stream.id
      for (let i = 0; i < 10; i++) stream.write(`piece ${i} `)
      await stream.end()
    }),
  },
  interrupted: flat(({ session }) => session.interrupted()),
  messages: overMessages(({ session }, _, { signal }) => session.messages({ signal }), { stops: true }),
  context: {
    '5,000 tokens': flat(({ session }) => session.context({ maxTokens: 5000 })),
    'without a limit': overMessages(({ session }, _, { signal }) => session.context({ signal }), {
      stops: true,
      isWhole: 'it returns all messages in one list',
    }),
  },
  compact: {
    'for the first time': overMessages(
      ({ session }, _, { signal, told }) => session.compact({ summarise, force: true, signal, onProgress: told }),
      { when: 'late', isOnce: true, stops: true, tells: true },
    ),
    again: flat(({ session }) => session.compact({ summarise, force: true }), {
      when: 'late',
      prepare: async ({ session }) => {
        await session.compact({ summarise, force: true })
        return (await session.appendAll(inputsBetween(0, 60).map(({ type, message }) => ({ type, message })))) as never
      },
    }),
  },
  suggestTitle: flat(({ session, next }) => session.suggestTitle(() => `Suggested ${next()}`), {
    prepare: ({ session }) => session.rename(null) as never,
  }),
  page: flat(({ session, at }) => session.page({ after: at.middle.order })),
  transcript: {
    'first value': flat(async ({ session }) => {
      using transcript = session.transcript()
      return await transcript.ready()
    }),
    'from append to shown': flat(async ({ session, next }) =>
      watchTogether(
        1,
        () => session.transcript(),
        async () => void (await session.append(shortMessage(next()))),
      ),
    ),
    'earlier ones': flat(async ({ session }) => {
      using transcript = session.transcript()
      await transcript.loadEarlier()
    }),
    '500 of them, until all show an append': flat(async ({ session, next }) =>
      watchTogether(
        500,
        () => session.transcript({ last: 10 }),
        async () => void (await session.append(shortMessage(next()))),
      ),
    ),
  },
  meta: flat(({ session }) => session.meta()),
  rename: flat(({ session, next }) => session.rename(`Renamed ${next()}`)),
  archive: flat(({ session }) => session.archive(), { tidy: ({ session }) => session.archive(false) }),
  edit: flat<EntryRef>(({ session, next }, target) => session.edit(target, shortMessage(next())), {
    prepare: appended,
  }),
  remove: flat<EntryRef>(({ session }, target) => session.remove(target), { prepare: appended }),
  tag: flat(({ session, next }) => session.tag([`tag-${next()}`])),
  delete: flat(({ session }) => session.delete(), { when: 'late', tidy: ({ client, key }) => client.undelete(key) }),
  ephemeral: flat(({ session }) => session.ephemeral(), { tidy: closeResult }),
  close: {
    'a handle': flat<Session>((_, session) => session.close(), { prepare: ({ client, key }) => client.session(key) }),
    '500 handles': flat<readonly Session[]>((_, sessions) => Promise.all(sessions.map((session) => session.close())), {
      prepare: ({ client, key }) => Promise.all(Array.from({ length: 500 }, () => client.session(key))),
    }),
  },
  [Symbol.asyncIterator]: {
    'the first entry': flat(({ session }) => session[Symbol.asyncIterator]().next()),
    'all of them': overMessages(async ({ session }) => {
      for await (const _ of session);
    }),
  },
  [Symbol.asyncDispose]: flat<Session>((_, session) => session[Symbol.asyncDispose](), {
    prepare: ({ client, key }) => client.session(key),
  }),
} satisfies RowsOf<Omit<Session, 'regenerate' | 'editAndResend'>>

export const checkpointRows = {
  create: flat(checkpointed),
  list: flat(({ session }) => session.checkpoints.list()),
  restore: flat<CheckpointInfo>(({ session }, { id }) => session.checkpoints.restore(id), {
    prepare: checkpointed,
    tidy: (ground, _, result) => backToMain(ground, (result as { readonly branch: BranchInfo } | undefined)?.branch.id),
  }),
  delete: flat<CheckpointInfo>(({ session }, { id }) => session.checkpoints.delete(id), { prepare: checkpointed }),
  diff: overMessages<CheckpointInfo>(
    ({ session }, { id }, { signal, told }) => session.checkpoints.diff(id, undefined, { signal, onProgress: told }),
    { prepare: checkpointed, stops: true, tells: true },
  ),
} satisfies RowsOf<SessionCheckpoints>

import { attachSession } from '../../../src/dialects/agently/attach-session.ts'
import { createMemoManager } from '../../../src/dialects/agently/create-memo-manager.ts'
import { createMemoSession } from '../../../src/dialects/agently/create-memo-session.ts'
import type { MemoSession } from '../../../src/dialects/agently/memo-types.ts'
import { createSessionManager } from '../../../src/dialects/aixgo/manager/create-session-manager.ts'
import type { ManagedSession, SessionManager } from '../../../src/dialects/aixgo/manager/manager-types.ts'
import type { ContextManager, ContextManagerParts } from '../../../src/dialects/picoclaw/context-manager.ts'
import { createCompactionManager } from '../../../src/dialects/picoclaw/create-compaction-manager.ts'
import { createPicoClawManager } from '../../../src/dialects/picoclaw/create-picoclaw-manager.ts'
import { type Ground, inputsBetween, shortMessage } from '../ground.ts'
import { flat, overMessages, overSessions, type Row, type RowsOf } from '../row.ts'

const managers = new WeakMap<Ground, SessionManager>()
const managerOf = (ground: Ground): SessionManager => {
  const known = managers.get(ground) ?? createSessionManager(ground.client)
  managers.set(ground, known)
  return known
}
const made = async (ground: Ground): Promise<ManagedSession> =>
  managerOf(ground).create('helper', { userId: `user-${ground.next()}` })
const closeMade = async (_ground: Ground, session: ManagedSession | undefined): Promise<void> => session?.close()
const closeResult = async (_ground: Ground, _prepared: unknown, session: unknown): Promise<void> =>
  (session as ManagedSession | undefined)?.close()
const anotherManager = async (ground: Ground): Promise<SessionManager> =>
  createSessionManager(await ground.openAnother())

export const managerRows = {
  create: flat((ground) => made(ground), { tidy: closeResult }),
  get: flat((ground) => managerOf(ground).get(ground.key), { tidy: closeResult }),
  getOrCreate: {
    'one that is there': flat<ManagedSession>((ground, { userId }) => managerOf(ground).getOrCreate('helper', userId), {
      prepare: made,
      tidy: closeMade,
    }),
    'a new one': overSessions((ground) => managerOf(ground).getOrCreate('helper', `new-${ground.next()}`), {
      tidy: closeResult,
    }),
  },
  list: flat((ground) => managerOf(ground).list('helper', { limit: 50 })),
  delete: flat<ManagedSession>((ground, { key }) => managerOf(ground).delete(key), { prepare: made, tidy: closeMade }),
  undelete: flat<ManagedSession>((ground, { key }) => managerOf(ground).undelete(key), {
    prepare: async (ground) => {
      const session = await made(ground)
      await managerOf(ground).delete(session.key)
      return session
    },
    tidy: closeMade,
  }),
  purge: flat<ManagedSession>((ground, { key }) => managerOf(ground).purge(key), { prepare: made, tidy: closeMade }),
  sweep: overSessions((ground) => managerOf(ground).sweep()),
  close: flat<SessionManager>((_, manager) => manager.close(), { prepare: anotherManager }),
  [Symbol.asyncDispose]: flat<SessionManager>((_, manager) => manager[Symbol.asyncDispose](), {
    prepare: anotherManager,
  }),
} satisfies RowsOf<SessionManager>

const memoOf = ({ client, session }: Ground): MemoSession =>
  createMemoSession({ store: client.store, session, memoUpdateHandler: () => ({ known: true }) })
const late = { when: 'late' } as const
const lateRow = (run: (ground: Ground) => unknown): Row => flat(run, late)

/** The work itself comes in steps; a heap of a million messages keeps a garbage collection busy for longer. */
const returned = 'it returns all messages in one list'

export const memoRows = {
  fullHistory: overMessages((ground, _, { signal }) => memoOf(ground).fullHistory({ signal }), {
    stops: true,
    isWhole: returned,
  }),
  currentHistory: overMessages((ground, _, { signal }) => memoOf(ground).currentHistory({ signal }), {
    stops: true,
    isWhole: returned,
  }),
  memo: flat((ground) => memoOf(ground).memo()),
  appendMessage: flat((ground) => memoOf(ground).appendMessage(shortMessage(ground.next()))),
  judgeResize: overMessages((ground, _, { signal }) => memoOf(ground).judgeResize(false, { signal }), {
    ...late,
    stops: true,
  }),
  // The first one reads all that was never hidden; a larger ground, which is measured once, has no other.
  resize: {
    'the first': overMessages((ground) => memoOf(ground).resize('lite'), {
      ...late,
      isOnce: true,
      isWhole: 'a handler and the update of the memo get all messages in one list',
    }),
    'after the first': flat((ground, _, { signal }) => memoOf(ground).resize('lite', { signal }), {
      ...late,
      stops: true,
    }),
  },
  configure: lateRow((ground) => memoOf(ground).configure({ everyNTurns: 1 + (ground.next() % 100) })),
  setLimit: lateRow((ground) => memoOf(ground).setLimit({ messages: 100 + (ground.next() % 100) })),
  useLite: lateRow((ground) => memoOf(ground).useLite()),
  useMemo: lateRow((ground) => memoOf(ground).useMemo()),
  setSettings: lateRow((ground) => memoOf(ground).setSettings('session.memo.instruct', `Note ${ground.next()}.`)),
  settings: lateRow((ground) => memoOf(ground).settings()),
  setChatHistory: overMessages(
    (ground) => memoOf(ground).setChatHistory(inputsBetween(0, 50).map(({ message }) => message)),
    { when: 'last' },
  ),
  addChatHistory: overMessages((ground) => memoOf(ground).addChatHistory(shortMessage(ground.next())), late),
  resetChatHistory: flat((ground) => memoOf(ground).resetChatHistory(), { when: 'last' }),
  setPolicyHandler: lateRow((ground) => memoOf(ground).setPolicyHandler(undefined)),
  setResizeHandlers: lateRow((ground) => memoOf(ground).setResizeHandlers('lite', () => ({}))),
  setAttachmentSummaryHandler: lateRow((ground) => memoOf(ground).setAttachmentSummaryHandler(undefined)),
  setMemoUpdateHandler: lateRow((ground) => memoOf(ground).setMemoUpdateHandler(undefined)),
} satisfies RowsOf<MemoSession>

const request = { contextWindow: 16_000, maxTokens: 2000 }
const partsOf = ({ client, name }: Ground): ContextManagerParts => ({
  store: client.store,
  name,
  summarise: async () => 'What was said before.',
})

/** The rows of a context manager. What `shrink` does first is over all that was never summarised. */
const contextManagerRows = (create: (parts: ContextManagerParts) => ContextManager | Promise<ContextManager>) =>
  ({
    assemble: flat(async (ground) => (await create(partsOf(ground))).assemble({ key: ground.key, ...request })),
    shrink: overMessages(
      async (ground) =>
        (await create(partsOf(ground))).shrink({ key: ground.key, reason: 'proactive-budget', ...request }),
      late,
    ),
    ingest: flat(async (ground) => (await create(partsOf(ground))).ingest(ground.key, shortMessage(ground.next()))),
    clear: flat(async (ground) => (await create(partsOf(ground))).clear(ground.key), { when: 'last' }),
  }) satisfies RowsOf<ContextManager>

export const compactionManagerRows = contextManagerRows((parts) => createCompactionManager(parts))
export const picoClawManagerRows = contextManagerRows((parts) => createPicoClawManager(parts))
export const memoManagerRows = contextManagerRows(createMemoManager())

/** Functions that stand before a chat. */
export const chatRows = {
  attachSession: {
    'a turn, 5,000 tokens of history': flat(async ({ client, session }) => {
      const chat = attachSession(
        async () => 'Fine.',
        { store: client.store, session },
        { context: { maxTokens: 5000 } },
      )
      await chat({ messages: [{ role: 'user', content: 'How are you?' }] } as never)
      await chat.settled()
    }),
  },
}

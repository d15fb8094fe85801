import type { Session } from '../../client/session-contract.ts'
import type { EntryInput, EntryView } from '../../contract/entry.ts'
import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { JsonValue } from '../../contract/json.ts'
import type { EntryChange } from '../../contract/store/atomic-changes.ts'
import { itemOfMessage, messageOfItem } from './agents-item.ts'
import type { AgentsSession, HistoryTransaction } from './agents-types.ts'
import { isSameItem, itemText } from './compare-items.ts'

/** How often a change is tried again that another tab overtook. */
const maxAttempts = 5

/** Entries of a page. */
const pageSize = 512

/**
 * A keepsession session as the `Session` of the OpenAI Agents SDK: items are messages of the session, in the order of
 * its log. Several tabs may run agents on it. Dates and bytes in items survive.
 *
 * @example
 * const memory = createAgentsSession(await client.session('chat-1'))
 * await run(agent, 'Hello', { session: memory })
 *
 * @throws (its methods) SessionError, for example InvalidInput for an item that JSON can't represent
 */
// biome-ignore lint/suspicious/noExplicitAny: without a context that says which items they are, any item will do.
export function createAgentsSession<Item extends object = any>(session: Session): AgentsSession<Item> {
  return {
    getSessionId: async () => session.key,
    getItems: async (limit = Number.POSITIVE_INFINITY) =>
      (await readLast(session, limit)).map(({ message }) => itemOfMessage<Item>(message!)),
    addItems: async (items) => {
      if (items.length > 0) await session.appendAll(items.map(entryOf))
    },
    popItem: async () => {
      const popped = await session.entries.pop({ type: 'message' })
      return popped && itemOfMessage<Item>(popped.message!)
    },
    clearSession: () => session.entries.clear(),
    applyHistoryMutations: async ({ mutations }) => {
      const unknown = mutations.find(({ type }) => type !== 'replace_function_call')
      if (unknown !== undefined)
        throw new SessionError(
          'InvalidInput',
          `The history mutation "${String(unknown.type)}" is unknown. Nothing was changed.`,
        )
      for (const { callId, replacement } of mutations) await retryMoved(() => replaceCall(session, callId, replacement))
    },
    applyHistoryTransaction: async ({ operationId, transaction }) => {
      const { type } = transaction
      if (type === 'append_items') {
        const entries = transaction.items.map(entryOf)
        await session.entries.transact(entries.length === 0 ? [] : [{ type: 'append', entries }], { operationId })
      } else if (type === 'replace_suffix') {
        await retryMoved(() => replaceSuffix(session, operationId, transaction))
      } else {
        throw new SessionError('InvalidInput', `The transaction "${String(type)}" is unknown. Nothing was changed.`)
      }
    },
  }
}

const entryOf = (item: object): EntryInput => ({ type: 'message', message: messageOfItem(item) })

/** The last messages, oldest first. */
async function readLast(session: Session, count: number): Promise<readonly EntryView[]> {
  const pages: (readonly EntryView[])[] = []
  let missing = Math.floor(count)
  let before: string | undefined
  while (missing > 0) {
    const limit = Math.min(pageSize, missing)
    const page = await session.page(before === undefined ? { last: limit } : { before, limit })
    const messages = page.entries.filter(({ message }) => message !== undefined)
    pages.push(messages)
    missing -= messages.length
    if (!page.more) break
    before = page.entries[0]!.order
  }
  return pages.reverse().flat()
}

/** Puts a call in the place of the first one with its id; others with that id go. */
async function replaceCall(session: Session, callId: string, replacement: object): Promise<void> {
  const calls = (await readLast(session, Number.POSITIVE_INFINITY)).filter(
    ({ message }) => message!['type'] === 'function_call' && message!['callId'] === callId,
  )
  if (calls.length === 0) return
  await session.entries.transact(
    calls.map(
      (target, i): EntryChange =>
        i === 0 ? { type: 'edit', target, content: messageOfItem(replacement) } : { type: 'remove', target },
    ),
  )
}

/** The entry that says which replacement was done under an operation id. It is stored in the same commit. */
const recordId = (operationId: string): string => `openai-agents ${operationId}`

async function replaceSuffix(
  session: Session,
  operationId: string,
  { expectedSuffix, replacement }: HistoryTransaction<object> & { type: 'replace_suffix' },
): Promise<void> {
  const mid = recordId(operationId)
  const change = itemText([expectedSuffix, replacement])
  // The suffix of a transaction that is repeated is gone. So whether it was done is looked at first.
  const record = await session.entries.find({ mid })
  if (record?.data?.['change'] === change) return
  if (record !== undefined)
    throw new SessionError(
      'OperationConflict',
      `Operation "${operationId}" was done before with another transaction. Use a new id for a new change.`,
    )
  const parent = (await session.page({ view: 'raw', last: 1 })).entries[0]?.order ?? ''
  const suffix = await readLast(session, expectedSuffix.length)
  if (
    suffix.length < expectedSuffix.length ||
    suffix.some(({ message }, i) => !isSameItem(itemOfMessage(message!), expectedSuffix[i]))
  )
    throw new SuffixMoved(operationId)
  const data = { operation: operationId, change: change as JsonValue }
  await session.entries.transact(
    [
      ...suffix.map((target): EntryChange => ({ type: 'remove', target })),
      { type: 'append', entries: [...replacement.map(entryOf), { type: 'custom', data, mid }] },
    ],
    { parent, operationId },
  )
}

/** The history does not end with what the caller expects: trying again can't help. */
class SuffixMoved extends SessionError {
  constructor(operationId: string) {
    super(
      'ParentMoved',
      `The history does not end with the items that operation "${operationId}" expects to replace. Read the items again. Nothing was changed.`,
    )
  }
}

/** Repeats a change that read the history, when another tab changed it before it was stored. */
async function retryMoved(change: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await change()
    } catch (error) {
      const isOvertaken = isSessionError(error, 'ParentMoved') || isSessionError(error, 'OperationConflict')
      if (!isOvertaken || error instanceof SuffixMoved || attempt === maxAttempts) throw error
    }
  }
}

import type { EntryInput, EntryView } from '../../../src/contract/entry.ts'
import type { Message } from '../../../src/contract/message.ts'
import type { ImportNode } from '../../../src/domain/import-node.ts'
import { importTree } from '../../../src/domain/import-tree.ts'
import type { Random } from './random.ts'
import type { Tab } from './simulated-device.ts'

/** What a tab of an app does to a session. Texts are never said twice, so that a double shows. */
export type Operation = (tab: Tab, key: string, random: Random, says: () => string) => Promise<unknown>

const transcript = async ({ store }: Tab, key: string): Promise<readonly EntryView[]> =>
  (await store.read(key, { after: '', limit: 4096 })).entries
const branchOf = async ({ store }: Tab, key: string, random: Random): Promise<string> =>
  random.pick(await store.listBranches(key))?.id ?? ''
const user = (content: string): Message => ({ role: 'user', content })
const call = (content: string, ids: readonly string[]): Message => ({
  role: 'assistant',
  content,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
})
const result = (id: string, content: string): Message => ({ role: 'tool', content, tool_call_id: id })
const message = (one: Message): EntryInput => ({ type: 'message', message: one })

/** The legacy file that two devices import; it grew between them. */
function legacyNodes(count: number): readonly ImportNode[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `legacy ${i}`,
    parentId: i === 0 ? null : `legacy ${i - 1}`,
    type: 'message',
    data: {
      message:
        i % 4 === 0
          ? { ...user(`old question ${i}`) }
          : i % 4 === 1
            ? { ...call(`old call ${i}`, [`old-${i}`]) }
            : i % 4 === 2
              ? { ...result(`old-${i - 1}`, `old result ${i}`) }
              : { role: 'assistant', content: `old answer ${i}` },
    },
    at: 1_600_000_000_000 + i,
  })) as readonly ImportNode[]
}

const fields = [
  'title',
  'suggestedTitle',
  'summary',
  'memo',
  'contextState',
  'custom',
  'archived',
  'tags',
  'agentId',
  'userId',
  'id',
  'scope',
  'ttl',
  'aliases',
] as const

function patchOf(random: Random, says: () => string): object {
  const field = random.pick(fields)
  if (field === 'archived') return { archived: random.chance(0.5) }
  if (field === 'id') return { id: says() }
  if (field === 'aliases') return { aliases: [`alias ${random.below(3)}`] }
  if (random.chance(0.2)) return { [field]: null }
  if (field === 'tags') return { tags: [says()] }
  if (field === 'ttl') return { ttl: random.below(1000) }
  if (field === 'scope') return { scope: { version: 1, agent_id: says(), channel: 'c', account: 'a' } }
  return {
    [field]: field === 'memo' || field === 'custom' || field === 'contextState' ? { said: says(), half: 0.5 } : says(),
  }
}

export const operations = {
  turn: (tab, key, _, says) => {
    const id = says()
    return tab.store.append(key, [
      message(user(says())),
      message(call(says(), [id])),
      message(result(id, says())),
      message({ role: 'assistant', content: says() }),
    ])
  },
  ask: (tab, key, _, says) => tab.store.addMessage(key, 'user', says()),
  answer: (tab, key, _, says) => tab.store.addMessage(key, 'assistant', says()),
  call: async (tab, key, random, says) => {
    const ids = random.chance(0.3) ? [says(), says()] : [says()]
    tab.open.push(...ids.map((id) => ({ key, id })))
    await tab.store.append(key, [message(user(says())), message(call(says(), ids))])
  },
  results: async (tab, key, _, says) => {
    const open = tab.open.splice(0).filter((one) => one.key === key)
    if (open.length > 0)
      await tab.store.append(
        key,
        open.map(({ id }) => message(result(id, says()))),
      )
  },
  note: (tab, key, random, says) =>
    tab.store.append(key, [
      {
        type: random.pick([
          'model_change',
          'thinking_level_change',
          'branch_summary',
          'custom',
          'custom_message',
          'label',
          'session_info',
          'of my own',
        ]),
        data: { said: says(), list: [1, null, { deep: true }] },
      },
    ]),
  stream: async (tab, key, _, says) => {
    const draft = await tab.store.openDraft(key, { role: 'assistant' })
    await tab.store.writeDraft(key, draft, 0, { text: says() })
    await tab.store.sealDraft(key, draft)
  },
  edit: async (tab, key, random, says) => {
    const said = (await transcript(tab, key)).filter(({ message: one }) => one?.role === 'user')
    if (said.length > 0) await tab.store.edit(key, random.pick(said), user(says()))
  },
  remove: async (tab, key, random) => {
    const rows = await transcript(tab, key)
    if (rows.length > 0) await tab.store.remove(key, random.pick(rows))
  },
  branch: async (tab, key, random, says) => {
    const rows = await transcript(tab, key)
    await tab.store.openBranch(key, {
      after: rows.length === 0 ? 'start' : random.pick(rows),
      head: random.chance(0.7),
      ...(random.chance(0.3) ? { name: says() } : {}),
    })
  },
  switch: async (tab, key, random) => tab.store.switchBranch(key, await branchOf(tab, key, random)),
  nameBranch: async (tab, key, random, says) =>
    tab.store.updateBranch(key, await branchOf(tab, key, random), { name: random.chance(0.2) ? null : says() }),
  deleteBranch: async (tab, key, random) => tab.store.deleteBranch(key, await branchOf(tab, key, random)),
  truncate: (tab, key, random) => tab.store.truncateHistory(key, random.below(6)),
  clear: (tab, key) => tab.store.truncateHistory(key, 0),
  // What is kept may be written anew, by two devices at once even; so nothing is kept here.
  setHistory: (tab, key, random, says) =>
    tab.store.setHistory(
      key,
      Array.from({ length: random.below(4) }, () => user(says())),
    ),
  compaction: (tab, key, random, says) =>
    tab.store.setCompaction(key, {
      summary: says(),
      keepLast: random.below(5),
      ...(random.chance(0.3) ? { messages: [{ role: 'assistant', content: says() }] } : {}),
    }),
  summary: (tab, key, _, says) => tab.store.setSummary(key, says()),
  checkpoint: (tab, key, _, says) => tab.store.checkpoint(key, { label: says(), state: { step: 1 } }),
  restore: async (tab, key, random) => {
    const list = await tab.store.listCheckpoints(key)
    if (list.length > 0) await tab.store.restoreCheckpoint(key, random.pick(list).id)
  },
  deleteCheckpoint: async (tab, key, random) => {
    const list = await tab.store.listCheckpoints(key)
    if (list.length > 0) await tab.store.deleteCheckpoint(key, random.pick(list).id)
  },
  meta: (tab, key, random, says) => tab.store.updateMeta(key, patchOf(random, says)),
  delete: (tab, key) => tab.store.delete(key),
  undelete: (tab, key) => tab.store.undelete(key),
  purge: (tab, key) => tab.store.reclaim(key),
  scope: (tab, key, random, says) =>
    tab.store.ensureSessionMetadata(key, { version: 1, agent_id: 'a', channel: 'c', account: says() }, [
      `alias ${random.below(3)}`,
    ]),
  legacy: async (tab, key, random) => {
    const nodes = legacyNodes(random.chance(0.5) ? 8 : 6)
    const found = await tab.store.findByMid(
      key,
      nodes.map(({ id }) => id),
    )
    const known = new Map(found.flatMap((entry, i) => (entry === undefined ? [] : [[nodes[i]!.id, entry] as const])))
    await tab.store.merge(key, importTree('legacy file', nodes, known))
  },
} satisfies Record<string, Operation>

const owners = ['made 1', 'made 2']
const written = ['old:1', 'plain']

/** Sessions of which some have the keys of others as names. */
export const namedKeys: readonly string[] = [...written, ...owners]

/** What is done with names, whatever session was picked. */
export const nameOperations = {
  promote: (tab, _, random, says) =>
    tab.store.ensureSessionMetadata(random.pick(owners), { version: 1, agent_id: 'a', channel: 'c', account: says() }, [
      random.pick(written),
      ...(random.chance(0.2) ? [random.pick(written)] : []),
    ]),
  giveUp: (tab, _, random) =>
    tab.store.updateMeta(random.pick(owners), { aliases: random.chance(0.5) ? [] : [random.pick(written)] }),
} satisfies Record<string, Operation>

/** How often what happens. */
export const operationWeights: Readonly<Record<keyof typeof operations, number>> = {
  turn: 10,
  ask: 6,
  answer: 6,
  call: 6,
  results: 8,
  note: 4,
  stream: 3,
  edit: 5,
  remove: 4,
  branch: 4,
  switch: 3,
  nameBranch: 1,
  deleteBranch: 1,
  truncate: 3,
  clear: 1,
  setHistory: 2,
  compaction: 4,
  summary: 2,
  checkpoint: 3,
  restore: 2,
  deleteCheckpoint: 1,
  meta: 8,
  delete: 2,
  undelete: 2,
  purge: 2,
  scope: 2,
  legacy: 2,
}

/** What goes on with a turn, opens another one, goes to another line, or ends it. */
export const talk: ReadonlySet<string> = new Set([
  'turn',
  'ask',
  'answer',
  'call',
  'note',
  'stream',
  'setHistory',
  'branch',
  'switch',
  'deleteBranch',
  'restore',
  'delete',
] satisfies readonly (keyof typeof operations)[])

/** What an app has to expect: the session was deleted, or what it names is gone. */
export const expectedErrors: ReadonlySet<string> = new Set([
  'SessionNotFound',
  'InvalidInput',
  'AliasConflict',
  'CheckpointNotFound',
  'ChecksumMismatch',
  'ParentMoved',
])

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import { importFiles } from '../../src/files/import-files.ts'
import { blobOf, chatGpt, chatSays, everything, lines, linesOf, msAt, openStore } from './support/foreign-exports.ts'

/** A conversation as each dialect could say it. */
interface Said {
  readonly id: string
  readonly parent: string | null
  readonly role: 'user' | 'assistant'
}

type Write = (nodes: readonly Said[], current: string) => Blob

const text = ({ id }: Said): string => `says ${id}`

/** The same tree in each dialect that has trees. The current one is the last where a dialect has no other. */
const dialects: readonly (readonly [dialect: string, write: Write])[] = [
  [
    'chatgpt',
    (nodes, current) =>
      blobOf([
        chatGpt(
          's',
          nodes.map((node, i) => [node.id, node.parent, chatSays(i, node.role, text(node))]),
          { current_node: current, update_time: msAt(nodes.length) / 1000 },
        ),
      ]),
  ],
  [
    'claude',
    (nodes, current) =>
      blobOf([
        {
          uuid: 's',
          name: 'T',
          created_at: new Date(msAt(0)).toISOString(),
          updated_at: new Date(msAt(nodes.length)).toISOString(),
          current_leaf_message_uuid: current,
          chat_messages: nodes.map(
            (node, i): JsonObject => ({
              uuid: node.id,
              sender: node.role === 'user' ? 'human' : 'assistant',
              text: text(node),
              content: [{ type: 'text', text: text(node) }],
              created_at: new Date(msAt(i)).toISOString(),
              parent_message_uuid: node.parent ?? '00000000-0000-4000-8000-000000000000',
            }),
          ),
        },
      ]),
  ],
  [
    'claude-code',
    (nodes) =>
      linesOf(
        nodes.map(
          (node, i): JsonObject => ({
            type: node.role,
            uuid: node.id,
            parentUuid: node.parent,
            sessionId: 's',
            timestamp: new Date(msAt(i)).toISOString(),
            isSidechain: false,
            message: { role: node.role, content: text(node) },
          }),
        ),
      ),
  ],
  [
    'open-webui',
    (nodes, current) =>
      blobOf([
        {
          id: 's',
          title: 'T',
          created_at: msAt(0) / 1000,
          updated_at: msAt(nodes.length) / 1000,
          chat: {
            history: {
              currentId: current,
              messages: Object.fromEntries(
                nodes.map((node, i): [string, JsonObject] => [
                  node.id,
                  {
                    id: node.id,
                    parentId: node.parent,
                    role: node.role,
                    content: text(node),
                    timestamp: msAt(i) / 1000,
                  },
                ]),
              ),
            },
          },
        },
      ]),
  ],
]

const trees = fc
  .array(fc.tuple(fc.nat(1000), fc.constantFrom('user' as const, 'assistant' as const)), {
    minLength: 1,
    maxLength: 12,
  })
  .map((drawn) =>
    drawn.map(([where, role], i): Said => ({ id: `n${i}`, parent: i === 0 ? null : `n${where % i}`, role })),
  )

function ways(nodes: readonly Said[]): string[] {
  const byId = new Map(nodes.map((one) => [one.id, one]))
  const parents = new Set(nodes.map(({ parent }) => parent))
  return nodes
    .filter(({ id }) => !parents.has(id))
    .map(({ id }) => {
      const way: string[] = []
      for (let at = byId.get(id); at !== undefined; at = byId.get(at.parent ?? ''))
        way.unshift(`${at.role}: ${text(at)}`)
      return way.join(' | ')
    })
}

describe.each(dialects)('any conversation of %s', (dialect, write) => {
  const key = `${dialect}:s`
  const shown = async (store: ReturnType<typeof openStore>): Promise<string[]> =>
    (await lines(store, key)).map((line) => line.join(' | '))

  it('has a line for each way through it, adds nothing the second time, and is the same on two devices', async () => {
    await fc.assert(
      fc.asyncProperty(trees, async (nodes) => {
        const [here, there] = [openStore(), openStore(() => Date.UTC(2031, 0, 1))]
        const file = write(nodes, nodes.at(-1)!.id)
        expect(await importFiles(here, file)).toMatchObject({
          keys: [key],
          added: nodes.length,
          known: 0,
          skippedCount: 0,
          leftDeleted: [],
        })
        const found = await shown(here)
        expect(found.toSorted()).toEqual(ways(nodes).toSorted())
        expect(found[0]).toBe(ways(nodes).find((way) => way.endsWith(text(nodes.at(-1)!))))
        const before = await everything(here)
        expect(await importFiles(here, file)).toMatchObject({ added: 0, known: nodes.length })
        await importFiles(there, file)
        expect(await everything(there)).toEqual(before)
        await here.merge(key, (await there.changes(key)).entries)
        expect(await everything(here)).toEqual(before)
      }),
      { numRuns: 15 },
    )
  })

  it('that grew has every way it has now', async () => {
    await fc.assert(
      fc.asyncProperty(trees, fc.nat(12), fc.nat(12), async (nodes, ...cuts) => {
        const store = openStore()
        let added = 0
        for (const count of [...cuts.sort((a, b) => a - b), nodes.length]) {
          const part = nodes.slice(0, Math.max(1, count))
          added += (await importFiles(store, write(part, part.at(-1)!.id))).added
        }
        expect(added).toBe(nodes.length)
        const found = await shown(store)
        expect(found[0]).toBe(ways(nodes).find((way) => way.endsWith(text(nodes.at(-1)!))))
        for (const way of ways(nodes)) expect(found).toContain(way)
        expect((await store.verify()).problems).toEqual([])
      }),
      { numRuns: 15 },
    )
  })
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { layOutTree, type TreeRow } from '../../demo/history/lay-out-tree.ts'
import { readSessionTree, type TreeNode } from '../../demo/history/read-session-tree.ts'
import type { Session } from '../../src/client/session-contract.ts'
import { openDirectStore } from '../../src/in-page/open-direct-store.ts'

type Step = { readonly kind: 'say' | 'fork' | 'switch' | 'delete'; readonly at: number }

const steps = fc.array(fc.record({ kind: fc.constantFrom('say', 'say', 'fork', 'switch', 'delete'), at: fc.nat(30) }), {
  maxLength: 30,
}) as fc.Arbitrary<Step[]>

/** Grows a session; what a step can't do is left out. @returns every message that some line shows */
async function grow(session: Session, way: readonly Step[]): Promise<ReadonlyMap<string, unknown>> {
  let n = 0
  for (const { kind, at } of way) {
    const branches = await session.branches.list()
    const branch = branches[at % branches.length]
    const { entries } = await session.page({ last: 100 })
    const entry = entries[at % Math.max(1, entries.length)]
    if (kind === 'say') await session.append({ role: 'user', content: String(n++) })
    else if (kind === 'fork' && entry !== undefined) await session.branches.after(entry)
    else if (kind === 'switch' && branch !== undefined) await session.branches.switchTo(branch.id)
    else if (kind === 'delete' && branch !== undefined && branch.id !== '') await session.branches.delete(branch.id)
  }
  const shown = new Map<string, unknown>()
  for (const { id } of await session.branches.list())
    for (const entry of (await session.page({ branch: id, last: 100 })).entries)
      shown.set(entry.id, entry.message?.content)
  return shown
}

const contentsOf = (rows: readonly TreeRow[]): readonly unknown[] =>
  rows
    .flatMap(({ node, folded }) => runOf(node, Math.max(1, folded)))
    .flatMap(({ message }) => (message === undefined ? [] : [message.preview]))

function runOf(first: TreeNode, length: number): readonly TreeNode[] {
  const run = [first]
  while (run.length < length) run.push(run.at(-1)!.children[0]!)
  return run
}

it('every message that some line shows is in the picture once, and every line ends in it once', async () => {
  const client = await openDirectStore({ modes: ['memory'] })
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (way, isFolding) => {
      const session = await client.session()
      await session.append({ role: 'user', content: 'first' })
      const shown = await grow(session, way)
      const { start, branches, messages } = await readSessionTree(session, new AbortController().signal)
      expect(messages).toBe(shown.size)
      const rows = layOutTree(start, isFolding ? 1000 : messages, new Map())
      expect(contentsOf(rows).toSorted()).toEqual([...shown.values()].toSorted())
      expect(
        rows.flatMap(({ node, folded }) => (folded > 0 || node.end === undefined ? [] : [node.end.id])).toSorted(),
      ).toEqual(branches.map(({ id }) => id).toSorted())
      // The line that is shown is one way from the top to its end.
      const line = (await session.page({ last: 100 })).entries.map(({ message }) => message?.content)
      expect(contentsOf(rows.filter(({ node }) => node.isCurrent))).toEqual(line)
    }),
    { numRuns: 60 },
  )
  await client.close()
})

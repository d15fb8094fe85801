import type { SessionClient } from '../../../src/client/client-contract.ts'
import { ours, oursInPage } from '../../contender-names.ts'
import { count } from '../../count.ts'
import type { Effort } from '../../sample.ts'
import type { Cell, OpenCase } from '../cells.ts'
import { openOurs, openOursInPage, seedOurs } from '../contenders.ts'
import { medianOf } from '../timed.ts'

/** Messages that the compaction keeps. */
const kept = 100
const maxTokens = 5000

/** What a model gets of a session that was compacted once. */
export async function openContext({ isQuick }: Effort): Promise<OpenCase> {
  const client = await openOurs()
  const inPage = await openOursInPage()
  const cells: Cell[] = []
  for (const size of isQuick ? [1000] : [1000, 100_000]) {
    const key = `context-${size}`
    await seedOurs(inPage, key, size)
    if ((await inPage.store.read(key, { view: 'context', last: 1 })).hidden?.compaction === undefined)
      await inPage.store.setCompaction(key, { summary: 'What was said before.', keepLast: kept })
    const add = (
      group: string,
      contender: string,
      client: SessionClient,
      options: { readonly maxTokens?: number },
    ): void => {
      const read = async (): Promise<void> => {
        const { messages } = await (await client.session(key)).context(options)
        if (messages.length < 2 || messages.length > kept + 1)
          throw new Error(`Expected up to ${kept} messages and the summary, got ${messages.length}.`)
      }
      cells.push({
        group: `${count(size)} stored, ${group}`,
        contender,
        run: async () => ({ time: await medianOf(20, read) }),
      })
    }
    for (const [contender, measured] of [
      [ours, client],
      [oursInPage, inPage],
    ] as const) {
      add('all that is kept', contender, measured, {})
      add(`${count(maxTokens)} tokens`, contender, measured, { maxTokens })
    }
  }
  return {
    title: `Context of a session whose last ${kept} messages a compaction keeps`,
    notes: ['Median of 20 calls of `session.context()`, opening the session included.'],
    cells,
    close: async () => {
      await client.close()
      await inPage.close()
    },
  }
}

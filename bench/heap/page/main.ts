import { openOurs } from '../../page/contenders.ts'
import { messageAt } from '../../page/messages.ts'

const session = 'heap'
/** So many appends are under way at once. */
const burst = 1000

const opening = openOurs()

/** Appends messages, a call for each. */
export type AppendMany = (size: number) => Promise<void>

const appendMany: AppendMany = async (size) => {
  const client = await opening
  for (let from = 0; from < size; from += burst) {
    const calls = Array.from({ length: Math.min(burst, size - from) }, (_, i) =>
      client.store.append(session, [{ type: 'message', message: messageAt(from + i) }]),
    )
    await Promise.all(calls)
  }
  // A read waits until the database has what the journal has.
  await client.store.read(session, { last: 1 })
}

Object.assign(globalThis, { appendMany })

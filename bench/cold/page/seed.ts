import { openSessionStore } from '../../../src/index.ts'
import { messagesBetween } from '../../page/messages.ts'
import { openRawLog } from '../../page/raw-log.ts'
import { coldSession, oursDatabase, rawDatabase } from './names.ts'

const batch = 5000

/** Fills both databases. */
async function seed(size: number): Promise<void> {
  const client = await openSessionStore({ name: oursDatabase, modes: ['worker'] })
  const log = await openRawLog(rawDatabase)
  for (let from = 0; from < size; from += batch) {
    const messages = messagesBetween(from, Math.min(size, from + batch))
    const entries = messages.map((message) => ({ type: 'message', message }) as const)
    await client.store.append(coldSession, entries)
    await log.appendAll(coldSession, from, messages, 'relaxed')
  }
  await client.close()
  log.close()
}

Object.assign(globalThis, { seed })

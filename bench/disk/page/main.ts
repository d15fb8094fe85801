import type { Message } from '../../../src/contract/message.ts'
import { dexie, file, ours, raw, rx, yIndexeddb } from '../../contender-names.ts'
import { openOurs } from '../../page/contenders.ts'
import { openDexieLog } from '../../page/dexie-log.ts'
import { openFileLog } from '../../page/file-log.ts'
import { openRawLog } from '../../page/raw-log.ts'
import { talkAt } from '../../page/talk.ts'
import { openRxLog } from '../../rivals/rx-log.js'
import { openYLog } from '../../rivals/y-log.js'

const session = 'disk'
const batch = 100
/** Of the JSON of each message, in UTF-8 bytes. */
const wanted = 1000
const encoder = new TextEncoder()

/** Words as common and as rare as those of a language: what is repeated would be compressed by the database. */
function messageOf(index: number): Message {
  let content = ''
  for (let part = 0; content.length < wanted; part++) content += `${talkAt(index * 8 + part).content as string} `
  const message = { role: index % 2 === 0 ? 'user' : 'assistant', content }
  const room = wanted - encoder.encode(JSON.stringify({ ...message, content: '' })).length
  const bytes = encoder.encode(content).slice(0, room)
  // A character that was cut becomes a mark of three bytes.
  return { ...message, content: new TextDecoder().decode(bytes).replace(/\uFFFD$/, '') }
}

/** Stores messages from one place to another. */
type Put = (messages: readonly Message[], from: number) => Promise<unknown>

const open: Readonly<Record<string, () => Promise<{ put: Put; close(): unknown }>>> = {
  [ours]: async () => {
    const client = await openOurs()
    const put: Put = (messages) =>
      Promise.all(messages.map((message) => client.store.append(session, [{ type: 'message', message }])))
    return { put, close: () => client.close() }
  },
  [raw]: async () => {
    const log = await openRawLog('bench-raw')
    return { put: (messages, from) => log.appendAll(session, from, messages, 'relaxed'), close: () => log.close() }
  },
  [dexie]: async () => {
    const log = await openDexieLog('bench-dexie', 'relaxed')
    return { put: (messages, from) => log.bulkPut(session, from, messages), close: () => log.close() }
  },
  [rx]: async () => {
    const log = await openRxLog('bench-rx')
    return { put: (messages, from) => log.bulkInsert(session, from, messages), close: () => log.close() }
  },
  [yIndexeddb]: async () => {
    const log = await openYLog('bench-y')
    return { put: (messages) => log.appendEach(messages), close: () => log.close() }
  },
  [file]: async () => {
    const log = openFileLog()
    return { put: (messages) => log.appendAll(session, messages), close: () => log.close() }
  },
}

export type Fill = (contender: string, size: number) => Promise<void>

const fill: Fill = async (contender, size) => {
  const { put, close } = await open[contender]!()
  for (let from = 0; from < size; from += batch) {
    const messages = Array.from({ length: Math.min(batch, size - from) }, (_, i) => messageOf(from + i))
    await put(messages, from)
  }
  await close()
}

Object.assign(globalThis, { fill })

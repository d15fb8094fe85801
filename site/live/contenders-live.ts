import { openDexieLog } from '../../bench/page/dexie-log.ts'
import { messageAt, messagesBetween } from '../../bench/page/messages.ts'
import { openRawLog } from '../../bench/page/raw-log.ts'
import { openRewriteLog } from '../../bench/page/rewrite-log.ts'
import { deleteSessionStore, openSessionStore } from '../../src/index.ts'

/** Something that appends a message, measured against the others. */
export interface LiveContender {
  readonly name: string
  /** Appends the message of this place. Resolves when it is stored. */
  append(at: number): Promise<unknown>
  /** Closes it and deletes what it stored. */
  remove(): Promise<unknown>
}

const session = 'bench'

/**
 * Opens all contenders, each with as many messages. Those of the bench write as this page does: relaxed.
 *
 * @param say - is told what is being done
 */
export async function openContenders(size: number, say: (text: string) => void): Promise<LiveContender[]> {
  const name = `keepsession-bench-${crypto.randomUUID().slice(0, 8)}`
  const messages = messagesBetween(0, size)
  const opened: LiveContender[] = []
  const openers = {
    keepsession: openOurs,
    'raw IndexedDB': openRaw,
    Dexie: openDexie,
    'rewrites all': openRewrite,
    'OPFS file': openFile,
  }
  for (const [label, open] of Object.entries(openers)) {
    say(`Filling ${label} with ${size} messages …`)
    try {
      opened.push({ name: label, ...(await open(`${name}-${label}`, messages)) })
    } catch (error) {
      // A browser without OPFS still measures the others.
      if (label !== 'OPFS file') throw error
    }
  }
  return opened
}

type Opened = Omit<LiveContender, 'name'>
type Messages = ReturnType<typeof messagesBetween>

async function openOurs(name: string, messages: Messages): Promise<Opened> {
  const client = await openSessionStore({ name, modes: ['worker'] })
  const handle = await client.session(session)
  for (let from = 0; from < messages.length; from += 500) {
    const part = messages.slice(from, from + 500)
    await handle.appendAll(part.map((message) => ({ type: 'message', message })))
  }
  return {
    append: (at) => handle.append(messageAt(at), { durability: 'relaxed' }),
    remove: async () => {
      await client.close()
      await deleteSessionStore(name)
    },
  }
}

async function openRaw(name: string, messages: Messages): Promise<Opened> {
  const log = await openRawLog(name)
  await log.appendAll(session, 0, messages, 'relaxed')
  return { append: (at) => log.append(session, at, messageAt(at), 'relaxed'), remove: () => removeDatabase(name, log) }
}

async function openDexie(name: string, messages: Messages): Promise<Opened> {
  const log = await openDexieLog(name, 'relaxed')
  await log.bulkPut(session, 0, messages)
  return { append: (at) => log.append(session, at, messageAt(at)), remove: () => removeDatabase(name, log) }
}

async function openRewrite(name: string, messages: Messages): Promise<Opened> {
  const log = await openRewriteLog(name)
  await log.replace(session, messages)
  return { append: (at) => log.append(messageAt(at), 'relaxed'), remove: () => removeDatabase(name, log) }
}

/** A file is written in a worker, where it can be flushed. */
async function openFile(name: string, messages: Messages): Promise<Opened> {
  const worker = new Worker(new URL('./append-file.worker.ts', import.meta.url), { type: 'module' })
  const ask = (request: object): Promise<void> =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<string>) => (data === '' ? resolve() : reject(new Error(data)))
      worker.onerror = ({ message }) => reject(new Error(message))
      worker.postMessage(request)
    })
  const line = (message: object): string => `${JSON.stringify(message)}\n`
  await ask({ open: name, text: messages.map(line).join('') })
  return {
    append: (at) => ask({ text: line(messageAt(at)) }),
    remove: async () => {
      await ask({ remove: name })
      worker.terminate()
    },
  }
}

function removeDatabase(name: string, log: { close(): void }): Promise<void> {
  log.close()
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
  })
}

import { openDexieLog } from '../../bench/page/dexie-log.ts'
import { messageAt, messagesBetween } from '../../bench/page/messages.ts'
import { openRawLog } from '../../bench/page/raw-log.ts'
import { openRewriteLog } from '../../bench/page/rewrite-log.ts'
import { deleteSessionStore, openSessionStore, type Session } from '../../src/index.ts'

/** Something that appends a message, measured against the others. */
export interface LiveContender {
  readonly name: string
  /** Appends the message of this place. Resolves when it is stored. */
  append(at: number): Promise<unknown>
  /** Closes it and deletes what it stored. */
  remove(): Promise<void>
}

const session = 'bench'

/**
 * Opens all contenders, each with as many messages. Those of the bench write as this page does: relaxed. When one can't
 * be opened, nothing of the others stays.
 *
 * @param name - what the names of all that they store begin with
 * @param say - is told what is being done
 */
export async function openContenders(
  name: string,
  size: number,
  say: (text: string) => void,
): Promise<LiveContender[]> {
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
      if (label === 'OPFS file') continue
      await removeContenders(opened).catch(console.warn)
      throw error
    }
  }
  return opened
}

/** @throws the first error, after all were asked to go */
export async function removeContenders(contenders: readonly LiveContender[]): Promise<void> {
  const outcomes = await Promise.allSettled(contenders.map(({ remove }) => remove()))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

type Opened = Omit<LiveContender, 'name'>
type Messages = ReturnType<typeof messagesBetween>

/** What could not be filled does not stay. */
async function filled(opened: Opened, fill: () => Promise<unknown>): Promise<Opened> {
  try {
    await fill()
    return opened
  } catch (error) {
    await opened.remove().catch(console.warn)
    throw error
  }
}

async function openOurs(name: string, messages: Messages): Promise<Opened> {
  const client = await openSessionStore({ name, modes: ['worker'] })
  const remove = async (): Promise<void> => {
    await client.close()
    await deleteSessionStore(name)
  }
  let handle: Session
  const append = (at: number): Promise<unknown> => handle.append(messageAt(at), { durability: 'relaxed' })
  return filled({ append, remove }, async () => {
    handle = await client.session(session)
    for (let from = 0; from < messages.length; from += 500) {
      const part = messages.slice(from, from + 500)
      await handle.appendAll(part.map((message) => ({ type: 'message', message })))
    }
  })
}

async function openRaw(name: string, messages: Messages): Promise<Opened> {
  const log = await openRawLog(name)
  return filled(
    { append: (at) => log.append(session, at, messageAt(at), 'relaxed'), remove: () => removeDatabase(name, log) },
    () => log.appendAll(session, 0, messages, 'relaxed'),
  )
}

async function openDexie(name: string, messages: Messages): Promise<Opened> {
  const log = await openDexieLog(name, 'relaxed')
  return filled(
    { append: (at) => log.append(session, at, messageAt(at)), remove: () => removeDatabase(name, log) },
    () => log.bulkPut(session, 0, messages),
  )
}

async function openRewrite(name: string, messages: Messages): Promise<Opened> {
  const log = await openRewriteLog(name)
  return filled({ append: (at) => log.append(messageAt(at), 'relaxed'), remove: () => removeDatabase(name, log) }, () =>
    log.replace(session, messages),
  )
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
  const remove = (): Promise<void> => ask({ remove: name }).finally(() => worker.terminate())
  return filled({ append: (at) => ask({ text: line(messageAt(at)) }), remove }, () =>
    ask({ open: name, text: messages.map(line).join('') }),
  )
}

function removeDatabase(name: string, log: { close(): void }): Promise<void> {
  log.close()
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
  })
}

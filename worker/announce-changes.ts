import type { ChangeSink, StoreChange } from '../src/contract/change.ts'
import type { MirrorState } from '../src/contract/mirror.ts'
import type { RepairedRows } from '../src/contract/row-salvage.ts'
import type {
  ChangesMessage,
  JournalMessage,
  LostMessage,
  MirrorMessage,
  RepairMessage,
} from '../src/contract/worker-protocol.ts'
import { isStoreChange } from '../src/domain/is-store-change.ts'
import { namesOf } from '../src/domain/names-of.ts'
import { createTabNews, type TabNews } from './tab-news.ts'

export interface Announcer {
  readonly add: ChangeSink
  /** Sends the changes that are waiting. */
  flush(): void
  /** Follows the changes of other tabs. Absent where tabs can't reach each other. */
  readonly follow?: (listener: ChangeSink) => void
  /**
   * Listens for the Web Locks of workers that begin a journal. Absent where tabs can't reach each other.
   *
   * @returns a function that tells others of a lock
   */
  readonly meet?: (onMet: (lock: string) => void) => (lock: string) => void
  /** Passes on what a job did for this page, which knows it already. */
  receive(changes: readonly StoreChange[]): void
  /**
   * Reports to the page that the database can't be reached from here any more, before the answers that this affects.
   */
  lose(reason: string): void
  /** Reports to the page the state of this worker's mirror. */
  announceMirror(mirror: MirrorState): void
  /** From now on other tabs hear of a change only when the database has it. */
  readonly followJournal: TabNews['follow']
  /** Asks the page to have a session's rows rebuilt. @returns `undefined` when that was not possible */
  repair(key: string): Promise<RepairedRows | undefined>
  close(): void
}

/**
 * Announces changes to the page of this worker over its port, and to all other tabs over the BroadcastChannel.
 *
 * All changes of one call are sent in one message, so that a sealed draft and its entry reach the screen together. They
 * are sent before the answer to the call, so that a caller who awaits a write finds it in the live queries. Changes of
 * other tabs reach the page through this worker, after its store has taken them in: if they reached the page directly,
 * it could ask a store that does not know them yet.
 */
export function announceChanges(name: string, port: Pick<MessagePort, 'postMessage'>): Announcer {
  const channel = openChannel(namesOf(name))
  let waiting: StoreChange[] = []

  const news = createTabNews((change) => {
    if (!isOfOneTab(change)) channel?.postMessage(change)
  })

  const sendToPage = (changes: readonly StoreChange[]): void =>
    port.postMessage({ keepsession: 'changes', changes } satisfies ChangesMessage)

  function flush(): void {
    if (waiting.length === 0) return
    sendToPage(waiting)
    news.add(waiting)
    waiting = []
  }

  let first: ChangeSink = () => undefined
  function follow(listener: ChangeSink): void {
    first = listener
    if (channel === undefined) return
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (!isStoreChange(data) || isOfOneTab(data)) return
      first(data)
      flush()
      sendToPage([data])
    }
  }
  return {
    add: (change) => {
      // No call flushes changes that come from elsewhere.
      if (waiting.push(change) === 1) setTimeout(flush)
    },
    flush,
    receive: (changes) => changes.forEach(first),
    lose: (reason) => port.postMessage({ keepsession: 'lost', reason } satisfies LostMessage),
    announceMirror: (mirror) => port.postMessage({ keepsession: 'mirror', mirror } satisfies MirrorMessage),
    ...(channel && { follow, meet: (onMet) => meetOver(channel, onMet) }),
    followJournal: news.follow,
    repair: (key) =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = ({ data }: MessageEvent<RepairedRows | undefined>) => {
          port1.close()
          resolve(data)
        }
        port.postMessage({ keepsession: 'repair', key } satisfies RepairMessage, [port2])
      }),
    close: () => {
      flush()
      news.close()
      channel?.close()
    },
  }
}

function meetOver(channel: BroadcastChannel, onMet: (lock: string) => void): (lock: string) => void {
  channel.addEventListener('message', ({ data }: MessageEvent<Partial<JournalMessage> | null>) => {
    if (data?.keepsession === 'journal' && typeof data.lock === 'string') onMet(data.lock)
  })
  return (lock) => channel.postMessage({ keepsession: 'journal', lock } satisfies JournalMessage)
}

/** A notice about one outdated tab does not concern the others. */
const isOfOneTab = (change: StoreChange): boolean => change.type === 'notice' && change.name === 'upgradeRequired'

/**
 * `undefined` in old browsers, which have no channels, and in opaque origins, which refuse them. Such tabs can't reach
 * each other.
 */
function openChannel(name: string): BroadcastChannel | undefined {
  try {
    const channel: BroadcastChannel & { unref?: () => void } = new BroadcastChannel(name)
    // In Node an open channel would keep the process alive.
    channel.unref?.()
    return channel
  } catch {
    return undefined
  }
}

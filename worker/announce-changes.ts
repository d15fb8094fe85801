import type { ChangeSink, StoreChange } from '../src/contract/change.ts'
import type { MendedRows } from '../src/contract/backend.ts'
import type { MirrorState } from '../src/contract/mirror.ts'
import type { ChangesMessage, LostMessage, MendMessage, MirrorMessage } from '../src/contract/worker-protocol.ts'
import { isStoreChange } from '../src/domain/is-store-change.ts'
import { pushAll } from '../src/domain/push-all.ts'

export interface Announcer {
  readonly add: ChangeSink
  /** Tells what there is to tell. */
  flush(): void
  /** Hears the changes of other tabs. Absent where tabs can't hear each other. */
  readonly follow?: (listener: ChangeSink) => void
  /** Tells whoever follows what a job did for this page, which knows it already. */
  hear(changes: readonly StoreChange[]): void
  /** Tells the page, before the answers that it spoils, that the database can't be reached from here any more. */
  lose(reason: string): void
  /** Tells the page what became of the mirror of this worker. */
  tellMirror(mirror: MirrorState): void
  /** Has the page see to it that a session's rows are made again. @returns `undefined` when it could not */
  mend(key: string): Promise<MendedRows | undefined>
  close(): void
}

/**
 * Tells the page of this worker what changed, over its port, and all other tabs over the BroadcastChannel.
 *
 * What one call changes goes out in one message, so that a sealed draft and its entry reach the screen together; and before the
 * answer to the call, so that who awaits a write finds it in the live queries. What other tabs announce comes to the page through
 * here too, after the store has heard it: were the page told directly, it could ask a store that does not know yet.
 */
export function announceChanges(name: string, port: Pick<MessagePort, 'postMessage'>): Announcer {
  const channel = openChannel(`keepsession:${name}`)
  let waiting: StoreChange[] = []

  let forTabs: StoreChange[] = []

  const tell = (changes: readonly StoreChange[]): void => port.postMessage({ keepsession: 'changes', changes } satisfies ChangesMessage)

  function tellTabs(): void {
    for (const change of forTabs) if (!isOfOneTab(change)) channel?.postMessage(change)
    forTabs = []
  }

  function flush(): void {
    if (waiting.length === 0) return
    tell(waiting)
    // After the answer: to hand it to other processes takes as long as to plan an append.
    if (forTabs.length === 0) setTimeout(tellTabs)
    pushAll(forTabs, waiting)
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
      tell([data])
    }
  }
  return {
    add: (change) => {
      // For changes that no call waits for.
      if (waiting.push(change) === 1) setTimeout(flush)
    },
    flush,
    hear: (changes) => changes.forEach(first),
    lose: (reason) => port.postMessage({ keepsession: 'lost', reason } satisfies LostMessage),
    tellMirror: (mirror) => port.postMessage({ keepsession: 'mirror', mirror } satisfies MirrorMessage),
    ...(channel === undefined ? {} : { follow }),
    mend: (key) =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = ({ data }: MessageEvent<MendedRows | undefined>) => {
          port1.close()
          resolve(data)
        }
        port.postMessage({ keepsession: 'mend', key } satisfies MendMessage, [port2])
      }),
    close: () => {
      flush()
      tellTabs()
      channel?.close()
    },
  }
}

/** That a tab is old says nothing of the others. */
const isOfOneTab = (change: StoreChange): boolean => change.type === 'notice' && change.name === 'upgradeRequired'

/** Absent in old browsers, refused in opaque origins: such tabs don't hear of each other. */
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

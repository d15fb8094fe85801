import { expose } from 'comlink'
import type { ChangeSink } from '../src/contract/change.ts'
import type { EncryptionState } from '../src/contract/encryption.ts'
import { SessionError } from '../src/contract/errors.ts'
import type { MirrorState } from '../src/contract/mirror.ts'
import type { CoreStore } from '../src/contract/store/session-store.ts'
import type { FailedMessage, OpenMessage, ProtocolVersion, ReadyMessage } from '../src/contract/worker-protocol.ts'
import { given } from '../src/domain/given.ts'
import { namesOf } from '../src/domain/names-of.ts'
import { drawBoot } from '../src/mirror/draw-boot.ts'
import type { Keys } from '../src/sealing/open-keys.ts'
import { type Announcer, announceChanges } from './announce-changes.ts'
import { guardPort } from './guard-port.ts'
import { hostStore } from './host-store.ts'
import { holdLifeSign, type LifeSign } from './life-sign.ts'
import { useBucket } from './use-bucket.ts'
import { toWireError } from './wire-error.ts'

const protocol: ProtocolVersion = 1

/** A store that was opened for a page. */
interface OpenedStore {
  readonly store: CoreStore
  /** Has the database what was answered so far. Absent for stores without a journal. */
  readonly fold?: () => Promise<void>
  /** Absent for stores that are not encrypted. */
  readonly relock?: Keys['relock']
  /** Drawn when the database was created. Absent for stores without such a mark. */
  readonly epoch?: string
  readonly mirror?: MirrorState
  readonly encryption?: EncryptionState
}

export type OpenStore = (request: OpenMessage, changes: Announcer) => Promise<OpenedStore>

/** Opens a store for a page and lets it call the store over the port. The first answer is `ready` or `failed`. */
export async function servePage(port: MessagePort, request: OpenMessage, openStore: OpenStore): Promise<void> {
  const changes = announceChanges(request.name, port)
  let holding: Promise<LifeSign> | undefined
  try {
    if (request.protocol !== protocol) {
      throw new SessionError(
        'StorageUnavailable',
        `The page uses protocol ${request.protocol}, the worker ${protocol}: they are of different releases. Serve both from one.`,
      )
    }
    await useBucket(request.bucket)
    let giveUp: (() => void) | undefined
    const add: ChangeSink = (change) => {
      if (giveUp !== undefined && change.type === 'notice' && change.name === 'dataLost') giveUp()
      else changes.add(change)
    }
    // Taken while the store opens.
    holding = holdLifeSign(`${namesOf(request.name)}:worker:${drawBoot()}`)
    const { store, fold, relock, epoch, mirror, encryption } = await openStore(request, { ...changes, add })
    const lifeSign = await holding
    // A store whose database is gone refuses every call. Then the page starts another worker: it knows whether a mirror
    // can fill a new database, and what is missing otherwise. The lock tells the page. This does not apply to a job
    // worker, which nobody watches.
    if (mirror !== undefined) giveUp = lifeSign.lock === undefined ? () => changes.lose('') : lifeSign.drop
    const onClose = (): void => {
      changes.close()
      lifeSign.drop()
    }
    const hosted = hostStore({ ...store, ...given({ fold, relock }) }, { onAnswer: changes.flush, onClose })
    expose(hosted, guardPort(port, Object.keys(hosted), changes.receive))
    port.postMessage(
      given({
        keepsession: 'ready' as const,
        protocol,
        lock: lifeSign.lock,
        epoch,
        mirror,
        encryption,
      }) satisfies ReadyMessage,
    )
  } catch (error) {
    void holding?.then(({ drop }) => drop())
    changes.close()
    port.postMessage({ keepsession: 'failed', protocol, ...toWireError(error) } satisfies FailedMessage)
  }
}

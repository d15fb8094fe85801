import { SessionError } from '../contract/errors.ts'
import { checkNamespace } from './check-namespace.ts'
import type { RotationReport } from './encryption/rotate-keys.ts'
import type { SyncKeys } from './encryption/sync-keys.ts'
import type { KeyChangeOptions } from './key-change-options.ts'
import type { SyncTransport } from './link.ts'
import type { KeyChange } from './sync-contract.ts'

export interface KeyChangerOptions extends Omit<KeyChangeOptions, 'state' | 'from' | 'to' | 'onProgress' | 'signal'> {
  /** The keys that are in use. */
  readonly keys: () => SyncKeys | undefined
  readonly isClosed: () => boolean
  /** The change has begun. Resolves when everything that was open is closed, with the list as it is then. */
  readonly onBegin: () => Promise<Uint8Array>
  /** Continues with these keys. Never rejects. */
  readonly continueWith: (keys: SyncKeys | undefined) => Promise<void>
  /** The change has ended, in whatever way. */
  readonly onEnd: () => void
}

/** Moves everything to another key while nothing else is done. */
export interface KeyChanger {
  change(to: SyncKeys, how?: KeyChange): Promise<RotationReport>
  /** Stops a change that is running. Settles when it has ended. */
  stop(): Promise<unknown> | undefined
}

export function createKeyChanger({
  keys,
  isClosed,
  onBegin,
  continueWith,
  onEnd,
  ...options
}: KeyChangerOptions): KeyChanger {
  let under: { readonly controller: AbortController; readonly done: Promise<unknown> } | undefined
  return {
    stop: () => {
      under?.controller.abort()
      return under?.done
    },
    change: async (to, { from = keys(), onProgress, signal } = {}) => {
      if (isClosed()) throw new SessionError('StorageClosed', 'Sync was closed.')
      checkKeys(from, to)
      checkTransport(options.transport)
      if (under !== undefined)
        throw new SessionError('InvalidInput', 'The key is being changed already. Wait for that.')
      for (const given of [from, to]) checkNamespace(options.namespace, given)
      const controller = new AbortController()
      const stop = (): void => controller.abort()
      signal?.addEventListener('abort', stop)
      if (signal?.aborted === true) stop()
      let isOver = false
      let release!: (state: Promise<Uint8Array>) => void
      const released = new Promise<Uint8Array>((resolve) => (release = resolve))
      const done = Promise.resolve().then(async () =>
        (await import('./change-keys.ts')).changeKeys({
          ...options,
          state: await released,
          from,
          to,
          onProgress,
          signal: controller.signal,
        }),
      )
      under = { controller, done }
      // Not before it can be stopped.
      release(onBegin())
      try {
        const result = await done
        isOver = true
        return result
      } finally {
        signal?.removeEventListener('abort', stop)
        if (!isClosed()) await continueWith(isOver ? to : keys())
        under = undefined
        onEnd()
      }
    },
  }
}

function checkKeys(from: SyncKeys | undefined, to: SyncKeys): asserts from is SyncKeys {
  if (from === undefined)
    throw new SessionError(
      'InvalidInput',
      'This sync has no key that could be changed. Close it, and open it with keys.',
    )
  for (const given of [from, to] as readonly Partial<SyncKeys | null>[])
    if (typeof given?.id !== 'string')
      throw new SessionError('InvalidInput', 'A change of keys needs keys from openSyncKeys.')
}

function checkTransport({ onAsked }: SyncTransport): void {
  if (onAsked === undefined) return
  throw new SessionError(
    'InvalidInput',
    'Among peers, nobody keeps documents that could be moved to another key. Sign out on every device, and open sync with the new key then.',
  )
}

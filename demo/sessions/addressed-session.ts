import type { Session, SessionClient } from '../../src/index.ts'
import { addressedKey, sessionAddress } from '../ui/route.ts'
import type { Toasts } from '../ui/toasts.ts'

export interface AddressedSessionOptions {
  readonly client: SessionClient
  readonly toasts: Toasts
  /** Another session is shown from now on. */
  readonly onOpened: (session: Session) => void
}

/** The session that the address names, or a new one where it names none. */
export interface AddressedSession {
  /** The one that is open; none before the first. */
  current(): Session | undefined
  /** The one that is open once what is being opened is; `undefined` where the first could not be opened. */
  opened(): Promise<Session | undefined>
  /** Opens what the address names. @returns whether that is open now */
  follow(): Promise<boolean>
  goTo(key: string): Promise<boolean>
  goToNew(): Promise<boolean>
}

export function createAddressedSession({ client, toasts, onOpened }: AddressedSessionOptions): AddressedSession {
  let session: Session | undefined
  let opening: Promise<boolean> = Promise.resolve(false)

  async function open(): Promise<boolean> {
    const key = addressedKey()
    if (key !== undefined && key === session?.key) return true
    try {
      const opened = await client.session(key)
      if (addressedKey() !== key) {
        void opened.close()
        return false
      }
      void session?.close()
      session = opened
      // A new session gets its key only now; a reload must find it again.
      history.replaceState(null, '', sessionAddress(opened.key))
      onOpened(opened)
      return true
    } catch (error) {
      toasts.fail('The conversation could not be opened', error)
      return false
    }
  }

  const follow = (): Promise<boolean> => (opening = open())

  function goToAddress(address: string): Promise<boolean> {
    history.pushState(null, '', address)
    return follow()
  }

  return {
    current: () => session,
    async opened() {
      await opening
      return session
    },
    follow,
    goTo: (key) => (key === session?.key ? follow() : goToAddress(sessionAddress(key))),
    goToNew: () => goToAddress(location.pathname + location.search),
  }
}

import { isSessionError } from '../../src/index.ts'
import type { DeviceSyncSnapshot, SyncStatus } from '../../src/sync.ts'
import { counted } from '../ui/format.ts'
import type { IconName } from '../ui/icons.ts'

/** How sync stands, for people. */
export interface SyncWords {
  readonly state: SyncStatus['state'] | 'off'
  readonly word: string
  readonly icon: IconName
  /** A sentence. */
  readonly text: string
}

const words: Readonly<Record<SyncWords['state'], readonly [word: string, icon: IconName, text: string]>> = {
  off: ['Sync off', 'cloudOff', 'Conversations are on this device only.'],
  closed: ['Sync off', 'cloudOff', 'Conversations are on this device only.'],
  connecting: ['Connecting', 'sync', 'Looking for the server.'],
  syncing: ['Syncing', 'sync', 'Exchanging what is new.'],
  synced: ['Synced', 'cloud', 'This device and the server have the same.'],
  offline: ['Offline', 'cloudOff', 'The server can’t be reached. It is tried again by itself.'],
  wrongKey: [
    'Wrong key',
    'lock',
    'What is on the server is sealed with another key. Nothing was sent. Pair this device again, by a QR code or link.',
  ],
  denied: ['Denied', 'alert', 'The server does not take this token.'],
  readonly: ['Read only', 'lock', 'What others write comes; what is written here waits.'],
  error: ['Trouble', 'alert', 'Something went wrong. It is tried again by itself.'],
  paused: ['Paused', 'pause', 'Nothing is exchanged until you go on.'],
}

const refusals: ReadonlyMap<string, string> = new Map([
  ['token-expired', 'The token has expired.'],
  ['bad-name', 'The server takes no namespace of this name.'],
])

export function syncWords(snapshot: DeviceSyncSnapshot | undefined): SyncWords {
  const { message, pending = 0, progress }: Partial<SyncStatus> = snapshot?.status ?? {}
  const state = snapshot?.status.state ?? 'off'
  const [word, icon] = words[state]
  const isCounted = state === 'syncing' && progress !== undefined && progress.total > 1
  return {
    state,
    word: isCounted ? `${word} ${progress.done}/${progress.total}` : word,
    icon,
    text: `${textOf(state, message)}${pending > 0 ? ` ${counted(pending, 'conversation')} waiting.` : ''}`,
  }
}

/** Why the server, or this device, refuses to sync at all; `undefined` for other errors. */
export function refusalText(error: unknown, { status }: DeviceSyncSnapshot): string | undefined {
  if (isSessionError(error, 'AccessDenied'))
    return textOf('denied', status.state === 'denied' ? status.message : undefined)
  return isSessionError(error, 'WrongPassphrase') ? textOf('wrongKey', error.message) : undefined
}

function textOf(state: SyncWords['state'], message: string | undefined): string {
  const [, , text] = words[state]
  // The server gives its reason in a word.
  if (state === 'denied') return refusals.get(message ?? '') ?? text
  // Nobody chooses a passphrase for sync here.
  return (message ?? text).replace(/, or ask for the (new )?passphrase/, ', by a QR code or link')
}

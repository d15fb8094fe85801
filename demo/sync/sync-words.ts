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
  syncing: ['Syncing', 'sync', 'Exchanging changes.'],
  synced: ['Synced', 'cloud', 'This device and the server have the same conversations.'],
  offline: ['Offline', 'cloudOff', 'The server can’t be reached. The app keeps trying.'],
  wrongKey: [
    'Wrong key',
    'lock',
    'The data on the server is encrypted with another key. Nothing was sent. Pair this device again, by QR code or link.',
  ],
  denied: ['Denied', 'alert', 'The server does not accept this token.'],
  readonly: ['Read only', 'lock', 'Changes from other devices arrive. Changes made here wait.'],
  error: ['Error', 'alert', 'Something went wrong. The app keeps trying.'],
  paused: ['Paused', 'pause', 'Nothing is exchanged until you resume.'],
}

const refusals: ReadonlyMap<string, string> = new Map([
  ['token-expired', 'The token has expired.'],
  ['bad-name', 'The server does not accept a namespace with this name.'],
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
  return (message ?? text).replace(/, or ask for the (new )?passphrase/, ', by QR code or link')
}

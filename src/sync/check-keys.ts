import { writeKeyRecord } from './encryption/key-record.ts'
import { keyStanding } from './encryption/key-standing.ts'
import type { SyncKeys } from './encryption/sync-keys.ts'
import type { KeyMarks } from './index-document.ts'

/** Whether this device may take part with the keys that it has. */
export type KeyCheck =
  /** `record`: to be published before anything else. `notice`: what somebody should know. */
  | { readonly isRight: true; readonly record?: Uint8Array; readonly notice?: string }
  | { readonly isRight: false; readonly message: string }

/** Holds the keys that are here against what the list of the other side says of keys. */
export async function checkKeys({ records, sealed, plain }: KeyMarks, keys: SyncKeys | undefined, namespace: string): Promise<KeyCheck> {
  const name = JSON.stringify(namespace)
  if (keys === undefined) {
    if (records.length === 0 && sealed === 0) return { isRight: true }
    return { isRight: false, message: `The sessions of ${name} are encrypted, and this device has no key. Nothing was sent. Pair it with a device that has the key, or ask for the passphrase.` }
  }
  const standing = await keyStanding(records, [keys])
  const wrong = { isRight: false, message: `The sessions of ${name} are encrypted with another key than the one of this device. Nothing was sent. Pair it again, or ask for the passphrase.` } as const
  if (standing.state === 'first') {
    if (sealed > 0) return wrong
    const left = plain > 0 ? { notice: `Of ${name}, ${plain} sessions are in the clear on the server, from before it was encrypted. They stay there until somebody deletes them.` } : {}
    return { isRight: true, record: await writeKeyRecord(keys), ...left }
  }
  if (standing.state === 'wrongKey') return wrong
  if (standing.state !== 'current') {
    return { isRight: false, message: `The key of ${name} was changed on another device (to ${standing.keyIds.join(', ')}). Nothing more is sent with the old one. Pair this device again, or ask for the new passphrase.` }
  }
  if (standing.rivals.length === 0) return { isRight: true }
  return { isRight: true, notice: `Other devices of ${name} use other keys (${standing.rivals.join(', ')}): they and this one don't see each other's sessions. Pair one with the other and change the key to theirs.` }
}

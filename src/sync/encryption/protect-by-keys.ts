import type { KeyMarks } from '../index-codec.ts'
import type { KeyCheck } from '../key-check.ts'
import type { Protection } from '../protection.ts'
import { writeKeyRecord } from './key-record.ts'
import { keyStanding } from './key-standing.ts'
import { sealedBlobs } from './sealed-blobs.ts'
import { sealedCodec } from './sealed-codec.ts'
import type { SyncKeys } from './sync-keys.ts'

/** Seals everything. */
export function protectByKeys(keys: SyncKeys): Protection {
  return {
    codec: sealedCodec([keys]),
    over: (blobs) => sealedBlobs(keys, blobs),
    check: (marks) => checkKeys(marks, keys),
  }
}

async function checkKeys({ records, sealed, plain }: KeyMarks, keys: SyncKeys): Promise<KeyCheck> {
  const name = JSON.stringify(keys.namespace)
  const standing = await keyStanding(records, [keys])
  const wrong = {
    isRight: false,
    message: `The sessions of ${name} are encrypted with another key than the one of this device. Nothing was sent. Pair it again, or ask for the passphrase.`,
  } as const
  if (standing.state === 'first') {
    if (sealed > 0) return wrong
    const left =
      plain > 0
        ? {
            notice: `${plain} sessions of ${name} are not encrypted on the server, because they are older than its encryption. They stay there until somebody deletes them.`,
          }
        : {}
    return { isRight: true, record: await writeKeyRecord(keys), ...left }
  }
  if (standing.state === 'wrongKey') return wrong
  if (standing.state !== 'current') {
    return {
      isRight: false,
      message: `The key of ${name} was changed on another device (to ${standing.keyIds.join(', ')}). Nothing more is sent with the old one. Pair this device again, or ask for the new passphrase.`,
    }
  }
  if (standing.rivals.length === 0) return { isRight: true }
  return {
    isRight: true,
    notice: `Other devices of ${name} use other keys (${standing.rivals.join(', ')}): they and this one don't see each other's sessions. Pair one with the other and change the key to theirs.`,
  }
}

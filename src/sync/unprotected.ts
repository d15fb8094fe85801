import { plainCodec } from './plain-codec.ts'
import type { Protection } from './protection.ts'

/** Nothing is encrypted. */
export function unprotected(namespace: string): Protection {
  return {
    codec: plainCodec,
    over: (blobs) => blobs,
    check: async ({ records, sealed }) => {
      if (records.length === 0 && sealed === 0) return { isRight: true }
      return {
        isRight: false,
        message: `The sessions of ${JSON.stringify(namespace)} are encrypted, and this device has no key. Nothing was sent. Pair it with a device that has the key, or ask for the passphrase.`,
      }
    },
  }
}

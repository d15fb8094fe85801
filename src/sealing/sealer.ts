import { fromBase64, toBase64 } from '../domain/base64.ts'
import { decrypt, encrypt } from './cipher.ts'
import type { DataKey } from './data-key.ts'
import type { Keys } from './open-keys.ts'

/** Sealed content can't be opened: it was damaged, or it belongs to another place. */
export class Unsealable extends Error {}

/** Length of a token in bytes, which is enough that no two ids share one. */
const tokenBytes = 18

/** Seals texts and opens them. A sealed text names its key: `<key>.<base64>`. */
export interface Sealer {
  /** Whether new content must be sealed. Otherwise the store is being decrypted. */
  isSealing(): boolean
  /** @param place - where the text belongs. It can't be opened for another place */
  seal(text: string, place: string): Promise<string>
  /** @throws Unsealable, WrongPassphrase */
  open(sealed: string, place: string): Promise<string>
  sealBytes(bytes: Uint8Array<ArrayBuffer>, place: string, key: string): Promise<Uint8Array<ArrayBuffer>>
  /** @throws Unsealable, WrongPassphrase */
  openBytes(bytes: Uint8Array<ArrayBuffer>, place: string, key: string): Promise<Uint8Array<ArrayBuffer>>
  /** A token that stands for a text which is only compared, never read. */
  token(text: string): Promise<string>
  /** The tokens of a text under each key that was ever used. */
  tokens(text: string): Promise<readonly string[]>
  /** Id of the current key; `''` when there is none. */
  keyId(): string
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function createSealer(keys: Keys): Sealer {
  const current = (): DataKey => keys.current()!

  async function tokenOf({ hmac }: DataKey, text: string): Promise<string> {
    return toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', hmac, encoder.encode(text)), 0, tokenBytes))
  }

  async function openBytes(
    bytes: Uint8Array<ArrayBuffer>,
    place: string,
    id: string,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const key = await keys.find(id)
    if (key === undefined) throw new Unsealable(`The keyring has no key "${id}".`)
    return decrypt(key.aes, bytes, place).catch(() => {
      throw new Unsealable(`The sealed content at "${place}" is damaged, or belongs to another place.`)
    })
  }

  return {
    isSealing: () => keys.current() !== undefined,
    keyId: () => keys.keyring().current,
    seal: async (text, place) => {
      const { id, aes } = current()
      return `${id}.${toBase64(await encrypt(aes, encoder.encode(text), place))}`
    },
    open: async (sealed, place) => {
      const [id, letters] = splitSealed(sealed)
      return decoder.decode(await openBytes(letters, place, id))
    },
    sealBytes: async (bytes, place, id) => encrypt((await keys.find(id))!.aes, bytes, place),
    openBytes,
    token: (text) => tokenOf(current(), text),
    tokens: (text) => Promise.all(keys.all().map((key) => tokenOf(key, text))),
  }
}

/** Id of the key that a text was sealed with. */
export const keyOfSealed = (sealed: string): string => sealed.slice(0, Math.max(0, sealed.indexOf('.')))

function splitSealed(sealed: string): [id: string, bytes: Uint8Array<ArrayBuffer>] {
  const id = keyOfSealed(sealed)
  try {
    return [id, fromBase64(sealed.slice(id.length + 1))]
  } catch {
    throw new Unsealable('The sealed content is not valid base64.')
  }
}

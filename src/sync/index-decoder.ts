import { isClockValid } from '../domain/clock.ts'
import { KeyMissing } from './encryption/key-missing.ts'
import type { IndexCodec } from './index-codec.ts'
import { readIndexValue } from './index-entry.ts'
import type { IndexElement } from './summarize-index.ts'

/** Decodes each element of the list once: a list of a thousand sessions changes a thousand times while it is made. */
export interface IndexDecoder {
  /** Decodes those that are new. Never rejects. */
  decode(elements: readonly unknown[]): Promise<void>
  /** A decoded element; `undefined` for what is no value of the list. */
  read(element: unknown): IndexElement | KeyMissing | undefined
}

export function createIndexDecoder(codec: IndexCodec): IndexDecoder {
  const decoded = new WeakMap<object, IndexElement | KeyMissing | null>()
  const isObject = (element: unknown): element is object => typeof element === 'object' && element !== null
  return {
    decode: async (elements) => {
      const fresh = elements.filter(isObject).filter((element) => !decoded.has(element))
      await Promise.all(
        fresh.map((element) => decodeElement(element, codec).then((read) => decoded.set(element, read ?? null))),
      )
    },
    read: (element) => (isObject(element) ? (decoded.get(element) ?? undefined) : undefined),
  }
}

async function decodeElement(element: object, codec: IndexCodec): Promise<IndexElement | KeyMissing | undefined> {
  if (!Array.isArray(element) || element.length !== 4) return undefined
  const [id, hp, hc, content] = element as readonly unknown[]
  if (typeof id !== 'string' || !Number.isSafeInteger(hp) || !Number.isSafeInteger(hc)) return undefined
  const clock = { hp: hp as number, hc: hc as number }
  if (clock.hp < 0 || clock.hc < 0 || !isClockValid(clock)) return undefined
  const found = await codec.read(id, clock, content)
  if (found instanceof KeyMissing) return found
  const value = readIndexValue(found)
  return value === undefined ? undefined : { id, entry: { ...value, ...clock } }
}

import type { TabWorld } from '../ground.ts'
import type { Acknowledged } from './append-forever.ts'

export interface Filling {
  readonly name: string
  readonly sessions: readonly string[]
  /** Entries in each. */
  readonly count: number
  /** Characters of an entry, which nothing can compress. */
  readonly size: number
  /** Of every so many entries one is so large that browsers keep it in a file of its own. */
  readonly largeEvery: number
  readonly isMirrored: boolean
}

/**
 * In a page: stores sessions of entries `<session>#<n> <random text>`, strict, and closes the store. Gives what was
 * acknowledged.
 */
export async function fill(
  { sdk }: TabWorld,
  { name, sessions, count, size, largeEvery, isMirrored }: Filling,
): Promise<readonly Acknowledged[]> {
  const random = (length: number): string => {
    const bytes = new Uint8Array(length)
    for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
    return Array.from(bytes, (byte) => String.fromCharCode(33 + (byte % 90))).join('')
  }
  const client = await sdk.openSessionStore({ name, mirror: isMirrored, timeoutMs: 30_000 })
  const acknowledged: Acknowledged[] = []
  for (let n = 0; n < count; n++) {
    for (const key of sessions) {
      const text = `${key}#${n} ${random(n % largeEvery === largeEvery - 1 ? 200_000 : size)}`
      await (await client.session(key)).append(
        { role: n % 2 === 0 ? 'user' : 'assistant', content: text },
        { durability: 'strict' },
      )
      acknowledged.push({ session: key, text })
    }
  }
  await client.close()
  return acknowledged
}

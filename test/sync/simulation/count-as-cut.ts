import { createRandom } from './random.ts'

interface Said {
  readonly id: string
  readonly at: number
}

/**
 * A device of the model: a set of messages in one order, and how many of them are hidden, the latest count of all
 * winning.
 */
interface ModelDevice {
  messages: readonly Said[]
  hidden: { readonly count: number; readonly at: number }
  /** What somebody who truncated saw and hid. */
  gone: ReadonlySet<string>
}

/**
 * PicoClaw's `Skip`, taken to several devices: truncation as "the first n are hidden". @returns whether a message was
 * hidden that nobody hid, or shown that somebody did
 */
export function countAsCutFails(seed: number): boolean {
  const random = createRandom(seed)
  const devices: ModelDevice[] = Array.from({ length: 3 }, () => ({
    messages: [],
    hidden: { count: 0, at: 0 },
    gone: new Set<string>(),
  }))
  for (let at = 1; at <= 45; at++) {
    const device = random.pick(devices)
    const event = random.weighted({ say: 60, truncate: 10, meet: 30 })
    if (event === 'say') device.messages = [...device.messages, { id: `${at}`, at }]
    else if (event === 'truncate') {
      const count = Math.max(device.hidden.count, device.messages.length - random.below(4))
      device.gone = new Set([...device.gone, ...device.messages.slice(0, count).map(({ id }) => id)])
      device.hidden = { count, at }
    } else meet(device, random.pick(devices))
  }
  for (let round = 0; round < 2; round++) for (const device of devices) for (const other of devices) meet(device, other)
  const [{ messages, hidden, gone }] = devices as [ModelDevice]
  return messages.some(({ id }, i) => i < hidden.count !== gone.has(id))
}

function meet(a: ModelDevice, b: ModelDevice): void {
  const messages = [...new Map([...a.messages, ...b.messages].map((said) => [said.id, said])).values()].sort(
    (x, y) => x.at - y.at,
  )
  const hidden = a.hidden.at > b.hidden.at ? a.hidden : b.hidden
  const gone = new Set([...a.gone, ...b.gone])
  Object.assign(a, { messages, hidden, gone })
  Object.assign(b, { messages, hidden, gone })
}

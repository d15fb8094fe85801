import type { Message } from '../../../contract/message.ts'

/** Makes a counter that counts each message only once, because an estimate reads the whole text. */
export function countOnce(countTokens: (message: Message) => number): (message: Message) => number {
  const counts = new Map<Message, number>()
  return (message) => {
    const known = counts.get(message)
    if (known !== undefined) return known
    const count = countTokens(message)
    counts.set(message, count)
    return count
  }
}

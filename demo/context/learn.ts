import type { JsonObject, Message } from '../../src/index.ts'
import { messageText } from '../chat/message-parts.ts'

/** What the local script can tell of a person: which words say it, and where it is noted. */
const signs: readonly { readonly says: RegExp; readonly name: string; readonly isList?: true }[] = [
  { says: /\bmy name is ([\p{L}' -]{2,40})/iu, name: 'name' },
  { says: /\bI live in ([\p{L}' -]{2,40})/iu, name: 'home' },
  { says: /\bI work (?:as|at) ([^.,!?\n]{2,60})/iu, name: 'work' },
  { says: /\bI (?:like|love|prefer) ([^.,!?\n]{2,60})/iu, name: 'likes', isList: true },
  { says: /\bremember (?:that )?([^.!?\n]{2,120})/iu, name: 'to_remember', isList: true },
]

/** Notes what people said of themselves. As much as a script can; a model does this better. */
export function learn(memo: JsonObject, messages: readonly Message[]): JsonObject {
  const learned: Record<string, JsonObject[string]> = { ...memo }
  for (const message of messages.filter(({ role }) => role === 'user')) {
    for (const { says, name, isList } of signs) {
      const found = says.exec(messageText(message))?.[1]?.trim()
      if (found === undefined) continue
      const before = learned[name]
      learned[name] =
        isList === undefined ? found : [...new Set([...(Array.isArray(before) ? (before as string[]) : []), found])]
    }
  }
  return learned
}

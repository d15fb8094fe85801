import * as Y from 'yjs'
import { rootName } from './projection.ts'

/** What an update from elsewhere holds, before anybody believes it. */
export interface UpdateContent {
  readonly elements: readonly { readonly w: number; readonly s: number; readonly content: unknown }[]
  /** Addresses that hold nothing any more: `[writer, from, to)`. */
  readonly holes: readonly (readonly [w: number, from: number, to: number])[]
  /** What is not allowed in a session's document, one line a finding. */
  readonly refused: readonly string[]
}

/**
 * Takes an update apart without applying it. Allowed is what `createProjection` makes: plain content that client c pushed behind its own in root
 * `w:c`. Deletions are read as holes in the structs; a delete set alone says nothing, because nobody deletes what is here from elsewhere.
 *
 * @throws when the bytes are no update
 */
export function readUpdate(update: Uint8Array): UpdateContent {
  const elements: { w: number; s: number; content: unknown }[] = []
  const holes: (readonly [number, number, number])[] = []
  const refused: string[] = []
  for (const struct of Y.decodeUpdate(update).structs) {
    const { client, clock } = struct.id
    const { length } = struct
    if (!Number.isSafeInteger(client) || !Number.isSafeInteger(clock + length)) refused.push('a struct whose place is no pair of safe integers')
    else if (struct instanceof Y.GC) holes.push([client, clock, clock + length])
    else if (struct instanceof Y.Item) {
      const problem = problemOf(struct)
      if (problem !== undefined) refused.push(`${client}:${clock}: ${problem}`)
      else if (struct.content instanceof Y.ContentDeleted) holes.push([client, clock, clock + length])
      else struct.content.getContent().forEach((content: unknown, i: number) => elements.push({ w: client, s: clock + i, content }))
    }
    // What is left is a skip: nothing is said about that range.
  }
  return { elements, holes, refused }
}

/** Tuples, bytes where they are sealed, and what is deleted. */
const kinds = [Y.ContentAny, Y.ContentBinary, Y.ContentDeleted] as const

/** Struct by struct what Yjs makes of pushes of one client to its own root array. */
function problemOf(item: Y.Item): string | undefined {
  const { client, clock } = item.id
  if (item.parentSub !== null) return 'it is a member of a map'
  if (!kinds.some((kind) => item.content instanceof kind)) return 'its content is of a kind that is not used here'
  if (item.rightOrigin !== null) return 'it was put before something'
  if (item.origin === null) return clock === 0 && (item.parent as unknown) === rootName(client) ? undefined : 'it does not begin the array of its writer'
  return item.origin.client === client && item.origin.clock === clock - 1 ? undefined : 'it does not follow on what its writer made before'
}

import * as Y from 'yjs'
import { rootName } from './projection.ts'

/** The content of an update from elsewhere, before it is trusted. */
export interface UpdateContent {
  readonly elements: readonly { readonly w: number; readonly s: number; readonly content: unknown }[]
  /** Addresses that are empty: `[writer, from, to)`. */
  readonly holes: readonly (readonly [w: number, from: number, to: number])[]
  /** What is not allowed in a session's document, one finding per line. */
  readonly refused: readonly string[]
}

/**
 * Parses an update without applying it. Only what `createProjection` makes is allowed: plain content that client c
 * pushed behind its own content in root `w:c`. Deletions are read as holes in the structs. A delete set alone means
 * nothing, because other devices never delete what is here.
 *
 * @throws when the bytes are not an update
 */
export function readUpdate(update: Uint8Array): UpdateContent {
  const elements: { w: number; s: number; content: unknown }[] = []
  const holes: (readonly [number, number, number])[] = []
  const refused: string[] = []
  for (const struct of Y.decodeUpdate(update).structs) {
    const { client, clock } = struct.id
    const { length } = struct
    if (!Number.isSafeInteger(client) || !Number.isSafeInteger(clock + length))
      refused.push('a struct whose place is not a pair of safe integers')
    else if (struct instanceof Y.GC) holes.push([client, clock, clock + length])
    else if (struct instanceof Y.Item) {
      const problem = problemOf(struct)
      if (problem !== undefined) refused.push(`${client}:${clock}: ${problem}`)
      else if (struct.content instanceof Y.ContentDeleted) holes.push([client, clock, clock + length])
      else
        struct.content
          .getContent()
          .forEach((content: unknown, i: number) => elements.push({ w: client, s: clock + i, content }))
    }
    // The remaining kind is a skip, which says nothing about its range.
  }
  return { elements, holes, refused }
}

/** Tuples, bytes for sealed entries, and deleted content. */
const kinds = [Y.ContentAny, Y.ContentBinary, Y.ContentDeleted] as const

/** Checks one struct: what Yjs makes when a client pushes to its own root array. */
function problemOf(item: Y.Item): string | undefined {
  const { client, clock } = item.id
  if (item.parentSub !== null) return 'it is a member of a map'
  if (!kinds.some((kind) => item.content instanceof kind)) return 'its content is of an unknown kind'
  if (item.rightOrigin !== null) return 'it was inserted before something'
  if (item.origin === null)
    return clock === 0 && (item.parent as unknown) === rootName(client)
      ? undefined
      : 'it does not begin the array of its writer'
  return item.origin.client === client && item.origin.clock === clock - 1
    ? undefined
    : 'it does not follow the previous element of its writer'
}

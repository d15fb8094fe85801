import type { Entry } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import { canonicalJson } from './canonical-json.ts'
import { hash53 } from './hash53.ts'
import { layOut, stepNodes } from './import-layout.ts'
import type { ImportNode } from './import-node.ts'
import { parentsFirst } from './parents-first.ts'
import { sealEntry } from './seal.ts'
import { atOnce } from './steps.ts'

/**
 * Turns a foreign tree into entries. It is deterministic, so that the same file read twice or on two devices gives the
 * same entries, and a file that grew adds only what is new: nodes with a known `mid` are left out. The writer is a hash
 * of the source and of everything added, so that two different results never share an address.
 *
 * Parents come first, and the first entry of a cycle in the file becomes a root. The first child continues its parent's
 * branch while the parent is the tip; every other child and every further root opens a branch. A root that names an
 * unknown parent opens one too, which keeps the name (`fork.id`). A user's message opens a turn, and everything else
 * continues it. The line of the leaf becomes the head.
 *
 * @param source - id of the session in its source
 * @param known - existing entries, by `mid`
 * @param leaf - id of the node whose line becomes the head, if it is new; default: the last node
 */
export function importTree(
  source: string,
  nodes: readonly ImportNode[],
  known: ReadonlyMap<string, Entry> = new Map(),
  leaf?: string,
): readonly Entry[] {
  return atOnce(importTreeInSteps(source, nodes, known, leaf))
}

/** {@link importTree} in steps, so that other work can run in between: yields after every few nodes. */
export function* importTreeInSteps(
  source: string,
  nodes: readonly ImportNode[],
  known: ReadonlyMap<string, Entry>,
  leaf = nodes.at(-1)?.id,
): Generator<void, readonly Entry[], undefined> {
  const links = parentsFirst(nodes)
  const draft = yield* layOut(0, links, leaf, known)
  if (draft.length === 0) return []
  let writer = hash53(source)
  for (const [i, entry] of draft.entries()) {
    writer = hash53(`${writer} ${canonicalJson(entry as unknown as JsonObject)}`)
    if (i % stepNodes === 0) yield
  }
  const entries: Entry[] = []
  for (const entry of yield* layOut(writer, links, leaf, known)) {
    if (entries.push(sealEntry(entry)) % stepNodes === 0) yield
  }
  return entries
}

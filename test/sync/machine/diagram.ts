import { readFileSync } from 'node:fs'

/** The moves of the diagram in docs/sync.md, as `from --> to: event`, with its groups of phases spelled out. */
export function drawnMoves(): ReadonlySet<string> {
  const text = readFileSync(new URL('../../../docs/sync.md', import.meta.url), 'utf8')
  const diagram = /```mermaid\nstateDiagram-v2\n([\s\S]*?)```/.exec(text)![1]!
  const groups = new Map<string, Set<string>>()
  const arrows: { readonly from: string; readonly to: string; readonly events: readonly string[] }[] = []
  let group: Set<string> | undefined
  for (const line of diagram.split('\n')) {
    const [, name] = /^ *state (\w+) \{$/.exec(line) ?? []
    if (name !== undefined) groups.set(name, (group = new Set()))
    if (line.trim() === '}') group = undefined
    const [, from, to, events] = /^ *(\w+) --> (\w+): (.+)$/.exec(line) ?? []
    if (from === undefined || to === undefined) continue
    group?.add(from).add(to)
    arrows.push({ from, to, events: events!.split(', ') })
  }
  const phasesOf = (name: string): readonly string[] => [...(groups.get(name) ?? [name])]
  return new Set(
    arrows.flatMap(({ from, to, events }) =>
      phasesOf(from).flatMap((a) => phasesOf(to).flatMap((b) => events.map((event) => `${a} --> ${b}: ${event}`))),
    ),
  )
}

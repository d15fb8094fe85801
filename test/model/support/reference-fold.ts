import type { Entry, Fork, MetaTarget, SequenceRanges, VersionVector } from '../../../src/contract/entry.ts'
import type { JsonValue } from '../../../src/contract/json.ts'
import type { View } from '../../../src/contract/store/session-log.ts'

/** An entry on a line, with what it says now. */
export interface ReferenceRow {
  readonly entry: Entry
  /** The data, edits applied; `null` when it was removed. */
  readonly value: Entry['data'] | null
}

/** What a set of entries means. */
export interface ReferenceFold {
  readonly head: string
  readonly branches: readonly string[]
  readonly resolvable: (branch: string) => boolean
  readonly deleted: boolean
  readonly fields: Readonly<Record<string, JsonValue>>
  readonly checkpoints: readonly string[]
  readonly newer: Readonly<Record<string, number>>
  readonly line: (branch: string, view: View) => readonly ReferenceRow[]
  /** Rows of a checkpoint's line that no cut hides, removed ones too. */
  readonly checkpointLine: (checkpoint: string, view: View) => readonly ReferenceRow[]
  readonly summary: (branch: string) => string
  /** The first text of a user that is to be seen. */
  readonly auto: { readonly order: string; readonly title: string } | undefined
  readonly createdAt: number
}

interface Cut {
  readonly entry: Entry
  readonly order: string
  readonly vv: VersionVector
}

interface Chain {
  readonly ids: readonly string[]
  /** The fork of each branch after the first, and the clock bound of the cuts it lets through. */
  readonly forks: readonly { readonly fork: Fork; readonly from: string; readonly bound: string }[]
}

const controlTypes = [
  'branch',
  'head',
  'cut',
  'compaction',
  'edit',
  'meta',
  'checkpoint',
  'delete',
  'undelete',
  'purge',
]

/**
 * The rules of the fold, written down once more as literally as they allow and without a line of the code under test.
 * Slow on purpose.
 */
export function referenceFold(entries: Iterable<Entry>): ReferenceFold {
  const all = [...entries].sort(byOrder)
  const of = (type: string): Entry[] => all.filter((entry) => entry.type === type)

  const purges = of('purge').map((entry) => entry.data['ranges'] as SequenceRanges)
  const isPurged = (entry: Entry): boolean =>
    purges.some((ranges) => (ranges[writerText(entry.w)] ?? []).some(([from, to]) => entry.s >= from && entry.s < to))
  const positional = all.filter((entry) => !controlTypes.includes(entry.type) && !isPurged(entry))

  // `all` is ascending, so the last one wins.
  const fields: Record<string, JsonValue> = {}
  const deletedTargets = new Map<string, boolean>()
  for (const { data } of of('meta')) {
    const target = data['target'] as MetaTarget | undefined
    const set = data['set'] as Record<string, JsonValue>
    if (target === undefined) Object.assign(fields, set)
    else if ('deleted' in set) {
      const { branch, checkpoint, branches = [], checkpoints = [] } = target
      for (const id of branch === undefined ? branches : [branch]) deletedTargets.set(`b${id}`, set['deleted'] === true)
      for (const id of checkpoint === undefined ? checkpoints : [checkpoint])
        deletedTargets.set(`c${id}`, set['deleted'] === true)
    }
  }
  const summaryAt =
    of('meta')
      .filter(({ data }) => data['target'] === undefined && 'summary' in (data['set'] as object))
      .at(-1)?.order ?? ''
  // Of a summary that was cleared, purges say when it was set.
  const forgotten = of('purge').flatMap(({ order, data }) => {
    const clock = data['summary']
    return typeof clock === 'string' && clock.length === order.length && clock < order ? [clock] : []
  })
  if (forgotten.some((clock) => clock >= summaryAt)) fields['summary'] = null
  const deletion = all.filter(({ type }) => type === 'delete' || type === 'undelete').at(-1)
  const edits = new Map<string, Entry['data'] | null>()
  for (const { data } of of('edit'))
    edits.set(`${data['branch']} ${data['order']}`, data['value'] as Entry['data'] | null)
  const row = (entry: Entry): ReferenceRow => {
    const edit = edits.get(`${entry.branch} ${entry.order}`)
    return { entry, value: edit === undefined ? entry.data : edit }
  }

  const openers = new Map(of('branch').map((entry) => [idOf(entry), entry]))
  const chainOf = (branch: string): Chain | undefined => {
    const ids = [branch]
    const forks: Chain['forks'][number][] = []
    for (let at = branch, above = '~'; at !== ''; ) {
      const opener = openers.get(at)
      if (opener === undefined || opener.order >= above) return undefined
      const fork = opener.data['fork'] as unknown as Fork
      above = opener.order
      at = fork.branch
      ids.unshift(at)
      forks.unshift({ fork, from: opener.order, bound: fork.cuts ?? opener.order })
    }
    return { ids, forks }
  }

  // Branches deleted by name are passed over.
  let head = ''
  for (const entry of all) {
    const branch =
      entry.type === 'head'
        ? (entry.data['branch'] as string)
        : entry.type === 'branch' && entry.data['head'] === true
          ? idOf(entry)
          : undefined
    if (branch !== undefined && chainOf(branch) !== undefined && deletedTargets.get(`b${branch}`) !== true)
      head = branch
  }
  const headClock =
    all
      .filter(
        (entry) =>
          (entry.type === 'head' && entry.data['branch'] === head) ||
          (entry.type === 'branch' && entry.data['head'] === true && idOf(entry) === head),
      )
      .at(-1)?.order ?? ''

  const segmentOf = (chain: Chain, entry: Entry): number => {
    const i = chain.ids.indexOf(entry.branch)
    if (i < 0) return -1
    const low = i === 0 ? '' : chain.forks[i - 1]!.from
    // A branch may leave its parent's line before the parent's own first entry.
    const ends = chain.forks.slice(i).map(({ fork, from }) => smaller(fork.order, from))
    if (!(low < entry.order && ends.every((end) => entry.order <= end))) return -1
    return chain.forks.slice(i).every(({ fork }) => fork.vv === undefined || saw(fork.vv, entry)) ? i : -1
  }

  const covering = (chain: Chain, type: 'cut' | 'compaction'): { cut: Cut; upTo: number }[] =>
    of(type).flatMap((entry) => {
      if (type === 'compaction' && isPurged(entry)) return []
      const upTo = chain.ids.indexOf(entry.branch)
      const end = smaller(entry.data['order'] as string, entry.order)
      // A summary tells of everything up to its end: of a branch that leaves before that, it tells what never happened
      // there.
      const tellsTrue =
        type === 'cut' || chain.forks.slice(upTo).every(({ fork }) => fork.vv !== undefined || end <= fork.order)
      const applies =
        upTo >= 0 &&
        tellsTrue &&
        chain.forks
          .slice(upTo)
          .every(({ fork, bound }) => entry.order <= bound && (fork.vv === undefined || saw(fork.vv, entry)))
      return applies
        ? [{ cut: { entry, order: entry.data['order'] as string, vv: entry.data['vv'] as VersionVector }, upTo }]
        : []
    })

  const clearsOf = (chain: Chain): Cut[] =>
    covering(chain, 'cut').flatMap(({ cut }) => (cut.entry.data['clears'] ? [cut] : []))

  // A compaction that did not know of a clearing is cleared, whichever was later.
  const activeCompaction = (chain: Chain): { cut: Cut; upTo: number } | undefined => {
    const clears = clearsOf(chain)
    return covering(chain, 'compaction').findLast(({ cut }) => clears.every(({ entry }) => saw(cut.vv, entry)))
  }

  // Rules 7 and 8.
  const view = (chain: Chain | undefined, wanted: View, keepRemoved = false): readonly ReferenceRow[] => {
    if (chain === undefined) return []
    const cuts = covering(chain, 'cut')
    const compaction = activeCompaction(chain)
    const raw = positional.filter((entry) => segmentOf(chain, entry) >= 0)
    if (wanted === 'raw') return raw.map(row)
    const cutsOf = (entry: Entry): typeof cuts =>
      cuts.filter(
        ({ cut, upTo }) =>
          segmentOf(chain, entry) <= upTo &&
          entry.order <= cut.order &&
          (saw(cut.vv, entry) || (entry.turn !== undefined && saw(cut.vv, entry.turn))),
      )
    const isCut = (entry: Entry): boolean => cutsOf(entry).length > 0
    const isCompacted = (entry: Entry): boolean =>
      compaction !== undefined &&
      segmentOf(chain, entry) <= compaction.upTo &&
      entry.order <= compaction.cut.order &&
      saw(compaction.cut.vv, entry)
    return raw.flatMap((entry) => {
      // Imported rows with equal ids are one, where several imports brought them; what happened to one happened to it.
      const same = raw.filter(
        (other) =>
          other.data['mid'] !== undefined &&
          other.data['mid'] === entry.data['mid'] &&
          isImported(other) &&
          isImported(entry),
      )
      // A cut that knew of no other copies hides one with its turn, or leaves it in its place where it went through the
      // turn.
      const standing = same.filter((one) =>
        cutsOf(one).every(
          ({ cut }) => same.every((other) => saw(cut.vv, other)) || turnText(cut.order) === turnText(one.order),
        ),
      )
      const copies = standing.some(({ w }) => w !== standing[0]!.w) ? standing : [entry]
      const latest = of('edit').findLast(({ data }) =>
        copies.some(({ branch, order }) => data['branch'] === branch && data['order'] === order),
      )
      const value = latest === undefined ? entry.data : (latest.data['value'] as Entry['data'] | null)
      if (copies[0] !== entry || (!keepRemoved && value === null)) return []
      const knowing = copies.length === 1 ? copies : same
      if (copies.every(isCut) || cutsOf(entry).some(({ cut }) => knowing.every((copy) => saw(cut.vv, copy)))) return []
      return wanted === 'context' && copies.some(isCompacted) ? [] : [{ entry, value }]
    })
  }

  const newer: Record<string, number> = {}
  const headChain = chainOf(head)!
  for (const entry of positional) {
    if (entry.order > headClock && segmentOf(headChain, entry) < 0) newer[entry.branch] = (newer[entry.branch] ?? 0) + 1
  }

  const asked = view(headChain, 'transcript').map(({ entry, value }) => ({
    type: entry.type,
    order: entry.order,
    message: value!['message'] as Record<string, JsonValue>,
  }))
  const first = asked.find(
    ({ type, message }) => type === 'message' && message['role'] === 'user' && message['content'] !== '',
  )

  return {
    head,
    auto: first === undefined ? undefined : { order: first.order, title: first.message['content'] as string },
    createdAt: all.reduce((first, { at }) => (at > 0 && (first === 0 || at < first) ? at : first), 0),
    branches: [...openers.keys()],
    resolvable: (branch) => chainOf(branch) !== undefined,
    deleted: deletion?.type === 'delete',
    fields,
    checkpoints: of('checkpoint')
      .filter((entry) => !isPurged(entry))
      .map(idOf),
    newer,
    line: (branch, wanted) => view(chainOf(branch), wanted),
    checkpointLine: (checkpoint, wanted) => {
      const entry = of('checkpoint').find((one) => idOf(one) === checkpoint)!
      const { branch, order, vv } = entry.data as { branch: string; order: string; vv: VersionVector }
      const chain = chainOf(branch)
      if (chain === undefined) return []
      const virtual: Chain = {
        ids: [...chain.ids, 'virtual'],
        forks: [...chain.forks, { fork: { branch, order, vv }, from: '~', bound: entry.order }],
      }
      return view(virtual, wanted, true)
    },
    summary: (branch) => {
      const chain = chainOf(branch)
      const compaction = chain === undefined ? undefined : activeCompaction(chain)?.cut.entry
      const setAt = [summaryAt, ...forgotten].sort().at(-1)!
      if (compaction !== undefined && compaction.order > setAt) return compaction.data['summary'] as string
      if (chain !== undefined && clearsOf(chain).some(({ entry }) => entry.order > setAt)) return ''
      return (fields['summary'] ?? '') as string
    },
  }
}

export function idOf(entry: { readonly w: number; readonly s: number }): string {
  return `${writerText(entry.w)}.${entry.s.toString(36)}`
}

const writerTexts = new Map<number, string>()

/**
 * A writer as the key of a vector. 53 bits are slow to write in base 36, and a full run asks for them a billion times.
 */
export function writerText(w: number): string {
  const text = writerTexts.get(w) ?? w.toString(36)
  if (writerTexts.size < 10_000) writerTexts.set(w, text)
  return text
}

function saw(vv: VersionVector, entry: { readonly w: number; readonly s: number }): boolean {
  return entry.s < (vv[writerText(entry.w)] ?? 0)
}

/** The turn is what an order begins with. */
function turnText(order: string): string {
  return order.slice(0, 20)
}

/** By its clock, which starts at the beginning of time. */
function isImported({ clock }: Entry): boolean {
  return clock.hp < 1_048_576
}

function byOrder(a: { readonly order: string }, b: { readonly order: string }): number {
  return a.order < b.order ? -1 : a.order > b.order ? 1 : 0
}

function smaller(a: string, b: string): string {
  return a < b ? a : b
}

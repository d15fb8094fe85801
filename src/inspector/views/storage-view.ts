import type { StoreHealth } from '../../client/store-health.ts'
import type { SessionUsage, StoredKind, UsageReport } from '../../contract/store/store-upkeep.ts'
import { bytesOf, counted, countOf, timeOf } from '../describe-values.ts'
import type { Inspection, InspectorView } from '../inspection.ts'
import { button, type Child, figures, fill, h, scrollArea, section, userText } from '../make-element.ts'

/** Sessions that are listed as the largest. */
const largestShown = 20
/** Lines of a list that may have any length. */
const mostLines = 100

const kindNames: Readonly<Record<StoredKind, string>> = {
  entries: 'Entries',
  bodies: 'Large bodies, among the entries',
  blobs: 'Attachments',
  drafts: 'Replies being streamed',
  operations: 'Ids of operations',
  aside: 'Set aside by repairs',
  mirror: 'Mirror files',
}

/** What is stored by kind, how safe it is, and what was lost and recovered. */
export function createStorageView(inspection: Inspection): InspectorView {
  const { client } = inspection
  const health = h('div')
  const usage = h('div')

  function read(): void {
    inspection.attempt(async () => fill(health, healthParts(await client.upkeep.health())))
    inspection.attempt(async () => fill(usage, usageParts(await client.upkeep.usage({ largest: largestShown }))))
  }

  return {
    element: h(
      'div',
      { class: 'view' },
      h('div', { class: 'bar' }, button('Refresh', read)),
      scrollArea('Storage', health, usage),
    ),
    show: read,
    hide: () => undefined,
  }
}

function healthParts(health: StoreHealth): readonly HTMLElement[] {
  const { mode, durable, name, restarts, persisted, mirror, encryption, unflushed, skipped, recovery, moved } = health
  const { originBytes, quotaBytes } = health
  const mirrorText =
    mirror === undefined
      ? 'not possible in this mode'
      : mirror.isOn
        ? 'on'
        : `off: ${mirror.reason ?? 'no reason given'}`
  return [
    section(
      'Health',
      figures([
        ['Database', name],
        ['Mode', mode],
        ['Durable', durable ? 'yes' : 'no: everything is gone when this tab closes'],
        [
          'Persisted',
          persisted === undefined ? 'can’t be asked here' : persisted ? 'yes' : 'no, the browser may evict it',
        ],
        ['Origin', spaceText(originBytes, quotaBytes)],
        ['Mirror', mirrorText],
        ['Mirror has a lost database', mirror?.hasLost === true ? 'yes' : 'no'],
        [
          'Only in the mirror',
          mirror?.waiting === undefined
            ? 'nothing'
            : `${counted(mirror.waiting.writes, 'write')} since ${timeOf(mirror.waiting.since)}`,
        ],
        [
          'Encryption',
          encryption === undefined ? 'none' : encryption.isMixed ? 'on, older content is being encrypted' : 'on',
        ],
        [
          'Power loss would take',
          unflushed === undefined
            ? 'nothing'
            : `${counted(unflushed.commits, 'commit')} since ${timeOf(unflushed.since)}`,
        ],
        ['Worker restarts', String(restarts)],
      ]),
    ),
    ...lines(
      'Modes not used',
      skipped.map(({ mode: one, reason }) => `${one}: ${reason}`),
    ),
    ...(recovery === undefined
      ? []
      : [
          section(
            'Recovery',
            figures([
              ['Reached by', recovery.rung],
              ['Writes held', String(recovery.held)],
            ]),
          ),
          ...lines(
            'Recovery history',
            recovery.history.map(({ rung, at, reason }) => `${timeOf(at)} ${rung}: ${reason}`),
          ),
        ]),
    ...lines('Moved from Web Storage', moved?.sessions ?? []),
    ...lines(
      'Left in Web Storage',
      (moved?.left ?? []).map(({ key, reason }) => `${key}: ${reason}`),
    ),
  ]
}

function usageParts({
  sessions,
  entries,
  kinds,
  largest,
  collections,
  unreadable,
  reclaimable,
}: UsageReport): readonly HTMLElement[] {
  const { deleted, archived, hiddenBytes } = reclaimable
  return [
    section(
      'Stored',
      table(
        'By kind',
        ['Kind', 'Count', 'Size'],
        (Object.entries(kinds) as [StoredKind, { readonly count?: number; readonly bytes?: number }][]).map(
          ([kind, { count, bytes }]) => [
            kindNames[kind],
            count === undefined ? '' : countOf(count),
            bytes === undefined ? '' : bytesOf(bytes),
          ],
        ),
      ),
      figures([
        ['Sessions', countOf(sessions)],
        ['Entries', countOf(entries)],
        ['In deleted sessions', `${bytesOf(deleted.bytes)} in ${counted(deleted.sessions, 'session')}`],
        ['In archived sessions', `${bytesOf(archived.bytes)} in ${counted(archived.sessions, 'session')}`],
        ['Hidden at most', bytesOf(hiddenBytes)],
      ]),
    ),
    ...(largest.length === 0
      ? []
      : [section('Largest sessions', table('Largest', ['Session', 'Entries', 'Size'], largest.map(usageRow)))]),
    ...(collections.length === 0
      ? []
      : [
          section(
            'Collections',
            table(
              'Collections',
              ['Name', 'Rows', 'Size'],
              collections
                .slice(0, mostLines)
                .map(({ name, rows, bytes }) => [userText(name), countOf(rows), bytesOf(bytes)]),
            ),
          ),
        ]),
    ...lines('Sessions that can’t be read', unreadable),
  ]
}

const usageRow = ({ key, title, entries, bytes, deletedAt }: SessionUsage): readonly Child[] => [
  userText(`${title || key}${deletedAt === undefined ? '' : ' (deleted)'}`),
  countOf(entries),
  bytesOf(bytes),
]

const spaceText = (used: number | undefined, quota: number | undefined): string =>
  used === undefined ? 'unknown' : quota === undefined ? bytesOf(used) : `${bytesOf(used)} of ${bytesOf(quota)}`

function lines(title: string, all: readonly string[]): readonly HTMLElement[] {
  if (all.length === 0) return []
  const more = all.length > mostLines ? h('p', { class: 'hint' }, `and ${all.length - mostLines} more`) : undefined
  return [
    section(
      title,
      h(
        'ul',
        {},
        all.slice(0, mostLines).map((text) => h('li', { dir: 'auto' }, text)),
      ),
      more,
    ),
  ]
}

function table(label: string, head: readonly string[], rows: readonly (readonly Child[])[]): HTMLElement {
  return h(
    'table',
    { 'aria-label': label },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        head.map((name) => h('th', { scope: 'col' }, name)),
      ),
    ),
    h(
      'tbody',
      {},
      rows.map(([first, ...rest]) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, first),
          rest.map((cell) => h('td', {}, cell)),
        ),
      ),
    ),
  )
}

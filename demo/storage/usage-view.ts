import type { SessionClient } from '../../src/index.ts'
import type { SessionUsage, StoredKind } from '../../src/types.ts'
import { h } from '../ui/dom.ts'
import { bytes, counted } from '../ui/format.ts'
import { figureRows } from '../ui/panel.ts'
import { dataSize } from './data-size.ts'

const listed = 8

const names: Readonly<Record<StoredKind, string>> = {
  entries: 'Messages and notes',
  bodies: 'Large messages',
  blobs: 'Files',
  drafts: 'Unfinished replies',
  operations: 'Operation log',
  aside: 'Set aside by repairs',
  mirror: 'Mirror files',
}

export interface UsageView {
  readonly element: HTMLElement
  /** Reads the figures anew. */
  refresh(): Promise<void>
}

/** What is stored, by kind, and where most of it is. */
export function createUsageView(client: SessionClient): UsageView {
  const figures = h('dl', { class: 'panel-figures', 'data-testid': 'usage' })
  const rows = h('tbody')
  const table = h(
    'table',
    { class: 'panel-table' },
    h('caption', {}, 'Largest conversations'),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col' }, 'Title'),
        h('th', { scope: 'col' }, 'Entries'),
        h('th', { scope: 'col' }, 'Size'),
      ),
    ),
    rows,
  )
  const element = h('div', { class: 'panel-parts' }, figures, table)

  return {
    element,
    async refresh() {
      const report = await client.upkeep.usage({ largest: listed })
      const { sessions, kinds, largest, reclaimable, originBytes, quotaBytes, unreadable } = report
      const kindRows = (Object.entries(kinds) as [StoredKind, { readonly count?: number; readonly bytes?: number }][])
        .filter(([, { count, bytes: size }]) => (count ?? size ?? 0) > 0)
        .map(
          ([kind, { count, bytes: size }]) =>
            [
              names[kind],
              [size === undefined ? '' : bytes(size), count === undefined ? '' : `${count}×`]
                .filter(Boolean)
                .join(' · '),
            ] as const,
        )
      figures.replaceChildren(
        ...figureRows([
          ['Your data', bytes(dataSize(report))],
          ['Conversations', String(sessions)],
          ...kindRows,
          ...(originBytes === undefined
            ? []
            : [
                [
                  'Browser’s estimate',
                  quotaBytes === undefined ? bytes(originBytes) : `${bytes(originBytes)} of ${bytes(quotaBytes)}`,
                ] as const,
              ]),
          ['Can be freed', freeable(reclaimable)],
          ...(unreadable.length === 0 ? [] : [['Can’t be read', counted(unreadable.length, 'conversation')] as const]),
        ]),
      )
      table.hidden = largest.length === 0
      rows.replaceChildren(...largest.map(sessionRow))
    },
  }
}

const sessionRow = ({ title, key, entries, bytes: size, deletedAt }: SessionUsage): HTMLElement =>
  h(
    'tr',
    {},
    h(
      'th',
      { scope: 'row', title: key },
      title || 'New conversation',
      deletedAt !== undefined && h('small', {}, ' deleted'),
    ),
    h('td', {}, String(entries)),
    h('td', {}, bytes(size)),
  )

function freeable({
  deleted,
  archived,
  hiddenBytes,
}: {
  readonly deleted: { readonly bytes: number }
  readonly archived: { readonly bytes: number }
  readonly hiddenBytes: number
}): string {
  return `${bytes(deleted.bytes)} deleted, ${bytes(archived.bytes)} archived, up to ${bytes(hiddenBytes)} no longer shown`
}

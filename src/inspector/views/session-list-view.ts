import type { SessionListing } from '../../contract/meta.ts'
import type { ListQuery } from '../../contract/store/session-metadata.ts'
import { createDelay } from '../create-delay.ts'
import { counted, countOf, timeOf } from '../describe-values.ts'
import type { Inspection, InspectorView } from '../inspection.ts'
import { createSessionPages } from '../listed-sessions.ts'
import { button, h } from '../make-element.ts'
import { createSessionSizes } from '../session-sizes.ts'
import { createVirtualGrid } from '../virtual-grid.ts'

/** Every session of the store, with its size. */
export function createSessionsView(inspection: Inspection): InspectorView {
  const { client, signal } = inspection
  let isShown = false
  const sizes = createSessionSizes((options) => client.upkeep.usage(options))
  const pages = createSessionPages(client, () => display())
  const grid = createVirtualGrid<SessionListing>({
    label: 'Sessions',
    signal,
    empty: 'There are no sessions here.',
    columns: [
      { name: 'Title', width: 'minmax(8rem, 3fr)', isText: true, cell: ({ title, key }) => title || key },
      { name: 'Key', width: 'minmax(6rem, 2fr)', isWide: true, cell: ({ key }) => key },
      { name: 'Messages', width: '5.5rem', isNumber: true, cell: ({ messageCount }) => countOf(messageCount) },
      { name: 'Tokens', width: '5.5rem', isWide: true, isNumber: true, cell: (one) => countOf(one.tokenEstimate) },
      { name: 'Size', width: '6rem', isNumber: true, cell: ({ key }) => sizes.textOf(key) },
      { name: 'State', width: '8rem', isWide: true, cell: stateOf },
      { name: 'Updated', width: '11rem', isWide: true, cell: ({ updatedAt }) => timeOf(updatedAt) },
    ],
    onOpen: ({ key }) => inspection.select({ key }, 'Log'),
    onRange: (_, last) => inspection.attempt(() => pages.want(last + 50)),
  })

  const total = h('output', { class: 'hint' })
  const title = h('input', {
    type: 'search',
    'aria-label': 'Title contains',
    placeholder: 'Title contains…',
    oninput: () => filter.start(),
  })
  const order = h(
    'select',
    { 'aria-label': 'Order', onchange: restart },
    h('option', { value: 'updated' }, 'Last changed first'),
    h('option', { value: 'created' }, 'Newest first'),
    h('option', { value: 'title' }, 'By title'),
  )
  const trash = h('input', { type: 'checkbox', onchange: restart })
  const filter = createDelay(200, signal, restart)
  const relist = createDelay(500, signal, () => inspection.attempt(pages.renew))
  const resize = createDelay(sizes.restMs, signal, () => inspection.attempt(readSizes))

  function query(): ListQuery {
    return {
      order: order.value as NonNullable<ListQuery['order']>,
      deleted: trash.checked,
      ...(title.value === '' ? {} : { title: title.value }),
    }
  }

  function display(): void {
    total.textContent = counted(pages.total(), 'session')
    // Another object each time, because rows that were filled in since look the same from outside.
    grid.show({ count: pages.total(), at: pages.at })
  }

  function restart(): void {
    inspection.attempt(() => pages.restart(query()))
  }

  async function readSizes(): Promise<void> {
    await sizes.read()
    grid.refresh()
  }

  function refresh(): void {
    // Sizes are counted over all rows of the store: not before there is something to see.
    inspection.attempt(async () => {
      await pages.restart(query())
      await readSizes()
    })
  }

  inspection.follow((change) => {
    if (change.type === 'session') sizes.forget(change.key)
    if (!isShown || change.type === 'draft') return
    if (change.type !== 'collection') resize.start()
    if (pages.take(change)) relist.start()
    if (change.type === 'session') display()
  })

  return {
    element: h(
      'div',
      { class: 'view' },
      h('div', { class: 'bar' }, title, order, h('label', {}, trash, 'Deleted'), button('Refresh', refresh), total),
      grid.element,
    ),
    show() {
      isShown = true
      refresh()
    },
    hide() {
      isShown = false
      filter.stop()
      relist.stop()
      resize.stop()
    },
  }
}

function stateOf({ archived, deletedAt, promotedTo, tags }: SessionListing): string {
  return [
    deletedAt !== undefined && 'deleted',
    archived && 'archived',
    promotedTo !== undefined && `moved to ${promotedTo}`,
    ...tags,
  ]
    .filter((word) => word !== false)
    .join(', ')
}

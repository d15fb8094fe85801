import type { SessionListing } from '../../src/index.ts'
import { h, placeChildren } from '../ui/dom.ts'
import { periodOf } from './period-of.ts'
import { type RowActions, sessionRow } from './session-row.ts'

export interface SessionGroups {
  readonly element: HTMLElement
  /** @param sessions - the newest first */
  show(sessions: readonly SessionListing[], openKey: string): void
  /** The row of a session, else the first one. */
  find(key: string): HTMLElement | undefined
}

interface Group {
  readonly element: HTMLElement
  readonly list: HTMLElement
}

/** Rows of sessions under headings that say when they were last used. */
export function createSessionGroups(actions: RowActions): SessionGroups {
  const element = h('div', { class: 'session-groups' })
  const groups = new Map<string, Group>()
  let rows = new Map<string, HTMLElement>()

  function groupOf(period: string): Group {
    const known = groups.get(period)
    if (known !== undefined) return known
    const id = `sessions-of-${period.toLowerCase().replaceAll(' ', '-')}`
    const list = h('ul', { class: 'session-rows', 'aria-labelledby': id })
    const group = { list, element: h('section', { class: 'session-group' }, h('h2', { id }, period), list) }
    groups.set(period, group)
    return group
  }

  return {
    element,
    show(sessions, openKey) {
      const now = Date.now()
      const before = rows
      rows = new Map()
      const periods = new Map<string, HTMLElement[]>()
      for (const session of sessions) {
        const isOpen = session.key === openKey
        // While what a row shows stays, so does its element.
        const content = JSON.stringify([session, isOpen])
        const row = before.get(content) ?? sessionRow(session, isOpen, actions)
        rows.set(content, row)
        const period = periodOf(session.updatedAt, now)
        const ofPeriod = periods.get(period)
        if (ofPeriod === undefined) periods.set(period, [row])
        else ofPeriod.push(row)
      }
      for (const period of groups.keys()) if (!periods.has(period)) groups.delete(period)
      const shown = [...periods].map(([period, ofPeriod]) => {
        const group = groupOf(period)
        placeChildren(group.list, ofPeriod)
        return group.element
      })
      placeChildren(element, shown)
    },
    find(key) {
      const all = [...rows.values()]
      return all.find((row) => row.dataset['key'] === key) ?? all[0]
    },
  }
}

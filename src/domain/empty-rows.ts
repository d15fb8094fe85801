import type { ColdRow, HotRow, SessionRows } from '../contract/rows.ts'
import { clockStart } from './clock.ts'
import { emptySum } from './row-sum.ts'
import { nothingSeen } from './seen-messages.ts'
import { emptyView } from './view-state.ts'

export const emptyCold: ColdRow = {
  version: 0,
  vv: {},
  lanes: { '': 0 },
  branches: {},
  heads: {},
  cuts: [],
  compactions: [],
  checkpoints: {},
  fields: {},
  targets: {},
  newer: {},
  pending: {},
  purged: {},
}

/** The rows of a session without entries. */
export function emptyRows(key: string, session: number): SessionRows {
  const hot: HotRow = {
    key,
    session,
    version: 0,
    coldVersion: 0,
    createdAt: 0,
    updatedAt: 0,
    clock: clockStart,
    entries: 0,
    bytes: 0,
    ahead: {},
    head: '',
    lastOrder: '',
    lineEnd: '',
    transcript: emptyView,
    context: emptyView,
    pack: { from: '', count: 0 },
    open: { ...emptySum, after: '', blocks: 0 },
    seen: nothingSeen(),
    operations: 0,
    recent: [],
  }
  return { hot, cold: emptyCold }
}

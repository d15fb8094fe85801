import type { CaseResult, Effort, PageCase } from '../sample.ts'
import { openAlias } from './cases/alias.ts'
import { openAppend } from './cases/append.ts'
import { openBurst } from './cases/burst.ts'
import { openContext } from './cases/context.ts'
import { openList } from './cases/list.ts'
import { openLoad } from './cases/load.ts'
import { openSearch } from './cases/search.ts'
import { openStream } from './cases/stream.ts'
import { openTail } from './cases/tail.ts'
import { type OpenCase, runCells } from './cells.ts'

const cases: Readonly<Record<PageCase, (effort: Effort) => Promise<OpenCase>>> = {
  append: openAppend,
  burst: openBurst,
  stream: openStream,
  tail: openTail,
  load: openLoad,
  list: openList,
  alias: openAlias,
  context: openContext,
  search: openSearch,
}

/** What the bench calls from outside. */
export type RunCase = (name: PageCase, effort: Effort) => Promise<CaseResult>

const runCase: RunCase = async (name, effort) => {
  if (!crossOriginIsolated) throw new Error('The page is not isolated, so its clock is too coarse.')
  const say = (text: string): void => console.info(`${name}: ${text}`)
  const { title, notes, cells, close } = await cases[name](effort)
  say('seeded')
  const samples = await runCells(cells, effort, say)
  await close()
  return { name, title, notes, unit: 'ms', samples }
}

Object.assign(globalThis, { runCase })

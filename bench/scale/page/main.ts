import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { OpenOptions } from '../../../src/client/open-options.ts'
import { createMemoSession } from '../../../src/dialects/agently/create-memo-session.ts'
import { createSessionManager } from '../../../src/dialects/aixgo/manager/create-session-manager.ts'
import { piSession } from '../../../src/dialects/pi/pi-session.ts'
import { deleteSessionStore, openSessionStore } from '../../../src/index.ts'
import { allRows, unmeasured } from '../all-rows.ts'
import { type Ground, type GroundSize, layGround } from '../ground.ts'
import type { Extreme, Measured, ScaleOptions } from '../measured.ts'
import type { NamedRow } from '../row.ts'
import type { TaskWatch } from '../watch-tasks.ts'
import { extremeTitles, measureExtreme } from './extremes.ts'
import { measureAll } from './measure-all.ts'
import { joinTab } from './tab.ts'

const say = (text: string): void => console.info(text)

/** A client behind its worker; it must not take another way. */
const open = (name: string, options: Pick<OpenOptions, 'encryption'> = {}): Promise<SessionClient> =>
  openSessionStore({ ...options, name, modes: ['worker'], timeoutMs: 60_000 })

async function lay(name: string, size: GroundSize): Promise<Ground> {
  const start = performance.now()
  const ground = await layGround(size, { name, open, remove: (name) => deleteSessionStore(name) })
  say(`${name}: laid in ${((performance.now() - start) / 1000).toFixed(1)} s`)
  return ground
}

async function findUnmeasured(ground: Ground): Promise<readonly string[]> {
  const transcript = ground.session.transcript()
  const stream = ground.session.stream()
  await Promise.all([transcript.ready(), stream.id])
  const manager = createSessionManager(ground.client)
  const names = unmeasured({
    SessionClient: [ground.client],
    ClientFiles: [ground.client.files],
    ClientUpkeep: [ground.client.upkeep],
    Session: [ground.session],
    SessionBranches: [ground.session.branches],
    SessionCheckpoints: [ground.session.checkpoints],
    PiSession: [piSession(ground.session)],
    Transcript: [transcript],
    MessageStream: [stream],
    SessionManager: [manager],
    MemoSession: [createMemoSession({ store: ground.client.store, session: ground.session })],
  })
  transcript[Symbol.dispose]()
  await stream.abort({ keep: false })
  return names
}

/**
 * What the rig calls from outside. Each row is handed out as soon as it is measured. @returns methods that no row
 * measures
 */
export type RunScale = (options: ScaleOptions, done: readonly string[]) => Promise<readonly string[]>

/** Each axis has its grounds; the smallest of both are one size. */
const runScale: RunScale = async ({ sizes, counts, reps, only }, done) => {
  if (!crossOriginIsolated) throw new Error('The page is not isolated, so its clock is too coarse.')
  const left = (axis: Measured['axis']): readonly NamedRow[] =>
    allRows.filter(
      ({ name }) => only.split(',').some((part) => name.includes(part)) && !done.includes(`${axis} ${name}`),
    )
  let missing: readonly string[] = []
  const run = async (axis: Measured['axis'], grounds: readonly (() => Promise<Ground>)[]): Promise<void> => {
    const rows = left(axis)
    if (rows.length === 0 || grounds.length === 0) return
    const laid: Ground[] = []
    for (const lay of grounds) laid.push(await lay())
    if (laid[0] !== undefined) missing = await findUnmeasured(laid[0])
    await measureAll(rows, laid, { axis, reps, say, keep: outside.keepRow })
    for (const { client } of laid) await client.close()
  }
  await run(
    'messages',
    sizes.map((messages) => () => lay(`scale-${messages}`, { messages, sessions: 1000 })),
  )
  await run(
    'sessions',
    counts.map((sessions) => () => lay(`scale-of-${sessions}`, { messages: 1000, sessions })),
  )
  return missing
}

/** The same for one of the things that nobody does every day. */
export type RunExtreme = (title: string) => Promise<readonly Extreme[]>
/** The rig's side of it. */
const outside = globalThis as unknown as {
  readonly beginTasks: TaskWatch['begin']
  readonly endTasks: TaskWatch['end']
  readonly keepRow: (row: readonly Measured[]) => Promise<void>
}
const tasks: TaskWatch = { begin: () => outside.beginTasks(), end: () => outside.endTasks() }
const runExtreme: RunExtreme = (title) => measureExtreme(title, { open, say, tasks })

Object.assign(globalThis, {
  runScale,
  runExtreme,
  extremeTitles,
  rowNames: () => allRows.map(({ name }) => name),
  joinTab: () => joinTab(open),
})

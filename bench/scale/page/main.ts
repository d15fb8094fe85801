import { createSessionManager } from '../../../src/client/manager/create-session-manager.ts'
import { createMemoSession } from '../../../src/agent/create-memo-session.ts'
import { deleteSessionStore, openSessionStore } from '../../../src/index.ts'
import type { OpenOptions, SessionClient } from '../../../src/client/types.ts'
import { allRows, unmeasured } from '../all-rows.ts'
import { type Ground, type GroundSize, layGround } from '../ground.ts'
import type { Extreme, Measured, ScaleOptions } from '../measured.ts'
import { measureAll } from './measure-all.ts'
import { measureExtremes } from './extremes.ts'
import { joinTab } from './tab.ts'

const say = (text: string): void => console.info(text)

/** A client behind its worker; it must not take another way. */
const open = (name: string, options: Pick<OpenOptions, 'encryption'> = {}): Promise<SessionClient> => openSessionStore({ ...options, name, modes: ['worker'], timeoutMs: 60_000 })

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
    Session: [ground.session],
    Transcript: [transcript],
    MessageStream: [stream],
    SessionManager: [manager],
    MemoSession: [createMemoSession({ store: ground.client, session: ground.session })],
  })
  transcript[Symbol.dispose]()
  await stream.abort({ keep: false })
  return names
}

/** What the rig calls from outside. */
export type RunScale = (options: ScaleOptions) => Promise<{ readonly measured: readonly Measured[]; readonly unmeasured: readonly string[] }>

/** Each axis has its grounds; the smallest of both are one size. */
const runScale: RunScale = async ({ sizes, counts, reps, only }) => {
  if (!crossOriginIsolated) throw new Error('The page is not isolated, so its clock is too coarse.')
  const rows = allRows.filter(({ name }) => only.split(',').some((part) => name.includes(part)))
  if (rows.length === 0) return { measured: [], unmeasured: [] }
  const measured: Measured[] = []
  const others = 1000
  const bySize: Ground[] = []
  for (const messages of sizes) bySize.push(await lay(`scale-${messages}`, { messages, sessions: others }))
  const missing = bySize[0] === undefined ? [] : await findUnmeasured(bySize[0])
  measured.push(...(await measureAll(rows, bySize, { axis: 'messages', reps, say })))
  for (const { client } of bySize) await client.close()
  const byCount: Ground[] = []
  for (const sessions of counts) byCount.push(await lay(`scale-of-${sessions}`, { messages: 1000, sessions }))
  measured.push(...(await measureAll(rows, byCount, { axis: 'sessions', reps, say })))
  for (const { client } of byCount) await client.close()
  return { measured, unmeasured: missing }
}

/** The same for what nobody does every day. */
export type RunExtremes = () => Promise<readonly Extreme[]>
const runExtremes: RunExtremes = () => measureExtremes({ open, say })

Object.assign(globalThis, { runScale, runExtremes, joinTab: () => joinTab(open) })

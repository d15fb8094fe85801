import { SessionError } from '../../../contract/errors.ts'
import type { ImportReport, JobProgress } from '../../../contract/job.ts'
import type { SessionMeta } from '../../../contract/meta.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { entryId } from '../../../domain/address.ts'
import { abortError, type ByteSource } from '../../../formats/byte-source.ts'
import { nothingKnown, readKnown } from '../../../formats/known-messages.ts'
import { mergeEntries } from '../../../formats/merge-entries.ts'
import { oneAtATime } from '../../../formats/one-at-a-time.ts'
import { readText, textLimit } from '../../../formats/read-text.ts'
import { registerAlias } from '../../../formats/register-alias.ts'
import { createSkippedLines } from '../../../formats/skipped-lines.ts'
import { takeBack } from '../../../formats/take-back.ts'
import { type Breather, createBreather } from '../../../pacing/breather.ts'
import type { StatePlan } from './memo-state-plan.ts'
import { agentlyForm } from './message-names.ts'
import { parseExport } from './parse-export.ts'
import { planImport } from './plan-import.ts'
import { planLoad, readLog } from './plan-load.ts'
import { readSession } from './read-memo-session.ts'
import { type AgentlyState, readState } from './read-memo-state.ts'

/** The part of a store that an import needs. */
export type AgentlyStore = Pick<
  SessionStore,
  'merge' | 'changes' | 'read' | 'resolveSessionKey' | 'getMeta' | 'updateMeta' | 'delete' | 'purge' | 'usage'
>

export interface ImportAgentlyOptions {
  /** The session to load the state into: a key or alias. Default: the session of the state's id. */
  readonly key?: string
  /** Bytes of the source, for the progress. */
  readonly totalBytes?: number
  readonly signal?: AbortSignal
  /** Called after each piece of the file, and while entries are stored. */
  readonly onProgress?: (progress: JobProgress) => void
  /** Milliseconds since 1970. The file has no times, so that lists show the time of the import. Default: the clock. */
  readonly now?: () => number
}

/**
 * Imports the state of an AgentlyMemoSession from JSON or YAML, which is recognised by the content. Nothing is stored
 * before the whole file has been read and checked.
 *
 * Without `key`, the state is added to the session with its id, if it was exported from here, otherwise to the session
 * `agently:<id>`, which has the id as an alias. Importing the same file again adds nothing, and a later file of the
 * same session adds what is new, identically on every device; changes that were made here stay. A session that was
 * deleted here stays deleted and is reported. A session of this app gets only the messages, and keeps its memo, its
 * settings and its context, because any file can have its id. With `key`, that session gets the state of the file, as
 * with Agently's `load`: fields that the file lacks stay as they are.
 *
 * @throws TypeError when the file contains no object; InvalidInput when it can't be read, or has no id and no `key` was
 * given; TooLarge; SessionNotFound when the session of `key` was deleted; Aborted: entries that were stored so far
 * stay, unless the session was new, and another import adds the rest
 */
export async function importAgently(
  store: AgentlyStore,
  source: ByteSource,
  options: ImportAgentlyOptions = {},
): Promise<ImportReport> {
  const { key: asked, signal, totalBytes = 0, onProgress, now = Date.now } = options
  const breathe = createBreather()
  const skipped = createSkippedLines()
  let readBytes = 0
  const report = (entries: number): void => onProgress?.({ readBytes, totalBytes, entries, skipped: skipped.count })

  const text = await readText(source, {
    ...(signal === undefined ? {} : { signal }),
    onRead: (bytes) => {
      readBytes += bytes
      report(0)
    },
  })
  if (text === undefined)
    throw new SessionError('TooLarge', `The file has more than ${textLimit / 1024 / 1024} MiB. Nothing was imported.`)
  const state = await readState(await parseExport(text, breathe), (reason) => skipped.add(0, reason), breathe)
  if (signal?.aborted) throw abortError()
  const key = await keyOf(store, state, asked)

  return oneAtATime(`keepsession:import:${key}`, signal, async () => {
    const before = await store.getMeta(key)
    if (signal?.aborted) throw abortError()
    if (before?.deletedAt !== undefined) {
      if (asked !== undefined)
        throw new SessionError(
          'SessionNotFound',
          `Session "${key}" was deleted. Undelete it before you load a state into it.`,
        )
      // It is not restored, because any file can have the id of a deleted session of this app.
      skipped.addDeleted(key)
      return { keys: [], added: 0, known: 0, ...skipped.report() }
    }
    let there = 0
    let added = 0
    try {
      const plan = await (asked === undefined ? planFor : loadFor)(store, key, state, before, now, breathe)
      if (plan.isReduced === true)
        skipped.add(
          0,
          'the session was not created by an import, so that only messages were added to it; pass its key to load the rest',
        )
      await mergeEntries(store, key, plan.entries, {
        signal,
        bytesOf: ({ data }) => plan.bytes.get(data['mid'] as string) ?? 0,
        onChunk: (chunk, result) => {
          there += result.added + result.known
          const refused = new Map(result.refused.map(({ id, reason }) => [id, reason]))
          let messages = 0
          for (const { w, s, type } of chunk) {
            const reason = refused.get(entryId(w, s))
            if (reason !== undefined) skipped.add(0, `a ${type} entry was refused: ${reason}`)
            else if (type === 'message') messages += 1
          }
          // Without locks, another tab may have imported the same entries in the meantime.
          const others = chunk.length - refused.size - messages
          added += Math.max(0, messages - Math.max(0, result.known - others))
          report(added + plan.known)
        },
      })
      if (asked === undefined && state.id !== key) await registerAlias(store, key, state.id!)
      report(added + plan.known)
      return { keys: [key], added, known: plan.known, ...skipped.report() }
    } catch (error) {
      await takeBack(store, key, before, there)
      throw error
    }
  })
}

async function keyOf(store: AgentlyStore, { id }: AgentlyState, asked: string | undefined): Promise<string> {
  if (asked !== undefined) return store.resolveSessionKey(asked)
  if (id === undefined)
    throw new SessionError('InvalidInput', 'The file has no session id. Pass the key of the session to load it into.')
  const named = await store.resolveSessionKey(id)
  return (await store.getMeta(named))?.id === id ? named : store.resolveSessionKey(`agently:${id}`)
}

type Planner = (
  store: AgentlyStore,
  key: string,
  state: AgentlyState,
  before: SessionMeta | undefined,
  now: () => number,
  breathe: Breather,
) => Promise<StatePlan>

const planFor: Planner = async (store, key, state, before, now, breathe) => {
  const there = before === undefined ? nothingKnown : await readKnown(store, key, agentlyForm, breathe)
  const isImported = key === (await store.resolveSessionKey(`agently:${state.id!}`))
  return planImport(
    state,
    { source: `agently:${state.id!}`, there, now: await readSession(store, key, breathe), isImported, at: now() },
    breathe,
  )
}

const loadFor: Planner = async (store, key, state, _, now, breathe) => {
  const found = await readSession(store, key, breathe)
  return planLoad(
    state,
    { source: `agently:${key}`, now: found, log: await readLog(store, key, found, breathe), at: now() },
    breathe,
  )
}

import { openBranchAfter } from '../../client/branches/create-branches.ts'
import { findStanding } from '../../client/branches/find-standing.ts'
import { appendAfter } from '../../client/branches/new-versions.ts'
import type { Session } from '../../client/session-contract.ts'
import type { EntryInput, EntryReceipt } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { BranchInfo } from '../../contract/meta.ts'
import type { WriteOptions } from '../../contract/store/write-options.ts'
import { buildSessionContext } from './build-session-context.ts'
import type { PiSession } from './pi-session-contract.ts'
import { readLabels } from './read-labels.ts'

/**
 * Gives a session the names that pi-coding-agent's `SessionManager` uses.
 *
 * @example
 * const pi = piSession(await client.session('work'))
 * await pi.setModel('anthropic', 'claude')
 */
export function piSession(session: Pick<Session<object>, 'store' | 'key' | 'appendAll' | 'branches'>): PiSession {
  const { store, key } = session
  const appendAll = session.appendAll as Session['appendAll']
  const write = async (
    type: string,
    data: Extract<EntryInput, { readonly data: unknown }>['data'],
    options?: WriteOptions,
  ): Promise<EntryReceipt> => {
    const { entries } = await appendAll([{ type, data }], options)
    return entries[0] as EntryReceipt
  }
  return {
    branch: async (after) => {
      const standing = after === null ? undefined : await findStanding(store, key, after)
      const place = standing?.entry
      // Asked in this order, so that a reply which ends meanwhile is found as an entry.
      const drafts = await store.listDrafts(key)
      const { branch, entries } = await store.read(key, { last: 1, view: 'raw' })
      const isGoingOn = drafts.some((draft) => draft.branch === branch && draft.resumes === undefined)
      return entries[0]?.id === place?.id && !isGoingOn
        ? headOf(await store.listBranches(key))
        : openBranchAfter(store, key, standing?.line ?? '', place)
    },
    branchWithSummary: async (after, summary, { details, ...options } = {}) => {
      if (typeof summary !== 'string') {
        throw new SessionError(
          'InvalidInput',
          `A branch summary must be a string, got ${typeof summary}. Nothing was written.`,
        )
      }
      const standing = after === null ? undefined : await findStanding(store, key, after)
      const { id: head } = headOf(await store.listBranches(key))
      const fromId = standing === undefined ? 'root' : (standing.entry.mid ?? standing.entry.id)
      const data = { fromId, summary, ...(details === undefined ? {} : { details }) }
      const entry = { type: 'branch_summary', data }
      const line = standing?.line ?? head
      const { entries, branch, moved } = await appendAfter(
        { appendAll },
        entry,
        line,
        standing?.entry.order ?? '',
        options,
      )
      // When the line ends there, no branch was opened, but new turns must go there all the same.
      if (!moved && branch !== head) await store.switchBranch(key, branch)
      return entries[0] as EntryReceipt
    },
    buildSessionContext: (leaf, { signal } = {}) => buildSessionContext(store, key, leaf, signal),
    setLabel: async (target, label, options) => {
      if (label !== null && typeof label !== 'string') {
        throw new SessionError('InvalidInput', `A label must be a string, or null to remove it, got ${typeof label}.`)
      }
      const { entry } = await findStanding(store, key, target)
      return write('label', { targetId: entry.id, ...(label === null ? {} : { label }) }, options)
    },
    labels: ({ signal } = {}) => readLabels(store, key, signal),
    setModel: async (provider, modelId, options) =>
      write('model_change', { provider: named(provider, 'provider'), modelId: named(modelId, 'modelId') }, options),
    setThinkingLevel: async (thinkingLevel, options) =>
      write('thinking_level_change', { thinkingLevel: named(thinkingLevel, 'thinkingLevel') }, options),
    appendCustom: async (customType, data, options) =>
      write(
        'custom',
        { customType: named(customType, 'customType'), ...(data === undefined ? {} : { data }) },
        options,
      ),
    appendCustomMessage: async ({ customType, content, display = true, details }, options) => {
      const name = named(customType, 'customType')
      const optional = details === undefined ? {} : { details }
      return write('custom_message', { customType: name, content: content as string, display, ...optional }, options)
    },
    createBranchedSession: async (leaf, options) => (await session.branches.copy(leaf, options)) as Session,
  }
}

function headOf(branches: readonly BranchInfo[]): BranchInfo {
  return branches.find(({ isHead }) => isHead) ?? { id: '', isHead: true, createdAt: 0, newerThanHead: 0 }
}

function named(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value
  const found = value === '' ? 'an empty one' : typeof value
  throw new SessionError('InvalidInput', `${name} must be a non-empty string, got ${found}. Nothing was written.`)
}

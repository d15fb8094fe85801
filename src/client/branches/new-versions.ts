import type { EntryInput } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { AppendOptions, AppendResult } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { WriteOptions } from '../../contract/store/write-options.ts'
import type { Session } from '../session-contract.ts'
import { openBranchAfter } from './create-branches.ts'
import { findStanding } from './find-standing.ts'
import { questionOf } from './question-of.ts'

export interface NewVersionParts {
  readonly store: SessionStore
  readonly key: string
  appendAll(entries: readonly EntryInput[], options?: AppendOptions): Promise<AppendResult>
}

/** Appends after a position on a line: on a new branch if the line continues there. */
export function appendAfter(
  { appendAll }: Pick<NewVersionParts, 'appendAll'>,
  entry: EntryInput,
  branch: string,
  parent: string,
  options: WriteOptions = {},
): Promise<AppendResult> {
  return appendAll([entry], { ...options, branch, parent, onConflict: 'branch' })
}

/** Creates the methods that generate another reply, or another version of a question. */
export function createNewVersions(parts: NewVersionParts): Pick<Session, 'regenerate' | 'editAndResend'> {
  const { store, key } = parts
  return {
    regenerate: async (reply, options) => {
      const asked = reply ?? (await store.read(key, { last: 1 })).entries[0]
      if (asked === undefined) {
        throw new SessionError(
          'InvalidInput',
          `Session "${key}" has no reply that could be regenerated. Append a message first.`,
        )
      }
      const standing = await findStanding(store, key, asked)
      const place = (await questionOf(store, key, standing)) ?? standing.before
      return openBranchAfter(store, key, standing.line, place, options)
    },
    editAndResend: async (target, message, options) => {
      const { line, entry, before } = await findStanding(store, key, target)
      if (entry.message === undefined) {
        throw new SessionError(
          'InvalidInput',
          `Entry "${entry.id}" of session "${key}" is of type ${entry.type}. Only a message can be edited and sent again.`,
        )
      }
      return appendAfter(parts, { type: 'message', message }, line, before?.order ?? '', options)
    },
  }
}

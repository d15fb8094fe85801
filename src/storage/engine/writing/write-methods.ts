import type { EntryInput, EntryReceipt, EntryRef } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { Message } from '../../../contract/message.ts'
import type { AppendOptions } from '../../../contract/store/session-log.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import type { WriteOptions } from '../../../contract/store/write-options.ts'
import type { TermOptions } from '../../../contract/term.ts'
import { isTransientThought } from '../../../domain/transient.ts'
import {
  checkpointMutation,
  deleteBranchMutation,
  deleteCheckpointMutation,
  openBranchMutation,
  restoreMutation,
  switchBranchMutation,
  updateBranchMutation,
} from '../branches/branches.ts'
import { compactionMutation } from '../branches/compaction.ts'
import type { Engine } from '../engine.ts'
import { deleteMutation, undeleteMutation } from '../lifecycle/lifecycle.ts'
import { checkTerm, inTerm } from '../lifecycle/term-method.ts'
import { checkMetadata, ensureMetadataMutation, updateMetaMutation } from '../metadata/metadata.ts'
import { promoteAlias } from '../names/promote-alias.ts'
import { runNamed } from '../run-named.ts'
import { appendMutation } from './append.ts'
import { editMutation, removeMutation } from './change-entry.ts'
import { clearMutation, setHistoryMutation, setSummaryMutation, truncateMutation } from './history.ts'
import { checkLines, checkMessage, messageLine } from './input.ts'
import type { Mutation } from './mutation.ts'
import { popMutation } from './pop.ts'
import { putLine, putMutation } from './put.ts'
import { transactMutation } from './transact.ts'

type WriteMethods = Pick<
  SessionStore,
  | 'append'
  | 'edit'
  | 'remove'
  | 'put'
  | 'transact'
  | 'pop'
  | 'clear'
  | 'updateMeta'
  | 'openBranch'
  | 'updateBranch'
  | 'deleteBranch'
  | 'switchBranch'
  | 'setCompaction'
  | 'checkpoint'
  | 'restoreCheckpoint'
  | 'deleteCheckpoint'
  | 'delete'
  | 'undelete'
  | 'addMessage'
  | 'addFullMessage'
  | 'setHistory'
  | 'setSummary'
  | 'truncateHistory'
  | 'ensureSessionMetadata'
>

/**
 * All methods that change one session by one mutation. Input is checked and copied before the first await (L5, L14).
 */
export function createWriteMethods(engine: Engine): WriteMethods {
  const { backend, resolveKey, now } = engine
  const run = <Facts, Result>(
    key: string,
    mutation: Mutation<Facts, Result>,
    options: TermOptions | undefined,
  ): Promise<Result> => runNamed(engine, key, inTerm(mutation, options))
  const append = (key: string, entries: readonly EntryInput[], options?: AppendOptions) =>
    run(key, appendMutation(backend, checkLines(entries, now()), options), options)
  const addFullMessage = async (
    key: string,
    message: Message,
    options?: WriteOptions,
  ): Promise<EntryReceipt | undefined> => {
    const checked = checkMessage(message)
    if (isTransientThought(checked)) {
      await resolveKey(key)
      return undefined
    }
    return (await run(key, appendMutation(backend, [messageLine(checked, now())], options), options)).entries[0]
  }

  return {
    append,
    addFullMessage,
    addMessage: (key, role, content, options) => addFullMessage(key, { role, content }, options),
    edit: (key, target, content, options) => {
      if ((content as unknown) === null)
        throw new SessionError('InvalidInput', 'edit needs new content. Use remove() to remove an entry.')
      return run(key, editMutation(backend, target, content, options), options)
    },
    remove: (key: string, target: EntryRef, options?: WriteOptions) =>
      run(key, removeMutation(backend, target, options), options),
    put: (key, message, options) =>
      run(key, putMutation(backend, putLine(message, now(), options?.mid), options), options),
    transact: (key, changes, options) => run(key, transactMutation(backend, changes, now(), options), options),
    pop: (key, options) => run(key, popMutation(backend, options), options),
    clear: (key, options) => run(key, clearMutation(backend, options), options),
    updateMeta: (key, patch, options) => run(key, updateMetaMutation(backend, patch, options), options),
    openBranch: (key, options) => run(key, openBranchMutation(backend, options), options),
    updateBranch: (key, branch, patch, options) => run(key, updateBranchMutation(branch, patch, options), options),
    deleteBranch: (key, branch, options) => run(key, deleteBranchMutation(branch, options), options),
    switchBranch: (key, branch, options) => run(key, switchBranchMutation(branch, options), options),
    setCompaction: (key, compaction, options) => run(key, compactionMutation(backend, compaction, options), options),
    checkpoint: (key, options) => run(key, checkpointMutation(backend, options), options),
    restoreCheckpoint: (key, checkpoint, options) => run(key, restoreMutation(backend, checkpoint, options), options),
    deleteCheckpoint: (key, checkpoint, options) => run(key, deleteCheckpointMutation(checkpoint, options), options),
    delete: (key, options) => run(key, deleteMutation(options), options),
    undelete: (key, options) => run(key, undeleteMutation(options), options),
    setHistory: (key, messages, options) => {
      if (!Array.isArray(messages)) throw new SessionError('InvalidInput', 'setHistory needs a list of messages.')
      const lines =
        messages.length === 0
          ? []
          : checkLines(
              messages.map((message) => ({ type: 'message', message: message as Message })),
              now(),
            )
      return run(key, setHistoryMutation(backend, lines, options), options)
    },
    setSummary: (key, summary, options) => run(key, setSummaryMutation(summary, options), options),
    truncateHistory: (key, keepLast, options) => run(key, truncateMutation(backend, keepLast, options), options),
    ensureSessionMetadata: async (key, scope, aliases = [], options) => {
      const metadata = checkMetadata(scope, aliases, options)
      return (
        (await promoteAlias(engine, await resolveKey(key), metadata, checkTerm(options))) ??
        run(key, ensureMetadataMutation(backend, metadata), options)
      )
    },
  }
}

import type { JobMethod, SessionStore } from '../../contract/store/session-store.ts'
import type { HostedMethod } from '../../contract/worker-protocol.ts'

/** Marks a job, which takes none either. */
const job = -2

/**
 * Position of the {@link WriteOptions} among the arguments of each method (`openDraft`: of the id, which serves the
 * same purpose; `purge`: of what the number of its call is put into); below 0: none. A method without options can be repeated as it is, because it reads, or repeating it
 * changes nothing more. The compiler reports a job that is not marked as one.
 */
export const optionsIndex: Readonly<
  Record<Exclude<keyof SessionStore, JobMethod>, number> & Record<JobMethod, typeof job>
> = {
  append: 2,
  read: -1,
  edit: 3,
  remove: 2,
  find: -1,
  findByMid: -1,
  put: 2,
  transact: 2,
  pop: 1,
  clear: 1,
  getMeta: -1,
  updateMeta: 2,
  listSessions: -1,
  openBranch: 1,
  listBranches: -1,
  updateBranch: 3,
  deleteBranch: 2,
  switchBranch: 2,
  setCompaction: 2,
  checkpoint: 1,
  listCheckpoints: -1,
  restoreCheckpoint: 2,
  deleteCheckpoint: 2,
  openDraft: 1,
  writeDraft: -1,
  sealDraft: 3,
  dropDraft: -1,
  listDrafts: -1,
  flush: -1,
  unflushed: -1,
  putBlob: -1,
  getBlob: -1,
  getRows: -1,
  listRows: -1,
  writeRows: 2,
  listCollections: job,
  checkRows: job,
  reclaim: job,
  delete: 1,
  undelete: 1,
  purge: 1,
  claimTerm: -1,
  merge: job,
  getVector: job,
  changes: job,
  listPurges: job,
  forgetPurges: job,
  verify: job,
  repair: job,
  usage: job,
  addMessage: 3,
  addFullMessage: 2,
  getHistory: -1,
  setHistory: 2,
  getSummary: -1,
  setSummary: 2,
  truncateHistory: 2,
  save: job,
  ensureSessionMetadata: 3,
  resolveSessionKey: -1,
  getSessionScope: -1,
  close: -1,
}

/** Names of all methods of a store. */
export const methodNames = Object.keys(optionsIndex) as readonly (keyof SessionStore)[]

/**
 * Whether it may take long: in one message with other calls it would delay their answers, so it is sent in a message of
 * its own or runs elsewhere.
 */
export const isJob = (method: HostedMethod): method is JobMethod => method !== 'fold' && optionsIndex[method] === job

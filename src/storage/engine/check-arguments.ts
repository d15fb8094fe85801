import { SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { kindLost } from '../../domain/kind-lost.ts'
import { describeValue } from './describe-value.ts'
import { checkObject } from './writing/input.ts'

/**
 * The kinds of arguments that are checked before a method reads them; `a`: any, because the method checks it itself. A
 * capital letter means that it may be absent.
 */
const kinds = { o: 'an object', l: 'a list', t: 'a string' } as const

/** Methods without arguments other than the key, or that check their arguments themselves. */
type Unshaped =
  | 'getMeta'
  | 'listBranches'
  | 'listCheckpoints'
  | 'listDrafts'
  | 'getHistory'
  | 'getSummary'
  | 'resolveSessionKey'
  | 'getSessionScope'
  | 'save'
  | 'putBlob'
  | 'verify'
  | 'repair'
  | 'usage'
  | 'forgetPurges'
  | 'flush'
  | 'unflushed'
  | 'listPurges'
  | 'close'
  | 'listCollections'

/**
 * The kinds of the arguments after the key, a letter each; for methods without a key, of all arguments. Each new method
 * must be listed here or above.
 */
const shapes: Readonly<Record<Exclude<keyof SessionStore, Unshaped>, string>> = {
  append: 'lO',
  read: 'O',
  edit: 'oaO',
  remove: 'oO',
  find: 'o',
  findByMid: 'l',
  put: 'aO',
  transact: 'lO',
  pop: 'O',
  clear: 'O',
  updateMeta: 'oO',
  listSessions: 'O',
  openBranch: 'o',
  updateBranch: 'toO',
  deleteBranch: 'tO',
  switchBranch: 'tO',
  setCompaction: 'oO',
  checkpoint: 'O',
  restoreCheckpoint: 'tO',
  deleteCheckpoint: 'tO',
  openDraft: 'o',
  writeDraft: 'tao',
  sealDraft: 'tOO',
  dropDraft: 't',
  getBlob: 't',
  getRows: 'tl',
  listRows: 'tO',
  writeRows: 'tlO',
  checkRows: 'O',
  claimTerm: 'O',
  reclaim: 'O',
  delete: 'O',
  undelete: 'O',
  purge: 'O',
  merge: 'lO',
  changes: 'OTO',
  getVector: 'O',
  addMessage: 'aaO',
  addFullMessage: 'aO',
  setHistory: 'lO',
  setSummary: 'tO',
  truncateHistory: 'aO',
  ensureSessionMetadata: 'OLO',
}
const withoutKey: ReadonlySet<string> = new Set<keyof SessionStore>([
  'listSessions',
  'getBlob',
  'getRows',
  'listRows',
  'writeRows',
  'checkRows',
  'claimTerm',
])

/**
 * Refuses arguments that untyped callers can pass and that no method could read, and copies the others: reading them
 * again may give another value, or throw. Message data is left to the methods, which copy it anyway.
 *
 * @throws InvalidInput
 */
export function checkArguments(method: string, args: readonly unknown[]): readonly unknown[] {
  const wanted = (shapes as Readonly<Record<string, string>>)[method]
  if (wanted === undefined) return args
  const first = withoutKey.has(method) ? 0 : 1
  const checked = [...args]
  for (const [i, letter] of [...wanted].entries()) {
    const value = args[first + i]
    const kind = letter.toLowerCase()
    if (kind === 'a' || (value === undefined && letter !== kind)) continue
    const name = `Argument ${first + i + 1} of ${method}()`
    const found = Array.isArray(value)
      ? 'l'
      : typeof value === 'string'
        ? 't'
        : typeof value === 'object' && value !== null
          ? 'o'
          : ''
    if (found !== kind)
      throw new SessionError(
        'InvalidInput',
        `${name} must be ${kinds[kind as keyof typeof kinds]}, got ${found === 'l' ? 'a list' : describeValue(value)}. Nothing was done.`,
      )
    if (kind === 'o') checked[first + i] = checkObject(value, name)
    else if (kind === 'l') checked[first + i] = copyList(value as readonly unknown[], name)
  }
  return checked
}

function copyList(list: readonly unknown[], name: string): readonly unknown[] {
  try {
    return Array.from(list, (member, i) => {
      if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
      const kind = kindLost(member)
      if (kind !== undefined)
        throw new SessionError(
          'InvalidInput',
          `Member ${i} of ${name} is of type ${kind}, which JSON would lose. Pass a plain object. Nothing was done.`,
        )
      return { ...member }
    })
  } catch (cause) {
    if (cause instanceof SessionError) throw cause

    throw new SessionError(
      'InvalidInput',
      `${name} could not be read: a getter or Proxy in it threw (see cause). Pass plain data.`,
      { cause },
    )
  }
}

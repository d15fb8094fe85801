import { SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store.ts'
import { checkObject } from './input.ts'
import { told } from './told.ts'

/** What an argument must be before a method looks into it. `?`: it may be absent. `any`: the method says itself what is wrong. */
type Shape = 'any' | 'object' | 'object?' | 'list' | 'list?' | 'text' | 'text?'

/** The arguments after the key; of methods without one, all of them. */
const shapes: Readonly<Partial<Record<keyof SessionStore, readonly Shape[]>>> = {
  append: ['list', 'object?'],
  read: ['object?'],
  edit: ['object', 'any', 'object?'],
  remove: ['object', 'object?'],
  findByMid: ['list'],
  updateMeta: ['object', 'object?'],
  listSessions: ['object?'],
  openBranch: ['object'],
  updateBranch: ['text', 'object', 'object?'],
  deleteBranch: ['text', 'object?'],
  switchBranch: ['text', 'object?'],
  setCompaction: ['object', 'object?'],
  checkpoint: ['object?'],
  restoreCheckpoint: ['text', 'object?'],
  deleteCheckpoint: ['text', 'object?'],
  openDraft: ['object'],
  writeDraft: ['text', 'any', 'object'],
  sealDraft: ['text', 'object?', 'object?'],
  dropDraft: ['text'],
  getBlob: ['text'],
  claimTerm: ['object?'],
  compact: ['object?'],
  delete: ['object?'],
  undelete: ['object?'],
  purge: ['object?'],
  merge: ['list', 'object?'],
  changes: ['object?', 'text?'],
  addMessage: ['any', 'any', 'object?'],
  addFullMessage: ['any', 'object?'],
  setHistory: ['list', 'object?'],
  setSummary: ['text', 'object?'],
  truncateHistory: ['any', 'object?'],
  ensureSessionMetadata: ['object?', 'list?', 'object?'],
}
const withoutKey: ReadonlySet<string> = new Set<keyof SessionStore>(['listSessions', 'getBlob', 'claimTerm'])

/**
 * Refuses what a caller without types can pass and no method could look into, and copies what methods do look into: reading it again may
 * give something else, or throw. Data of messages is left to the methods, which copy it anyway.
 *
 * @throws InvalidInput
 */
export function checkArguments(method: string, args: readonly unknown[]): readonly unknown[] {
  const wanted = shapes[method as keyof SessionStore]
  if (wanted === undefined) return args
  const first = withoutKey.has(method) ? 0 : 1
  const checked = [...args]
  for (const [i, shape] of wanted.entries()) {
    const value = args[first + i]
    const name = `Argument ${first + i + 1} of ${method}()`
    if (!fits(value, shape)) {
      const kind = shape.replace('?', '')
      throw new SessionError('InvalidInput', `${name} must be ${kind === 'object' ? 'an' : 'a'} ${kind}, got ${Array.isArray(value) ? 'a list' : told(value)}. Nothing was done.`)
    }
    if (value !== undefined && shape.startsWith('object')) checked[first + i] = checkObject(value, name)
    else if (value !== undefined && shape.startsWith('list')) checked[first + i] = copyList(value as readonly unknown[], name)
  }
  return checked
}

function fits(value: unknown, shape: Shape): boolean {
  if (shape === 'any' || (value === undefined && shape.endsWith('?'))) return true
  if (shape.startsWith('text')) return typeof value === 'string'
  return Array.isArray(value) ? shape.startsWith('list') : shape.startsWith('object') && typeof value === 'object' && value !== null
}

function copyList(list: readonly unknown[], name: string): readonly unknown[] {
  try {
    return Array.from(list, (member) => (typeof member === 'object' && member !== null && !Array.isArray(member) ? { ...member } : member))
  } catch (cause) {
    throw new SessionError('InvalidInput', `${name} could not be read: a getter or Proxy in it threw (see cause). Pass plain data.`, { cause })
  }
}

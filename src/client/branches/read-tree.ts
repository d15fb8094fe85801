import type { EntryView } from '../../contract/entry.ts'
import type { BranchInfo } from '../../contract/meta.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { ForkPoint, TiedBranch } from '../../domain/find-forks.ts'
import { findForks } from '../../domain/find-forks.ts'
import { automaticTitle } from '../../domain/title.ts'
import { readEntries } from '../session/read-entries.ts'
import type { ForkChoice, SessionTree } from './branch-types.ts'

const pageSize = 64
/** Number of entries after a fork that are read first. */
const nearby = 4

/** Reads how the lines of a session are connected. */
export async function readTree(store: SessionStore, key: string): Promise<SessionTree> {
  const branches = await store.listBranches(key)
  const head = branches.find(({ isHead }) => isHead)?.id ?? ''
  const forks = findForks(await withDeleted(store, key, branches), head)
  return {
    head,
    forks: await Promise.all(
      forks.map(async (fork) => ({
        ...fork,
        choices: await Promise.all(fork.choices.map((choice) => previewOf(store, key, fork.at, choice))),
      })),
    ),
  }
}

async function previewOf(
  store: SessionStore,
  key: string,
  at: ForkPoint,
  { branch, line }: Pick<ForkChoice, 'branch' | 'line'>,
): Promise<ForkChoice> {
  const showFirst = (entries: readonly EntryView[]): ForkChoice | undefined => {
    const first = entries.find(({ message }) => message !== undefined)
    return first?.message === undefined ? undefined : { branch, line, first, preview: automaticTitle(first.message) }
  }
  // The first message is usually among the first entries: pages for whole lines would have hundreds of entries per
  // choice.
  const { entries, more } = await store.read(key, { branch: line, after: at.order, limit: nearby })
  const shown = showFirst(entries)
  if (shown !== undefined) return shown
  const last = entries.at(-1)
  if (more && last !== undefined) {
    for await (const further of readEntries(store, key, undefined, { branch: line, after: last.order })) {
      const found = showFirst(further)
      if (found !== undefined) return found
    }
  }
  return { branch, line, preview: '' }
}

/**
 * The branches, including deleted ones that others fork from: the store does not list these any more, but lines still
 * pass through them.
 */
async function withDeleted(
  store: SessionStore,
  key: string,
  branches: readonly BranchInfo[],
): Promise<readonly TiedBranch[]> {
  const tied = new Map<string, TiedBranch>(branches.map((branch) => [branch.id, { ...branch, isOpen: true }]))
  for (const { id: line, fork, createdAt } of branches) {
    for (let at = fork; at !== undefined && !tied.has(at.branch); ) {
      const { branch } = at
      const left = await forkOf(store, key, line, at)
      tied.set(branch, { id: branch, createdAt, isOpen: false, ...(left === undefined ? {} : { fork: left }) })
      at = left
    }
  }
  return [...tied.values()]
}

/** Where a branch on a line forked from its parent: at the last entry of another branch before the fork. */
async function forkOf(
  store: SessionStore,
  key: string,
  line: string,
  { branch, order }: ForkPoint,
): Promise<ForkPoint | undefined> {
  for (let before = `${order}!`; ; ) {
    const page = await store.read(key, { branch: line, view: 'raw', before, limit: pageSize })
    const last = page.entries.findLast((entry) => entry.branch !== branch)
    const [first] = page.entries
    if (last !== undefined) return { branch: last.branch, order: last.order }
    if (!page.more || first === undefined) return branch === '' ? undefined : { branch: '', order: '' }
    before = first.order
  }
}

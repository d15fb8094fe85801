import type { BranchInfo } from '../../contract/meta.ts'
import type { EntryPage } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { automaticTitle } from '../../domain/title.ts'
import type { BranchPreview } from './branch-types.ts'

/** Entries in the first page that is searched for a first message. */
const pageSize = 16

/** Reads what a list shows of each branch: values of the branch's own entries, as its transcript shows them. */
export async function branchPreviews(store: SessionStore, key: string): Promise<readonly BranchPreview[]> {
  const previews: BranchPreview[] = []
  for (const info of await store.listBranches(key)) {
    const first = await store.read(key, { branch: info.id, after: info.fork?.order ?? '', limit: pageSize, own: true })
    const { messages = 0, newest = 0 } = first.own ?? {}
    previews.push({
      ...info,
      preview: messages === 0 ? '' : await firstWords(store, key, info, first),
      messageCount: messages,
      lastActivity: Math.max(info.createdAt, newest),
    })
  }
  return previews
}

/** The beginning of the first own message with text. */
async function firstWords(store: SessionStore, key: string, { id }: BranchInfo, first: EntryPage): Promise<string> {
  for (let page = first; ; ) {
    // A fork before the parent's own first entry is on the parent's parent.
    for (const { branch, message } of page.entries) {
      const words = branch === id && message !== undefined ? automaticTitle(message) : ''
      if (words !== '') return words
    }
    const last = page.entries.at(-1)
    if (!page.more || last === undefined) return ''
    page = await store.read(key, { branch: id, after: last.order, limit: 512 })
  }
}

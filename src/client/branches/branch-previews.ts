import type { SessionStore } from '../../contract/store.ts'
import { automaticTitle } from '../../domain/title.ts'
import { readEntries } from '../read-entries.ts'
import type { BranchPreview } from './types.ts'

/** Reads what a list shows of each branch: of the branches' own entries, as their transcripts show them. */
export async function branchPreviews(store: SessionStore, key: string): Promise<readonly BranchPreview[]> {
  const previews: BranchPreview[] = []
  for (const info of await store.listBranches(key)) {
    let preview = ''
    let messageCount = 0
    let lastActivity = info.createdAt
    for await (const entries of readEntries(store, key, undefined, { branch: info.id, after: info.fork?.order ?? '' })) {
      for (const { branch, message, at } of entries) {
        // A fork before the parent's own first entry leaves the parent's parent.
        if (branch !== info.id) continue
        lastActivity = Math.max(lastActivity, at)
        if (message === undefined) continue
        messageCount += 1
        preview ||= automaticTitle(message)
      }
    }
    previews.push({ ...info, preview, messageCount, lastActivity })
  }
  return previews
}

import { expect, it } from 'vitest'
import { createTranscriptDrafts } from '../../src/client/session/transcript-drafts.ts'
import type { DraftChange } from '../../src/contract/change.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

it('shows no draft whose beginning is heard after its end, as of a tab that died', async () => {
  const heard: DraftChange[] = []
  const store = createSessionStore(createMemoryBackend(), {
    onChange: (change) => void (change.type === 'draft' && heard.push(change)),
  })
  const draft = await store.openDraft('k', { role: 'assistant' })
  await store.writeDraft('k', draft, 0, { text: 'half' })
  await store.sealDraft('k', draft)
  const [begun, grown, sealed] = heard as [DraftChange, DraftChange, DraftChange]
  const drafts = createTranscriptDrafts(store, 'k')
  expect([sealed, begun, grown].map(drafts.apply)).toEqual([true, true, true])
  expect(drafts.list()).toEqual([])
  drafts.close()
  await store.close()
})

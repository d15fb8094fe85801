import { expect } from 'vitest'
import { assistant, history, refuses } from '../helpers.ts'
import type { Laws } from '../law.ts'

export const draftMidLaws: Laws = {
  'L3: gives a draft and the entry it becomes the host id that it was opened with': async ({ store }) => {
    const draft = await store.openDraft('s', { role: 'assistant', mid: 'm1' })
    expect(await store.listDrafts('s')).toMatchObject([{ id: draft, mid: 'm1', text: '', next: 1 }])
    await store.writeDraft('s', draft, 1, { text: 'the answer' })
    expect(await store.listDrafts('s')).toMatchObject([{ id: draft, mid: 'm1', text: 'the answer', next: 2 }])
    const receipt = await store.sealDraft('s', draft, { ...assistant('the answer'), id: 'another' })
    expect(await store.find('s', { mid: 'm1' })).toMatchObject({ ...receipt, mid: 'm1' })
    expect(await store.find('s', { mid: 'another' })).toBeUndefined()
    await refuses(store.openDraft('s', { role: 'assistant', mid: '' }), 'InvalidInput')
    await refuses(store.openDraft('s', { role: 'assistant', mid: 5 as never }), 'InvalidInput')
  },

  'L8: stores a reply once that two drafts end with under one operation id': async ({ store }) => {
    const options = { operationId: 'op-1' }
    const one = await store.openDraft('s', { role: 'assistant', mid: 'm1' })
    const receipt = await store.sealDraft('s', one, assistant('same'), options)
    const two = await store.openDraft('s', { role: 'assistant', mid: 'm1' })
    await refuses(store.sealDraft('s', two, assistant('other'), options), 'OperationConflict')
    expect(await store.sealDraft('s', two, assistant('same'), options)).toEqual(receipt)
    expect([await history(store, 's'), await store.listDrafts('s')]).toEqual([['same'], []])
  },
}

import type { SessionStore } from '../../../src/contract/store/session-store.ts'

/** Stands in every text of a session made by {@link writeRichSession}. */
export const secret = 'kumquat'

/** Puts the word into everything that a person or a model can put a text into. @returns the hash of a blob */
export async function writeRichSession(store: SessionStore, key = 's'): Promise<string> {
  const message = (text: string) =>
    ({ type: 'message', message: { role: 'user', content: `${text} ${secret}` } }) as const
  await store.append(key, [message('one'), { ...message('two'), mid: `mid-${secret}` }], { operationId: 'op1' })
  await store.append(key, [
    {
      type: 'message',
      message: {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: secret, arguments: `{"a":"${secret}"}` } }],
      },
    },
  ])
  await store.append(key, [message('large '.repeat(8000))])
  await store.edit(key, { mid: `mid-${secret}` }, { role: 'user', content: `edited ${secret}` })
  await store.updateMeta(key, {
    title: `title ${secret}`,
    suggestedTitle: `better ${secret}`,
    tags: [secret],
    custom: { note: secret },
    memo: { fact: secret },
  })
  await store.setSummary(key, `summary ${secret}`)
  const { order } = (await store.read(key, { last: 1 })).entries[0]!
  const branch = await store.openBranch(key, { after: { branch: '', order }, name: `branch ${secret}`, head: false })
  await store.updateBranch(key, branch.id, { name: `named ${secret}` })
  await store.checkpoint(key, { label: `label ${secret}`, metadata: { note: secret }, state: { note: secret } })
  const draft = await store.openDraft(key, { role: 'assistant' })
  await store.writeDraft(key, draft, 0, { text: `draft ${secret}`, reasoning: `thought ${secret}` })
  const bytes = new TextEncoder().encode(`bytes ${secret}`)
  await store.writeRows(
    'rows',
    [
      { type: 'put', key: `${key} json`, value: { note: secret } },
      { type: 'put', key: `${key} bytes`, value: bytes },
    ],
    { operationId: `rows of ${key}` },
  )
  return store.putBlob(new Blob([`blob ${secret}`], { type: `text/${secret}` }))
}

/** What a store gives back of its sessions. */
export async function richSessionTexts(store: SessionStore): Promise<string> {
  const { sessions } = await store.listSessions({ limit: 100 })
  const found = await Promise.all(
    sessions
      .map(({ key }) => key)
      .sort()
      .map(async (key) => {
        const { version: _, ...meta } = ((await store.getMeta(key)) ?? {}) as Record<string, unknown>
        return [
          meta,
          (await store.read(key, { limit: 100 })).entries,
          await store.listCheckpoints(key),
          await store.listBranches(key),
        ]
      }),
  )
  return JSON.stringify(found)
}

/** What a store gives back of its rows. */
export async function richRows(store: SessionStore): Promise<string> {
  const { rows } = await store.listRows('rows')
  return rows
    .map(({ value }) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : JSON.stringify(value)))
    .join(' ')
}

import { describe, expect, it } from 'vitest'
import type { SourceFile } from '../../src/contract/job.ts'
import { importFiles } from '../../src/files/import-files.ts'
import { withoutSecrets } from '../../src/formats/without-secrets.ts'
import { stateOf } from './support/agently-files.ts'
import { everything, filesOf, forked, linesOf, openStore } from './support/foreign-exports.ts'
import { header, linear } from './support/pi-file.ts'

const secret = 'sk-secret-4711'
const secrets = {
  apiKey: secret,
  api_key: secret,
  authorization: `Bearer ${secret}`,
  headers: { 'x-key': secret },
  access_token: secret,
  clientSecret: secret,
  cookies: [secret],
  password: secret,
}
const settings = { ...secrets, deep: [{ ...secrets, provider: { ...secrets } }] }
const message = { role: 'user', content: 'Hi' }

const sources: Readonly<Record<string, readonly SourceFile[]>> = {
  ChatGPT: filesOf({ a: [forked(undefined, { settings, account: secrets, ...secrets })] }),
  Claude: filesOf({
    a: [
      {
        uuid: 'c',
        name: 'C',
        account: secrets,
        settings,
        project: { uuid: 'p', name: 'P', ...secrets },
        chat_messages: [{ uuid: 'm', sender: 'human', text: 'Hi' }],
      },
    ],
  }),
  'Claude Code': filesOf({
    a: linesOf([
      {
        type: 'user',
        uuid: 'u',
        parentUuid: null,
        sessionId: 's',
        timestamp: '2026-03-14T08:00:00Z',
        cwd: '/',
        env: settings,
        settings,
        message,
      },
    ]),
  }),
  'Open WebUI': filesOf({
    a: [
      {
        id: 'w',
        settings,
        chat: {
          params: settings,
          models: ['m'],
          history: {
            currentId: 'm',
            messages: {
              m: {
                id: 'm',
                parentId: null,
                role: 'user',
                content: 'Hi',
                files: [{ id: 'f', name: 'n', file: settings }],
              },
            },
          },
        },
      },
    ],
  }),
  ShareGPT: filesOf({ a: [{ id: 'g', settings, conversations: [{ from: 'human', value: 'Hi' }] }] }),
  OpenAI: filesOf({
    a: [
      {
        id: 'o',
        settings,
        ...secrets,
        messages: [message],
        tools: [
          { type: 'mcp', server_label: 'files', server_url: `https://${secret}@host/mcp?key=${secret}`, ...secrets },
          {
            type: 'function',
            function: {
              name: 'read',
              parameters: { type: 'object', properties: { token: { type: 'string' } } },
              ...secrets,
            },
          },
        ],
      },
    ],
  }),
  pi: filesOf({ a: linesOf([header(settings), ...linear(2)]) }),
  Agently: filesOf({
    a: stateOf(2, { settings: { session: { mode: 'lite', ...settings }, openai: secrets } as never }),
  }),
  Aixgo: filesOf({
    'x/sessions.json': { s: { id: 's', agentName: 'x', createdAt: '2026-03-14T08:00:00Z', ...settings } },
    'x/s.jsonl': linesOf([
      { id: 'e', timestamp: '2026-03-14T08:00:00Z', type: 'message', data: { type: 'user', payload: '"Hi"' } },
    ]),
  }),
  'ai-panel': filesOf({
    'agents/x/sessions/sessions.json': {
      sessions: { s: { id: 's', agentId: 'x', title: 'T', createdAt: 1, lastAt: 2, ...settings } },
      ...settings,
    },
    'agents/x/sessions/s.jsonl': linesOf([
      { type: 'session', agentId: 'x', createdAt: 1, ...settings },
      { type: 'message', message },
    ]),
  }),
  PicoClaw: filesOf({
    'k.meta.json': {
      key: 'k',
      summary: '',
      skip: 0,
      count: 1,
      created_at: '2026-03-14T08:00:00Z',
      updated_at: '2026-03-14T08:00:00Z',
      ...settings,
    },
    'k.jsonl': linesOf([{ ...message, created_at: '2026-03-14T08:00:00Z' }]),
  }),
}

describe('secrets in the settings of another app', () => {
  it.each(Object.entries(sources))('of %s are never imported', async (_, source) => {
    const store = openStore()
    const report = await importFiles(store, source)
    expect(report.added).toBeGreaterThan(0)
    expect(JSON.stringify(await everything(store))).not.toContain(secret)
    expect(JSON.stringify(report)).not.toContain(secret)
  })

  it('go, and nothing else does', async () => {
    const store = openStore()
    const { keys } = await importFiles(store, sources['OpenAI']!)
    expect((await store.getMeta(keys[0]!))?.custom).toEqual({
      openai: {
        tools: [
          { type: 'mcp', server_label: 'files' },
          {
            type: 'function',
            function: { name: 'read', parameters: { type: 'object', properties: { token: { type: 'string' } } } },
          },
        ],
      },
    })
    const left: string[] = []
    const harmless = {
      mode: 'lite',
      maxTokens: 5,
      limit: { chars: 1, messages: null },
      keywords: ['token'],
      tokenizer: 'x',
      headless: true,
    }
    expect(withoutSecrets({ ...harmless, nested: [{ ...secrets, kept: 1 }] }, (path) => left.push(path))).toEqual({
      ...harmless,
      nested: [{ kept: 1 }],
    })
    expect(left).toEqual(Object.keys(secrets).map((name) => `nested[0].${name}`))
  })
})

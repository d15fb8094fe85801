import { expect, it } from 'vitest'
import type { SourceFile } from '../../src/contract/job.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { exportAixgo } from '../../src/dialects/aixgo/format/export-aixgo.ts'
import { exportAiPanel } from '../../src/dialects/chat/format/export-ai-panel.ts'
import { exportPi } from '../../src/dialects/pi/format/export-pi.ts'
import { exportPicoClaw } from '../../src/dialects/picoclaw/format/export-picoclaw.ts'
import { sealEntry } from '../../src/domain/seal.ts'
import { exportMarkdown } from '../../src/formats/export-markdown.ts'
import { exportOpenAi } from '../../src/formats/export-openai.ts'
import { openStore } from './support/picoclaw-files.ts'

const exports: readonly [string, (store: SessionStore) => AsyncIterable<SourceFile>][] = [
  ['ai-panel', exportAiPanel],
  ['Aixgo', exportAixgo],
  ['Markdown', exportMarkdown],
  ['OpenAI', exportOpenAi],
  ['pi', exportPi],
  ['PicoClaw', exportPicoClaw],
]

it.each(exports)('an export for %s takes what another device may have written', async (_, start) => {
  const store = openStore()
  const entry = (s: number, type: string, data: object, at: number) =>
    sealEntry({ w: 7, s, branch: '', type, data: data as never, at, clock: { hp: 9, hc: s } })
  const { refused } = await store.merge('k', [
    entry(0, 'message', { message: { role: 'user', content: { no: 'text' } } }, 1e300),
    entry(
      1,
      'message',
      {
        message: {
          role: 'assistant',
          content: [null, 7, { type: 'tool_use' }],
          tool_calls: [null, {}],
          media: 'x',
          attachments: [1],
        },
      },
      -1,
    ),
    entry(2, 'message', { message: { role: '', parts: {} }, mid: '' }, 0.5),
    entry(3, 'compaction', { order: '~', vv: {}, summary: 'S', messages: 'none' }, 1e300),
    entry(4, 'label', { mid: 5 }, 0),
    entry(5, 'checkpoint', { branch: 'x.y', order: '', vv: {}, metadata: [] }, 1e300),
    entry(6, 'meta', { set: { custom: { pi: 3, aixgo: [], picoclaw: 'x' }, title: 'T' } }, 1e300),
  ])
  expect(refused).toEqual([])
  let files = 0
  for await (const { blob } of start(store)) if (blob.size > 0) files += 1
  expect(files).toBeGreaterThan(0)
})

import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import type { Message } from '../../src/contract/message.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { type ExportMarkdownOptions, exportMarkdown } from '../../src/formats/export-markdown.ts'
import { type ExportOpenAiOptions, exportOpenAi } from '../../src/formats/export-openai.ts'
import { contained, fenced } from '../../src/formats/markdown/contain.ts'
import { openStore } from './support/picoclaw-files.ts'

vi.setConfig({ testTimeout: 60_000 })

async function texts(
  files: AsyncIterable<{ readonly path: string; readonly blob: Blob }>,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const { path, blob } of files) found[path] = await blob.text()
  return found
}

const openAi = async (store: SessionStore, options?: ExportOpenAiOptions) => texts(exportOpenAi(store, options))
const markdown = async (store: SessionStore, options?: ExportMarkdownOptions) => texts(exportMarkdown(store, options))

async function storeOf(...messages: Message[]): Promise<SessionStore> {
  const store = openStore()
  await store.append(
    'k',
    messages.map((message) => ({ type: 'message' as const, message })),
  )
  return store
}

const messagesOf = async (...messages: Message[]): Promise<unknown> =>
  JSON.parse((await openAi(await storeOf(...messages)))['k.json']!)

const call = { id: 'c', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } }

describe('messages for OpenAI', () => {
  it('stay as they are when they are such messages', async () => {
    const messages: Message[] = [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'q', name: 'ann' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'found' },
      { role: 'assistant', content: 'a' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        ],
      },
    ]
    expect(await messagesOf(...messages)).toEqual(messages)
  })

  it('are made of those of pi, Anthropic, the AI SDK and PicoClaw', async () => {
    const answered = [
      { role: 'assistant', content: 'look', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'found' },
    ]
    expect(
      await messagesOf(
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'look' },
            { type: 'toolCall', id: 'c', name: 'read', arguments: { path: 'x' } },
          ],
        },
        {
          role: 'toolResult',
          toolCallId: 'c',
          toolName: 'read',
          content: [{ type: 'text', text: 'found' }],
          isError: false,
        },
      ),
    ).toEqual(answered)
    expect(
      await messagesOf(
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'look' },
            { type: 'tool_use', id: 'c', name: 'read', input: { path: 'x' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c', content: 'found' },
            { type: 'text', text: 'next' },
          ],
        },
      ),
    ).toEqual([...answered, { role: 'user', content: 'next' }])
    expect(
      await messagesOf({
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'text', text: 'look' },
          { type: 'tool-read', toolCallId: 'c', input: { path: 'x' }, output: 'found' },
        ],
      }),
    ).toEqual(answered)
    expect(
      await messagesOf({
        role: 'user',
        content: 'see',
        media: ['data:image/png;base64,AA==', 'media://local'],
        reasoning_content: 'secret',
      }),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        ],
      },
    ])
  })

  it('leave out what says nothing, and have roles the API knows', async () => {
    expect(
      await messagesOf(
        { role: 'assistant', content: '' },
        { role: 'human', content: 'h' },
        { role: 'custom', content: 'c' },
        { role: 'bashExecution', command: 'ls', output: 'x' },
      ),
    ).toEqual([
      { role: 'user', content: 'h' },
      { role: 'user', content: 'c' },
      { role: 'user', content: 'Ran `ls`\n```\nx\n```' },
    ])
    expect(await messagesOf({ role: 'assistant', content: '' })).toEqual([])
  })

  it('are of the current line, or what a model gets of it', async () => {
    const store = await storeOf(
      { role: 'user', content: '1' },
      { role: 'assistant', content: '2' },
      { role: 'user', content: '3' },
    )
    await store.setCompaction('k', { summary: 'S', keepLast: 1, messages: [{ role: 'user', content: 'in front' }] })
    expect((JSON.parse((await openAi(store))['k.json']!) as JsonObject[]).map(({ content }) => content)).toEqual([
      '1',
      '2',
      '3',
    ])
    expect(
      (JSON.parse((await openAi(store, { view: 'context' }))['k.json']!) as JsonObject[]).map(({ content }) => content),
    ).toEqual(['S', 'in front', '3'])
  })

  it('are lines in one file where that is asked for', async () => {
    const store = await storeOf({ role: 'user', content: 'a\nb' })
    await store.addMessage('a', 'user', 'other')
    await store.setSummary('empty', '')
    expect(await openAi(store, { format: 'jsonl' })).toEqual({
      'openai-messages.jsonl':
        '{"messages":[{"role":"user","content":"other"}]}\n{"messages":[{"role":"user","content":"a\\nb"}]}\n',
    })
    expect(Object.keys(await openAi(store))).toEqual(['a.json', 'empty.json', 'k.json'])
  })

  it('come back as they were, whatever they say', async () => {
    const content = fc.string({ unit: 'binary', minLength: 1 })
    const message = fc.oneof(
      fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content }),
      fc.record({
        role: fc.constant('assistant'),
        content: fc.oneof(content, fc.constant(null)),
        tool_calls: fc.array(
          fc.record({
            id: content,
            type: fc.constant('function'),
            function: fc.record({ name: content, arguments: content }),
          }),
          { minLength: 1, maxLength: 2 },
        ),
      }),
      fc.record({ role: fc.constant('tool'), tool_call_id: content, content }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 8 }), async (messages) => {
        const store = await storeOf(...(messages as Message[]))
        expect(JSON.parse((await openAi(store))['k.json']!)).toEqual(
          (await store.read('k', { after: '' })).entries.map((entry) => entry.message),
        )
      }),
      { numRuns: 50 },
    )
  })
})

describe('a session as Markdown', () => {
  it('has title, facts, and each message with who and when; tools and reasoning folded', async () => {
    const store = await storeOf(
      { role: 'user', content: '**Hi**' },
      { role: 'assistant', content: 'see', reasoning_content: 'hm', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', name: 'read', content: 'has ```` inside' },
      { role: 'assistant', content: 'done', media: ['https://x.y/a b.png'] },
    )
    await store.updateMeta('k', { title: 'A *title*\n# here', agentId: 'bot', summary: 'So\nfar' })
    expect(Object.values(await markdown(store))).toEqual([
      [
        '# A \\*title\\* \\# here',
        '',
        '- Session: k',
        '- Agent: bot',
        '- Created: 2026-09-01 00:00 UTC',
        '- Updated: 2026-09-01 00:00 UTC',
        '',
        '> So',
        '> far',
        '',
        '## User · 2026-09-01 00:00 UTC',
        '',
        '**Hi**',
        '',
        '## Assistant · 2026-09-01 00:00 UTC',
        '',
        '<details>',
        '<summary>Reasoning</summary>',
        '',
        'hm',
        '',
        '</details>',
        '',
        'see',
        '',
        '<details>',
        '<summary>Tool call: read</summary>',
        '',
        '```json',
        '{',
        '  "path": "x"',
        '}',
        '```',
        '',
        '</details>',
        '',
        '## Tool · 2026-09-01 00:00 UTC',
        '',
        '<details>',
        '<summary>Result of read</summary>',
        '',
        '`````',
        'has ```` inside',
        '`````',
        '',
        '</details>',
        '',
        '## Assistant · 2026-09-01 00:00 UTC',
        '',
        'done',
        '',
        '[image](<https://x.y/a%20b.png>)',
        '',
        '',
      ].join('\n'),
    ])
  })

  it('is named by its title, or its key', async () => {
    const store = await storeOf({ role: 'user', content: 'How? a/b' })
    await store.append('no text', [{ type: 'message', message: { role: 'user', content: '' } }])
    expect(Object.keys(await markdown(store))).toEqual(['How? a_b.md', 'no text.md'])
  })

  it('has the other lines behind it where they are asked for, each message once', async () => {
    const store = await storeOf({ role: 'user', content: 'one' }, { role: 'assistant', content: 'two' })
    const { entries } = await store.read('k', { after: '' })
    await store.openBranch('k', { after: entries[0]!, name: 'again' })
    await store.append('k', [{ type: 'message', message: { role: 'assistant', content: 'three' } }])
    const { 'one.md': alone } = await markdown(store)
    expect(alone).not.toContain('two')
    const { 'one.md': all } = await markdown(store, { branches: true })
    expect(all!.match(/^(one|two|three|# Main line)$/gm)).toEqual(['one', 'three', '# Main line', 'two'])
  })

  it.each([
    ['an open fence', 'a\n```js\nb', 'a\n```js\nb\n```'],
    ['an open fence of tildes', '~~~~\n```\n~~~', '~~~~\n```\n~~~\n~~~~'],
    ['a fence that is closed', '```\n<!--\n```\nafter', '```\n<!--\n```\nafter'],
    ['a longer fence', '````\n```\n````', '````\n```\n````'],
    ['a fence that is none', '``` not `one`\nx', '``` not `one`\nx'],
    ['a comment that is open', 'a <!-- b', 'a &lt;!-- b'],
    ['elements that swallow', '<details>x</details><script>y<b>', '&lt;details>x&lt;/details>&lt;script>y<b>'],
    ['code that looks like them', 'the `<!--` and ``a`<script>`` stay', 'the `<!--` and ``a`<script>`` stay'],
  ])('closes %s', (_, text, expected) => expect(contained(text)).toBe(expected))

  it('has code blocks that hold any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', '~', '\n', 'a', ' ') }), (text) => {
        const [first, ...lines] = fenced(text, 'json').split('\n')
        const fence = /^`+/.exec(first!)![0]
        expect(lines.findIndex((line) => new RegExp(`^ {0,3}\`{${fence.length},}\\s*$`).test(line))).toBe(
          lines.length - 1,
        )
        expect(lines.slice(0, -1).join('\n')).toBe(text)
      }),
    )
  })

  it('leaves no code block open, whatever a message says', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('```', '````', '~~~', '~~~~', '```js', '``` a`', ' ```', 'text', '    ```', '``'), {
          maxLength: 10,
        }),
        (lines) => {
          // As CommonMark has it: what is open at the end is the last of the openings that nothing closed.
          let open: string | undefined
          for (const line of contained(lines.join('\n')).split('\n')) {
            const run = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
            if (run === undefined) continue
            const rest = line.trim().slice(run.length)
            if (open === undefined) open = run.startsWith('`') && rest.includes('`') ? undefined : run
            else if (run[0] === open[0] && run.length >= open.length && rest.trim() === '') open = undefined
          }
          expect(open).toBe(undefined)
        },
      ),
    )
  })
})

it('exports of text stop when they are asked to', async () => {
  for (const start of [exportOpenAi, exportMarkdown]) {
    const store = await storeOf({ role: 'user', content: 'x' })
    await store.addMessage('l', 'user', 'y')
    const ending = new AbortController()
    const files = start(store, { signal: ending.signal })
    await files.next()
    ending.abort()
    await expect(files.next()).rejects.toMatchObject({ name: 'Aborted' })
  }
})

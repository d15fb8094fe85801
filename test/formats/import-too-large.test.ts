import { gzipSync } from 'fflate'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { SourceFile } from '../../src/contract/job.ts'
import { importFiles } from '../../src/files/import-files.ts'
import { heldLimits } from '../../src/formats/create-size-guard.ts'
import { filesOf, forked, openStore, uuid } from './support/foreign-exports.ts'
import { entry, header } from './support/pi-file.ts'

vi.setConfig({ testTimeout: 120_000 })

/** A log of one line more than a conversation may have, in a gzip that is small. */
const bomb = (first: unknown, lineAt: (n: number) => unknown): Blob => {
  const encoder = new TextEncoder()
  const text = [
    ...(first === undefined ? [] : [JSON.stringify(first)]),
    ...Array.from({ length: heldLimits.entries + 1 }, (_, n) => JSON.stringify(lineAt(n))),
  ].join('\n')
  return new Blob([gzipSync(encoder.encode(`${text}\n`), { level: 1 }) as Uint8Array<ArrayBuffer>])
}
const code = (session: string, id: string): unknown => ({
  type: 'user',
  sessionId: session,
  uuid: id,
  message: { role: 'user', content: 'x' },
})
const small = new Blob([`${JSON.stringify(code('small', 'a'))}\n`])

const bombs: Readonly<Record<string, () => Blob>> = {
  'Claude Code': () => bomb(code('small', 'b'), (n) => code('large', `u${n}`)),
  Aixgo: () =>
    bomb(undefined, (n) => ({
      id: `e${n}`,
      timestamp: '2026-03-14T08:00:00Z',
      type: 'message',
      data: { type: 'user', payload: '"x"' },
    })),
  'ai-panel': () =>
    bomb({ type: 'session', agentId: 'a', createdAt: 1 }, () => ({
      type: 'message',
      message: { role: 'user', content: 'x' },
      timestamp: 1,
    })),
  pi: () => bomb(header(), (n) => entry(n, null, 'message', { message: { role: 'user', content: 'x' } })),
  messages: () => bomb(undefined, () => ({ role: 'user', content: 'x' })),
}

it.each(Object.entries(bombs))(
  'a conversation of %s that no worker can hold is left out as TooLarge, and everything else comes in',
  async (name, make) => {
    // The real limit for the one that is read fastest: what the others do at theirs they do at one of 5,000.
    const { entries } = heldLimits
    onTestFinished(() => void (heldLimits.entries = entries))
    if (name !== 'messages') heldLimits.entries = 5000
    const store = openStore()
    const files: SourceFile[] = [
      { path: 'large', blob: make() },
      { path: 'small', blob: small },
      ...filesOf({ other: [forked()] }),
    ]
    const report = await importFiles(store, files)
    expect(report.skipped).toEqual([
      {
        line: 0,
        file: 'large',
        error: 'TooLarge',
        reason: expect.stringContaining(name === 'messages' ? '262,144 entries' : '5,000 entries') as unknown,
      },
    ])
    expect(report.keys.toSorted()).toEqual([`chatgpt:${uuid(1)}`, 'claude-code:small'])
    expect((await store.listSessions()).total).toBe(2)
    expect(report.added).toBe(6 + (name === 'Claude Code' ? 2 : 1))
  },
)

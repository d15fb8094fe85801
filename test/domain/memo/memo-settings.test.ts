import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/contract/json.ts'
import {
  defaultInstruct,
  mergeSettings,
  readMemoRules,
  settingAt,
} from '../../../src/dialects/agently/rules/memo-settings.ts'

describe('the rules of a memo session', () => {
  it('have AgentlyMemoSession’s defaults', () => {
    expect(readMemoRules({})).toEqual({
      chars: 12000,
      messages: null,
      everyNTurns: 8,
      isMemoOn: false,
      instruct: defaultInstruct,
    })
  })

  it.each<[string, JsonObject, JsonObject]>([
    [
      'take resize.*',
      { resize: { max_messages_text_length: 5, max_keep_messages_count: 6, every_n_turns: 7 } },
      { chars: 5, messages: 6, everyNTurns: 7 },
    ],
    [
      'take limit before resize',
      { limit: { chars: 1, messages: 2 }, resize: { max_messages_text_length: 5, max_keep_messages_count: 6 } },
      { chars: 1, messages: 2 },
    ],
    [
      'take resize where the limit has no such key',
      { limit: { chars: 1 }, resize: { max_keep_messages_count: 6 } },
      { chars: 1, messages: 6 },
    ],
    [
      'take resize where the limit says null',
      { limit: { chars: null }, resize: { max_messages_text_length: 5 } },
      { chars: 5 },
    ],
    [
      'ignore legacy keys',
      { resize: { max_current_chars: 5, keep_last_messages: 6 }, limit: { max_current_chars: 5 } },
      { chars: 12000, messages: null },
    ],
    [
      'read texts as int() does',
      { limit: { chars: ' +1_000 ', messages: '-2' }, resize: { every_n_turns: '007' } },
      { chars: 1000, messages: 0, everyNTurns: 7 },
    ],
    ['cut fractions off', { limit: { chars: 9.9 }, resize: { every_n_turns: -1.5 } }, { chars: 9, everyNTurns: -1 }],
    ['read truth values as 1 and 0', { limit: { chars: true, messages: false } }, { chars: 1, messages: 0 }],
    [
      'fall back where int() fails',
      { limit: { chars: '12.5', messages: '4 5' }, resize: { every_n_turns: [] } },
      { chars: 12000, messages: null, everyNTurns: 8 },
    ],
    [
      'fall back for single underscores only',
      { limit: { chars: '1__0', messages: '_1' } },
      { chars: 12000, messages: null },
    ],
    [
      'keep 0',
      { limit: { chars: 0, messages: 0 }, resize: { every_n_turns: 0 } },
      { chars: 0, messages: 0, everyNTurns: 0 },
    ],
    ['pass over a limit that is no object', { limit: 7, resize: 'x' }, { chars: 12000, messages: null }],
    ['turn the memo on by mode (C16)', { mode: 'memo' }, { isMemoOn: true }],
    ['let memo.enabled go before mode (C16)', { mode: 'memo', memo: { enabled: false } }, { isMemoOn: false }],
    ['turn the memo on without the mode', { mode: 'lite', memo: { enabled: true } }, { isMemoOn: true }],
    ['take null for enabled as not set', { mode: 'memo', memo: { enabled: null } }, { isMemoOn: true }],
    ['take the app’s instruction', { memo: { instruct: ['x'] } }, { instruct: ['x'] }],
  ])('%s', (_, settings, expected) => {
    expect(readMemoRules(settings)).toMatchObject(expected)
  })
})

describe('settings', () => {
  it('are merged, so that a second limit keeps the other key', () => {
    expect(mergeSettings({ limit: { chars: 1, messages: 2 }, mode: 'lite' }, { limit: { chars: 3 } })).toEqual({
      limit: { chars: 3, messages: 2 },
      mode: 'lite',
    })
  })

  it('replace what is no object', () => {
    expect(mergeSettings({ memo: { instruct: ['a', 'b'] } }, { memo: { instruct: ['c'] } })).toEqual({
      memo: { instruct: ['c'] },
    })
  })

  it('leave what they were made of as it is', () => {
    const under = { limit: { chars: 1 } }
    mergeSettings(under, { limit: { chars: 3 } })
    expect(under).toEqual({ limit: { chars: 1 } })
  })

  it('may have any name', () => {
    const settings = mergeSettings({}, settingAt(['__proto__', 'x'], 1))
    expect([JSON.stringify(settings), ({} as { x?: unknown }).x]).toEqual(['{"__proto__":{"x":1}}', undefined])
  })
})

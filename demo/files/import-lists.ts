import type { ImportedSession, ImportReport } from '../../src/types.ts'
import { h } from '../ui/dom.ts'
import { counted, shortened } from '../ui/format.ts'
import { sessionAddress } from '../ui/route.ts'

const listedSessions = 200
const listedReasons = 50

/** Whose format a file has, in its maker's words. */
const dialects: Readonly<Record<string, string>> = {
  chatgpt: 'ChatGPT',
  claude: 'Claude',
  'claude-code': 'Claude Code',
  'open-webui': 'Open WebUI',
  sharegpt: 'ShareGPT',
  'ai-sdk': 'AI SDK',
  openai: 'OpenAI messages',
  picoclaw: 'PicoClaw',
  'ai-panel': 'AI Panel',
  aixgo: 'Aixgo',
  agently: 'Agently',
  archive: 'Archive',
}

/** Where a conversation comes from, and how much of it is new. */
export const sessionHint = ({ dialect, added }: ImportedSession): string =>
  [dialects[dialect] ?? dialect, added !== undefined && `${added.toLocaleString()} new`].filter(Boolean).join(', ')

/** The conversations that were imported. */
export function importedSessions(sessions: readonly ImportedSession[]): HTMLElement {
  const rest = sessions.length - listedSessions
  return folded(
    { name: counted(sessions.length, 'conversation'), isOpen: false },
    ...sessions
      .slice(0, listedSessions)
      .map((session) =>
        h(
          'li',
          { 'data-testid': 'import-session' },
          h('a', { href: sessionAddress(session.key) }, shortened(session.title || 'Untitled', 120)),
          h('span', { class: 'import-hint' }, sessionHint(session)),
        ),
      ),
    ...(rest > 0 ? [h('li', {}, `and ${rest.toLocaleString()} more`)] : []),
  )
}

/** What of an import could not be taken, if anything. */
export function skippedLines({ skipped, skippedCount }: ImportReport, name: string): HTMLElement | undefined {
  if (skippedCount === 0) return undefined
  const rest = skippedCount - Math.min(skipped.length, listedReasons)
  return folded(
    { name, isOpen: false },
    ...skipped
      .slice(0, listedReasons)
      .map(({ file, line, reason }) =>
        h('li', {}, [file, line > 0 && `Line ${line}`, shortened(reason, 200)].filter(Boolean).join(': ')),
      ),
    ...(rest > 0 ? [h('li', {}, `and ${rest.toLocaleString()} more`)] : []),
  )
}

const folded = (
  { name, isOpen }: { readonly name: string; readonly isOpen: boolean },
  ...rows: readonly HTMLElement[]
): HTMLElement =>
  h(
    'details',
    { class: 'import-reasons', open: isOpen },
    h('summary', {}, name),
    h('ul', { class: 'import-skipped' }, ...rows),
  )

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
  openai: 'OpenAI messages',
  picoclaw: 'PicoClaw',
  'ai-panel': 'AI Panel',
  aixgo: 'Aixgo',
  agently: 'Agently',
  archive: 'Archive',
}

/** The conversations of an import. @param areThere - whether they can be opened by now */
export function importedSessions(sessions: readonly ImportedSession[], areThere: boolean): HTMLElement {
  const rest = sessions.length - listedSessions
  return folded(
    { name: counted(sessions.length, 'conversation'), isOpen: !areThere },
    ...sessions.slice(0, listedSessions).map(({ key, title, dialect, added }) => {
      const name = shortened(title || 'Untitled', 120)
      const hint = [dialects[dialect] ?? dialect, added !== undefined && `${added.toLocaleString()} new`]
        .filter(Boolean)
        .join(', ')
      return h(
        'li',
        { 'data-testid': 'import-session' },
        areThere ? h('a', { href: sessionAddress(key) }, name) : name,
        h('span', { class: 'import-hint' }, hint),
      )
    }),
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
